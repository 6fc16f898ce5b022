"""A robot on rigid ground, stepped at a fixed time step: see `rigid`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leapcheck_reference.simulate.moving import Moving
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.rigid import rigid_step

Floats = NDArray[np.float64]


class RigidSimulator(Moving):
    """Semi-implicit steps: velocities with the impulses of contacts and stops, then positions with the new velocities."""

    name = "rigid"

    def __init__(self, plant: Plant, dt: float, friction: float | Floats = 0.8) -> None:
        """`friction`: Coulomb's coefficient, one number or one for each contact point; ValueError where it or dt is no such."""
        super().__init__(plant, dt, friction)

    def step(self, torque: Floats) -> None:
        """Goes on by dt with the joint torques (actuators,) N m held. Raises ArithmeticError when it cannot."""
        at, free = self._free(torque)
        self._move(rigid_step(self._rows, at, self._q, free, self.dt))
