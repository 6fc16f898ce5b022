"""A base velocity in other coordinates than the canonical ones: frames, order, reference point, and the Tdot term.

With u = T v the engine's velocity, an adapter must convert the inputs (u = T v, tau_u = T^-T tau) and the outputs
(M = T^T M_u T, h = T^T (h_u + M_u Tdot v), J = J_u T, Jdot v = (Jdot u)_u + J_u Tdot v, vdot = T^-1 (udot - Tdot v)). Each
hypothesis leaves one of these out. Those on axes are invisible where R_WB = 1 and w = 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from leapcheck.conventions import product, rotation_matrices, transposed
from leapcheck.judge.belief import Belief, Hypothesis, View
from leapcheck.judge.coordinates import free_joints, places
from leapcheck.judge.dictionary.velocity_maps import VelocityMap, own, with_drift
from leapcheck.quantities import QUANTITIES
from leapcheck.states import Floats, States
from leapcheck_models.spec import Inertia, JointType, RobotSpec

TDOT = "the Tdot term (M Tdot v of the bias force, J Tdot v of Jdot v, Tdot v of the acceleration)"

TDOT_WORDS = {"missing": (-1.0, "is missing"), "sign": (-2.0, "has the wrong sign"), "twice": (1.0, "is counted twice")}
"""How often too much the term is counted."""


class BaseCoordinates(NamedTuple):
    """How an engine may write a free joint's velocity u = T v."""

    name: str
    words: str
    angular_in_world: bool
    linear_in_world: bool
    linear_first: bool


MUJOCO = BaseCoordinates("v_W-w_B", "[v_WB_W; w_WB_B], linear first and in world axes", False, True, True)

COORDINATES = (
    MUJOCO,
    BaseCoordinates("w_B-v_W", "[w_WB_B; v_WB_W], the linear part in world axes", False, True, False),
    BaseCoordinates("v_B-w_B", "[v_WB_B; w_WB_B], linear before angular", False, False, True),
    BaseCoordinates("w_W-v_W", "[w_WB_W; v_WB_W], world axes", True, True, False),
    BaseCoordinates("v_W-w_W", "[v_WB_W; w_WB_W], linear first, world axes", True, True, True),
    BaseCoordinates("w_W-v_B", "[w_WB_W; v_WB_B], the angular part in world axes", True, False, False),
)

Map = Callable[[RobotSpec, Floats, Floats], VelocityMap]
"""From the robot, q and v."""


def base_velocity(belief: Belief) -> Iterator[Hypothesis]:
    """A Tdot term missing; a base velocity or a force on the base in other axes or in the order linear, angular."""
    spec = belief.evidence.spec
    if _is_canonical(belief) and any(free_joints(spec)):
        yield from (_tdot(kind, count, words) for kind, (count, words) in TDOT_WORDS.items())
        for coordinates in COORDINATES:
            yield from _in_coordinates(coordinates)
        words = "the linear base velocity is turned by the transposed rotation (R^T for R)"
        read, left = _taken(_twice_turned), _left(_twice_turned)
        yield Hypothesis("base-velocity/transposed-rotation:inputs", "convention", words, reading=read, prior=3.0)
        both = f"{words}, in state and answers"
        yield Hypothesis("base-velocity/transposed-rotation", "convention", both, reading=read, answering=left, prior=3.0)


def base_origin(belief: Belief) -> Iterator[Hypothesis]:
    """The velocity of a base's com for that of its frame's origin, in the inputs, in the answers, in both; or its place."""
    spec = belief.evidence.spec
    if _is_canonical(belief) and any(any(inertia.com) for inertia, _, _ in _bases(spec)):
        inputs, words = "the base velocity is taken as that of its com instead of its frame's origin", "base-origin/com"
        yield Hypothesis(f"{words}:answers", "convention", ABOUT_COM, answering=_left(_com_map), prior=2.0)
        yield Hypothesis(f"{words}:inputs", "convention", inputs, reading=_taken(_com_map), prior=2.0)
        yield Hypothesis(words, "convention", f"{inputs}, and {ABOUT_COM}", None, None, _taken(_com_map), _left(_com_map), 2.0)
        yield Hypothesis(f"{words}:position", "convention", "the base's position is taken as that of its com", reading=_from_com)


ABOUT_COM = "forces and Jacobians of the base are left about its com instead of its frame's origin"


def _bases(spec: RobotSpec) -> Iterator[tuple[Inertia, int, int]]:
    """Inertia, and first place in q and in v, of each body with a free joint."""
    return ((spec.bodies[at.body].inertia, at.q.start, at.v.start) for at in places(spec) if at.joint.type is JointType.FREE)


def _is_canonical(belief: Belief) -> bool:
    return not any(QUANTITIES[name].in_mujoco_coordinates for name in belief.evidence.quantities)


