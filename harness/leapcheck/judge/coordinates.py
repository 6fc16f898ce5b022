"""Coordinates in which an engine may write a free joint's velocity."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from leapcheck.conventions import product, rotation_matrices
from leapcheck.states import Floats
from leapcheck_models.spec import CONFIGURATION_SIZE, VELOCITY_SIZE, JointType, RobotSpec


class Coordinates(NamedTuple):
    """How an engine may write a free joint's velocity u = T v."""

    words: str
    angular_in_world: bool
    linear_in_world: bool
    linear_first: bool


MUJOCO = Coordinates("[v_WB_W; w_WB_B], linear first and in world axes", False, True, True)

COORDINATES = (
    MUJOCO,
    Coordinates("[w_WB_B; v_WB_W], the linear part in world axes", False, True, False),
    Coordinates("[v_WB_B; w_WB_B], linear before angular", False, False, True),
    Coordinates("[w_WB_W; v_WB_W], world axes", True, True, False),
    Coordinates("[v_WB_W; w_WB_W], linear first, world axes", True, True, True),
    Coordinates("[w_WB_W; v_WB_B], the angular part in world axes", True, False, False),
)


def free_joints(spec: RobotSpec) -> Iterator[tuple[int, int]]:
    """First place in q and in v of each free joint."""
    q = v = 0
    for body in spec.bodies:
        kind = body.joint.type
        if kind is JointType.FREE:
            yield q, v
        q, v = q + CONFIGURATION_SIZE[kind], v + VELOCITY_SIZE[kind]


def velocity_map(spec: RobotSpec, q: Floats, coordinates: Coordinates) -> Floats:
    """T (n, nv, nv), orthogonal, with u = T v."""
    T = np.zeros((len(q), spec.nv, spec.nv)) + np.eye(spec.nv)
    for at_q, at_v in free_joints(spec):
        R_WB = rotation_matrices(q[:, at_q + 3 : at_q + 7])
        w, v = slice(at_v, at_v + 3), slice(at_v + 3, at_v + 6)
        u_w, u_v = (v, w) if coordinates.linear_first else (w, v)
        T[:, at_v : at_v + 6, at_v : at_v + 6] = 0.0
        T[:, u_w, w] = R_WB if coordinates.angular_in_world else np.eye(3)
        T[:, u_v, v] = R_WB if coordinates.linear_in_world else np.eye(3)
    return T


def velocity_map_rate(spec: RobotSpec, q: Floats, v: Floats, coordinates: Coordinates) -> Floats:
    """Tdot v (n, nv): R_WB (w x v_B) where a linear part is in world axes; zero elsewhere, since R_WB (w x w) is."""
    rate = np.zeros_like(v)
    for at_q, at_v in free_joints(spec):
        if coordinates.linear_in_world:
            R_WB = rotation_matrices(q[:, at_q + 3 : at_q + 7])
            place = at_v if coordinates.linear_first else at_v + 3
            rate[:, place : place + 3] = product(R_WB, np.cross(v[:, at_v : at_v + 3], v[:, at_v + 3 : at_v + 6]))
    return rate
