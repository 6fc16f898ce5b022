"""Comparison of engines: records out of answers."""
