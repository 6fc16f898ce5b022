"""What a simulated jump leaves: every step's state, torque, current and contact force."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class JumpLog:
    """One run: `n` steps of `dt`. `time`, `q`, `v` (n + 1, ...) are states, canonical; all else (n, ...) is of the step after.

    `desired` N m: asked of the drives; `torque` N m: at the joints; `current` A, `voltage` V: of each motor; `battery_voltage`
    V, `battery_power` W: of the shared supply; `forces` (n, points, 3) N: contact forces on the robot, world axes;
    `limit_torques` (n, nv) N m. `stopped`: why and when the run ended early, empty if it did not.
    """

    simulator: str
    robot: str
    dt: float
    points: tuple[str, ...]
    actuators: tuple[str, ...]
    time: Floats
    q: Floats
    v: Floats
    desired: Floats
    torque: Floats
    current: Floats
    voltage: Floats
    battery_voltage: Floats
    battery_power: Floats
    forces: Floats
    limit_torques: Floats
    stopped: str = ""

    @property
    def steps(self) -> int:
        """Number of steps."""
        return len(self.torque)
