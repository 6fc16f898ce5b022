"""Derivatives of dynamics by something else: a turn about other axes, components held elsewhere, parts left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from leapcheck.coordinates.conventions import rotation_matrices, transpose
from leapcheck.judge.belief import AnswerView, Belief, Hypothesis, convention
from leapcheck.judge.dictionary.robust import deviating_quantities, tolerance
from leapcheck.judge.edits import edit_answers
from leapcheck.judge.layout import free_joints, places
from leapcheck.judge.words import is_same, name_list
from leapcheck.quantities import QUANTITIES
from leapcheck_models.arrays import Floats
from leapcheck_reference import build, inverse_dynamics_derivative_q
from leapcheck_reference.batch import evaluate_batch

FORCE, ACCELERATION = "inverse_dynamics_derivative_q", "forward_dynamics_derivative_q"
BY_Q = (FORCE, ACCELERATION)
BY_V = {FORCE: "inverse_dynamics_derivative_v", ACCELERATION: "forward_dynamics_derivative_v"}

Edit = Callable[[str, AnswerView, Floats], Floats]
"""From the quantity, the view and right values."""


def derivative_forms(belief: Belief) -> Iterator[Hypothesis]:
    """What is asked of derivatives in other forms, each quantity alone and those by q together."""
    asked = [name for name in (*BY_Q, *BY_V.values()) if name in belief.evidence.quantities]
    floats = any(free_joints(belief.evidence.spec))
    for quantity in asked:
        for name, (words, edit) in _forms(quantity, floats).items():
            label = QUANTITIES[quantity].label
            answer_edit = edit_answers((quantity,), partial(edit, quantity))
            yield convention(f"derivative/{name}:{quantity}", f"{label}: {words}", answer_edit=answer_edit)
    if set(BY_Q) <= set(asked) and floats:
        for name, (words, edit) in _TANGENTS.items():
            yield convention(f"derivative/{name}", f"derivatives by q: {words}", answer_edit=partial(_both, edit))


def _both(edit: Edit, view: AnswerView, quantity: str, values: Floats) -> Floats:
    return edit(quantity, view, values) if quantity in BY_Q else values


def _forms(quantity: str, floats: bool) -> dict[str, tuple[str, Edit]]:
    """Name, words and edit of each form that a quantity may be in."""
    forms = dict(_ANY)
    if floats:
        forms |= {"linear-first": (_LINEAR_FIRST, _base_columns_linear_first)}
    if quantity in BY_Q:
        forms |= _TANGENTS if floats else {}
    if quantity in (ACCELERATION, BY_V[ACCELERATION]):
        forms |= {"not-solved": ("-dID: the force, not M^-1 times it", _not_solved)}
    if quantity == FORCE:
        forms |= _FORCE
    if quantity == ACCELERATION:
        forms |= _ACCELERATION
    if quantity == BY_V[FORCE]:
        forms |= _FORCE_BY_V
    return forms


def _turns(factor: Callable[[Floats], Floats], _quantity: str, view: AnswerView, values: Floats) -> Floats:
    """The columns of each base's turn times a matrix (n, 3, 3) of its quaternion; its position has no effect."""
    changed = values.copy()
    for in_q, in_v in free_joints(view.spec):
        columns = slice(in_v, in_v + 3)
        changed[:, :, columns] = values[:, :, columns] @ factor(view.read.q[:, in_q + 3 : in_q + 7])
    return changed


def _of_components(quaternion: Floats) -> Floats:
    """How the body turns with the components x, y, z of its quaternion at fixed w: 2 (w 1 - u~)."""
    return 2.0 * (quaternion[:, :1, None] * np.eye(3) - _skew(quaternion[:, 1:]))


def _held_in_world(quantity: str, view: AnswerView, values: Floats) -> Floats:
    """The base's linear velocity held in world axes: in its own it turns back by v x dtheta; vdot likewise."""
    changed, by_v = values.copy(), view.value(BY_V[quantity])
    for _, in_v in free_joints(view.spec):
        w, linear = slice(in_v, in_v + 3), slice(in_v + 3, in_v + 6)
        changed[:, :, w] += by_v[:, :, linear] @ _skew(view.read.v[:, linear])
        if quantity == FORCE:
            changed[:, :, w] += view.value("mass_matrix")[:, :, linear] @ _skew(view.read.vdot[:, linear])
        else:
            changed[:, linear, w] -= _skew(view.value("forward_dynamics")[:, linear])
    return changed


def _skew(a: Floats) -> Floats:
    """a~ (n, 3, 3)."""
    return np.swapaxes(np.cross(a[:, None, :], np.eye(3)), -1, -2)


