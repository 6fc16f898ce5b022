"""The first files of a project: an engine, its test, a workflow and a pre-commit hook."""
