"""What a whole-body controller computes, as a user might write it: sums over Jacobians of points, complex steps for derivatives.

The equations of motion are those of `own_dynamics`. A derivative of f along q + i h is Im f(q + i h) / h, exact to rounding
for a step as small as 1e-30 (Squire and Trapp 1998): no difference is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from leapcheck.engines.protocol import Answers
from leapcheck.sampling import States, with_contact_forces
from leapcheck_evidence.score.planting.layout import of_type, rotations, slots
from leapcheck_evidence.score.planting.own_dynamics import QUANTITIES, Frame, OwnMotion
from leapcheck_models.arrays import Array, Floats
from leapcheck_models.spec import JointType, RobotSpec

STEP = 1e-30

PRODUCTS = ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))
"""Entries of the rotational inertia behind the last six of ten parameters."""

WHOLE_BODY = (
    *("frame_placements", "frame_velocities", "frame_jacobians", "frame_jacobian_rates", "frame_bias_accelerations"),
    *("com_position", "com_velocity", "com_jacobian", "com_bias_acceleration"),
    *("centroidal_momentum", "centroidal_momentum_matrix", "centroidal_momentum_rate", "centroidal_inertia"),
    *("inverse_dynamics", "inverse_dynamics_with_contacts"),
    *("minverse", "coriolis_matrix", "christoffel_matrix", "operational_inertia_inverse"),
    *("inverse_dynamics_derivative_q", "inverse_dynamics_derivative_v"),
    *("forward_dynamics_derivative_q", "forward_dynamics_derivative_v", "forward_dynamics_derivative_tau"),
    *("frame_velocity_derivative_q", "frame_acceleration_derivative_q", "frame_acceleration_derivative_v"),
    *("joint_torque_regressor", "kinetic_energy_regressor", "potential_energy_regressor"),
)
"""What it answers besides, each by a method of `WholeBody`."""


@dataclass(frozen=True, slots=True, eq=False)
class MovingBody:
    """A link or rotor: mass, inertia about the com in world axes and in its own, its frame, and that at its com."""

    mass: float
    I: Array
    own: Array
    frame: Frame
    at_com: Frame


class OwnWholeBody:
    """An engine of its own behind the protocol that answers every canonical quantity of a robot without closed loops."""

    name = "own"
    version = "0"
    route = "sums over Jacobians, complex steps"
    quantities = frozenset((*QUANTITIES, *WHOLE_BODY))

    def __init__(self, spec: RobotSpec) -> None:
        self._spec = spec

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """Each quantity (n, ...)."""
        motion = WholeBody(self._spec, states)
        return {name: np.asarray(getattr(motion, name)(), dtype=float) for name in quantities}


class WholeBody(OwnMotion):
    """One block of states."""

    def __init__(self, spec: RobotSpec, states: States, number: type = np.float64) -> None:
        blocks: list[Array] = [block.astype(number) for block in (states.q, states.v, states.tau)]
        super().__init__(spec, number, *blocks)
        self.states: States = states
        self.vdot: Array = states.vdot.astype(number)

    def answer(self, name: str) -> Array:
        """A quantity (n, ...) by its name."""
        return np.asarray(getattr(self, name)())

    def moving(self) -> list[MovingBody]:
        """Links in their order, then rotors in that of their links."""
        links = [(slot.body.inertia, self.frames[slot.body.name]) for slot in slots(self.spec)]
        rotors = [(slot.body.rotor.inertia, self.rotors[slot.body.name]) for slot in slots(self.spec) if slot.body.rotor]
        bodies = []
        for inertia, frame in (*links, *rotors):
            xx, xy, xz, yy, yz, zz = inertia.rotational
            own = self._of([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            at_com = frame.shift(frame.R @ self._of(inertia.com), frame.R)
            bodies.append(MovingBody(inertia.mass, frame.R @ own @ _t(frame.R), own, frame, at_com))
        return bodies

    def named_frames(self) -> list[Frame]:
        """Links, then contact points."""
        return [*(self.frames[slot.body.name] for slot in slots(self.spec)), *self._points()]

    def frame_placements(self) -> Array:
        """[R, p] (n, frames, 3, 4)."""
        return self._frames(lambda frame: np.concatenate([frame.R, frame.p[..., None]], axis=-1))

    def frame_velocities(self) -> Array:
        """[w; pdot] (n, frames, 6)."""
        return self._frames(lambda frame: np.concatenate([frame.w, dot(frame.Jv, self._v)], axis=-1))

    def frame_jacobians(self) -> Array:
        """J (n, frames, 6, nv)."""
        return self._frames(lambda frame: np.concatenate([frame.Jw, frame.Jv], axis=-2))

    def frame_jacobian_rates(self) -> Array:
        """Jdot (n, frames, 6, nv)."""
        return self.rate_along_v(lambda moved: moved.frame_jacobians())

    def frame_bias_accelerations(self) -> Array:
        """Jdot v (n, frames, 6)."""
        return self._frames(lambda frame: np.concatenate([frame.aw, frame.al], axis=-1))

    def mass(self) -> float:
        """Of links and rotors."""
        return sum(body.mass for body in self.moving())

    def frame_accelerations(self) -> Array:
        """J vdot + Jdot v (n, frames, 6)."""
        return self.frame_bias_accelerations() + dot(self.frame_jacobians(), self.vdot[:, None])

    def frame_velocity_derivative_q(self) -> Array:
        """dV/dq (n, frames, 6, nv) along unit velocities."""
        return self.by_q(lambda moved: moved.frame_velocities())

    def frame_acceleration_derivative_q(self) -> Array:
        """dA/dq (n, frames, 6, nv) along unit velocities."""
        return self.by_q(lambda moved: moved.frame_accelerations())

    def frame_acceleration_derivative_v(self) -> Array:
        """dA/dv (n, frames, 6, nv)."""
        return self.by_v(lambda moved: moved.frame_accelerations())

    def com_position(self) -> Array:
        """sum m c / m (n, 3)."""
        return self._mean(lambda frame: frame.p)

    def com_velocity(self) -> Array:
        """Its rate (n, 3)."""
        return self._mean(lambda frame: dot(frame.Jv, self._v))

    def com_jacobian(self) -> Array:
        """Its J (n, 3, nv)."""
        return self._mean(lambda frame: frame.Jv)

    def com_bias_acceleration(self) -> Array:
        """Its Jdot v (n, 3)."""
        return self._mean(lambda frame: frame.al)

    def centroidal_momentum(self) -> Array:
        """A v (n, 6)."""
        return dot(self.centroidal_momentum_matrix(), self._v)

    def centroidal_momentum_matrix(self) -> Array:
        """A (n, 6, nv) = sum of [I Jw + r x m Jc; m Jc], r from the com."""
        com, total = self.com_position(), []
        for body in self.moving():
            linear = body.mass * body.at_com.Jv
            arm = tilde(body.at_com.p - com)
            total.append(np.concatenate([body.I @ body.at_com.Jw + arm @ linear, linear], axis=1))
        return sum(total[1:], total[0])

    def centroidal_momentum_rate(self) -> Array:
        """Adot v (n, 6) = sum of [I alpha + w x I w + r x m a; m a]."""
        com, total = self.com_position(), []
        for body in self.moving():
            at, force = body.at_com, body.mass * body.at_com.al
            moment = dot(body.I, at.aw) + np.cross(at.w, dot(body.I, at.w)) + np.cross(at.p - com, force)
            total.append(np.concatenate([moment, force], axis=1))
        return sum(total[1:], total[0])

    def centroidal_inertia(self) -> Array:
        """Sum of [I - m r~ r~, 0; 0, m] (n, 6, 6)."""
        com = self.com_position()
        inertia: Array = np.zeros((len(com), 6, 6), dtype=com.dtype)
        for body in self.moving():
            arm = tilde(body.at_com.p - com)
            inertia[:, :3, :3] += body.I - body.mass * arm @ arm
            inertia[:, 3:, 3:] += body.mass * np.eye(3)
        return inertia

    def inverse_dynamics(self) -> Array:
        """M vdot + h (n, nv)."""
        return dot(self.mass_matrix(), self.vdot) + self.bias_force()

    def contact_forces(self) -> Array:
        """The forces of the states (n, points, 3)."""
        return with_contact_forces(self.spec, self.states).contact_forces.reshape(len(self._v), -1, 3)

    def inverse_dynamics_with_contacts(self) -> Array:
        """M vdot + h - sum J^T f (n, nv)."""
        force, forces = self.inverse_dynamics(), self.contact_forces()
        for i, frame in enumerate(self._points()):
            force = force - dot(_t(frame.Jv), forces[:, i])
        return force

    def minverse(self) -> Array:
        """M^-1 (n, nv, nv)."""
        M = self.mass_matrix()
        return np.linalg.solve(M, np.zeros_like(M) + np.eye(M.shape[1]))

    def operational_inertia_inverse(self) -> Array:
        """J M^-1 J^T (n, points, 6, 6)."""
        n, points = len(self._v), list(self._points())
        if not points:
            return np.zeros((n, 0, 6, 6))
        J = np.stack([np.concatenate([frame.Jw, frame.Jv], axis=1) for frame in points], axis=1)
        return J @ self.minverse()[:, None] @ _t(J)

    def christoffel_matrix(self) -> Array:
        """Sum over bodies of m Jc^T Jcdot + Jw^T (I Jwdot + (w~ I - I w~ - (I w)~) Jw / 2), world axes."""
        n, nv = self._v.shape
        moved = WholeBody(self.spec, self.step(self.qdot(self.states.v)), np.complex128)
        C: Array = np.zeros((n, nv, nv))
        for body, ahead in zip(self.moving(), moved.moving(), strict=True):
            at, w = body.at_com, tilde(body.at_com.w)
            Jwdot, Jvdot = ahead.at_com.Jw.imag / STEP, ahead.at_com.Jv.imag / STEP
            turning = 0.5 * (w @ body.I - body.I @ w - tilde(dot(body.I, at.w)))
            C += body.mass * _t(at.Jv) @ Jvdot + _t(at.Jw) @ (body.I @ Jwdot + turning @ at.Jw)
        return C

    coriolis_matrix = christoffel_matrix

    def inverse_dynamics_derivative_q(self) -> Array:
        """dID/dq (n, nv, nv) along unit velocities."""
        return self.by_q(lambda moved: moved.inverse_dynamics())

    def inverse_dynamics_derivative_v(self) -> Array:
        """dID/dv (n, nv, nv)."""
        return self.by_v(lambda moved: moved.bias_force())

    def forward_dynamics_derivative_q(self) -> Array:
        """dFD/dq (n, nv, nv) along unit velocities."""
        return self.by_q(lambda moved: moved.forward_dynamics())

    def forward_dynamics_derivative_v(self) -> Array:
        """dFD/dv (n, nv, nv)."""
        return self.by_v(lambda moved: moved.forward_dynamics())

    def forward_dynamics_derivative_tau(self) -> Array:
        """M^-1 (n, nv, nv)."""
        return self.minverse()

    def joint_torque_regressor(self) -> Array:
        """Y (n, nv, 10 bodies)."""
        g = self._of(self.spec.gravity)
        return np.concatenate([torque_columns(body.frame, self.vdot, g) for body in self.moving()], axis=-1)

    def kinetic_energy_regressor(self) -> Array:
        """y (n, 10 bodies)."""
        return np.concatenate([energy_columns(body.frame, self._v) for body in self.moving()], axis=-1)

    def potential_energy_regressor(self) -> Array:
        """y (n, 10 bodies)."""
        g = self._of(self.spec.gravity)
        return np.concatenate([height_columns(body.frame, g) for body in self.moving()], axis=-1)

    def qdot(self, v: Floats) -> Floats:
        """The rate (n, nq) of q at velocities v (n, nv)."""
        return q_rate(self.spec, self.states.q, v)

    def step(self, dq: Floats, dv: Floats | float = 0.0) -> States:
        """The states q + i h dq, v + i h dv."""
        s = self.states
        return States(s.q + 1j * STEP * dq, s.v + 1j * STEP * dv, s.tau, s.index, s.kind, s.vdot)  # type: ignore[arg-type]

    def rate_along_v(self, answer: Callable[[WholeBody], Array]) -> Array:
        """The rate of an answer as q goes on at v."""
        moved = WholeBody(self.spec, self.step(self.qdot(self.states.v)), np.complex128)
        return np.asarray(answer(moved).imag / STEP)

    def by_q(self, answer: Callable[[WholeBody], Array]) -> Array:
        """Derivatives of an answer along each unit velocity, last axis."""
        return self._columns(answer, [(self.qdot(unit), 0.0) for unit in self._units()])

    def by_v(self, answer: Callable[[WholeBody], Array]) -> Array:
        """Derivatives of an answer by each velocity, last axis."""
        return self._columns(answer, [(0.0 * self.states.q, unit) for unit in self._units()])

    def _columns(self, answer: Callable[[WholeBody], Array], ways: Sequence[tuple[Floats, Floats | float]]) -> Array:
        columns = [answer(WholeBody(self.spec, self.step(dq, dv), np.complex128)).imag / STEP for dq, dv in ways]
        return np.stack(columns, axis=-1)

    def _units(self) -> Iterator[Floats]:
        n, nv = self._v.shape
        return (np.broadcast_to(unit, (n, nv)) for unit in np.eye(nv))

    def _frames(self, of: Callable[[Frame], Array]) -> Array:
        return np.stack([of(frame) for frame in self.named_frames()], axis=1)

    def _mean(self, of: Callable[[Frame], Array]) -> Array:
        """The mean over the bodies' coms, weighted by mass."""
        bodies = self.moving()
        parts = [body.mass * of(body.at_com) for body in bodies]
        return sum(parts[1:], parts[0]) / self.mass()