def _tdot(kind: str, count: float, words: str) -> Hypothesis:
    def answering(view: View, quantity: str, values: Floats) -> Floats:
        drift = base_map(MUJOCO)(view.spec, view.states.q, view.states.v).drift
        return values if drift is None else with_drift(view, quantity, values, count * drift)

    cause = f"{TDOT} {words}: the base velocity behind it is in world axes"
    return Hypothesis(f"base-velocity/tdot-{kind}", "convention", cause, answering=answering)


def _in_coordinates(coordinates: BaseCoordinates) -> Iterator[Hypothesis]:
    name, u = coordinates.name, base_map(coordinates)
    words = f"the base velocity is taken as {coordinates.words}"
    left = f"the answers are left in the base coordinates {coordinates.words}"
    yield Hypothesis(f"base-velocity/answers:{name}", "convention", left, answering=_left(u))
    yield Hypothesis(f"base-velocity/inputs:{name}", "convention", words, reading=_taken(u))
    both = f"{words}, and the answers are left so"
    yield Hypothesis(f"base-velocity/both:{name}", "convention", both, reading=_taken(u), answering=_left(u))
    if coordinates.linear_in_world:
        other = f"{words}, but not in Tdot v"
        yield Hypothesis(f"base-velocity/no-tdot:{name}", "convention", other, None, None, _taken(u), _drift_as_given(u), 2.0)


def _taken(u: Map) -> Callable[[RobotSpec, States], States]:
    """v is taken for u, and tau for the force on u."""

    def reading(spec: RobotSpec, states: States) -> States:
        at = u(spec, states.q, states.v)
        return replace(states, v=product(at.inverse, states.v), tau=product(transposed(at.T), states.tau))

    return reading


def _left(u: Map) -> Callable[[View, str, Floats], Floats]:
    """The answers are left in the coordinates u."""
    return lambda view, quantity, values: own(view, quantity, values, u(view.spec, view.read.q, view.read.v))


def _drift_as_given(u: Map) -> Callable[[View, str, Floats], Floats]:
    """The engine's own Tdot v follows what it reads, the adapter's follows what it was given."""

    def answering(view: View, quantity: str, values: Floats) -> Floats:
        read, given = (u(view.spec, states.q, states.v).drift for states in (view.read, view.states))
        return values if read is None or given is None else with_drift(view, quantity, values, given - read)

    return answering


def base_map(coordinates: BaseCoordinates) -> Map:
    """T, orthogonal; its drift is w x v_B where a linear part is in world axes, and zero else, since R_WB (w x w) is."""

    def u(spec: RobotSpec, q: Floats, v: Floats) -> VelocityMap:
        T = np.zeros((len(q), spec.nv, spec.nv)) + np.eye(spec.nv)
        drift = np.zeros_like(v)
        for at_q, at_v in free_joints(spec):
            R_WB = rotation_matrices(q[:, at_q + 3 : at_q + 7])
            w, v_B = slice(at_v, at_v + 3), slice(at_v + 3, at_v + 6)
            u_w, u_v = (v_B, w) if coordinates.linear_first else (w, v_B)
            T[:, at_v : at_v + 6, at_v : at_v + 6] = 0.0
            T[:, u_w, w] = R_WB if coordinates.angular_in_world else np.eye(3)
            T[:, u_v, v_B] = R_WB if coordinates.linear_in_world else np.eye(3)
            drift[:, v_B] = np.cross(v[:, w], v[:, v_B])
        return VelocityMap(T, transposed(T), drift if coordinates.linear_in_world else None)

    return u


def _twice_turned(spec: RobotSpec, q: Floats, _v: Floats) -> VelocityMap:
    """R R v_B for v_B: u = R^T v_B handed to an engine that turns it back by R^T."""
    T = np.zeros((len(q), spec.nv, spec.nv)) + np.eye(spec.nv)
    for at_q, at_v in free_joints(spec):
        R_WB = rotation_matrices(q[:, at_q + 3 : at_q + 7])
        T[:, at_v + 3 : at_v + 6, at_v + 3 : at_v + 6] = R_WB @ R_WB
    return VelocityMap(T, transposed(T))


def _com_map(spec: RobotSpec, _q: Floats, _v: Floats) -> VelocityMap:
    """v_C = v_B + w x c, constant in body axes."""
    T, inverse = np.eye(spec.nv), np.eye(spec.nv)
    for inertia, _, at_v in _bases(spec):
        across = np.cross(np.eye(3), inertia.com).T  # w -> w x c
        T[at_v + 3 : at_v + 6, at_v : at_v + 3], inverse[at_v + 3 : at_v + 6, at_v : at_v + 3] = across, -across
    return VelocityMap(T, inverse)


def _from_com(spec: RobotSpec, states: States) -> States:
    q = states.q.copy()
    for inertia, at_q, _ in _bases(spec):
        q[:, at_q : at_q + 3] -= rotation_matrices(q[:, at_q + 3 : at_q + 7]) @ np.array(inertia.com)
    return replace(states, q=q)
