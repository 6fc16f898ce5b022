"""Baselines: the discrepancies of a run, accepted with a reason, so that a later run fails only on what is new."""
