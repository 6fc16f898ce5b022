"""Pinocchio behind the engine protocol."""
