"""A base velocity in other coordinates than the canonical ones: frames, order, reference point, and the Tdot term.

With u = T v the engine's velocity, an adapter must convert the inputs (u = T v, tau_u = T^-T tau) and the outputs
(M = T^T M_u T, h = T^T (h_u + M_u Tdot v), J = J_u T, Jdot v = (Jdot u)_u + J_u Tdot v, vdot = T^-1 (udot - Tdot v)). Each
hypothesis leaves one of these out. Those about axes are invisible where R_WB = 1 and w = 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from enum import Enum
from typing import NamedTuple

import numpy as np

from leapcheck.coordinates.conventions import jacobians, product, rotation_matrices, transpose
from leapcheck.judge.belief import AnswerEdit, AnswerView, Belief, Hypothesis, StateEdit, convention
from leapcheck.judge.edits import edit_state
from leapcheck.judge.layout import DOF_AXES, INVERSE_DYNAMICS, along, free_joints, places
from leapcheck.quantities import QUANTITIES, Axis
from leapcheck.sampling import States
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import Inertia, JointType, RobotSpec

TDOT = "the Tdot term (M Tdot v of the bias force, J Tdot v of Jdot v, Tdot v of the acceleration)"

TDOT_WORDS = {"missing": (-1.0, "is missing"), "sign": (-2.0, "has the wrong sign"), "twice": (1.0, "is counted twice")}
"""How often too much the term is counted."""

ABOUT_COM = "forces and Jacobians of the base are left about its com instead of its frame's origin"


class Axes(Enum):
    """Axes of a part of a velocity: those of the body, of the world, or of the heading, which the world's yaw alone turns."""

    BODY = "B"
    WORLD = "W"
    HEADING = "H"


class BaseCoordinates(NamedTuple):
    """How an engine may write a free joint's velocity u = T v."""

    name: str
    words: str
    angular: Axes
    linear: Axes
    linear_first: bool


MUJOCO = BaseCoordinates("v_W-w_B", "[v_WB_W; w_WB_B], linear first and in world axes", Axes.BODY, Axes.WORLD, True)

YAW = "the heading's axes (the world's, turned by the yaw alone)"

COORDINATES = (
    MUJOCO,
    BaseCoordinates("w_B-v_W", "[w_WB_B; v_WB_W], the linear part in world axes", Axes.BODY, Axes.WORLD, False),
    BaseCoordinates("v_B-w_B", "[v_WB_B; w_WB_B], linear before angular", Axes.BODY, Axes.BODY, True),
    BaseCoordinates("w_W-v_W", "[w_WB_W; v_WB_W], world axes", Axes.WORLD, Axes.WORLD, False),
    BaseCoordinates("v_W-w_W", "[v_WB_W; w_WB_W], linear first, world axes", Axes.WORLD, Axes.WORLD, True),
    BaseCoordinates("w_W-v_B", "[w_WB_W; v_WB_B], the angular part in world axes", Axes.WORLD, Axes.BODY, False),
    BaseCoordinates("w_B-v_H", f"[w_WB_B; v_WB_H], the linear part in {YAW}", Axes.BODY, Axes.HEADING, False),
    BaseCoordinates("v_H-w_B", f"[v_WB_H; w_WB_B], linear first and in {YAW}", Axes.BODY, Axes.HEADING, True),
    BaseCoordinates("w_H-v_H", f"[w_WB_H; v_WB_H], in {YAW}", Axes.HEADING, Axes.HEADING, False),
    BaseCoordinates("v_H-w_H", f"[v_WB_H; w_WB_H], linear first, in {YAW}", Axes.HEADING, Axes.HEADING, True),
)


class VelocityMap(NamedTuple):
    """u = T v: `T` and its `inverse` (n, nv, nv) or (nv, nv), `drift` = T^-1 Tdot v (n, nv) and `turn` = T^-1 Tdot (n, nv, nv),
    None where T is constant.
    """

    T: Floats
    inverse: Floats
    drift: Floats | None = None
    turn: Floats | None = None


