"""Derivatives of dynamics by something else than the tangent, transposed, with a part missing, of another robot."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from leapcheck_evidence.score.planting.fault import Drawer, Fault, Rng, Setting, choice
from leapcheck_evidence.score.planting.layout import of_type, rotations
from leapcheck_evidence.score.planting.own_whole_body import STEP, WholeBody
from leapcheck_evidence.score.planting.robot_file import NotHereError
from leapcheck_evidence.score.planting.whole_body_fault import Change, always, fault, of_floating
from leapcheck_evidence.score.planting.whole_matrices import stale
from leapcheck_models.arrays import Array, Floats
from leapcheck_models.spec import ONE_DOF, JointType

ID_Q, ID_V = "inverse_dynamics_derivative_q", "inverse_dynamics_derivative_v"
FD_Q, FD_V, FD_TAU = "forward_dynamics_derivative_q", "forward_dynamics_derivative_v", "forward_dynamics_derivative_tau"
DERIVATIVES = (ID_Q, ID_V, FD_Q, FD_V, FD_TAU)
BY_Q = (ID_Q, FD_Q)


def kinds() -> Iterator[tuple[str, Drawer, int]]:
    """Label, drawer and count of each kind."""
    for quantities in (BY_Q, (ID_Q,), (FD_Q,)):
        suffix = "" if quantities == BY_Q else f":{quantities[0]}"
        for name, change in TANGENTS.items():
            yield name, of_floating(always(name, [f"derivative/{name}{suffix}"], quantities, change)), 1
    for quantity in DERIVATIVES[:4]:
        transposed = always("transposed", [f"derivative/transposed:{quantity}"], (quantity,), _transposed)
        yield f"{quantity} transposed", transposed, 1
        names = [f"derivative/sign:{quantity}", f"factor/{quantity}"]
        yield f"sign of {quantity}", always("opposite sign", names, (quantity,), lambda _body, _name, values: -values), 1
        yield f"joint's column of {quantity}", _column(quantity), 1
    for name, change in FORCE_PARTS.items():
        yield name, always(name, [f"derivative/{name}:{ID_Q}"], (ID_Q,), change), 1
    yield "no dM/dq", always("-M^-1 dh/dq", [f"derivative/no-inverse:{FD_Q}"], (FD_Q,), _no_inverse), 1
    for quantity, other in ((FD_Q, ID_Q), (FD_V, ID_V)):
        names = [f"derivative/not-solved:{quantity}"]
        not_solved = always("-dID instead of dFD", names, (quantity,), _force_for(other, -1.0))
        yield f"{other} for {quantity}", not_solved, 1
        names = [f"derivative/force-sign:{quantity}", f"derivative/sign:{quantity}", f"factor/{quantity}"]
        yield f"M^-1 {other}", always("+M^-1 dID", names, (quantity,), _solved(other)), 1
    yield (
        "M for its inverse",
        always("M", [f"inverse/not-inverted:{FD_TAU}"], (FD_TAU,), lambda body, _n, _v: body.mass_matrix()),
        1,
    )
    yield "C for dh/dv", always("C", [f"derivative/coriolis:{ID_V}"], (ID_V,), lambda body, _n, _v: body.christoffel_matrix()), 1
    twice = always("2 C", [f"derivative/twice-coriolis:{ID_V}"], (ID_V,), lambda body, _n, _v: 2.0 * body.christoffel_matrix())
    yield "2 C for dh/dv", of_floating(twice), 1
    yield "no gravity", always("no gravity", [f"derivative/no-gravity:{ID_Q}"], (ID_Q,), _weightless), 1
    yield "in degrees", _degrees, 1
    yield (
        "base's columns linear first",
        of_floating(always("columns linear first", [f"derivative/linear-first:{ID_Q}"], (ID_Q,), _columns)),
        1,
    )
    yield "damping", _damping, 1
    yield "stale q", stale(ID_V, ("q",)), 1


def _turn_columns(body: WholeBody, values: Floats, of_quaternion: Callable[[Floats], Array]) -> Array:
    changed = values.copy()
    for slot in of_type(body.spec, JointType.FREE):
        columns = slice(slot.v.start, slot.v.start + 3)
        changed[..., columns] = values[..., columns] @ of_quaternion(body.states.q[:, slot.q.start + 3 : slot.q.stop])
    return changed


def _world_turn(body: WholeBody, _name: str, values: Floats) -> Array:
    """Columns of turns about the world's axes: dtheta_B = R^T dtheta_W."""
    return _turn_columns(body, values, lambda four: np.swapaxes(rotations(four), 1, 2))


def _by_quaternion(body: WholeBody, _name: str, values: Floats) -> Array:
    """By x, y, z of the quaternion: dtheta_B = 2 (conjugate of quaternion) times d quaternion, its vector part."""

    def turns(four: Floats) -> Array:
        columns = []
        for k in range(3):
            dq = np.zeros((len(four), 3))
            dq[:, k] = 1.0
            columns.append(2.0 * (four[:, :1] * dq - np.cross(four[:, 1:], dq)))
        return np.stack(columns, axis=-1)

    return _turn_columns(body, values, turns)


