"""What the pytest plugin does, without pytest: which comparison a test asks for, its run, and the baseline of a session."""
