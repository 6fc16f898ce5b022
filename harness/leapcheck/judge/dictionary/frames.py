"""Frames' placements, velocities, Jacobians and accelerations in another convention: axes, point, order, spatial acceleration.

The usual names of axes and point together are Pinocchio's: LOCAL (the frame's own), WORLD (the spatial velocity, of the point
that is at the world's origin) and LOCAL_WORLD_ALIGNED (world axes at the frame's origin), which is the canonical one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from leapcheck.coordinates.conventions import Convention, rotation_matrices
from leapcheck.coordinates.frame_derivatives import DERIVATIVES
from leapcheck.coordinates.frame_maps import (
    CANONICAL_FRAMES,
    PLACEMENTS,
    VDOT,
    FrameAcceleration,
    FrameConvention,
    FramePoint,
    frame_map,
    link_coms,
    skew_matrices,
)
from leapcheck.coordinates.frames import ACCELERATIONS, CONVERTED, MOVING, RATES, canonical_frames, own_frames
from leapcheck.engines.outside.words import words_of_frames
from leapcheck.engines.protocol import Engine
from leapcheck.judge.belief import AnswerView, Belief, Hypothesis, convention, engine_fault
from leapcheck.judge.edits import edit_answers
from leapcheck.judge.layout import free_joints
from leapcheck.judge.words import name_list
from leapcheck.quantities import QUANTITIES
from leapcheck_models.arrays import Floats


def frame_forms(belief: Belief) -> Iterator[Hypothesis]:
    """All that is asked of frames, or one quantity of them, in another form than the one that the engine declares."""
    asked = tuple(name for name in MOVING if name in belief.evidence.quantities)
    declared = declared_frames(belief.evidence.engine)
    for names in dict.fromkeys([*([asked] if asked else []), *((name,) for name in asked)]):
        subject = name_list((QUANTITIES[name].label for name in names), 8)
        suffix = "" if names == asked else f":{names[0]}"
        for form in _forms(declared):
            if form.name in SPATIAL and ACCELERATIONS not in names:
                continue
            yield convention(
                f"frame/{form.name}{suffix}",
                f"{subject}: {form.words}",
                answer_edit=partial(answer_in_form, names, CONVERTED if names == asked else names, form.frames, declared),
                prior=form.prior,
                details=remedy(form.frames, names) if names == asked else "",
            )


def declared_frames(engine: Engine) -> FrameConvention:
    """What a user's engine declares of its frames; canonical for all others."""
    own = getattr(engine, "convention", None)
    return own.frames if isinstance(own, Convention) else CANONICAL_FRAMES


class FrameForm(NamedTuple):
    """A form of frames' six rows that a user may have meant."""

    name: str
    words: str
    frames: FrameConvention
    prior: float = 1.0


def _forms(declared: FrameConvention) -> Iterator[FrameForm]:
    """All but the declared one; in words as seen from there."""
    canonical = declared == CANONICAL_FRAMES
    for name, (words, instead, frames) in (FORMS if canonical else {"aligned": ALIGNED, **FORMS}).items():
        for linear_first, order in ((False, "[angular; linear]"), (True, "[linear; angular]")):
            form = replace(frames, linear_first=linear_first)
            suffix = "+linear-first" if linear_first else ""
            if canonical:
                yield FrameForm(f"{name}{suffix}", f"{words}{instead}{f', and {order}' if linear_first else ''}", form)
            elif form != declared:
                yield FrameForm(f"{name}{suffix}", f"{words}, {order}, not as declared", form)
    if canonical:
        order = "[linear; angular] instead of [angular; linear]"
        yield FrameForm("linear-first", order, replace(CANONICAL_FRAMES, linear_first=True))


def remedy(frames: FrameConvention, names: Collection[str]) -> str:
    """What to write into a .toml; nothing about accelerations where none are asked for."""
    keys, accelerating = words_of_frames(frames), {ACCELERATIONS, *DERIVATIVES} & {*names}
    said = [f'{key} = "{word}"' for key, word in keys.items() if key != "frame_acceleration" or accelerating]
    return f"declare it in a .toml: [conventions] {', '.join(said)}" if said else "take the declaration of frames out"