Map = Callable[[RobotSpec, Floats, Floats], VelocityMap]
"""From the robot, q and v."""


def base_velocity(belief: Belief) -> Iterator[Hypothesis]:
    """The Tdot term missing; a base velocity, or a force on the base, in other axes or in the order linear, angular."""
    if _is_canonical(belief) and any(free_joints(belief.evidence.spec)):
        yield from (_tdot(kind, count, words) for kind, (count, words) in TDOT_WORDS.items())
        for coordinates in COORDINATES:
            yield from _in_coordinates(coordinates)
        name, words = "base-velocity/transposed-rotation", "the linear base velocity is rotated by R^T instead of R"
        inputs, outputs = _inputs_in(_two_turns), _outputs_in(_two_turns)
        yield convention(f"{name}:inputs", words, state_edit=inputs, prior=3.0)
        yield convention(name, f"{words}, in state and answers", state_edit=inputs, answer_edit=outputs, prior=3.0)
        words = "the linear base velocity is turned by the heading (the yaw alone) and then taken in body axes"
        yield convention("base-velocity/turned-by-heading:inputs", words, state_edit=edit_state(_turn_by_heading), prior=3.0)


def base_origin(belief: Belief) -> Iterator[Hypothesis]:
    """The velocity of a base's com for that of its frame's origin, in the inputs, in the answers, in both; or its position."""
    if _is_canonical(belief) and any(any(inertia.com) for inertia, _, _ in _bases(belief.evidence.spec)):
        words, name = "the base velocity is taken as that of its com instead of its frame's origin", "base-origin/com"
        inputs, outputs = _inputs_in(_com_map), _outputs_in(_com_map)
        yield convention(f"{name}:answers", ABOUT_COM, answer_edit=outputs, prior=2.0)
        yield convention(f"{name}:inputs", words, state_edit=inputs, prior=2.0)
        yield convention(name, f"{words}, and {ABOUT_COM}", state_edit=inputs, answer_edit=outputs, prior=2.0)
        words = "the base position is taken as that of its com"
        yield convention(f"{name}:position", words, state_edit=edit_state(_origin_from_com))


def _bases(spec: RobotSpec) -> Iterator[tuple[Inertia, int, int]]:
    """Inertia, and first place in q and in v, of each body with a free joint."""
    free = (place for place in places(spec) if place.joint.type is JointType.FREE)
    return ((spec.bodies[place.body].inertia, place.q.start, place.v.start) for place in free)


def _is_canonical(belief: Belief) -> bool:
    return not any(QUANTITIES[name].in_mujoco_coordinates for name in belief.evidence.quantities)


def _tdot(kind: str, count: float, words: str) -> Hypothesis:
    def answer_edit(view: AnswerView, quantity: str, values: Floats) -> Floats:
        return with_drift(view, quantity, values, base_map(MUJOCO)(view.spec, view.states.q, view.states.v), count)

    cause = f"{TDOT} {words}: the base velocity behind it is in world axes"
    return convention(f"base-velocity/tdot-{kind}", cause, answer_edit=answer_edit)


def _in_coordinates(coordinates: BaseCoordinates) -> Iterator[Hypothesis]:
    name, u = coordinates.name, base_map(coordinates)
    inputs, outputs = _inputs_in(u), _outputs_in(u)
    words = f"the base velocity is taken as {coordinates.words}"
    left = f"the answers are left in the base coordinates {coordinates.words}"
    yield convention(f"base-velocity/answers:{name}", left, answer_edit=outputs)
    yield convention(f"base-velocity/inputs:{name}", words, state_edit=inputs)
    both = f"{words}, and the answers are left so"
    yield convention(f"base-velocity/both:{name}", both, state_edit=inputs, answer_edit=outputs)
    if coordinates.linear is not Axes.BODY:
        other, drift = f"{words}, but not in Tdot v", _drift_of_given_state(u)
        yield convention(f"base-velocity/no-tdot:{name}", other, state_edit=inputs, answer_edit=drift, prior=2.0)


