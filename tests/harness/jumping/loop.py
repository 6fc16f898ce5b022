"""A simulator for tests of the loop: the in-house equations without any ground, by semi-implicit Euler steps."""

import numpy as np

from leapcheck.jumping.control import JointCommand
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.coordinates import canonical_velocity, displace, world_velocity
from leapcheck_reference.simulate.plant import Plant


class Floating:
    """A robot in free fall."""

    own_drives = False

    def __init__(self, spec: RobotSpec, dt: float) -> None:
        self.name, self.dt, self._plant = "floating", dt, Plant(spec)
        self.forces = np.zeros((len(self._plant.point_names), 3))
        self.limit_torques = np.zeros(spec.nv)

    @property
    def q(self) -> Floats:
        return self._q.copy()

    @property
    def v(self) -> Floats:
        return canonical_velocity(self._plant.free_base, self._q, self._u)

    def start(self, q: Floats, v: Floats) -> None:
        self._q, self._u = q.copy(), world_velocity(self._plant.free_base, q, v)

    def step(self, torque: Floats) -> None:
        at = self._plant.at(self._q, self._u)
        self._u = self._u + self.dt * np.linalg.solve(at.M, self._plant.generalised_force(torque) - at.h)
        self._q = displace(self._plant.free_base, self._q, self.dt * self._u)


def held(spec: RobotSpec, q: Floats, torque: Floats | None = None) -> JointCommand:
    """A command that holds the driven joints of q by PD."""
    n = len(spec.actuators)
    return JointCommand(np.zeros(n) if torque is None else torque, q[7:], np.zeros(n), np.full(n, 40.0), np.full(n, 1.5))
