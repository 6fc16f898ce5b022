"""A robot as free rigid bodies in the world, straight from its spec: an independent truth for energies and momenta.

Homogeneous arithmetic of 3-vectors only; no spatial vectors, no recursion over inertias, nothing of the reference.
Runs on complex numbers, for derivatives by the complex step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from leapcheck_models.spec import Inertia, JointType, Placement, RobotSpec
from tests.reference.generic_states import Array, derivative, joint_slices, rate

INERTIA = Inertia(1.5, (0.1, -0.05, 0.2), (0.02, 0.003, -0.001, 0.03, 0.002, 0.025))  # some generic link's


@dataclass(frozen=True, slots=True)
class WorldBody:
    """Link or rotor: mass, com and inertia about it in body axes, pose in the world."""

    mass: float
    com: Array
    inertia: Array
    R: Array
    p: Array

    @property
    def centre(self) -> Array:
        centre: Array = self.p + self.R @ self.com
        return centre


def world_bodies(spec: RobotSpec, q: Array) -> list[WorldBody]:
    """All links, each followed by its joint's rotor."""
    bodies: list[WorldBody] = []
    poses = {"world": (np.eye(3), np.zeros(3))}
    for body, (kind, at, _) in zip(spec.bodies, joint_slices(spec), strict=True):
        R_parent, p_parent = poses[body.parent]
        R, p = _placed(R_parent, p_parent, body.placement)
        axis = np.array(body.joint.axis or (0.0, 0.0, 0.0))
        if kind is JointType.FREE:
            R, p = _quaternion_matrix(q[at][3:]), q[at][:3]
        elif kind is JointType.BALL:
            R = R @ _quaternion_matrix(q[at])
        elif kind is JointType.REVOLUTE:
            R = R @ _turn(axis, q[at][0])
        elif kind is JointType.PRISMATIC:
            p = p + R @ (axis * q[at][0])
        poses[body.name] = (R, p)
        bodies.append(_body(body.inertia, R, p))
        if body.rotor:
            R, p = _placed(R_parent, p_parent, body.rotor.placement)
            turn = _turn(np.array(body.rotor.axis), body.rotor.gear_ratio * q[at][0])
            bodies.append(_body(body.rotor.inertia, R @ turn, p))
    return bodies


def centres(spec: RobotSpec, q: Array) -> Array:
    """World positions (n, 3) of the coms of all links and rotors."""
    return np.array([body.centre for body in world_bodies(spec, q)])


def rotations(spec: RobotSpec, q: Array) -> Array:
    """Rotations (n, 3, 3) of all links and rotors, body to world."""
    return np.array([body.R for body in world_bodies(spec, q)])


def velocities(spec: RobotSpec, q: Array, v: Array) -> tuple[Array, Array]:
    """(velocities of the coms, angular velocities), each (n, 3) in world axes, by differentiating the poses."""
    qdot = rate(spec, q, v)
    Rdot = derivative(lambda x: rotations(spec, x), (q, qdot))
    W = Rdot @ rotations(spec, q).transpose(0, 2, 1)
    return derivative(lambda x: centres(spec, x), (q, qdot)), np.stack([W[:, 2, 1], W[:, 0, 2], W[:, 1, 0]], axis=1)


def mass_matrix(spec: RobotSpec, q: Array) -> Array:
    """Sum of m Jc^T Jc + Jw^T R I R^T Jw over all bodies, plus armature."""
    columns = [velocities(spec, q, unit) for unit in np.eye(spec.nv)]
    M = np.zeros((spec.nv, spec.nv))
    for i, body in enumerate(world_bodies(spec, q)):
        J_c, J_w = (np.array([column[part][i] for column in columns]).T for part in (0, 1))
        M += body.mass * J_c.T @ J_c + J_w.T @ body.R @ body.inertia @ body.R.T @ J_w
    for body_spec, (_, _, along) in zip(spec.bodies, joint_slices(spec), strict=True):
        M[along, along] += body_spec.joint.armature * np.eye(along.stop - along.start)
    return M


def momentum(spec: RobotSpec, q: Array, v: Array) -> Array:
    """Momentum (6,) about the centre of mass of all bodies: [angular; linear], world axes."""
    bodies, (velocity, w) = world_bodies(spec, q), velocities(spec, q, v)
    com = com_position(spec, q)
    linear = sum((b.mass * u for b, u in zip(bodies, velocity, strict=True)), np.zeros(3))
    angular = np.zeros(3)
    for b, u, w_b in zip(bodies, velocity, w, strict=True):
        angular = angular + b.R @ b.inertia @ b.R.T @ w_b + b.mass * np.cross(b.centre - com, u)
    return np.concatenate([angular, linear])


def com_position(spec: RobotSpec, q: Array) -> Array:
    bodies = world_bodies(spec, q)
    return sum((b.mass * b.centre for b in bodies), np.zeros(3)) / sum(b.mass for b in bodies)


def potential_energy(spec: RobotSpec, q: Array) -> Any:
    return -sum(b.mass * (b.centre @ np.array(spec.gravity)) for b in world_bodies(spec, q))


def _body(inertia: Inertia, R: Array, p: Array) -> WorldBody:
    xx, xy, xz, yy, yz, zz = inertia.rotational
    return WorldBody(inertia.mass, np.array(inertia.com), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), R, p)


def _placed(R: Array, p: Array, placement: Placement) -> tuple[Array, Array]:
    return R @ _quaternion_matrix(np.array(placement.quaternion)), p + R @ np.array(placement.p)


def _quaternion_matrix(quaternion: Array) -> Array:
    """R x = x + 2 s (u x x) + 2 u x (u x x), for the unit quaternion [s, u]."""
    unit = quaternion / np.sqrt(quaternion @ quaternion)
    U = _cross_matrix(unit[1:])
    R: Array = np.eye(3) + 2.0 * unit[0] * U + 2.0 * U @ U
    return R


def _turn(axis: Array, angle: complex) -> Array:
    A = _cross_matrix(axis / np.linalg.norm(axis))
    R: Array = np.eye(3) + np.sin(angle) * A + (1.0 - np.cos(angle)) * A @ A
    return R


def _cross_matrix(a: Array) -> Array:
    return np.cross(np.eye(3), a)
