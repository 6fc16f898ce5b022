"""Places of each joint in q and v, and plain rotation algebra, by the definitions in `leapcheck.sampling` and the spec."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from leapcheck_models.arrays import Floats
from leapcheck_models.spec import CONFIGURATION_SIZE, VELOCITY_SIZE, Body, JointType, RobotSpec

POINT_QUANTITIES = ("contact_positions", "contact_velocities", "contact_jacobians", "contact_bias_accelerations")


class Slot(NamedTuple):
    """A body, with the places of its joint's coordinates."""

    body: Body
    q: slice
    v: slice


def slots(spec: RobotSpec) -> list[Slot]:
    """One for each body, in the spec's order."""
    slots, q, v = [], 0, 0
    for body in spec.bodies:
        q_end, v_end = q + CONFIGURATION_SIZE[body.joint.type], v + VELOCITY_SIZE[body.joint.type]
        slots.append(Slot(body, slice(q, q_end), slice(v, v_end)))
        q, v = q_end, v_end
    return slots


def of_type(spec: RobotSpec, *kinds: JointType) -> list[Slot]:
    """Those whose joints are of some kinds."""
    return [slot for slot in slots(spec) if slot.body.joint.type in kinds]


def rotations(quaternion: Floats) -> Floats:
    """R (..., 3, 3) of unit quaternions wxyz (..., 4)."""
    w, x, y, z = np.moveaxis(quaternion, -1, 0)
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def about(axis: Floats, angle: Floats) -> Floats:
    """R (..., 3, 3) of turns by angles (...) about one unit axis (3,)."""
    half = np.asarray(angle)[..., None] / 2.0
    return rotations(np.concatenate([np.cos(half), np.sin(half) * axis], axis=-1))


def turn_quaternion(quaternion: Floats, axis: Floats, angle: float) -> Floats:
    """The quaternion wxyz (4,) of a turn by `angle` about an axis of the outer frame after the given one."""
    w, (x, y, z) = np.cos(angle / 2.0), np.sin(angle / 2.0) * np.asarray(axis)
    left = np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]])
    turned: Floats = left @ np.asarray(quaternion)
    return turned / np.linalg.norm(turned)


def carriers(spec: RobotSpec) -> list[str]:
    """The bodies of the computed contact points, in their order."""
    return [point.body for point in spec.contact_points if point.computed]