def torque_columns(frame: Frame, vdot: Array, gravity: Array) -> Array:
    """The part (n, nv, 10) of one body in the torque regressor.

    f = m a + (alpha~ + w~ w~) mc and n = mc x a + I alpha + w x I w about its origin, in its own axes; tau = Jv^T f + Jw^T n.
    """
    turn = _t(frame.R)
    w, alpha = dot(turn, frame.w), dot(turn, frame.aw + dot(frame.Jw, vdot))
    a = dot(turn, frame.al + dot(frame.Jv, vdot) - gravity)
    zero: Array = 0.0 * a[..., None]
    force = [a[..., None], tilde(alpha) + tilde(w) @ tilde(w), *[zero] * 6]
    moment = [zero, -tilde(a), *((unit @ alpha[..., None]) + tilde(w) @ unit @ w[..., None] for unit in _unit_inertias())]
    of_force: Array = _t(turn @ frame.Jv) @ np.concatenate(force, axis=-1)
    of_moment: Array = _t(turn @ frame.Jw) @ np.concatenate(moment, axis=-1)
    return of_force + of_moment


def energy_columns(frame: Frame, v: Array) -> Array:
    """Its part (n, 10) in the kinetic energy's: v.v / 2, v x w, w.E w / 2."""
    turn = _t(frame.R)
    w, linear = dot(turn, frame.w), dot(turn, dot(frame.Jv, v))
    squares = [np.einsum("ni,ij,nj->n", w, unit, w) / 2.0 for unit in _unit_inertias()]
    return np.concatenate(
        [0.5 * (linear * linear).sum(axis=1)[:, None], np.cross(linear, w), np.stack(squares, axis=-1)], axis=-1
    )


