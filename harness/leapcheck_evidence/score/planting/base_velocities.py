"""The base velocity in other coordinates u = T v than [w_B; v_B]: as read, in the answers, in both, or without Tdot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from leapcheck.sampling import States
from leapcheck_evidence.score.planting.fault import Asked, Drawer, Fault, Rng, Setting
from leapcheck_evidence.score.planting.layout import of_type, rotations
from leapcheck_evidence.score.planting.robot_file import NotHereError
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import JointType, RobotSpec

COORDINATES = ("v_W-w_B", "w_B-v_W", "v_B-w_B", "w_W-v_W", "v_W-w_W", "w_W-v_B")

Map = Callable[[RobotSpec, Floats], Floats]
"""T (n, nv, nv) of u = T v from the robot and q."""


def coordinates(kind: str, name: str) -> Drawer:
    """`kind`: "inputs" are taken for u, "answers" are left for u, "both"."""

    def draw(_rng: Rng, setting: Setting) -> Fault:
        _base_of(setting.spec)
        T = _map(name)
        return Fault(
            f"base velocity {name}, {kind}",
            (f"base-velocity/{kind}:{name}",),
            reading=None if kind == "answers" else _reading(T),
            answering=None if kind == "inputs" else _answering(T, name),
        )

    return draw


def tdot(kind: str) -> Drawer:
    """The Tdot term of a base velocity in world axes missing, with the wrong sign, or counted twice."""
    count = {"missing": -1.0, "sign": -2.0, "twice": 1.0}[kind]

    def draw(_rng: Rng, setting: Setting) -> Fault:
        _base_of(setting.spec)

        def answering(asked: Asked, quantity: str, values: Floats) -> Floats:
            return _with_drift(asked, quantity, values, count * _drift(asked.spec, asked.read.v))

        return Fault(f"Tdot {kind}", (f"base-velocity/tdot-{kind}",), answering=answering)

    return draw


def about_com(kind: str) -> Drawer:
    """The base velocity that of the base's com: as read, in the answers, or in both."""

    def draw(_rng: Rng, setting: Setting) -> Fault:
        base = _base_of(setting.spec)
        if not any(any(s.body.inertia.com) for s in of_type(setting.spec, JointType.FREE)):
            raise NotHereError(f"the com of {base} is its origin")
        suffix = "" if kind == "both" else f":{kind}"
        return Fault(
            f"base velocity of the com, {kind}",
            (f"base-origin/com{suffix}",),
            reading=None if kind == "answers" else _reading(_com_map),
            answering=None if kind == "inputs" else _answering(_com_map, "w_B-v_B"),
        )

    return draw


def _base_of(spec: RobotSpec) -> str:
    bases = of_type(spec, JointType.FREE)
    if not bases:
        raise NotHereError("no base")
    return bases[0].body.name


def _map(name: str) -> Map:
    def T(spec: RobotSpec, q: Floats) -> Floats:
        whole = np.zeros((len(q), spec.nv, spec.nv)) + np.eye(spec.nv)
        for slot in of_type(spec, JointType.FREE):
            R = rotations(q[:, slot.q.start + 3 : slot.q.stop])
            own = {
                "w_B": _rows(np.eye(3) + 0.0 * R, 0),
                "w_W": _rows(R, 0),
                "v_B": _rows(np.eye(3) + 0.0 * R, 3),
                "v_W": _rows(R, 3),
            }
            whole[:, slot.v, slot.v] = np.concatenate([own[part] for part in name.split("-")], axis=1)
        return whole

    return T


def _rows(block: Floats, start: int) -> Floats:
    """Three rows (n, 3, 6) with a block in the columns of w or of v."""
    rows = np.zeros((len(block), 3, 6))
    rows[:, :, start : start + 3] = block
    return rows


def _com_map(spec: RobotSpec, q: Floats) -> Floats:
    """v of the com = v + w x c."""
    whole = np.zeros((len(q), spec.nv, spec.nv)) + np.eye(spec.nv)
    for slot in of_type(spec, JointType.FREE):
        x, y, z = slot.body.inertia.com
        start = slot.v.start
        whole[:, start + 3 : start + 6, start : start + 3] = [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]
    return whole


def _reading(T: Map) -> Callable[[RobotSpec, States], States]:
    """The numbers of v are taken for u, those of tau for the force on u."""

    def reading(spec: RobotSpec, states: States) -> States:
        base_map = T(spec, states.q)
        v = np.asarray(np.linalg.solve(base_map, states.v[..., None])[..., 0], dtype=np.float64)
        return replace(states, v=v, tau=np.einsum("nij,ni->nj", base_map, states.tau))

    return reading


def _answering(T: Map, name: str) -> Callable[[Asked, str, Floats], Floats]:
    """The answers are those in the coordinates u."""

    def answering(asked: Asked, quantity: str, values: Floats) -> Floats:
        base_map = T(asked.spec, asked.read.q)
        inverse = np.asarray(np.linalg.inv(base_map), dtype=np.float64)
        if "v_W" in name:
            values = _with_drift(asked, quantity, values, -_drift(asked.spec, asked.read.v))
        answer = values
        match quantity:
            case "mass_matrix":
                answer = np.swapaxes(inverse, 1, 2) @ values @ inverse
            case "bias_force" | "gravity_force" | "coriolis_force":
                answer = np.einsum("nij,ni->nj", inverse, values)
            case "forward_dynamics":
                answer = np.einsum("nij,nj->ni", base_map, values)
            case "contact_jacobians":
                answer = values @ inverse[:, None]
        return answer

    return answering


def _drift(spec: RobotSpec, v: Floats) -> Floats:
    """T^-1 Tdot v (n, nv) of a linear velocity in world axes: w x v in body axes."""
    drift = np.zeros_like(v)
    for slot in of_type(spec, JointType.FREE):
        start = slot.v.start
        drift[:, start + 3 : start + 6] = np.cross(v[:, start : start + 3], v[:, start + 3 : start + 6])
    return drift


def _with_drift(asked: Asked, quantity: str, values: Floats, drift: Floats) -> Floats:
    """Answers in which a drift is counted once more: h + M d, vdot - d, Jdot v + J d."""
    more: Floats = np.zeros_like(values)
    match quantity:
        case "bias_force" | "coriolis_force":
            more = np.einsum("nij,nj->ni", asked.own("mass_matrix"), drift)
        case "forward_dynamics":
            more = -drift
        case "contact_bias_accelerations":
            more = np.einsum("npij,nj->npi", asked.own("contact_jacobians"), drift)
    return values + more
