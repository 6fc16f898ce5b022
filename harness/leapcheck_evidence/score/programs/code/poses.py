"""Where each link stands in its parent, by its joint."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from leapcheck_evidence.score.programs.code.links import Link, Robot, RotorData
from leapcheck_evidence.score.programs.code.rotation import about, from_quaternion, times
from leapcheck_models.arrays import Array


class Pose(NamedTuple):
    """Number of the link (-1: a rotor), its turn R (n, 3, 3), link to parent, and origin p (n, 3) in the parent's axes."""

    link: int
    R: Array
    p: Array


def poses(robot: Robot, q: Array) -> list[Pose]:
    """The pose of each link in its parent."""
    return [_pose(link, q[:, link.q]) for link in robot.links]


def rotor_pose(link: Link, rotor: RotorData, q: Array) -> Pose:
    """The pose of a link's rotor in the link that carries it."""
    R = rotor.R @ about(rotor.axis, rotor.ratio * q[:, link.q][:, 0])
    return Pose(-1, R, np.broadcast_to(rotor.p, (len(q), 3)))


def _pose(link: Link, q: Array) -> Pose:
    number, n = link.number, len(q)
    match link.joint:
        case "free":
            return Pose(number, from_quaternion(q[:, 3:]), q[:, :3])
        case "ball":
            return Pose(number, link.R @ from_quaternion(q), np.broadcast_to(link.p, (n, 3)))
        case "revolute":
            return Pose(number, link.R @ about(link.axis, q[:, 0]), np.broadcast_to(link.p, (n, 3)))
        case "prismatic":
            return Pose(number, np.broadcast_to(link.R, (n, 3, 3)), link.p + q * times(link.R, link.axis))
    return Pose(number, np.broadcast_to(link.R, (n, 3, 3)), np.broadcast_to(link.p, (n, 3)))
