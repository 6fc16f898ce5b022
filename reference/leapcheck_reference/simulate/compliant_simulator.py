"""A robot on springy ground, stepped at a fixed time step: see `compliant`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leapcheck_reference.simulate.compliant import ContactLaw, SpringDamper, deflections, spring_points, spring_stops
from leapcheck_reference.simulate.moving import Moving
from leapcheck_reference.simulate.plant import Plant

Floats = NDArray[np.float64]


class CompliantSimulator(Moving):
    """Semi-implicit steps, implicit in the contact forces: velocities first, then positions with the new velocities."""

    name = "spring-damper"

    def __init__(self, plant: Plant, dt: float, law: ContactLaw = SpringDamper(), friction: float | Floats = 0.8) -> None:
        """`friction`: Coulomb's coefficient, one number or one for each contact point; ValueError where it or dt is no such."""
        super().__init__(plant, dt, friction)
        self._law = law
        self._deflections = np.zeros((len(plant.radii), 2))

    def _forget(self) -> None:
        """All tangential springs are relaxed."""
        super()._forget()
        self._deflections[:] = 0.0

    def step(self, torque: Floats) -> None:
        """Goes on by dt with the joint torques (actuators,) N m held. Raises ArithmeticError when it cannot."""
        law, rows, dt = self._law, self._rows, self.dt
        at, free = self._free(torque)
        upwards, away = rows.opening(at, self._u)
        depth, room = -rows.gaps(at), rows.rooms(self._q)
        foreseen = np.maximum(depth - dt * upwards, 0.0)
        points = spring_points(law, depth, foreseen, self._deflections, dt)
        u = rows.solved(at, free, points, spring_stops(law.stop, room, away, dt))
        self._deflections = deflections(law, self._deflections, rows.points[:, :2] / dt, np.sqrt(foreseen), dt)
        self._move(u)