def _held_in_world(body: WholeBody, name: str, _values: Floats) -> Array:
    """As q turns, v and vdot of the base's origin keep their world axes."""
    spec, columns = body.spec, []
    for unit in np.eye(spec.nv):
        ways = np.broadcast_to(unit, body.states.v.shape)
        dv, dvdot = np.zeros_like(body.states.v), np.zeros_like(body.states.v)
        for slot in of_type(spec, JointType.FREE):
            turn = ways[:, slot.v.start : slot.v.start + 3]
            linear = slice(slot.v.start + 3, slot.v.stop)
            dv[:, linear] = -np.cross(turn, body.states.v[:, linear])
            dvdot[:, linear] = -np.cross(turn, body.states.vdot[:, linear])
        moved = body.step(body.qdot(ways), dv)
        if name == ID_Q:
            moved = replace(moved, vdot=body.states.vdot + 1j * STEP * dvdot)
            columns.append(WholeBody(spec, moved, np.complex128).inverse_dynamics().imag / STEP)
            continue
        answer = WholeBody(spec, moved, np.complex128).forward_dynamics()
        rate = answer.imag / STEP
        for slot in of_type(spec, JointType.FREE):
            turn = ways[:, slot.v.start : slot.v.start + 3]
            linear = slice(slot.v.start + 3, slot.v.stop)
            rate[:, linear] += np.cross(turn, answer.real[:, linear])
        columns.append(rate)
    return np.stack(columns, axis=-1)


TANGENTS: dict[str, Change] = {
    "rotation-in-world": _world_turn,
    "quaternion": _by_quaternion,
    "held-in-world": _held_in_world,
}


def _transposed(_body: WholeBody, _name: str, values: Floats) -> Array:
    return np.swapaxes(values, 1, 2).copy()


def _at(v: float, vdot: float) -> Change:
    def change(body: WholeBody, _name: str, _values: Floats) -> Array:
        states = replace(body.states, v=v * body.states.v, vdot=vdot * body.states.vdot)
        return WholeBody(body.spec, states).inverse_dynamics_derivative_q()

    return change


FORCE_PARTS: dict[str, Change] = {"no-acceleration": _at(1.0, 0.0), "at-rest": _at(0.0, 0.0), "no-velocity": _at(0.0, 1.0)}


def _no_inverse(body: WholeBody, _name: str, _values: Floats) -> Array:
    still = WholeBody(body.spec, replace(body.states, vdot=np.zeros_like(body.states.v)))
    return -np.linalg.solve(body.mass_matrix(), still.inverse_dynamics_derivative_q())


def _derivative(body: WholeBody, other: str) -> Array:
    """dID at the acceleration that tau brings about."""
    moving = WholeBody(body.spec, replace(body.states, vdot=body.forward_dynamics()))
    return moving.answer(other)


def _force_for(other: str, sign: float) -> Change:
    return lambda body, _name, _values: sign * _derivative(body, other)


def _solved(other: str) -> Change:
    return lambda body, _name, _values: np.linalg.solve(body.mass_matrix(), _derivative(body, other))


def _column(quantity: str) -> Drawer:
    def draw(rng: Rng, setting: Setting) -> Fault:
        slot = choice(rng, of_type(setting.spec, *ONE_DOF))
        kept = 0.0 if rng.random() < 0.5 else -1.0

        def change(_body: WholeBody, _name: str, values: Floats) -> Array:
            changed = values.copy()
            changed[..., slot.v.start] *= kept
            return changed

        joint = slot.body.joint.name
        names = [f"zero/{quantity}"] if not kept else [f"factor/{joint}:{quantity}"]
        return fault(f"column of {joint} times {kept:g}", names, (quantity,), change)

    return draw


def _weightless(body: WholeBody, _name: str, values: Floats) -> Array:
    return values - _at(0.0, 0.0)(body, ID_Q, values)


def _degrees(_rng: Rng, setting: Setting) -> Fault:
    """Columns of hinges per degree."""
    columns = [slot.v.start for slot in of_type(setting.spec, JointType.REVOLUTE)]
    if not columns:
        raise NotHereError("no hinges")

    def change(_body: WholeBody, _name: str, values: Floats) -> Array:
        changed = values.copy()
        changed[..., columns] *= np.pi / 180.0
        return changed

    return fault("per degree", [rf"factor/[\w+-]+:{ID_Q}", f"factor/{ID_Q}"], (ID_Q,), change)


def _columns(body: WholeBody, _name: str, values: Floats) -> Array:
    changed = values.copy()
    for slot in of_type(body.spec, JointType.FREE):
        start = slot.v.start
        changed[..., start : start + 6] = values[..., [start + 3, start + 4, start + 5, start, start + 1, start + 2]]
    return changed


def _damping(rng: Rng, setting: Setting) -> Fault:
    slot = choice(rng, of_type(setting.spec, *ONE_DOF))
    loss = np.zeros((setting.spec.nv, setting.spec.nv))
    loss[slot.v.start, slot.v.start] = 0.1

    def change(_body: WholeBody, _name: str, values: Floats) -> Array:
        return values + loss

    return fault(f"damping of {slot.body.joint.name}", [f"damping/(own|other):{ID_V}"], (ID_V,), change)
