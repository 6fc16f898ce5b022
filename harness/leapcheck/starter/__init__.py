"""Files to begin with in a project of the user's: an engine, its test, a workflow and a hook."""
