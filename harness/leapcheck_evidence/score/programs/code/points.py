"""Contact points in world axes: where they are, how they move, J and Jdot v."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from leapcheck_evidence.score.programs.code.links import Link, Robot
from leapcheck_evidence.score.programs.code.poses import poses
from leapcheck_evidence.score.programs.code.rotation import cross, times, transpose
from leapcheck_models.arrays import Array


class Placed(NamedTuple):
    """A link in the world: its axes R (n, 3, 3), its origin p, the direction e of its joint (n, 3)."""

    R: Array
    p: Array
    e: Array


class Moving(NamedTuple):
    """Angular velocity, velocity of the origin, and both rates at vdot = 0 (n, 3), in world axes."""

    w: Array
    u: Array
    alpha: Array
    a: Array


def contact_positions(robot: Robot, q: Array) -> Array:
    """(n, points, 3)."""
    world = _world(robot, q)
    return _stack([world[point.link].p + times(world[point.link].R, point.position) for point in robot.points], len(q), 3)


def contact_velocities(robot: Robot, q: Array, v: Array) -> Array:
    """(n, points, 3)."""
    world = _world(robot, q)
    moving = _moving(robot, world, v)
    velocities = []
    for point in robot.points:
        link = moving[point.link]
        arm = times(world[point.link].R, point.position)
        velocities.append(link.u + cross(link.w, arm))
    return _stack(velocities, len(q), 3)


def contact_jacobians(robot: Robot, q: Array) -> Array:
    """J (n, points, 3, nv): axis by axis from each point to the root."""
    world, jacobians = _world(robot, q), []
    for point in robot.points:
        J = np.zeros((len(q), 3, robot.nv))
        place = world[point.link].p + times(world[point.link].R, point.position)
        number = point.link
        while number >= 0:
            link = robot.links[number]
            J[:, :, link.v] = _columns(link, world[number], place)
            number = link.parent
        jacobians.append(J)
    return _stack(jacobians, len(q), 3, robot.nv)


def contact_bias_accelerations(robot: Robot, q: Array, v: Array) -> Array:
    """Jdot v (n, points, 3)."""
    world = _world(robot, q)
    moving = _moving(robot, world, v)
    accelerations = []
    for point in robot.points:
        link = moving[point.link]
        arm = times(world[point.link].R, point.position)
        accelerations.append(link.a + cross(link.alpha, arm) + cross(link.w, cross(link.w, arm)))
    return _stack(accelerations, len(q), 3)


def contact_inertia(J: Array, M: Array) -> Array:
    """J M^-1 J^T (n, 3 points, 3 points)."""
    rows = J.reshape(len(J), -1, J.shape[-1])
    return np.asarray(rows @ np.linalg.solve(M, transpose(rows)))


def _world(robot: Robot, q: Array) -> list[Placed]:
    """The links in the world."""
    world: list[Placed] = []
    for link, pose in zip(robot.links, poses(robot, q), strict=True):
        R, p = pose.R, pose.p
        if link.parent >= 0:
            carrier = world[link.parent]
            R, p = carrier.R @ pose.R, carrier.p + times(carrier.R, pose.p)
        world.append(Placed(R, p, times(R, link.axis)))
    return world


def _columns(link: Link, placed: Placed, point: Array) -> Array:
    """Columns (n, 3, dof) of J that belong to a joint."""
    arm = point - placed.p
    match link.joint:
        case "revolute":
            return cross(placed.e, arm)[:, :, None]
        case "prismatic":
            return placed.e[:, :, None]
        case "ball":
            return _turning(placed.R, arm)[:, :, :]
        case "free":
            return np.concatenate([_turning(placed.R, arm), placed.R], axis=2)
    return np.zeros((len(arm), 3, 0))


def _turning(R: Array, arm: Array) -> Array:
    """Velocities (n, 3, 3) of a point for unit turns about the axes R."""
    return np.stack([cross(R[:, :, k], arm) for k in range(3)], axis=2)


def _moving(robot: Robot, world: list[Placed], v: Array) -> list[Moving]:
    """The motion of the links."""
    zero = np.zeros((len(v), 3))
    moving: list[Moving] = []
    for link in robot.links:
        carrier = moving[link.parent] if link.parent >= 0 else Moving(zero, zero, zero, zero)
        placed = world[link.number]
        arm = placed.p - (world[link.parent].p if link.parent >= 0 else placed.p)
        moving.append(_next(link, placed, carrier, arm, v[:, link.v]))
    return moving


def _next(link: Link, placed: Placed, carrier: Moving, arm: Array, v: Array) -> Moving:
    """The motion of a link, from that of its parent."""
    w, alpha = carrier.w, carrier.alpha
    u = carrier.u + cross(w, arm)
    a = carrier.a + cross(alpha, arm) + cross(w, cross(w, arm))
    match link.joint:
        case "revolute":
            spin = placed.e * v
            return Moving(w + spin, u, alpha + cross(w, spin), a)
        case "prismatic":
            slide = placed.e * v
            return Moving(w, u + slide, alpha, a + 2.0 * cross(w, slide))
        case "ball":
            roll = times(placed.R, v)
            return Moving(w + roll, u, alpha + cross(w, roll), a)
        case "free":
            turn, drift = times(placed.R, v[:, :3]), times(placed.R, v[:, 3:])
            return Moving(turn, drift, alpha, cross(turn, drift))
    return Moving(w, u, alpha, a)


def _stack(blocks: list[Array], n: int, *shape: int) -> Array:
    return np.stack(blocks, axis=1) if blocks else np.zeros((n, 0, *shape))
