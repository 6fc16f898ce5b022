"""M by composite rigid bodies: mass, first moment and inertia about the origin, summed from the leaves to the root."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from leapcheck_evidence.score.programs.code.links import Link, Robot, RotorData
from leapcheck_evidence.score.programs.code.poses import Pose, poses, rotor_pose
from leapcheck_evidence.score.programs.code.rotation import cross, dot, times, transpose
from leapcheck_models.arrays import Array, Floats


class Composite(NamedTuple):
    """Mass, first moment (n, 3), and inertia about the origin (n, 3, 3) of bodies joined into one."""

    mass: float
    mc: Array
    I: Array


class Push(NamedTuple):
    """Force and moment about the origin (n, 3) that one unit of a coordinate's acceleration asks for."""

    f: Array
    n: Array


def mass_matrix(robot: Robot, q: Array) -> Array:
    """M (n, nv, nv)."""
    places, n = poses(robot, q), len(q)
    composites = [_own(link.mass, link.com, link.I, n) for link in robot.links]
    for link in reversed(robot.links):
        if link.parent >= 0:
            composites[link.parent] = _sum(composites[link.parent], _carried(places[link.number], composites[link.number]))
            if link.rotor:
                composites[link.parent] = _sum(composites[link.parent], _rotor(link, link.rotor, q))
    lower = np.zeros((n, robot.nv, robot.nv))
    for link in robot.links:
        for column in range(link.v.start, link.v.stop):
            push = _unit_push(link, composites[link.number], column - link.v.start)
            lower[:, column] += _couplings(robot, places, link, push)
        if link.joint in ("revolute", "prismatic"):
            lower[:, link.v.start, link.v.start] += link.armature
        if link.rotor:
            lower[:, link.v.start] += _rotor_row(robot, places, link, link.rotor, q)
    return _symmetric(lower)


def forward_dynamics(M: Array, h: Array, tau: Array) -> Array:
    """vdot (n, nv) = M^-1 (tau - h)."""
    return np.asarray(np.linalg.solve(M, (tau - h)[..., None])[..., 0])


def _own(mass: float, com: Floats, I: Floats, n: int) -> Composite:
    """A single body: parallel axes from the com to the origin."""
    parallel = mass * (com @ com * np.eye(3) - np.outer(com, com))
    return Composite(mass, np.broadcast_to(mass * com, (n, 3)), np.broadcast_to(I + parallel, (n, 3, 3)))


def _sum(a: Composite, b: Composite) -> Composite:
    return Composite(a.mass + b.mass, a.mc + b.mc, a.I + b.I)


def _carried(pose: Pose, of: Composite) -> Composite:
    """The composite of a link in the axes and about the origin of its parent."""
    mc, I = times(pose.R, of.mc), pose.R @ of.I @ transpose(pose.R)
    return Composite(of.mass, mc + of.mass * pose.p, I + _shift(of.mass, mc, pose.p))


def _rotor(link: Link, rotor: RotorData, q: Array) -> Composite:
    """The rotor at rest on the link that carries it."""
    pose, of = rotor_pose(link, rotor, q), _own(rotor.mass, rotor.com, rotor.I, len(q))
    mc, I = times(pose.R, of.mc), pose.R @ of.I @ transpose(pose.R)
    return Composite(of.mass, mc + of.mass * pose.p, I + _shift(of.mass, mc, pose.p))


def _shift(mass: float, mc: Array, p: Array) -> Array:
    """What the inertia about a point grows by when that point moves by -p."""
    mixed = p[:, :, None] * mc[:, None, :]
    squares = 2.0 * dot(p, mc) + mass * dot(p, p)
    return np.asarray(squares[:, None, None] * np.eye(3) - mixed - transpose(mixed) - mass * p[:, :, None] * p[:, None, :])


def _unit_push(link: Link, of: Composite, direction: int) -> Push:
    """What the composite behind a joint needs for a unit acceleration along one of its directions."""
    alpha, a = np.zeros(3), np.zeros(3)
    match link.joint:
        case "free":
            (alpha if direction < 3 else a)[direction % 3] = 1.0
        case "ball":
            alpha[direction] = 1.0
        case "revolute":
            alpha = link.axis
        case "prismatic":
            a = link.axis
    return Push(of.mass * a + cross(alpha, of.mc), times(of.I, alpha) + cross(of.mc, a))


def _along(link: Link, push: Push) -> Array:
    """What of a push (n, dof) goes along the directions of a joint."""
    match link.joint:
        case "free":
            return np.concatenate([push.n, push.f], axis=1)
        case "ball":
            return push.n
        case "revolute":
            return dot(link.axis, push.n)[:, None]
        case "prismatic":
            return dot(link.axis, push.f)[:, None]
    return np.zeros((len(push.f), 0))


def _couplings(robot: Robot, places: list[Pose], link: Link, push: Push) -> Array:
    """A row (n, nv) of M: what a push on a link asks of its joint and of all joints between it and the root."""
    row = np.zeros((len(push.f), robot.nv))
    row[:, link.v] = _along(link, push)
    while link.parent >= 0:
        push = _push_on_parent(places[link.number], push)
        link = robot.links[link.parent]
        row[:, link.v] = _along(link, push)
    return row


def _push_on_parent(pose: Pose, push: Push) -> Push:
    f = times(pose.R, push.f)
    return Push(f, times(pose.R, push.n) + cross(pose.p, f))


def _rotor_row(robot: Robot, places: list[Pose], link: Link, rotor: RotorData, q: Array) -> Array:
    """What a rotor's spin adds to the row (n, nv) of its joint: the diagonal, and couplings with the joints that carry it."""
    pose, of = rotor_pose(link, rotor, q), _own(rotor.mass, rotor.com, rotor.I, len(q))
    alpha = rotor.ratio * rotor.axis
    push = Push(cross(alpha, of.mc), times(of.I, alpha))
    row = np.zeros((len(q), robot.nv))
    if link.parent >= 0:
        on_carrier = _push_on_parent(pose, push)
        row = _couplings(robot, places, robot.links[link.parent], on_carrier)
    row[:, link.v.start] += rotor.ratio * dot(rotor.axis, push.n)
    return row


def _symmetric(lower: Array) -> Array:
    """The whole of a symmetric matrix of which the lower triangle is known."""
    triangle = np.tril(lower)
    diagonal = np.eye(lower.shape[1]) * triangle
    return np.asarray(triangle + transpose(triangle) - diagonal)
