"""A programmer's own dynamics: Newton and Euler in world axes about the centres of mass, M column by column, with faults.

It shares nothing with the reference or the judge: it reads the spec, and says so of no term what they say of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from leapcheck_models.arrays import Floats
from leapcheck_models.spec import Body, JointType, Placement, RobotSpec

ZERO = np.zeros(3)
QUANTITIES = ("mass_matrix", "bias_force", "coriolis_force", "gravity_force", "forward_dynamics")


def _turn(quaternion: tuple[float, ...] | Floats) -> Floats:
    w, x, y, z = np.asarray(quaternion) / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _about(axis: tuple[float, float, float], angle: float) -> Floats:
    half = 0.5 * angle
    return _turn(np.concatenate([[np.cos(half)], np.sin(half) * _unit(axis)]))


def _cross(a: Floats, b: Floats) -> Floats:
    """The bits of np.cross, which takes twenty times as long over axes that are not there."""
    ax, ay, az = a.tolist()
    bx, by, bz = b.tolist()
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])


@cache
def _unit(axis: tuple[float, float, float] | None) -> Floats:
    return np.asarray(axis) / np.linalg.norm(np.asarray(axis))


@cache
def _turn_of(placement: Placement) -> Floats:
    return _turn(placement.quaternion)


class Pose(NamedTuple):
    """Turn and place of a body in the world, its parent's number, and its places in q and v."""

    R: Floats
    p: Floats
    parent: int
    q: slice
    v: slice


class Motion(NamedTuple):
    """Angular velocity, angular acceleration and acceleration of a body's origin, world axes."""

    w: Floats
    alpha: Floats
    a: Floats


