"""How exactly the MuJoCo that is here finds the principal axes of an inertia: versions before 3.14 to 1e-8 only."""

from __future__ import annotations

import mujoco

IS_EXACT = tuple(map(int, mujoco.__version__.split(".")[:2])) >= (3, 14)

AXES = 0.0 if IS_EXACT else 2e-8
"""Error of an inertia that is turned to its principal axes and back, of its trace; what a tolerance is at least."""
