"""States within a robot's limits: of its joints, and of the speeds and torques of its drives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from leapcheck.sampling import States, joint_slices
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec


def within_limits(spec: RobotSpec, states: States) -> States:
    """The states with what lies beyond a limit mirrored at it, as often as it takes; all else as it is."""
    q, v, tau = states.q.copy(), states.v.copy(), states.tau.copy()
    for values, place, low, high in _limited(spec, q, v, tau):
        values[:, place] = _mirrored(values[:, place], low, high)
    return replace(states, q=q, v=v, tau=tau)


def _limited(spec: RobotSpec, q: Floats, v: Floats, tau: Floats) -> Iterator[tuple[Floats, int, float, float]]:
    """Each column of q, v and tau that has limits: the array, the column, lowest and highest value."""
    drives = {actuator.joint: actuator for actuator in spec.actuators}
    for body, (name, _, in_q, in_v) in zip(spec.bodies, joint_slices(spec), strict=True):
        if body.joint.limits is not None:
            yield q, in_q.start, *body.joint.limits
        if drive := drives.get(name):
            yield tau, in_v.start, -drive.torque_limit, drive.torque_limit
            if drive.speed_limit is not None:
                yield v, in_v.start, -drive.speed_limit, drive.speed_limit


def _mirrored(values: Floats, low: float, high: float) -> Floats:
    """The values, those beyond an end mirrored at both ends in turn."""
    width = high - low
    if width == 0.0 or not np.isfinite(width):
        return np.clip(values, low, high)
    turn = np.mod(values - low, 2.0 * width)
    mirrored = np.clip(low + np.where(turn <= width, turn, 2.0 * width - turn), low, high)
    inside: Floats = np.where((values >= low) & (values <= high), values, mirrored)
    return inside
