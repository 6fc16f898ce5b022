"""How exactly the MuJoCo that is here finds the principal axes of an inertia: versions before 3.14 to 1e-7 only."""

from __future__ import annotations

import mujoco

IS_EXACT = tuple(map(int, mujoco.__version__.split(".")[:2])) >= (3, 14)

AXES = 0.0 if IS_EXACT else 3e-7
"""Error of an inertia that is turned to its principal axes and back, of its trace: what a tolerance is at least; 3.10: 1.1e-7."""
