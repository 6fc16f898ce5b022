"""Regressors whose columns stand for other parameters: another order, sign, point or axes, other bodies, a term left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from leapcheck.judge.belief import AnswerView, Belief, Hypothesis, convention
from leapcheck.judge.dictionary.order import known_orders
from leapcheck.judge.edits import edit_answers
from leapcheck.quantities import PARAMETER_COUNT, QUANTITIES, QuantityGroup
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_reference import build, joint_torque_regressor
from leapcheck_reference.batch import evaluate_batch
from leapcheck_reference.regressors import PAIRS, body_rotations, gyroscopic_regressor

Edit = Callable[[AnswerView, Floats], Floats]

TORQUE = "joint_torque_regressor"

ORDERS = {
    "diagonal-first": ("Ixx, Iyy, Izz, Ixy, Ixz, Iyz instead of Ixx, Ixy, Iyy, Ixz, Iyz, Izz", (0, 1, 2, 3, 4, 6, 9, 5, 7, 8)),
    "row-by-row": ("Ixx, Ixy, Ixz, Iyy, Iyz, Izz instead of Ixx, Ixy, Iyy, Ixz, Iyz, Izz", (0, 1, 2, 3, 4, 5, 7, 6, 8, 9)),
    "voigt": ("Ixx, Iyy, Izz, Iyz, Ixz, Ixy instead of Ixx, Ixy, Iyy, Ixz, Iyz, Izz", (0, 1, 2, 3, 4, 6, 9, 8, 7, 5)),
    "mass-last": ("the mass behind the inertia: Ixx, ..., Izz, m c, m", (4, 5, 6, 7, 8, 9, 1, 2, 3, 0)),
    "inertia-first": ("Ixx, Ixy, Ixz, Iyy, Iyz, Izz, m c, m: Khalil's order", (4, 5, 7, 6, 8, 9, 1, 2, 3, 0)),
}
"""Name, words and the parameter behind each column."""

FACTORS = {
    "products-sign": ("the products of inertia count with the opposite sign (integrals of x y, not entries of the matrix)", -1.0),
    "products-once": ("the products of inertia are counted in one of the matrix's two places only", 0.5),
}
"""Name, words and what the columns of the products of inertia are multiplied by."""

PRODUCTS = (5, 7, 8)


def regressor_forms(belief: Belief) -> Iterator[Hypothesis]:
    """All regressors that are asked for, or one of them, with other columns; Y without gravity."""
    names = [name for name, row in QUANTITIES.items() if row.group is QuantityGroup.REGRESSORS]
    asked = tuple(name for name in names if name in belief.evidence.quantities)
    for some in dict.fromkeys([*([asked] if asked else []), *((name,) for name in asked)]):
        suffix = "" if some == asked else f":{some[0]}"
        subject = ", ".join(QUANTITIES[name].label for name in some)
        for name, (words, order) in ORDERS.items():
            edit = edit_answers(some, _in_order(order))
            yield convention(f"regressor/{name}{suffix}", f"{subject}: {words}", answer_edit=edit)
        for name, (words, factor) in FACTORS.items():
            yield convention(f"regressor/{name}{suffix}", f"{subject}: {words}", answer_edit=edit_answers(some, _scaled(factor)))
        if any(body.rotor for body in belief.evidence.spec.bodies):
            words = "each rotor's columns stand behind those of its joint's link, not behind all links"
            yield convention(f"regressor/rotors-between{suffix}", f"{subject}: {words}", answer_edit=edit_answers(some, _between))
        for name, (words, map_) in FRAMES.items():
            edit = edit_answers(some, _of_frames(map_))
            yield convention(f"regressor/{name}{suffix}", f"{subject}: {words}", answer_edit=edit)
        for name, (remark, bodies) in _orders(belief.evidence.spec).items():
            words = f"{subject}: the links' columns, and their rotors', are in another order{remark}"
            yield convention(f"regressor/{name}{suffix}", words, answer_edit=edit_answers(some, _of_links(bodies)))
    if TORQUE in asked and any(belief.evidence.spec.gravity):
        words = f"{QUANTITIES[TORQUE].label}: gravity is left out"
        yield convention("regressor/without-gravity", words, answer_edit=edit_answers((TORQUE,), _weightless))
        words = f"{QUANTITIES[TORQUE].label}: gravity has the opposite sign"
        edit = edit_answers((TORQUE,), lambda view, values: 2.0 * _weightless(view, values) - values)
        yield convention("regressor/gravity-sign", words, answer_edit=edit)
    for name, (words, edit_torque) in PARTS.items() if TORQUE in asked else ():
        cause = f"{QUANTITIES[TORQUE].label}: {words}"
        yield convention(f"regressor/{name}", cause, answer_edit=edit_answers((TORQUE,), edit_torque))


def _by_body(values: Floats) -> Floats:
    return values.reshape(*values.shape[:-1], -1, PARAMETER_COUNT)


def _in_order(order: tuple[int, ...]) -> Edit:
    return lambda _view, values: _by_body(values)[..., order].reshape(values.shape)


def _scaled(factor: float) -> Edit:
    factors = np.ones(PARAMETER_COUNT)
    factors[list(PRODUCTS)] = factor
    return lambda _view, values: (_by_body(values) * factors).reshape(values.shape)


def _between(view: AnswerView, values: Floats) -> Floats:
    return np.take(_by_body(values), _places_between(view.spec), axis=-2).reshape(values.shape)


def _orders(spec: RobotSpec) -> dict[str, tuple[str, list[int]]]:
    """Name, remark and the body behind each ten columns where links, and their rotors, are in another order."""
    place = {body: i for i, body in enumerate(i for i, body in enumerate(spec.bodies) if body.rotor)}
    orders: dict[str, tuple[str, list[int]]] = {}
    for name, remark, order in known_orders(spec):
        bodies = [*order, *(len(order) + place[i] for i in order if i in place)]
        if list(order) != sorted(order) and all(bodies != own for _, own in orders.values()):
            orders[name] = (remark, bodies)
    return orders


def _of_links(order: list[int]) -> Edit:
    return lambda _view, values: _by_body(values)[..., order, :].reshape(values.shape)


def _places_between(spec: RobotSpec) -> list[int]:
    """The number of each body in the order link, its joint's rotor, next link."""
    places, rotor = list[int](), len(spec.bodies)
    for i, body in enumerate(spec.bodies):
        places.append(i)
        if body.rotor:
            places.append(rotor)
            rotor += 1
    return places


