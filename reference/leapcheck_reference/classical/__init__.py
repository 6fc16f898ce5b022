"""Dynamics with 3-vectors: moving frames, Newton and Euler, Newton-Euler recursion, the two-link arm, Lagrange."""
