"""The inside of the pytest plugin, without pytest: the comparison that a test asks for, its run, the baseline of a session."""
