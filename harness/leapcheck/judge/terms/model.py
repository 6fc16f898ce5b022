"""A robot for the textbooks' forms: constants of every body, and its poses at a block of states, real or complex."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leapcheck_models.arrays import Array, Floats
from leapcheck_models.spec import JointType
from leapcheck_reference.links import Link
from leapcheck_reference.rotation import skew
from leapcheck_reference.spatial import RigidInertia
from leapcheck_reference.tree import Tree


@dataclass(frozen=True, slots=True, eq=False)
class BodyConstants:
    """A link, or the rotor of its joint: what carries it, its motion subspace `S` (6, k), mass, com (3,) and inertia about it."""

    name: str
    parent: int
    S: Floats
    v: slice
    mass: float
    com: Floats
    I: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """Turn R (n, 3, 3) and origin p (n, 3) of a body in its parent, and its turn in the world R_W (n, 3, 3)."""

    R: Array
    p: Array
    R_W: Array


def link_constants(tree: Tree) -> tuple[BodyConstants, ...]:
    """The links."""
    return tuple(_constants(link.name, link, link.S, link.inertia) for link in tree.links)


def rotor_constants(tree: Tree) -> tuple[BodyConstants | None, ...]:
    """The rotor of each link's joint; None where it has none."""
    return tuple(
        _constants(link.rotor.name, link, link.rotor.S, link.rotor.inertia) if link.rotor else None for link in tree.links
    )


def _constants(name: str, link: Link, S: Array, inertia: RigidInertia) -> BodyConstants:
    mass, mc = float(inertia.mass), np.asarray(inertia.mc, dtype=float)
    com = mc / mass if mass else np.zeros(3)
    C = skew(com)
    I = np.asarray(inertia.I, dtype=float) + mass * (C @ C)  # parallel axis: I_c = I_o + m c~ c~
    return BodyConstants(name, link.parent, np.asarray(S, dtype=float), link.v, mass, com, I)


def poses(tree: Tree, q: Array) -> tuple[list[Pose], list[Pose | None]]:
    """Poses of links and rotors at q (n, nq), which may be complex: analytic in q."""
    links: list[Pose] = []
    rotors: list[Pose | None] = []
    for link in tree.links:
        parent = links[link.parent].R_W if link.parent >= 0 else np.broadcast_to(np.eye(3), (len(q), 3, 3))
        links.append(_behind(parent, *_joint_pose(link, q[:, link.q])))
        rotor = link.rotor
        if rotor is None:
            rotors.append(None)
            continue
        X = rotor.placement
        angle = float(rotor.gear_ratio) * q[:, link.q.start]
        rotors.append(_behind(parent, X.R @ _turn(rotor.axis, angle), np.broadcast_to(X.p, (len(q), 3))))
    return links, rotors


def _behind(parent: Array, R: Array, p: Array) -> Pose:
    return Pose(R, p, parent @ R)


def _joint_pose(link: Link, q: Array) -> tuple[Array, Array]:
    X, n = link.placement, len(q)
    match link.type:
        case JointType.FREE:
            return quaternion_turn(q[:, 3:7]), q[:, :3]
        case JointType.REVOLUTE:
            return X.R @ _turn(link.axis, q[:, 0]), np.broadcast_to(X.p, (n, 3))
        case JointType.PRISMATIC:
            return np.broadcast_to(X.R, (n, 3, 3)), X.p + q * (X.R @ link.axis)
        case JointType.BALL:
            return X.R @ quaternion_turn(q), np.broadcast_to(X.p, (n, 3))
        case JointType.FIXED:
            return np.broadcast_to(X.R, (n, 3, 3)), np.broadcast_to(X.p, (n, 3))


def _turn(axis: Array, angle: Array) -> Array:
    """Rodrigues: 1 + sin a~ + (1 - cos) a~ a~."""
    A = skew(np.asarray(axis, dtype=float))
    s, c = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    turned: Array = np.eye(3) + s * A + (1.0 - c) * (A @ A)
    return turned


def quaternion_turn(quaternion: Array) -> Array:
    """Rotation (n, 3, 3) of quaternions (n, 4), scalar first, divided by their square norm."""
    w, x, y, z = quaternion.T
    s = 2.0 / (w * w + x * x + y * y + z * z)
    rows = (
        (1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)),
        (s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)),
        (s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)),
    )
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def turn(R: Array, x: Array) -> Array:
    """R x, row by row: (n, 3, 3) times (n, 3)."""
    return (R @ x[..., None])[..., 0]


def turn_back(R: Array, x: Array) -> Array:
    """R^T x, row by row."""
    return (x[..., None, :] @ R)[..., 0, :]


def cross(a: Array, b: Array) -> Array:
    """a x b of blocks (..., 3)."""
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-1)
