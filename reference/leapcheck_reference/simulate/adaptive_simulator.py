"""The adaptive reference as a simulator: each step is followed to many digits, however long it is."""

import numpy as np

from leapcheck_models.arrays import Floats
from leapcheck_reference.simulate.adaptive import Integration
from leapcheck_reference.simulate.adaptive_soft import SoftLaw
from leapcheck_reference.simulate.coordinates import canonical_velocity, zero_configuration
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.soft_contact import SoftContact

RELATIVE, ABSOLUTE = 1e-10, 1e-11
"""Tolerances of the integrator: its errors are far below what the torque, held over a step, leaves."""


class AdaptiveSimulator:
    """A robot on MuJoCo's contact in continuous time; owns its state. A `leapcheck.simulators.protocol.Simulator`.

    What its time step leaves is the torque that is held over it; as the step goes to zero it is the reference solution.
    `forces` and `limit_torques` are the mean of those at both ends of the last step.
    """

    own_drives = False

    def __init__(self, plant: Plant, contact: SoftContact, dt: float) -> None:
        """The robot at q = 0, at rest; ValueError where dt is no time step, or the contact has pyramidal cones."""
        if not 0.0 < dt < np.inf:
            raise ValueError(f"time step {dt}: give a finite positive number of seconds")
        self.name, self.dt = "adaptive reference", dt
        self._plant, self._law = plant, SoftLaw(plant, contact)
        self.start(zero_configuration(plant.tree), np.zeros(plant.tree.nv))

    @property
    def q(self) -> Floats:
        """Configuration (nq,), canonical; a copy."""
        return self._motion.state[0].copy()

    @property
    def v(self) -> Floats:
        """Velocity (nv,), canonical; a copy."""
        return canonical_velocity(self._plant.free_base, *self._motion.state)

    def start(self, q: Floats, v: Floats) -> None:
        """Takes a state (canonical) and forgets all else; ValueError where it is no state of this robot."""
        self._motion = Integration(self._law, _no_torque_law, (q, v), RELATIVE, ABSOLUTE)
        self._steps = 0
        self.forces = np.zeros((len(self._plant.radii), 3))
        self.limit_torques = np.zeros(self._plant.tree.nv)

    def step(self, torque: Floats) -> None:
        """Goes on by dt with the joint torques (actuators,) N m held; ArithmeticError where contacts change without end."""
        self._steps += 1
        self._motion.hold(torque)
        forces, stops = self._motion.pushes()
        self._motion.go_on(self._steps * self.dt)
        later, later_stops = self._motion.pushes()
        self.forces, self.limit_torques = (forces + later) / 2.0, (stops + later_stops) / 2.0


def _no_torque_law(t: float, q: Floats, v: Floats) -> Floats:
    """In place of a torque that depends on the state: every step brings its own, which is held."""
    raise AssertionError(f"the torque is held, nobody asks for it at t = {t}, {len(q)}, {len(v)}")
