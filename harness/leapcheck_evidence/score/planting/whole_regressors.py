"""Regressors of other parameters: another order, reference point, axes or sign; terms, bodies and gravity left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from leapcheck_evidence.score.planting.fault import Drawer, Fault, Rng, Setting
from leapcheck_evidence.score.planting.own_dynamics import Frame
from leapcheck_evidence.score.planting.own_whole_body import (
    MovingBody,
    WholeBody,
    energy_columns,
    height_columns,
    torque_columns,
)
from leapcheck_evidence.score.planting.robot_file import NotHereError
from leapcheck_evidence.score.planting.whole_body_fault import (
    Change,
    always,
    fault,
    link_number,
    moved_link,
    of_floating,
    with_rotors,
)
from leapcheck_models.arrays import Array, Floats
from leapcheck_models.spec import WORLD, RobotSpec

TORQUE, KINETIC, POTENTIAL = "joint_torque_regressor", "kinetic_energy_regressor", "potential_energy_regressor"
REGRESSORS = (TORQUE, KINETIC, POTENTIAL)
ASKED = (*REGRESSORS, "inverse_dynamics", "kinetic_energy", "potential_energy")

ORDERS = {
    "diagonal-first": [0, 1, 2, 3, 4, 6, 9, 5, 7, 8],
    "row-by-row": [0, 1, 2, 3, 4, 5, 7, 6, 8, 9],
    "voigt": [0, 1, 2, 3, 4, 6, 9, 8, 7, 5],
    "mass-last": [4, 5, 6, 7, 8, 9, 1, 2, 3, 0],
    "inertia-first": [4, 5, 7, 6, 8, 9, 1, 2, 3, 0],
}
"""Which of m, mc, Ixx, Ixy, Iyy, Ixz, Iyz, Izz stands in each place, under the names of the usual orders."""


def kinds() -> Iterator[tuple[str, Drawer, int]]:
    """Label, drawer and count of each kind."""
    for name, order in ORDERS.items():
        yield name, always(name, [f"regressor/{name}"], REGRESSORS, _in_order(order)), 1
        yield name, always(name, [f"regressor/{name}:{TORQUE}"], (TORQUE,), _in_order(order)), 1
    for name, factor in (("products-sign", -1.0), ("products-once", 0.5)):
        yield name, always(name, [f"regressor/{name}:{TORQUE}"], (TORQUE,), _products(factor)), 1
        yield name, always(name, [f"regressor/{name}:{KINETIC}"], (KINETIC,), _products(factor)), 1
    for quantities in (REGRESSORS, (TORQUE,), (KINETIC,), (POTENTIAL,)):
        suffix = "" if quantities == REGRESSORS else f":{quantities[0]}"
        yield "at coms", always("frames at the coms", [f"regressor/at-com{suffix}"], quantities, _at_com), 1
    for quantities in (REGRESSORS, (TORQUE,)):
        suffix = "" if quantities == REGRESSORS else f":{quantities[0]}"
        yield "in world axes", always("in world axes", [f"regressor/world-axes{suffix}"], quantities, _in_world), 1
    yield "rotors between", with_rotors(always("rotors between links", ["regressor/rotors-between"], REGRESSORS, _between)), 1
    yield "no gravity", always("no gravity", ["regressor/without-gravity"], (TORQUE,), _gravity(0.0)), 1
    yield "gravity reversed", always("gravity reversed", ["regressor/gravity-sign"], (TORQUE,), _gravity(-1.0)), 1
    names = [f"factor/{POTENTIAL}"]
    yield "sign of potential", always("opposite sign", names, (POTENTIAL,), lambda _body, _name, values: -values), 1
    yield "no 1/2", always("twice", [f"factor/{KINETIC}"], (KINETIC,), lambda _body, _name, values: 2.0 * values), 1
    yield "no w x I w", always("no w x I w", ["regressor/no-gyroscopic-term"], (TORQUE,), _no_gyroscopic), 1
    yield "no velocities", always("no velocities", ["regressor/no-velocity"], (TORQUE,), _at(0.0, 1.0)), 1
    yield "no acceleration", always("no acceleration", ["regressor/no-acceleration"], (TORQUE,), _at(1.0, 0.0)), 1
    for quantity in REGRESSORS:
        yield f"a link's columns zero in {quantity}", _body_zero(quantity), 1
    yield "links' columns exchanged", _exchanged, 1
    yield "rotors' columns zero", with_rotors(_rotors_zero), 1
    yield "siblings by name", _by_name, 1
    yield "base axes", of_floating(always("in the base's axes", [f"regressor/base-axes:{POTENTIAL}"], (POTENTIAL,), _in_base)), 1


def _bodies(values: Floats) -> Array:
    return values.reshape(*values.shape[:-1], -1, 10)


def _in_order(order: list[int]) -> Change:
    return lambda _body, _name, values: _bodies(values)[..., order].reshape(values.shape)


def _products(factor: float) -> Change:
    factors = np.ones(10)
    factors[[5, 7, 8]] = factor
    return lambda _body, _name, values: (_bodies(values) * factors).reshape(values.shape)


def _with_frames(body: WholeBody, name: str, frame_of: Callable[[MovingBody], Frame]) -> Array:
    """The regressor of parameters in other frames rigid with the bodies."""
    g = np.array(body.spec.gravity)
    frames = [frame_of(part) for part in body.moving()]
    if name == TORQUE:
        return np.concatenate([torque_columns(frame, body.states.vdot, g) for frame in frames], axis=-1)
    if name == KINETIC:
        return np.concatenate([energy_columns(frame, body.states.v) for frame in frames], axis=-1)
    return np.concatenate([height_columns(frame, g) for frame in frames], axis=-1)


def _at_com(body: WholeBody, name: str, _values: Floats) -> Array:
    return _with_frames(body, name, lambda part: part.at_com)


def _in_world(body: WholeBody, name: str, _values: Floats) -> Array:
    return _with_frames(body, name, lambda part: replace(part.frame, R=0.0 * part.frame.R + np.eye(3)))


def _in_base(body: WholeBody, name: str, _values: Floats) -> Array:
    base = body.frames[body.spec.bodies[0].name].R
    return _with_frames(body, name, lambda part: replace(part.frame, R=base))


def _between(body: WholeBody, _name: str, values: Floats) -> Array:
    order, rotor = [], len(body.spec.bodies)
    for i, link in enumerate(body.spec.bodies):
        order.append(i)
        if link.rotor:
            order.append(rotor)
            rotor += 1
    return _bodies(values)[..., order, :].reshape(values.shape)


def _gravity(factor: float) -> Change:
    def change(body: WholeBody, _name: str, _values: Floats) -> Array:
        g = factor * np.array(body.spec.gravity)
        return np.concatenate([torque_columns(part.frame, body.states.vdot, g) for part in body.moving()], axis=-1)

    return change


def _no_gyroscopic(body: WholeBody, _name: str, values: Floats) -> Array:
    """The columns of the inertia without w x E w."""
    changed = _bodies(values.copy())
    for i, part in enumerate(body.moving()):
        changed[..., i, 4:] -= _turning(part)
    return changed.reshape(values.shape)


def _turning(part: MovingBody) -> Array:
    turn = np.swapaxes(part.frame.R, 1, 2)
    w = np.einsum("nij,nj->ni", turn, part.frame.w)
    columns = []
    for i, j in ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)):
        unit = np.zeros((3, 3))
        unit[i, j] = unit[j, i] = 1.0
        columns.append(np.cross(w, w @ unit))
    rows: Array = np.swapaxes(turn @ part.frame.Jw, 1, 2) @ np.stack(columns, axis=-1)
    return rows


def _at(v: float, vdot: float) -> Change:
    def change(body: WholeBody, name: str, _values: Floats) -> Array:
        states = replace(body.states, v=v * body.states.v, vdot=vdot * body.states.vdot)
        return WholeBody(body.spec, states).answer(name)

    return change


def _body_zero(quantity: str) -> Drawer:
    def draw(rng: Rng, setting: Setting) -> Fault:
        link = moved_link(rng, setting)
        place = link_number(setting.spec, link.name)

        def change(_body: WholeBody, _name: str, values: Floats) -> Array:
            changed = _bodies(values.copy())
            changed[..., place, :] = 0.0
            return changed.reshape(values.shape)

        return fault(f"columns of {link.name} zero", [f"zero/{quantity}"], (quantity,), change)

    return draw


def _rotors_zero(_rng: Rng, setting: Setting) -> Fault:
    links = len(setting.spec.bodies)

    def change(_body: WholeBody, _name: str, values: Floats) -> Array:
        changed = values.copy()
        changed[..., 10 * links :] = 0.0
        return changed

    return fault("rotors' columns zero", [f"zero/{TORQUE}", "rotor/left-out.*"], (TORQUE,), change)


def _exchanged(rng: Rng, setting: Setting) -> Fault:
    """The columns of two links exchanged."""
    count = len(setting.spec.bodies)
    if count < 3:
        raise NotHereError("too few links")
    i, j = (int(k) for k in rng.choice(count, 2, replace=False))
    order = np.arange(count + sum(body.rotor is not None for body in setting.spec.bodies))
    order[[i, j]] = j, i

    def change(_body: WholeBody, _name: str, values: Floats) -> Array:
        return _bodies(values)[..., order, :].reshape(values.shape)

    names = [r"regressor/(alphabetical|reversed|breadth-first)", "order/columns"]
    a, b = setting.spec.bodies[i].name, setting.spec.bodies[j].name
    return fault(f"columns of {a} and {b} exchanged", names, REGRESSORS, change)


def _by_name(_rng: Rng, setting: Setting) -> Fault:
    """Links, and rotors, depth first with siblings by name."""
    order = _depth_first(setting.spec)
    if order == sorted(order):
        raise NotHereError("they are by name")
    place = {body: i for i, body in enumerate(i for i, body in enumerate(setting.spec.bodies) if body.rotor)}
    whole = [*order, *(len(order) + place[i] for i in order if i in place)]

    def change(_body: WholeBody, _name: str, values: Floats) -> Array:
        return _bodies(values)[..., whole, :].reshape(values.shape)

    return fault("links by name", ["regressor/(alphabetical|reversed|breadth-first)", "order/columns"], REGRESSORS, change)


def _depth_first(spec: RobotSpec) -> list[int]:
    order: list[int] = []

    def visit(parent: str) -> None:
        children = [i for i, body in enumerate(spec.bodies) if body.parent == parent]
        for i in sorted(children, key=lambda i: spec.bodies[i].name):
            order.append(i)
            visit(spec.bodies[i].name)

    visit(WORLD)
    return order
