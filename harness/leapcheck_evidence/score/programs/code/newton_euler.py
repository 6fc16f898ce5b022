"""Newton and Euler, link by link in the links' own axes: accelerations outwards, forces inwards (as Craig prints it)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from leapcheck_evidence.score.programs.code.links import Link, Robot
from leapcheck_evidence.score.programs.code.poses import Pose, poses, rotor_pose
from leapcheck_evidence.score.programs.code.rotation import cross, dot, times, transpose
from leapcheck_models.arrays import Array, Floats


class Motion(NamedTuple):
    """Angular velocity and acceleration, acceleration of the origin (n, 3), in the body's own axes."""

    w: Array
    alpha: Array
    a: Array


class Wrench(NamedTuple):
    """Force, and moment about the origin (n, 3), in the body's own axes."""

    f: Array
    n: Array


class RotorLoad(NamedTuple):
    """What turns a rotor (n,), and what it asks of the link that carries it."""

    torque: Array
    reaction: Wrench


def bias_force(robot: Robot, q: Array, v: Array) -> Array:
    """h (n, nv) of M vdot + h = tau."""
    return inverse_dynamics(robot, q, v, np.zeros_like(v), robot.gravity)


def coriolis_force(robot: Robot, q: Array, v: Array) -> Array:
    """h (n, nv) without gravity."""
    return inverse_dynamics(robot, q, v, np.zeros_like(v), np.zeros(3))


def gravity_force(robot: Robot, q: Array) -> Array:
    """h (n, nv) at rest."""
    zero = np.zeros((len(q), robot.nv))
    return inverse_dynamics(robot, q, zero, zero, robot.gravity)


def inverse_dynamics(robot: Robot, q: Array, v: Array, vdot: Array, gravity: Floats) -> Array:
    """tau (n, nv) for the acceleration vdot."""
    places, n = poses(robot, q), len(q)
    zero = np.zeros((n, 3))
    ground = Motion(zero, zero, np.broadcast_to(-gravity, (n, 3)))
    motions: list[Motion] = []
    wrenches: list[Wrench] = []
    rotors: dict[int, RotorLoad] = {}
    for link in robot.links:
        carrier = motions[link.parent] if link.parent >= 0 else ground
        motion = _link_motion(link, places[link.number], carrier, v[:, link.v], vdot[:, link.v])
        motions.append(motion)
        wrenches.append(_link_wrench(link, motion))
        if link.rotor:
            rotors[link.number] = _rotor_load(link, rotor_pose(link, link.rotor, q), carrier, v[:, link.v], vdot[:, link.v])
    tau = np.zeros_like(v)
    for link in reversed(robot.links):
        load = wrenches[link.number]
        tau[:, link.v] = _joint_force(link, load) + link.armature * vdot[:, link.v]
        if link.rotor:
            tau[:, link.v] += rotors[link.number].torque[:, None]
        if link.parent >= 0:
            load_there = wrenches[link.parent]
            f, moment = _to_parent(places[link.number], load)
            load_there = Wrench(load_there.f + f, load_there.n + moment)
            if link.rotor:
                reaction = rotors[link.number].reaction
                load_there = Wrench(load_there.f + reaction.f, load_there.n + reaction.n)
            wrenches[link.parent] = load_there
    return tau


def _link_motion(link: Link, pose: Pose, carrier: Motion, v: Array, vdot: Array) -> Motion:
    """The motion of a link behind its joint."""
    Rt = transpose(pose.R)
    centripetal = cross(carrier.w, cross(carrier.w, pose.p))
    tangential = cross(carrier.alpha, pose.p)
    w, alpha, a = times(Rt, carrier.w), times(Rt, carrier.alpha), times(Rt, carrier.a + tangential + centripetal)
    match link.joint:
        case "free":
            return Motion(w + v[:, :3], alpha + vdot[:, :3], a + vdot[:, 3:] + cross(v[:, :3], v[:, 3:]))
        case "ball":
            return Motion(w + v, alpha + vdot + cross(w, v), a)
        case "revolute":
            spin = link.axis * v
            return Motion(w + spin, alpha + link.axis * vdot + cross(w, spin), a)
        case "prismatic":
            slide = link.axis * v
            return Motion(w, alpha, a + link.axis * vdot + 2.0 * cross(w, slide))
    return Motion(w, alpha, a)


def _link_wrench(link: Link, motion: Motion) -> Wrench:
    """What moves the link: Newton for its com, Euler about it, both carried to the origin."""
    w, alpha, a = motion
    a_com = a + cross(alpha, link.com) + cross(w, cross(w, link.com))
    force = link.mass * a_com
    moment = times(link.I, alpha) + cross(w, times(link.I, w))
    return Wrench(force, moment + cross(link.com, force))


def _rotor_load(link: Link, pose: Pose, carrier: Motion, v: Array, vdot: Array) -> RotorLoad:
    """Newton and Euler for the rotor, which turns `ratio` times as fast as its joint on the link that carries it."""
    rotor = link.rotor
    assert rotor is not None
    Rt = transpose(pose.R)
    spin, spin_rate = rotor.ratio * rotor.axis * v, rotor.ratio * rotor.axis * vdot
    w_carried = times(Rt, carrier.w)
    w = w_carried + spin
    alpha = times(Rt, carrier.alpha) + spin_rate + cross(w_carried, spin)
    a = times(Rt, carrier.a + cross(carrier.alpha, pose.p) + cross(carrier.w, cross(carrier.w, pose.p)))
    a_com = a + cross(alpha, rotor.com) + cross(w, cross(w, rotor.com))
    force = rotor.mass * a_com
    moment = times(rotor.I, alpha) + cross(w, times(rotor.I, w)) + cross(rotor.com, force)
    torque = rotor.ratio * dot(rotor.axis, moment)
    f, n = times(pose.R, force), times(pose.R, moment)
    return RotorLoad(torque, Wrench(f, n + cross(pose.p, f)))


def _joint_force(link: Link, load: Wrench) -> Array:
    """The part (n, dof) of a wrench that its joint's motors bear."""
    match link.joint:
        case "free":
            return np.concatenate([load.n, load.f], axis=1)
        case "ball":
            return load.n
        case "revolute":
            return dot(link.axis, load.n)[:, None]
        case "prismatic":
            return dot(link.axis, load.f)[:, None]
    return np.zeros((len(load.f), 0))


def _to_parent(pose: Pose, load: Wrench) -> Wrench:
    """The same wrench in the parent's axes, about the parent's origin."""
    f = times(pose.R, load.f)
    return Wrench(f, times(pose.R, load.n) + cross(pose.p, f))
