"""The front door: the functions that `import leapcheck` offers, which the command line and the pytest plugin call too."""