def frame_parts(belief: Belief) -> Iterator[Hypothesis]:
    """Accelerations, rates or placements of frames in another form, or with a part missing."""
    asked = belief.evidence.quantities
    if ACCELERATIONS in asked:
        words = "frames' Jdot v: the spatial acceleration instead of the classical one (w x pdot is missing)"
        yield convention("frame/spatial", words, answer_edit=edit_answers((ACCELERATIONS,), _spatial), prior=0.5)
        for name, (gravity_words, count) in GRAVITY.items() if any(belief.evidence.spec.gravity) else ():
            edit = edit_answers((ACCELERATIONS,), partial(_with_gravity, count))
            yield convention(f"frame/{name}", f"frames' Jdot v: {gravity_words}", answer_edit=edit)
        if any(point.computed for point in belief.evidence.spec.contact_points):
            words = "contact points' Jdot v: that of their links' origins and alpha x r, without w x (w x r)"
            edit = edit_answers((ACCELERATIONS,), _without_centripetal)
            yield engine_fault("frame/no-centripetal-term", words, answer_edit=edit)
    if RATES in asked:
        words = "frames' Jdot: the rate of the spatial velocity, which w x J misses, instead of that of the frame's origin"
        yield convention("frame/spatial-rates", words, answer_edit=edit_answers((RATES,), _spatial_rates))
        words = "frames' Jdot: turned into the frame's own axes, but not the rate of the Jacobian there (w x J is missing)"
        yield convention("frame/turned-rates", words, answer_edit=edit_answers((RATES,), _turned_rates))
    if PLACEMENTS in belief.evidence.quantities:
        for name, (words, edit_placements) in PLACEMENT_FORMS.items():
            edit = edit_answers((PLACEMENTS,), edit_placements)
            yield convention(f"frame/{name}", f"frame placements: {words}", answer_edit=edit)
        if any(free_joints(belief.evidence.spec)):
            words = "frame placements: in the base instead of in the world"
            yield convention("frame/placement-in-base", words, answer_edit=edit_answers((PLACEMENTS,), _in_base))


def answer_in_form(
    names: Collection[str],
    in_form: Collection[str],
    form: FrameConvention,
    declared: FrameConvention,
    view: AnswerView,
    quantity: str,
    values: Floats,
) -> Floats:
    """What the engine answers in a form, read as in the declared one; so are those `in_form` that its reading takes."""
    if quantity not in names:
        return values
    read: dict[str, Floats] = {}

    def read_value(name: str) -> Floats:
        if name not in read:
            right = known_value(view, name)
            read[name] = as_read(name, right) if name in in_form else right
        return read[name]

    def as_read(name: str, right: Floats) -> Floats:
        own = own_frames(form, view.spec, name, right, partial(known_value, view))
        return canonical_frames(declared, view.spec, name, own, read_value)

    return as_read(quantity, values)


def known_value(view: AnswerView, name: str) -> Floats:
    """The right value (n, ...) of a quantity, or vdot as the engine reads it."""
    return view.read.vdot if name == VDOT else view.value(name)


AT_COM, AT_ROBOT_COM = FrameConvention(point=FramePoint.COM), FrameConvention(point=FramePoint.ROBOT_COM)
IN_WORLD = FrameConvention(point=FramePoint.WORLD_ORIGIN)
CLASSICAL, ALIGNED_SPATIAL = FrameAcceleration.CLASSICAL, FrameConvention(acceleration=FrameAcceleration.SPATIAL)
MISSING = "(w x pdot is missing)"