def _inputs_in(u: Map) -> StateEdit:
    """v is taken for u, and tau for the force on u."""

    def edit(spec: RobotSpec, states: States) -> States:
        velocity_map = u(spec, states.q, states.v)
        v, tau = product(velocity_map.inverse, states.v), product(transpose(velocity_map.T), states.tau)
        return replace(states, v=v, tau=tau, vdot=_vdot_of(u, spec, states, v))

    return edit


def _vdot_of(u: Map, spec: RobotSpec, states: States, v: Floats) -> Floats:
    """vdot = T^-1 udot - T^-1 Tdot v, of a vdot that is taken for udot, at the v that is taken for u."""
    vdot, drift = product(u(spec, states.q, v).inverse, states.vdot), u(spec, states.q, v).drift
    return vdot if drift is None else vdot - drift


def _outputs_in(u: Map) -> AnswerEdit:
    """The answers are left in the coordinates u."""
    return lambda view, quantity, values: in_coordinates(view, quantity, values, u(view.spec, view.read.q, view.read.v))


def _drift_of_given_state(u: Map) -> AnswerEdit:
    """The engine's own Tdot v follows the state as read, the adapter's the state as given."""

    def edit(view: AnswerView, quantity: str, values: Floats) -> Floats:
        read, given = (u(view.spec, states.q, states.v) for states in (view.read, view.states))
        return with_drift(view, quantity, with_drift(view, quantity, values, given, 1.0), read, -1.0)

    return edit


def base_map(coordinates: BaseCoordinates) -> Map:
    """T, orthogonal; the drift of a part x in axes A is (w - w_WA) x x in body axes, none of the angular part in world axes."""

    def u(spec: RobotSpec, q: Floats, v: Floats) -> VelocityMap:
        T = np.zeros((len(q), spec.nv, spec.nv)) + np.eye(spec.nv)
        drift, turn = np.zeros_like(v), np.zeros_like(T)
        for in_q, in_v in free_joints(spec):
            R_WB = rotation_matrices(q[:, in_q + 3 : in_q + 7])
            w, v_B = slice(in_v, in_v + 3), slice(in_v + 3, in_v + 6)
            u_w, u_v = (v_B, w) if coordinates.linear_first else (w, v_B)
            T[:, in_v : in_v + 6, in_v : in_v + 6] = 0.0
            for axes, row, part in ((coordinates.angular, u_w, w), (coordinates.linear, u_v, v_B)):
                T[:, row, part] = _into(axes, R_WB)
                if axes is not Axes.BODY:
                    relative = v[:, w] - _turning(axes, R_WB, v[:, w])
                    drift[:, part] = np.cross(relative, v[:, part])
                    turn[:, part, part] = transpose(np.cross(relative[:, None], np.eye(3)))
        return VelocityMap(T, transpose(T), drift, turn) if turn.any() else VelocityMap(T, transpose(T))

    return u


def _into(axes: Axes, R_WB: Floats) -> Floats:
    """Rotations (n, 3, 3) from body axes into others."""
    match axes:
        case Axes.BODY:
            return np.broadcast_to(np.eye(3), R_WB.shape)
        case Axes.WORLD:
            return R_WB
    c, s = R_WB[:, 0, 0], R_WB[:, 1, 0]
    c, s = c / np.hypot(c, s), s / np.hypot(c, s)
    x, y, z = R_WB[:, 0], R_WB[:, 1], R_WB[:, 2]
    return np.stack([c[:, None] * x + s[:, None] * y, c[:, None] * y - s[:, None] * x, z], axis=1)


def _turning(axes: Axes, R_WB: Floats, w: Floats) -> Floats:
    """Angular velocity (n, 3) of the axes in the world, in body axes: the yaw's rate about the vertical, or none."""
    if axes is not Axes.HEADING:
        return np.zeros_like(w)
    forward = R_WB[:, :2, 0]  # of the body, seen from above
    rate = R_WB[:, :2, 1] * w[:, 2:] - R_WB[:, :2, 2] * w[:, 1:2]
    yaw_rate = (forward[:, 0] * rate[:, 1] - forward[:, 1] * rate[:, 0]) / (forward**2).sum(axis=1)
    return np.asarray(yaw_rate[:, None] * R_WB[:, 2])


