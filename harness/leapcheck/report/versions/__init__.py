"""Reports of several versions of an engine."""
