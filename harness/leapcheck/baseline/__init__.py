"""Baselines: what a run was found to be, accepted with a reason, so that a later run fails on what is new alone."""
