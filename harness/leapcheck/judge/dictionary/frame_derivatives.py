"""Derivatives of frames' motion in another form than the one that the engine declares: axes, point, spatial, linear first.

In Pinocchio's LOCAL and WORLD they are derivatives of what has these axes and that point, and can be declared; its
LOCAL_WORLD_ALIGNED ones are those in WORLD moved to where the frame's origin is, which lack w x dp/dq, and no derivatives of what
getFrameVelocity answers there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np

from leapcheck.coordinates.frame_derivatives import DERIVATIVES, VELOCITY_BY_Q
from leapcheck.coordinates.frame_maps import CANONICAL_FRAMES, FrameAcceleration, FrameConvention, FramePoint
from leapcheck.coordinates.frames import CONVERTED, canonical_frames, own_frames
from leapcheck.judge.belief import AnswerView, Belief, Hypothesis, convention
from leapcheck.judge.dictionary.frames import answer_in_form, declared_frames, known_value, remedy
from leapcheck.judge.words import name_list
from leapcheck.quantities import QUANTITIES
from leapcheck_models.arrays import Floats

BY_V = DERIVATIVES[-1]
LINEAR_FIRST = "linear-first"

Form = Callable[[AnswerView, str, Floats], Floats]
"""From the view, the quantity and right values (n, frames, 6, nv)."""


def frame_derivative_forms(belief: Belief) -> Iterator[Hypothesis]:
    """All of them that are asked for, or one, in another form than the one that the engine declares."""
    asked = tuple(name for name in DERIVATIVES if name in belief.evidence.quantities)
    declared = declared_frames(belief.evidence.engine)
    for names in dict.fromkeys([*([asked] if asked else []), *((name,) for name in asked)]):
        subject = name_list((QUANTITIES[name].label for name in names), 8)
        suffix = "" if names == asked else f":{names[0]}"
        for name, words, frames in _forms(declared):
            yield convention(
                f"frame-derivative/{name}{suffix}",
                f"{subject}: {words}",
                answer_edit=partial(answer_in_form, names, CONVERTED if names == asked else names, frames, declared),
                prior=0.5 if name == LINEAR_FIRST else 1.0,
                details=f"where all its frames are so, {remedy(frames, names)}" if names == asked else "",
            )
        for (name, (words, form)), linear_first in product(OTHERS.items(), (False, True)):
            order, more = ("+linear-first", ", [linear; angular]") if linear_first else ("", "")
            edit = partial(_answer, names, form, linear_first, declared)
            yield convention(f"frame-derivative/{name}{order}{suffix}", f"{subject}: {words}{more}", answer_edit=edit)


def _forms(declared: FrameConvention) -> Iterator[tuple[str, str, FrameConvention]]:
    """Name, words and form of all that can be declared but the declared one; in words as seen from there."""
    canonical = declared == CANONICAL_FRAMES
    instead = "" if canonical else ", not as declared"
    for name, (words, frames) in (FORMS if canonical else {"aligned": ALIGNED, **FORMS}).items():
        for form in (frames, replace(frames, linear_first=True)):
            order, more = ("+linear-first", ", [linear; angular]") if form.linear_first else ("", "")
            if form != declared:
                yield f"{name}{order}", f"{words}{more}{instead}", form
    if canonical:
        yield LINEAR_FIRST, "[linear; angular] instead of [angular; linear]", replace(CANONICAL_FRAMES, linear_first=True)


def _answer(
    names: Collection[str],
    form: Form,
    linear_first: bool,
    declared: FrameConvention,
    view: AnswerView,
    quantity: str,
    values: Floats,
) -> Floats:
    """What is no form of frames, as the engine answers it, read as in the declared one."""
    if quantity not in names:
        return values
    own = form(view, quantity, values)
    own = np.roll(own, 3, axis=2) if linear_first else own
    return canonical_frames(declared, view.spec, quantity, own, partial(known_value, view))


def _axes_held(view: AnswerView, quantity: str, values: Floats) -> Floats:
    """R times the derivative in LOCAL axes: that of R is left out."""
    if quantity == BY_V:
        return values
    x, J = _differentiated(view, quantity), view.value("frame_jacobians")
    turned: Floats = np.concatenate([_cross(part, J[..., :3, :]) for part in (x[..., :3], x[..., 3:])], axis=2)
    return values + turned


def _turned(view: AnswerView, _quantity: str, values: Floats) -> Floats:
    R_T = np.swapaxes(view.value("frame_placements")[..., :3], -1, -2)
    return np.concatenate([R_T @ values[..., :3, :], R_T @ values[..., 3:, :]], axis=2)


def _place_held(view: AnswerView, quantity: str, values: Floats) -> Floats:
    """Pinocchio's LOCAL_WORLD_ALIGNED: spatial, less the angular part x the motion of the frame's origin."""
    values = own_frames(SPATIAL, view.spec, quantity, values, partial(known_value, view))
    if quantity == BY_V:
        return values
    place_fixed, J = values.copy(), view.value("frame_jacobians")
    place_fixed[..., 3:, :] -= _cross(_differentiated(view, quantity)[..., :3], J[..., 3:, :])
    return place_fixed


def _differentiated(view: AnswerView, quantity: str) -> Floats:
    """What is differentiated (n, frames, 6): velocities, or accelerations at vdot."""
    if quantity == VELOCITY_BY_Q:
        return view.value("frame_velocities")
    driven = np.einsum("nfij,nj->nfi", view.value("frame_jacobians"), view.read.vdot)
    return np.asarray(view.value("frame_bias_accelerations") + driven)


def _cross(a: Floats, columns: Floats) -> Floats:
    """a (n, frames, 3) x each column (n, frames, 3, nv)."""
    return np.asarray(np.cross(a[..., None, :], np.swapaxes(columns, -1, -2)).swapaxes(-1, -2))


CLASSICAL, SPATIAL = FrameAcceleration.CLASSICAL, FrameConvention(acceleration=FrameAcceleration.SPATIAL)

ALIGNED = "of what is in world axes at the frame's origin", CANONICAL_FRAMES
FORMS: dict[str, tuple[str, FrameConvention]] = {
    "local": (
        "of what is in the frame's own axes (Pinocchio's LOCAL, classical)",
        FrameConvention(local=True, acceleration=CLASSICAL),
    ),
    "local-spatial": ("in the frame's own axes, spatial (Pinocchio's LOCAL)", FrameConvention(local=True)),
    "world": ("spatial, at the world's origin (Pinocchio's WORLD)", FrameConvention(point=FramePoint.WORLD_ORIGIN)),
    "spatial": ("of spatial accelerations instead of classical ones", SPATIAL),
}
"""Name, words and form of what can be declared."""

OTHERS: dict[str, tuple[str, Form]] = {
    "turned": ("turned into the frame's own axes, whose turn is not differentiated", _turned),
    "axes-held": (
        "those in the frame's own axes turned into the world's: the turn of the axes is not differentiated",
        _axes_held,
    ),
    "place-held": ("Pinocchio's LOCAL_WORLD_ALIGNED: spatial, and w x dp/dq of the frame's origin is missing", _place_held),
    "sign": ("with the opposite sign", lambda _view, _quantity, values: -values),
}
"""Name, words and values of what is no derivative of anything that can be declared."""
