"""Failures of a simulator that are no statement about the robot."""

from __future__ import annotations


class ContactSolverError(ArithmeticError):
    """The contact solver has found no forces: the simulator has failed, whatever the robot does."""
