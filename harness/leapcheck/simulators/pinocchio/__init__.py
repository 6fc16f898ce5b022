"""Pinocchio's dynamics and constraint solvers as a simulator of jumps."""
