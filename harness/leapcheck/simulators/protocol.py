"""What a simulator of jumps is: one robot, or many of one kind with drawn deviations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from leapcheck_models.arrays import Floats

LARGEST_SPEED = 1e3
"""A joint or base faster than this (rad/s, m/s) has diverged."""


class Simulator(Protocol):
    """A robot in one engine with one contact model; owns the state. Coordinates and torques are canonical and the spec's.

    With `own_drives` the simulator has drives of its own (MuJoCo's dcmotor): its steps take the torque asked of them.
    """

    name: str
    dt: float
    own_drives: bool

    @property
    def q(self) -> Floats:
        """Configuration (nq,), canonical; a copy."""

    @property
    def v(self) -> Floats:
        """Velocity (nv,), canonical; a copy."""

    @property
    def forces(self) -> Floats:
        """Contact forces (points, 3) N on the robot in the last step, world axes; a copy."""

    @property
    def limit_torques(self) -> Floats:
        """Torques (nv,) N m of the joint stops in the last step, canonical; a copy."""

    def start(self, q: Floats, v: Floats) -> None:
        """Takes a state (canonical) and forgets all else."""

    def step(self, torque: Floats) -> None:
        """Goes on by dt with the joint torques (actuators,) N m held. Raises ArithmeticError when it cannot."""


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """How n simulations deviate from the plan, arrays (n,); strength, voltage, dry friction and gains are factors near 1.

    `index` numbers the simulations: with the seed it selects the measurement noise.
    """

    index: NDArray[np.int64]
    friction: Floats
    ground_height: Floats
    payload: Floats
    com_x: Floats
    com_y: Floats
    com_z: Floats
    strength: Floats
    voltage: Floats
    latency: Floats
    joint_noise: Floats
    speed_noise: Floats
    pitch: Floats
    roll: Floats
    dry_friction: Floats
    gains: Floats

    @property
    def com_offset(self) -> Floats:
        """Offset (n, 3) m of the trunk's com, in trunk axes."""
        return np.stack([self.com_x, self.com_y, self.com_z], axis=1)
