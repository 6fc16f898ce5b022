"""Frames of links and contact points by Drake's own calls, in world axes; its six-vectors are angular first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.framework import Context

from leapcheck.engines.drake.points import BY_V, PlantPoint, point_velocity
from leapcheck_models.arrays import Floats


def frame_shapes(nv: int, frames: int) -> dict[str, tuple[int, ...]]:
    """Shape of each number of one state, by its name in `projection`; Drake has no Jdot as a matrix."""
    return {
        "frame_placements": (frames, 3, 4),
        "frame_velocities": (frames, 6),
        "frame_jacobians": (frames, 6, nv),
        "frame_bias_accelerations": (frames, 6),
    }


def frame_calls(plant: MultibodyPlant, context: Context, frames: Sequence[PlantPoint]) -> Mapping[str, Callable[[], Any]]:
    """What gives each number at the context's state."""
    world = plant.world_frame()

    def placement(frame: PlantPoint) -> Floats:
        origin = plant.CalcPointsPositions(context, frame.frame, frame.offset, world)
        return np.hstack([frame.frame.CalcRotationMatrixInWorld(context).matrix(), origin])

    def jacobian(frame: PlantPoint) -> Any:
        return plant.CalcJacobianSpatialVelocity(context, BY_V, frame.frame, frame.offset[:, 0], world, world)

    def bias_acceleration(frame: PlantPoint) -> Any:
        return plant.CalcBiasSpatialAcceleration(context, BY_V, frame.frame, frame.offset[:, 0], world, world).get_coeffs()

    return {
        "frame_placements": lambda: [placement(frame) for frame in frames],
        "frame_velocities": lambda: [point_velocity(context, frame).get_coeffs() for frame in frames],
        "frame_jacobians": lambda: [jacobian(frame) for frame in frames],
        "frame_bias_accelerations": lambda: [bias_acceleration(frame) for frame in frames],
    }
