"""Lagrange's equations: M from the Jacobians of the coms, the bias force from derivatives of M.

Derivatives are taken with complex steps of 1e-20, exact to rounding. Turns of a ball or of a free base are no derivatives of
coordinates: v are then quasi-velocities, and the momentum p = M v turns with the body (Hamel's terms).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from leapcheck_evidence.score.programs.code.links import Link, Robot, RotorData
from leapcheck_evidence.score.programs.code.poses import poses, rotor_pose
from leapcheck_evidence.score.programs.code.rotation import cross, skew, times, transpose
from leapcheck_models.arrays import Array, Floats

STEP = 1e-20


class Body(NamedTuple):
    """A link or a rotor: axes R, origin p, and Jacobians (n, 3, nv) of its turning and of its origin, in world axes."""

    link: Link
    R: Array
    p: Array
    Jw: Array
    Jv: Array


class Mass(NamedTuple):
    """Mass, com (n, 3), inertia (n, 3, 3) and the com's Jacobians, in world axes."""

    mass: float
    com: Array
    I: Array
    Jw: Array
    Jc: Array


def mass_matrix(robot: Robot, q: Array) -> Array:
    """M (n, nv, nv)."""
    return np.real(_mass_matrix(robot, q, np.zeros(robot.nv)))


def gravity_force(robot: Robot, q: Array) -> Array:
    """h (n, nv) at rest: minus the weights' generalised forces."""
    h = np.zeros((len(q), robot.nv))
    for body in _masses(robot, q, np.zeros(robot.nv)):
        h -= np.real(times(transpose(body.Jc), body.mass * robot.gravity))
    return h


def coriolis_by_momentum(robot: Robot, q: Array, v: Array) -> Array:
    """h (n, nv) without gravity: Mdot v - 1/2 d(v^T M v)/dq, and Hamel's terms."""
    M, dM = mass_matrix(robot, q), _derivatives(robot, q)
    Mdot = np.einsum("kni...,nk->ni...", dM, v)
    gradient = np.einsum("knij,ni,nj->nk", dM, v, v)
    return np.asarray(times(Mdot, v) - 0.5 * gradient + _turned_momentum(robot, times(M, v), v))


def coriolis_by_christoffel(robot: Robot, q: Array, v: Array) -> Array:
    """The same from Christoffel's symbols: c_ijk = 1/2 (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i)."""
    M, dM = mass_matrix(robot, q), _derivatives(robot, q)
    D = np.moveaxis(dM, 0, 3)  # D[n, i, j, k] = dM_ij / dq_k
    symbols = 0.5 * (D + np.einsum("nikj->nijk", D) - np.einsum("njki->nijk", D))
    return np.asarray(np.einsum("nijk,nj,nk->ni", symbols, v, v) + _turned_momentum(robot, times(M, v), v))


def _turned_momentum(robot: Robot, momentum: Array, v: Array) -> Array:
    """w x p of each ball and free joint (n, nv)."""
    h = np.zeros_like(v)
    for link in robot.links:
        p, own = momentum[:, link.v], v[:, link.v]
        if link.joint == "ball":
            h[:, link.v] = cross(own, p)
        if link.joint == "free":
            turning = cross(own[:, :3], p[:, :3]) + cross(own[:, 3:], p[:, 3:])
            h[:, link.v] = np.concatenate([turning, cross(own[:, :3], p[:, 3:])], axis=1)
    return h


def _derivatives(robot: Robot, q: Array) -> Array:
    """dM (nv, n, nv, nv) along each coordinate."""
    return np.stack([np.imag(_mass_matrix(robot, q, STEP * unit)) / STEP for unit in np.eye(robot.nv)])


def _mass_matrix(robot: Robot, q: Array, step: Floats) -> Array:
    """M at q, displaced by the imaginary step (nv,)."""
    M = np.zeros((len(q), robot.nv, robot.nv), dtype=complex)
    for link in robot.links:
        if link.joint in ("revolute", "prismatic"):
            M[:, link.v, link.v] += link.armature
    for body in _masses(robot, q, step):
        M += body.mass * transpose(body.Jc) @ body.Jc
        M += transpose(body.Jw) @ body.I @ body.Jw
    return M


def _masses(robot: Robot, q: Array, step: Floats) -> Iterator[Mass]:
    """All links and rotors."""
    frames: list[Body] = []
    for link, pose in zip(robot.links, poses(robot, q), strict=True):
        carrier = frames[link.parent] if link.parent >= 0 else _ground(link, len(q), robot.nv)
        frame = _behind(link, carrier, pose.R, pose.p, step[link.v])
        frames.append(frame)
        yield _mass(frame, link.mass, link.com, link.I)
        if link.rotor:
            seat = rotor_pose(link, link.rotor, q)
            yield _mass(
                _spun(link, link.rotor, carrier, seat.R, seat.p, step[link.v]), link.rotor.mass, link.rotor.com, link.rotor.I
            )


def _mass(frame: Body, mass: float, com: Floats, I: Floats) -> Mass:
    arm = times(frame.R, com)
    Jc = frame.Jv - skew(arm) @ frame.Jw
    return Mass(mass, frame.p + arm, frame.R @ I @ transpose(frame.R), frame.Jw, Jc)


def _ground(link: Link, n: int, nv: int) -> Body:
    zero = np.zeros((n, 3, nv))
    return Body(link, np.broadcast_to(np.eye(3), (n, 3, 3)), np.zeros((n, 3)), zero, zero)


def _behind(link: Link, carrier: Body, R: Array, p: Array, step: Floats) -> Body:
    """The frame of a link behind its joint, displaced by the imaginary step."""
    match link.joint:
        case "free":
            p, R = p + 1j * times(R, step[3:]), R @ (np.eye(3) + 1j * skew(step[:3]))
        case "ball":
            R = R @ (np.eye(3) + 1j * skew(step))
        case "revolute":
            R = R @ (np.eye(3) + 1j * skew(link.axis * step))
        case "prismatic":
            p = p + 1j * times(R, link.axis * step)
    arm = times(carrier.R, p)
    turned, Jw, Jv = carrier.R @ R, carrier.Jw + 0j, carrier.Jv - skew(arm) @ carrier.Jw + 0j
    match link.joint:
        case "free":
            Jw[:, :, link.v] += np.concatenate([turned, 0.0 * turned], axis=2)
            Jv[:, :, link.v] += np.concatenate([0.0 * turned, turned], axis=2)
        case "ball":
            Jw[:, :, link.v] += turned
        case "revolute":
            Jw[:, :, link.v] += times(turned, link.axis)[:, :, None]
        case "prismatic":
            Jv[:, :, link.v] += times(turned, link.axis)[:, :, None]
    return Body(link, turned, carrier.p + arm, Jw, Jv)


def _spun(link: Link, rotor: RotorData, carrier: Body, R: Array, p: Array, step: Floats) -> Body:
    """The frame of a rotor on the link that carries it."""
    R = R @ (np.eye(3) + 1j * skew(rotor.ratio * rotor.axis * step))
    arm = times(carrier.R, p)
    turned, Jw = carrier.R @ R, carrier.Jw + 0j
    Jw[:, :, link.v] += times(turned, rotor.ratio * rotor.axis)[:, :, None]
    return Body(link, turned, carrier.p + arm, Jw, carrier.Jv - skew(arm) @ carrier.Jw)