class WorldFrame:
    """Dynamics of a spec; `is_wrong(term, body)` says which terms of which bodies are forgotten or spoilt."""

    def __init__(self, spec: RobotSpec, is_wrong: Callable[[str, str], bool] = lambda term, body: False) -> None:
        self.spec, self.is_wrong = spec, is_wrong
        self._on_purpose = True
        self._mass_matrices: dict[bytes, Floats] = {}

    def _wrong(self, term: str, body: Body) -> bool:
        return self._on_purpose and self.is_wrong(term, body.name)

    def _poses(self, q: Floats) -> list[Pose]:
        poses: list[Pose] = []
        at_q = at_v = 0
        sizes = {JointType.FREE: (7, 6), JointType.BALL: (4, 3), JointType.FIXED: (0, 0)}
        for body in self.spec.bodies:
            nq, nv = sizes.get(body.joint.type, (1, 1))
            own, k = q[at_q : at_q + nq], self.spec.parent_index(body)
            R_p, p_p = (poses[k].R, poses[k].p) if k >= 0 else (np.eye(3), ZERO)
            R, p = R_p @ _turn_of(body.placement), p_p + R_p @ np.asarray(body.placement.p)
            match body.joint.type:
                case JointType.FREE:
                    R, p = _turn(own[3:]), own[:3]
                case JointType.REVOLUTE:
                    R = R @ _about(body.joint.axis, own[0])
                case JointType.PRISMATIC:
                    p = p + R @ _unit(body.joint.axis) * own[0]
                case JointType.BALL:
                    R = R @ _turn(own)
            poses.append(Pose(R, p, k, slice(at_q, at_q + nq), slice(at_v, at_v + nv)))
            at_q, at_v = at_q + nq, at_v + nv
        return poses

    def _behind(self, body: Body, pose: Pose, before: Motion, arm: Floats, v: Floats, vdot: Floats) -> Motion:
        centripetal = _cross(before.w, _cross(before.w, arm))
        if self._wrong("arm centripetal", body):
            centripetal = ZERO
        w, alpha, a = before.w, before.alpha, before.a + _cross(before.alpha, arm) + centripetal
        match body.joint.type:
            case JointType.FREE:
                carried = ZERO if self._wrong("w x v", body) else _cross(v[:3], v[3:])
                return Motion(pose.R @ v[:3], pose.R @ vdot[:3], pose.R @ (vdot[3:] + carried))
            case JointType.PRISMATIC:
                slide = pose.R @ _unit(body.joint.axis)
                factor = 1.0 if self._wrong("Coriolis halved", body) else 2.0
                return Motion(w, alpha, a + slide * vdot[0] + factor * _cross(w, slide) * v[0])
            case JointType.REVOLUTE | JointType.BALL:
                w_J, alpha_J = (pose.R @ (v if len(v) == 3 else _unit(body.joint.axis) * v[0]), pose.R @ self._own(body, vdot))
                product = _cross(w, w_J)
                if self._wrong("velocity product", body):
                    product = ZERO
                if self._wrong("velocity product's sign", body):
                    product = -product
                return Motion(w + w_J, alpha + alpha_J + product, a)
        return Motion(w, alpha, a)

    def _own(self, body: Body, rate: Floats) -> Floats:
        return rate if len(rate) == 3 else _unit(body.joint.axis) * rate[0]

    def _wrench(
        self, body: Body, mass: float, com: Floats, I: Floats, motion: Motion, gravity: Floats, spins: bool
    ) -> tuple[Floats, Floats]:
        """Force, and moment about the origin; com (3,) and I (3, 3) in world axes."""
        kind = "rotor's " if spins else ""
        centripetal = _cross(motion.w, _cross(motion.w, com))
        if self._wrong(f"{kind}com centripetal", body):
            centripetal = ZERO
        force = mass * (motion.a + _cross(motion.alpha, com) + centripetal - gravity)
        gyroscopic = _cross(motion.w, I @ motion.w)
        for term, factor in (("gyroscopic", 0.0), ("gyroscopic sign", -1.0), ("gyroscopic halved", 0.5)):
            if self._wrong(kind + term, body):
                gyroscopic = factor * gyroscopic
        arm = ZERO if self._wrong(f"{kind}com moment", body) else _cross(com, force)
        return force, I @ motion.alpha + gyroscopic + arm

    def inverse_dynamics(self, q: Floats, v: Floats, vdot: Floats, gravity: Floats) -> Floats:
        """tau (nv,)."""
        poses, bodies = self._poses(q), self.spec.bodies
        motions: list[Motion] = []
        tau = np.zeros(self.spec.nv)
        force, moment = np.zeros((len(bodies), 3)), np.zeros((len(bodies), 3))
        spun: list[tuple[Floats, Floats, Floats] | None] = []
        for body, pose in zip(bodies, poses, strict=True):
            before, p = (motions[pose.parent], poses[pose.parent].p) if pose.parent >= 0 else (Motion(ZERO, ZERO, ZERO), pose.p)
            motions.append(self._behind(body, pose, before, pose.p - p, v[pose.v], vdot[pose.v]))
            spun.append(self._rotor(body, pose, poses, before, q, v, vdot, gravity))
        for i in reversed(range(len(bodies))):
            body, pose, joint = bodies[i], poses[i], bodies[i].joint
            com, I = pose.R @ np.asarray(body.inertia.com), pose.R @ _symmetric(body.inertia.rotational) @ pose.R.T
            f, n = self._wrench(body, body.inertia.mass, com, I, motions[i], gravity, spins=False)
            force[i] += f
            moment[i] += n
            on_joint = np.concatenate([pose.R.T @ moment[i], pose.R.T @ force[i]])
            tau[pose.v] = _subspace(body).T @ on_joint + joint.armature * vdot[pose.v]
            torque, f_rotor, n_rotor = spun[i] or (0.0, ZERO, ZERO)
            tau[pose.v] += torque
            if pose.parent < 0:
                continue
            arm = pose.p - poses[pose.parent].p
            if not self._wrong("rotor's reaction", body):
                force[pose.parent] += f_rotor
                moment[pose.parent] += n_rotor
            if not self._wrong("carried", body):
                force[pose.parent] += force[i]
                moment[pose.parent] += moment[i]
                if not self._wrong("carried arm", body):
                    moment[pose.parent] += _cross(arm, force[i])
        return tau

    def _rotor(
        self, body: Body, pose: Pose, poses: list[Pose], before: Motion, q: Floats, v: Floats, vdot: Floats, gravity: Floats
    ) -> tuple[Floats, Floats, Floats] | None:
        """Torque on its joint, force and moment on the link that carries it, about that link's origin."""
        if (rotor := body.rotor) is None:
            return None
        parent = poses[pose.parent] if pose.parent >= 0 else Pose(np.eye(3), ZERO, -1, slice(0), slice(0))
        placement: Placement = rotor.placement
        R = parent.R @ _turn_of(placement) @ _about(rotor.axis, rotor.gear_ratio * q[pose.q][0])
        arm = parent.R @ np.asarray(placement.p)
        spin = 0.0 if self._wrong("rotor's spin", body) else rotor.gear_ratio
        axis = R @ _unit(rotor.axis)
        motion = Motion(
            before.w + spin * axis * v[pose.v][0],
            before.alpha + spin * (axis * vdot[pose.v][0] + _cross(before.w, axis) * v[pose.v][0]),
            before.a + _cross(before.alpha, arm) + _cross(before.w, _cross(before.w, arm)),
        )
        com, I = R @ np.asarray(rotor.inertia.com), R @ _symmetric(rotor.inertia.rotational) @ R.T
        f, n = self._wrench(body, rotor.inertia.mass, com, I, motion, gravity, spins=True)
        return np.array([spin * axis @ n]), f, n + _cross(arm, f)

    def mass_matrix(self, q: Floats) -> Floats:
        """M (nv, nv), with the faults that are its own."""
        M = self._mass_matrices.get(q.tobytes())
        if M is None:
            M = self._mass_matrices[q.tobytes()] = self._right_mass_matrix(q)
        M, diagonal = (M + M.T) / 2, np.diag(np.diag(M))
        if self.is_wrong("couplings halved", ""):
            return (M + diagonal) / 2
        return M + diagonal if self.is_wrong("diagonal doubled", "") else M

    def _right_mass_matrix(self, q: Floats) -> Floats:
        zero, self._on_purpose = np.zeros(self.spec.nv), False
        columns = [self.inverse_dynamics(q, zero, column, ZERO) for column in np.eye(self.spec.nv)]
        self._on_purpose = True
        return np.column_stack(columns)

    def bias_force(self, q: Floats, v: Floats) -> Floats:
        """h (nv,)."""
        return self.inverse_dynamics(q, v, 0.0 * v, np.asarray(self.spec.gravity))

    def coriolis_force(self, q: Floats, v: Floats) -> Floats:
        """C v (nv,)."""
        return self.inverse_dynamics(q, v, 0.0 * v, ZERO)

    def gravity_force(self, q: Floats) -> Floats:
        """g (nv,)."""
        zero = np.zeros(self.spec.nv)
        return self.inverse_dynamics(q, zero, zero, np.asarray(self.spec.gravity))

    def forward_dynamics(self, q: Floats, v: Floats, tau: Floats) -> Floats:
        """vdot (nv,)."""
        M = self.mass_matrix(q)
        if self.is_wrong("regularised", ""):
            M = M + 1e-8 * np.eye(len(M))
        if self.is_wrong("implicit damping", ""):
            M = M + np.diag(0.01 * (1.0 + np.arange(len(M))))
        return np.linalg.solve(M, tau - self.bias_force(q, v))


def _subspace(body: Body) -> Floats:
    """Directions (6, k) in which the joint moves, angular first, in the body's axes."""
    match body.joint.type:
        case JointType.REVOLUTE:
            return np.concatenate([_unit(body.joint.axis), ZERO])[:, None]
        case JointType.PRISMATIC:
            return np.concatenate([ZERO, _unit(body.joint.axis)])[:, None]
    return np.eye(6)[:, : {JointType.FREE: 6, JointType.BALL: 3}.get(body.joint.type, 0)]


def _symmetric(entries: tuple[float, ...]) -> Floats:
    xx, xy, xz, yy, yz, zz = entries
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