ALIGNED = "in world axes at the frame's origin (Pinocchio's LOCAL_WORLD_ALIGNED)", "", CANONICAL_FRAMES
FORMS: dict[str, tuple[str, str, FrameConvention]] = {
    "local": (
        *("in the frame's own axes (Pinocchio's LOCAL)", " instead of the world's"),
        FrameConvention(local=True, acceleration=CLASSICAL),
    ),
    "world": ("spatial, at the world's origin (Pinocchio's WORLD)", " instead of at the frame's origin", IN_WORLD),
    "com": ("at the link's com", " instead of its frame's origin", AT_COM),
    "tree-com": ("at the robot's com (as MuJoCo's cvel and cdof)", " instead of at the frame's origin", AT_ROBOT_COM),
    "aligned-spatial": ("accelerations are spatial", f", not classical {MISSING}", ALIGNED_SPATIAL),
    "local-spatial": (
        *("in the frame's own axes (Pinocchio's LOCAL), accelerations spatial", f" {MISSING}"),
        FrameConvention(local=True),
    ),
}
"""Name, words, what is canonical instead, and form of other axes and points."""

SPATIAL = ("aligned-spatial", "local-spatial", "aligned-spatial+linear-first", "local-spatial+linear-first")
"""Those that differ in accelerations alone from others."""


def _spatial(view: AnswerView, values: Floats) -> Floats:
    V, spatial = view.value("frame_velocities"), values.copy()
    spatial[..., 3:] -= np.cross(V[..., :3], V[..., 3:])
    return spatial


def _spatial_rates(view: AnswerView, values: Floats) -> Floats:
    rates = values.copy()
    rates[..., 3:, :] -= skew_matrices(view.value("frame_velocities")[..., :3]) @ view.value("frame_jacobians")[..., 3:, :]
    return rates


def _turned_rates(view: AnswerView, values: Floats) -> Floats:
    turned: Floats = frame_map(FrameConvention(local=True), view.spec, view.value) @ values
    return turned


def _with_gravity(count: float, view: AnswerView, values: Floats) -> Floats:
    changed = values.copy()
    changed[..., 3:] += count * np.array(view.spec.gravity)
    return changed


def _without_centripetal(view: AnswerView, values: Floats) -> Floats:
    p, w = view.value(PLACEMENTS)[..., 3], view.value("frame_velocities")[..., :3]
    points = [point for point in view.spec.contact_points if point.computed]
    links = [view.spec.body_index(point.body) for point in points]
    r = p[:, -len(points) :] - p[:, links]
    changed = values.copy()
    changed[:, -len(points) :, 3:] -= np.cross(w[:, links], np.cross(w[:, links], r))
    return changed


def _inverse(_view: AnswerView, values: Floats) -> Floats:
    turn = np.swapaxes(values[..., :3], -1, -2)
    return np.concatenate([turn, -turn @ values[..., 3:]], axis=-1)


def _placed_at_com(view: AnswerView, values: Floats) -> Floats:
    changed = values.copy()
    changed[..., 3] += np.einsum("nfij,fj->nfi", values[..., :3], link_coms(view.spec, values.shape[1]))
    return changed


def _in_base(view: AnswerView, values: Floats) -> Floats:
    in_q, _ = next(free_joints(view.spec))
    R = np.swapaxes(rotation_matrices(view.read.q[:, in_q + 3 : in_q + 7]), 1, 2)[:, None]
    p = view.read.q[:, None, in_q : in_q + 3, None]
    return np.concatenate([R @ values[..., :3], R @ (values[..., 3:] - p)], axis=-1)


def _transposed(_view: AnswerView, values: Floats) -> Floats:
    return np.concatenate([np.swapaxes(values[..., :3], -1, -2), values[..., 3:]], axis=-1)


PLACEMENT_FORMS: dict[str, tuple[str, Callable[[AnswerView, Floats], Floats]]] = {
    "transposed-rotation": ("rotations of the world in the frame (R^T for R)", _transposed),
    "inverse-placement": ("the world in the frame, [R^T, -R^T p]", _inverse),
    "placement-at-com": ("the place of the link's com (as MuJoCo's xipos) instead of its frame's origin", _placed_at_com),
}
"""Name, words and edit of other placements."""

GRAVITY = {"with-gravity": ("gravity is counted in", 1.0), "lifted": ("the world is lifted against gravity", -1.0)}
"""How an acceleration at vdot = 0 may hold gravity, and how often."""
