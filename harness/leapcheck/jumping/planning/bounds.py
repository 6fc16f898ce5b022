"""What no push can do, whatever the pose: a bound that is looked at before anything is searched."""

from __future__ import annotations

import numpy as np

from leapcheck.jumping.planning.records import Check
from leapcheck.jumping.planning.search import HIGHEST, LOWEST, take_off_speed
from leapcheck.jumping.planning.task import Task
from leapcheck_models.arrays import Floats
from leapcheck_reference.simulate.actuator import Drives, largest_torque

SURELY = 2.0
"""Utilisation from which on a bound excludes a jump: the power that swings the legs, which it leaves out, is far less."""

SPEEDS = 101
"""Speeds between 0 and no-load at which a drive's power is looked at."""


def power_at_take_off(task: Task) -> Check:
    """Mechanical power at take-off against that of all drives together: m (g + a) v for the gentlest push there may be.

    From rest to v at constant acceleration over the stroke s it is a = v^2 / (2 s), with the longest stroke that is searched, or
    a = v / T where the request says how long to push.
    """
    speed, request, gravity = take_off_speed(task), task.request, task.robot.gravity
    stroke = (HIGHEST - LOWEST) * float(task.com[2])
    acceleration = speed / request.push_time if request.push_time else speed**2 / (2.0 * stroke)
    needed = task.robot.mass * (gravity + acceleration) * speed
    available = float(largest_powers(task.drives, task.battery.open_circuit(task.drives)).sum())
    return Check("mechanical power", needed, available, "W", "all drives together, take-off")


def largest_powers(drives: Drives, voltage: float) -> Floats:
    """Largest mechanical power (actuators,) W that each drive gives at any speed; infinite without a speed limit."""
    usable = np.where(drives.electrical, np.minimum(drives.voltage, voltage), drives.voltage)
    no_load = drives.no_load_speed(usable)
    limited = np.isfinite(no_load)
    speeds = np.linspace(0.0, 1.0, SPEEDS)[:, None] * np.where(limited, no_load, 0.0)
    powers: Floats = (largest_torque(drives, speeds, voltage)[1] * speeds).max(axis=0)
    return np.where(limited, powers, np.inf)
