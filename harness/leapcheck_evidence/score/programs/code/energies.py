"""Kinetic and potential energy, link by link."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from leapcheck_evidence.score.programs.code.links import Link, Robot
from leapcheck_evidence.score.programs.code.poses import Pose, poses, rotor_pose
from leapcheck_evidence.score.programs.code.rotation import cross, dot, times, transpose
from leapcheck_models.arrays import Array


class Speed(NamedTuple):
    """Angular velocity and velocity of the origin (n, 3), in the body's axes."""

    w: Array
    u: Array


def kinetic_energy(robot: Robot, q: Array, v: Array) -> Array:
    """(n,)."""
    zero, energy = np.zeros((len(q), 3)), np.zeros(len(q))
    speeds: list[Speed] = []
    for link, pose in zip(robot.links, poses(robot, q), strict=True):
        carrier = speeds[link.parent] if link.parent >= 0 else Speed(zero, zero)
        speed = _speed(link, pose, carrier, v[:, link.v])
        speeds.append(speed)
        u_com = speed.u + cross(speed.w, link.com)
        energy += 0.5 * link.mass * dot(u_com, u_com) + 0.5 * dot(speed.w, times(link.I, speed.w))
        if link.joint in ("revolute", "prismatic"):
            energy += 0.5 * link.armature * v[:, link.v.start] ** 2
        if link.rotor:
            rotor = link.rotor
            seat = rotor_pose(link, rotor, q)
            w = times(transpose(seat.R), carrier.w) + rotor.ratio * rotor.axis * v[:, link.v]
            u = times(transpose(seat.R), carrier.u + cross(carrier.w, seat.p))
            u_com = u + cross(w, rotor.com)
            energy += 0.5 * rotor.mass * dot(u_com, u_com) + 0.5 * dot(w, times(rotor.I, w))
    return energy


def potential_energy(robot: Robot, q: Array) -> Array:
    """(n,), zero where all coms are at the world's origin."""
    energy = np.zeros(len(q))
    world: list[Pose] = []
    for link, pose in zip(robot.links, poses(robot, q), strict=True):
        carrier = world[link.parent] if link.parent >= 0 else Pose(-1, np.broadcast_to(np.eye(3), (len(q), 3, 3)), np.zeros(3))
        place = Pose(link.number, carrier.R @ pose.R, carrier.p + times(carrier.R, pose.p))
        world.append(place)
        energy -= link.mass * dot(robot.gravity, place.p + times(place.R, link.com))
        if link.rotor:
            rotor = link.rotor
            seat = rotor_pose(link, rotor, q)
            com = seat.p + times(seat.R, rotor.com)
            energy -= rotor.mass * dot(robot.gravity, carrier.p + times(carrier.R, com))
    return energy


def _speed(link: Link, pose: Pose, carrier: Speed, v: Array) -> Speed:
    """The velocity of a link behind its joint."""
    Rt = transpose(pose.R)
    w, u = times(Rt, carrier.w), times(Rt, carrier.u + cross(carrier.w, pose.p))
    match link.joint:
        case "free":
            return Speed(w + v[:, :3], u + v[:, 3:])
        case "ball":
            return Speed(w + v, u)
        case "revolute":
            return Speed(w + link.axis * v, u)
        case "prismatic":
            return Speed(w, u + link.axis * v)
    return Speed(w, u)