def _force_by_q(v: float, vdot: float, _quantity: str, view: AnswerView, _values: Floats) -> Floats:
    """d tau / d q with v and vdot so often."""
    read = view.read
    with np.errstate(all="ignore"):
        return evaluate_batch(inverse_dynamics_derivative_q, build(view.spec), read.q, v * read.v, vdot * read.vdot)


def _without_gravity(quantity: str, view: AnswerView, values: Floats) -> Floats:
    return values - _force_by_q(0.0, 0.0, quantity, view, values)


def _not_solved(_quantity: str, view: AnswerView, values: Floats) -> Floats:
    """-dID = M dFD."""
    return np.asarray(view.value("mass_matrix") @ values)


def _base_columns_linear_first(_quantity: str, view: AnswerView, values: Floats) -> Floats:
    changed = values.copy()
    for _, in_v in free_joints(view.spec):
        changed[:, :, in_v : in_v + 6] = np.roll(values[:, :, in_v : in_v + 6], 3, axis=2)
    return changed


def derivative_losses(belief: Belief) -> Iterator[Hypothesis]:
    """dID/dv off by the same diagonal matrix at all states: viscous losses of the joints."""
    quantity = BY_V[FORCE]
    for name in deviating_quantities(belief, (quantity,)):
        off = belief.evidence.answers[name] - belief.prediction(name)
        damping = np.median(np.diagonal(off, axis1=1, axis2=2), axis=0)
        near = tolerance(belief.evidence, name, belief.prediction(name))
        if not damping.any() or (np.abs(off - np.diag(damping)) > near).any():
            continue
        damping[np.abs(damping) < NEGLIGIBLE * np.abs(damping).max()] = 0.0
        joints = [(place.joint, float(loss)) for place in places(belief.evidence.spec) for loss in damping[place.v] if loss]
        own = all(is_same(abs(loss), joint.damping) for joint, loss in joints)
        amounts = name_list((f"{joint.name} {loss:+.6g}" for joint, loss in joints), 12)
        words = f"{QUANTITIES[name].label}: damping ({'the' if own else 'not the'} robot's own) is counted in"
        edit = edit_answers((name,), partial(_plus, np.diag(damping)))
        details = f"its diagonal is off by {amounts} N m s/rad or N s/m"
        yield convention(f"damping/{'own' if own else 'other'}:{name}", words, answer_edit=edit, prior=2.0, details=details)


def _plus(matrix: Floats, _view: AnswerView, values: Floats) -> Floats:
    return values + matrix


def _without_inverse(quantity: str, view: AnswerView, values: Floats) -> Floats:
    return np.asarray(-view.value("minverse") @ _force_by_q(1.0, 0.0, quantity, view, values))


NEGLIGIBLE = 1e-9
"""Share of the largest damping below which one is rounding."""

_LINEAR_FIRST = "the base's columns are [linear; angular], its rows are not"

_ANY: dict[str, tuple[str, Edit]] = {
    "transposed": ("transposed: rows and columns are exchanged", lambda _quantity, _view, values: transpose(values)),
    "sign": ("with the opposite sign", lambda _quantity, _view, values: -values),
}

_TANGENTS: dict[str, tuple[str, Edit]] = {
    "rotation-in-world": (
        "by a turn of the base about the world's axes, not about its own",
        partial(_turns, lambda quaternion: transpose(rotation_matrices(quaternion))),
    ),
    "quaternion": ("by the components x, y, z of the base's quaternion, not by its turn", partial(_turns, _of_components)),
    "held-in-world": ("at a constant base velocity and acceleration in world axes, not in the base's own", _held_in_world),
}

_FORCE: dict[str, tuple[str, Edit]] = {
    "no-acceleration": ("that of the bias force alone: dM/dq vdot is missing", partial(_force_by_q, 1.0, 0.0)),
    "at-rest": ("that of the gravity force alone", partial(_force_by_q, 0.0, 0.0)),
    "no-velocity": ("at v = 0: d(C v)/dq is missing", partial(_force_by_q, 0.0, 1.0)),
    "no-gravity": ("that of the gravity force is missing", _without_gravity),
}

_ACCELERATION: dict[str, tuple[str, Edit]] = {
    "no-inverse": ("-M^-1 dh/dq alone: d(M^-1)/dq (tau - h) is missing", _without_inverse),
}

_FORCE_BY_V: dict[str, tuple[str, Edit]] = {
    "coriolis": (
        "the Coriolis matrix C, of which C v is the force: the derivative of C v is about twice that",
        lambda _quantity, view, _values: view.value("christoffel_matrix"),
    ),
    "twice-coriolis": (
        "2 C, which the derivative of C v is with joints alone, not with a base's velocity",
        lambda _quantity, view, _values: 2.0 * view.value("christoffel_matrix"),
    ),
}