def _weightless(view: AnswerView, _values: Floats) -> Floats:
    tree, read = build(replace(view.spec, gravity=(0.0, 0.0, 0.0))), view.read
    with np.errstate(all="ignore"):
        return evaluate_batch(joint_torque_regressor, tree, read.q, read.v, read.vdot)


def _of_frames(map_: Callable[[AnswerView], tuple[Floats, Floats]]) -> Edit:
    """Columns of parameters in other frames rigid with the bodies: R (n, bodies, 3, 3) of their axes and p (bodies, 3)."""

    def edit(view: AnswerView, values: Floats) -> Floats:
        T = _parameters_map(*map_(view))
        by_body = _by_body(values)
        rows = by_body.reshape(len(values), -1, *by_body.shape[-2:])
        columns: Floats = np.einsum("nkbi,nbij->nkbj", rows, T)
        return columns.reshape(values.shape)

    return edit


def _parameters_map(R: Floats, p: Floats) -> Floats:
    """T (n, bodies, 10, 10): the body's own ten are T times those in a frame with axes R at p in its own axes."""
    columns = []
    for k in range(PARAMETER_COUNT):
        ten = np.eye(PARAMETER_COUNT)[k]
        I = np.zeros((3, 3))
        for (i, j), entry in zip(PAIRS, ten[4:], strict=True):
            I[i, j] = I[j, i] = entry
        first, arm = R @ ten[1:4], _skew(p)
        cross = arm @ _skew(first)
        # I + the parallel-axis terms of (m, mc) moved by p; c~ with c^T on the right is its transpose
        moved = R @ I @ np.swapaxes(R, -1, -2) - cross - np.swapaxes(cross, -1, -2) - ten[0] * arm @ arm
        mass = np.zeros((*R.shape[:2], 1)) + ten[0]
        columns.append(
            np.concatenate([mass, first + ten[0] * p, np.stack([moved[..., i, j] for i, j in PAIRS], axis=-1)], axis=-1)
        )
    return np.stack(columns, axis=-1)


def _skew(a: Floats) -> Floats:
    return np.swapaxes(np.cross(a[..., None, :], np.eye(3)), -1, -2)


def _rotations(view: AnswerView) -> Floats:
    with np.errstate(all="ignore"):
        return evaluate_batch(body_rotations, build(view.spec), view.read.q)


def _at_com(view: AnswerView) -> tuple[Floats, Floats]:
    rotors = [body.rotor for body in view.spec.bodies if body.rotor]
    coms = np.array([*(body.inertia.com for body in view.spec.bodies), *(rotor.inertia.com for rotor in rotors)])
    return np.zeros((len(view.read), len(coms), 3, 3)) + np.eye(3), coms


def _in_world(view: AnswerView) -> tuple[Floats, Floats]:
    R = np.swapaxes(_rotations(view), -1, -2)
    return R, np.zeros((R.shape[1], 3))


def _in_base(view: AnswerView) -> tuple[Floats, Floats]:
    R = _rotations(view)
    return np.swapaxes(R, -1, -2) @ R[:, :1], np.zeros((R.shape[1], 3))


def _torques(v: float, vdot: float, view: AnswerView, _values: Floats) -> Floats:
    """Y at v and vdot so often."""
    read = view.read
    with np.errstate(all="ignore"):
        return evaluate_batch(joint_torque_regressor, build(view.spec), read.q, v * read.v, vdot * read.vdot)


def _without_gyroscopic(view: AnswerView, values: Floats) -> Floats:
    with np.errstate(all="ignore"):
        return values - evaluate_batch(gyroscopic_regressor, build(view.spec), view.read.q, view.read.v)


FRAMES: dict[str, tuple[str, Callable[[AnswerView], tuple[Floats, Floats]]]] = {
    "at-com": ("the parameters are about each body's com, not about its origin", _at_com),
    "world-axes": ("the parameters are in the world's axes, not in the body's own", _in_world),
    "base-axes": ("the parameters are in the axes of the first link, not in the body's own", _in_base),
}
"""Name, words, and axes and place of the frames that the parameters are in."""

PARTS: dict[str, tuple[str, Edit]] = {
    "no-gyroscopic-term": ("w x I w is missing in the columns of the rotational inertia", _without_gyroscopic),
    "no-velocity": ("at v = 0: what velocities bring about is missing", partial(_torques, 0.0, 1.0)),
    "no-acceleration": ("at vdot = 0: that of the bias force alone", partial(_torques, 1.0, 0.0)),
}