def height_columns(frame: Frame, gravity: Array) -> Array:
    """Its part (n, 10) in the potential energy's: -g.p, -R^T g."""
    none: Array = np.zeros((len(frame.p), 6))
    return np.concatenate([-(frame.p @ gravity)[:, None], -(_t(frame.R) @ gravity), none], axis=-1)


def q_rate(spec: RobotSpec, q: Floats, v: Floats) -> Floats:
    """qdot (n, nq) of v (n, nv): positions in world axes, quaternions by half of quaternion times w."""
    rate = np.zeros(q.shape)
    for slot in slots(spec):
        if slot.body.joint.type in (JointType.FREE, JointType.BALL):
            four = slice(slot.q.stop - 4, slot.q.stop)
            w = v[:, slot.v.start : slot.v.start + 3]
            scalar, vector = q[:, four][:, :1], q[:, four][:, 1:]
            rate[:, four] = 0.5 * np.concatenate(
                [-(vector * w).sum(axis=1, keepdims=True), scalar * w + np.cross(vector, w)], axis=1
            )
        else:
            rate[:, slot.q] = v[:, slot.v]
    for slot in of_type(spec, JointType.FREE):
        from_own = rotations(q[:, slot.q.start + 3 : slot.q.stop])
        rate[:, slot.q.start : slot.q.start + 3] = dot(from_own, v[:, slot.v.start + 3 : slot.v.stop])
    return rate


def _unit_inertias() -> Iterator[Floats]:
    for i, j in PRODUCTS:
        unit = np.zeros((3, 3))
        unit[i, j] = unit[j, i] = 1.0
        yield unit


def tilde(a: Array) -> Array:
    """a~ (..., 3, 3) with a~ b = a x b."""
    return np.swapaxes(np.cross(a[..., None, :], np.eye(3)), -1, -2)


def dot(A: Array, x: Array) -> Array:
    """A x for blocks."""
    return np.asarray((A @ x[..., None])[..., 0])


def _t(A: Array) -> Array:
    return np.swapaxes(A, -1, -2)
