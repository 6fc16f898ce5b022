"""Derivatives of frames' motion in another convention: Pinocchio's three reference frames, spatial accelerations, linear first.

In Pinocchio's LOCAL and WORLD they are derivatives of what has these axes and that point; its LOCAL_WORLD_ALIGNED ones are those
in WORLD moved to where the frame's origin is, which lack w x dp/dq, and no derivatives of what getFrameVelocity answers there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import partial

import numpy as np

from leapcheck.judge.belief import AnswerView, Belief, Hypothesis, convention
from leapcheck.judge.words import name_list
from leapcheck.quantities import QUANTITIES
from leapcheck_models.arrays import Floats

VELOCITY, ACCELERATION, BY_V = (
    *("frame_velocity_derivative_q", "frame_acceleration_derivative_q"),
    "frame_acceleration_derivative_v",
)

Form = Callable[[AnswerView, str, Floats], Floats]
"""From the view, the quantity and right values (n, frames, 6, nv)."""


def frame_derivative_forms(belief: Belief) -> Iterator[Hypothesis]:
    """All of them that are asked for, or one, in another form."""
    asked = tuple(name for name in (VELOCITY, ACCELERATION, BY_V) if name in belief.evidence.quantities)
    for names in dict.fromkeys([*([asked] if asked else []), *((name,) for name in asked)]):
        subject = name_list((QUANTITIES[name].label for name in names), 8)
        suffix = "" if names == asked else f":{names[0]}"
        for name, (words, form) in FORMS.items():
            for order, more in (("", ""), ("+linear-first", ", [linear; angular]")):
                edit = partial(_answer, names, form, bool(order))
                yield convention(f"frame-derivative/{name}{order}{suffix}", f"{subject}: {words}{more}", answer_edit=edit)
        edit = partial(_answer, names, lambda _view, _quantity, values: values, True)
        words = f"{subject}: [linear; angular] instead of [angular; linear]"
        yield convention(f"frame-derivative/linear-first{suffix}", words, answer_edit=edit, prior=0.5)


def _answer(names: Collection[str], form: Form, linear_first: bool, view: AnswerView, quantity: str, values: Floats) -> Floats:
    if quantity not in names:
        return values
    moved = form(view, quantity, values)
    return np.roll(moved, 3, axis=2) if linear_first else moved


def _spatial(view: AnswerView, quantity: str, values: Floats) -> Floats:
    """a - w x v instead of a."""
    if quantity == VELOCITY:
        return values
    V, rates = view.value("frame_velocities"), view.value("frame_jacobians" if quantity == BY_V else VELOCITY)
    # d(w x v) = w x dv - v x dw
    return _with_linear(values, -_cross(V[..., :3], rates[..., 3:, :]) + _cross(V[..., 3:], rates[..., :3, :]))


def _axes_held(view: AnswerView, quantity: str, values: Floats) -> Floats:
    """R times the derivative in LOCAL axes: that of R is left out."""
    if quantity == BY_V:
        return values
    x, J = _differentiated(view, quantity), view.value("frame_jacobians")
    turned: Floats = np.concatenate([_cross(part, J[..., :3, :]) for part in (x[..., :3], x[..., 3:])], axis=2)
    return values + turned


def _local(view: AnswerView, quantity: str, values: Floats) -> Floats:
    return _turned(view, quantity, _axes_held(view, quantity, values))


def _turned(view: AnswerView, _quantity: str, values: Floats) -> Floats:
    R_T = np.swapaxes(view.value("frame_placements")[..., :3], -1, -2)
    return np.concatenate([R_T @ values[..., :3, :], R_T @ values[..., 3:, :]], axis=2)


def _place_held(view: AnswerView, quantity: str, values: Floats) -> Floats:
    """Pinocchio's LOCAL_WORLD_ALIGNED: spatial, less the angular part x the motion of the frame's origin."""
    values = _spatial(view, quantity, values)
    if quantity == BY_V:
        return values
    J = view.value("frame_jacobians")
    return _with_linear(values, -_cross(_differentiated(view, quantity)[..., :3], J[..., 3:, :]))


def _world(view: AnswerView, quantity: str, values: Floats) -> Floats:
    """The same at the world's origin: v + p x w."""
    own = _place_held(view, quantity, values)
    return _with_linear(own, _cross(view.value("frame_placements")[..., 3], own[..., :3, :]))


def _differentiated(view: AnswerView, quantity: str) -> Floats:
    """What is differentiated (n, frames, 6): velocities, or accelerations at vdot."""
    if quantity == VELOCITY:
        return view.value("frame_velocities")
    driven = np.einsum("nfij,nj->nfi", view.value("frame_jacobians"), view.read.vdot)
    return np.asarray(view.value("frame_bias_accelerations") + driven)


def _local_spatial(view: AnswerView, quantity: str, values: Floats) -> Floats:
    """R^T (a - w x v): the spatial acceleration turns with the axes too."""
    own = _axes_held(view, quantity, values)
    return _turned(view, quantity, _spatial_held(view, quantity, own))


def _spatial_held(view: AnswerView, quantity: str, own: Floats) -> Floats:
    """What is spatial, of derivatives with the axes held: w x v is then differentiated so, too."""
    if quantity == VELOCITY:
        return own
    V = view.value("frame_velocities")
    rates = view.value("frame_jacobians") if quantity == BY_V else _axes_held(view, VELOCITY, view.value(VELOCITY))
    return _with_linear(own, -_cross(V[..., :3], rates[..., 3:, :]) + _cross(V[..., 3:], rates[..., :3, :]))


def _with_linear(values: Floats, added: Floats) -> Floats:
    changed = values.copy()
    changed[..., 3:, :] += added
    return changed


def _cross(a: Floats, columns: Floats) -> Floats:
    """a (n, frames, 3) x each column (n, frames, 3, nv)."""
    return np.asarray(np.cross(a[..., None, :], np.swapaxes(columns, -1, -2)).swapaxes(-1, -2))


FORMS: dict[str, tuple[str, Form]] = {
    "local": ("of what is in the frame's own axes (Pinocchio's LOCAL, classical)", _local),
    "local-spatial": ("in the frame's own axes, spatial (Pinocchio's LOCAL)", _local_spatial),
    "turned": ("turned into the frame's own axes, whose turn is not differentiated", _turned),
    "axes-held": (
        "those in the frame's own axes turned into the world's: the turn of the axes is not differentiated",
        _axes_held,
    ),
    "place-held": ("Pinocchio's LOCAL_WORLD_ALIGNED: spatial, and w x dp/dq of the frame's origin is missing", _place_held),
    "world": ("spatial, at the world's origin (Pinocchio's WORLD)", _world),
    "spatial": ("of spatial accelerations instead of classical ones", _spatial),
    "sign": ("with the opposite sign", lambda _view, _quantity, values: -values),
}
"""Name, words and values of each form."""
