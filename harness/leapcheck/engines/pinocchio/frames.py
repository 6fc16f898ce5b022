"""Contact points by Pinocchio's own calls, frame by frame: slow, for checking the assembled ones at a sample of states."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pinocchio as pin

from leapcheck.engines.projection import OwnStates
from leapcheck_models.arrays import Floats

AXES = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
"""At the point, world axes: in these a frame's classical acceleration and Jacobian are what the harness compares."""

CALLS: dict[str, Callable[[pin.Model, pin.Data, int], Any]] = {
    "p": lambda _, data, frame: data.oMf[frame].translation,
    "pdot": lambda model, data, frame: pin.getFrameVelocity(model, data, frame, AXES).linear,
    "J": lambda model, data, frame: pin.getFrameJacobian(model, data, frame, AXES).reshape(6, -1)[:3],  # a vector where nv is 1
    "a": lambda model, data, frame: pin.getFrameClassicalAcceleration(model, data, frame, AXES).linear,
}
"""For each number of a point, by its name in `projection`, Pinocchio's own call."""


def frame_numbers(
    model: pin.Model, data: pin.Data, frames: Sequence[int], states: OwnStates, names: Iterable[str]
) -> dict[str, Floats]:
    """Those of p, pdot, J and a that are among the names, (n, points, *shape)."""
    wanted_names = sorted(CALLS.keys() & set(names))
    out = {name: np.empty((len(states.q), len(frames), 3, *([model.nv] if name == "J" else []))) for name in wanted_names}
    if not wanted_names:
        return out
    no_acceleration = np.zeros(model.nv)
    targets = [(CALLS[name], frame, out[name][:, k]) for name in wanted_names for k, frame in enumerate(frames)]
    for i, (q, v) in enumerate(zip(states.q, states.v, strict=True)):
        pin.forwardKinematics(model, data, q, v, no_acceleration)
        pin.updateFramePlacements(model, data)
        if "J" in out:
            pin.computeJointJacobians(model, data)
        for call, frame, rows in targets:
            rows[i] = call(model, data, frame)
    return out