def _two_turns(spec: RobotSpec, q: Floats, _v: Floats) -> VelocityMap:
    """R R v_B for v_B: u = R^T v_B handed to an engine that turns it back by R^T."""
    T = np.zeros((len(q), spec.nv, spec.nv)) + np.eye(spec.nv)
    for in_q, in_v in free_joints(spec):
        R_WB = rotation_matrices(q[:, in_q + 3 : in_q + 7])
        T[:, in_v + 3 : in_v + 6, in_v + 3 : in_v + 6] = R_WB @ R_WB
    return VelocityMap(T, transpose(T))


def _turn_by_heading(spec: RobotSpec, q: Floats, v: Floats, _tau: Floats) -> None:
    """R_WH v_B for v_B: a velocity turned by the yaw, as from the heading's axes, and then taken in body axes."""
    for in_q, in_v in free_joints(spec):
        R_WB = rotation_matrices(q[:, in_q + 3 : in_q + 7])
        R_WH = R_WB @ transpose(_into(Axes.HEADING, R_WB))
        v[:, in_v + 3 : in_v + 6] = product(R_WH, v[:, in_v + 3 : in_v + 6])


def _com_map(spec: RobotSpec, _q: Floats, _v: Floats) -> VelocityMap:
    """v_C = v_B + w x c, constant in body axes."""
    T, inverse = np.eye(spec.nv), np.eye(spec.nv)
    for inertia, _, in_v in _bases(spec):
        across = np.cross(np.eye(3), inertia.com).T  # w -> w x c
        T[in_v + 3 : in_v + 6, in_v : in_v + 3], inverse[in_v + 3 : in_v + 6, in_v : in_v + 3] = across, -across
    return VelocityMap(T, inverse)


def _origin_from_com(spec: RobotSpec, q: Floats, _v: Floats, _tau: Floats) -> None:
    for inertia, in_q, _ in _bases(spec):
        q[:, in_q : in_q + 3] -= rotation_matrices(q[:, in_q + 3 : in_q + 7]) @ np.array(inertia.com)


def in_coordinates(view: AnswerView, quantity: str, values: Floats, u: VelocityMap) -> Floats:
    """Canonical values in the coordinates u.

    M_u = T^-T M T^-1, f_u = T^-T f, h_u = T^-T h - M_u Tdot v, udot = T vdot + Tdot v, J_u = J T^-1,
    (Jdot u)_u = Jdot v - J_u Tdot v.
    """
    if quantity not in INVERSE_DYNAMICS:  # its acceleration is given in what coordinates it may be
        values = with_drift(view, quantity, values, u, -1.0)
    axes = QUANTITIES[quantity].axes
    for axis in DOF_AXES.get(quantity, ()):
        moves = axes is not None and axes[axis - 1] is Axis.MOTION
        values = along(u.T if moves else transpose(u.inverse), values, axis)
    return values


def with_drift(view: AnswerView, quantity: str, values: Floats, u: VelocityMap, count: float) -> Floats:
    """Canonical values with the drift counted so often too much: h + M drift, vdot - drift, Jdot v + J drift, Jdot + J turn."""
    if u.drift is None or u.turn is None:
        return values
    if quantity == "forward_dynamics":
        return values - count * u.drift
    coefficient = "mass_matrix" if quantity in INVERSE_DYNAMICS else QUANTITIES[quantity].coefficient
    if not coefficient:
        return values
    if QUANTITIES[quantity].is_rate:
        return values + count * jacobians(u.turn, view.value(coefficient))
    rows = (1,) * (values.ndim - 2)
    return values + count * product(view.value(coefficient), u.drift.reshape(len(u.drift), *rows, u.drift.shape[-1]))
