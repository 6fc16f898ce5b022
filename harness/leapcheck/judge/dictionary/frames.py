"""Frames' placements, velocities, Jacobians and accelerations in another convention: axes, point, order, spatial acceleration.

The usual names of axes and point together are Pinocchio's: LOCAL (the frame's own), WORLD (the spatial velocity, of the point
that is at the world's origin) and LOCAL_WORLD_ALIGNED (world axes at the frame's origin), which is the canonical one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from leapcheck.coordinates.conventions import rotation_matrices
from leapcheck.judge.belief import AnswerView, Belief, Hypothesis, convention, engine_fault
from leapcheck.judge.edits import edit_answers
from leapcheck.judge.layout import free_joints
from leapcheck.judge.words import name_list
from leapcheck.quantities import QUANTITIES
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

MOVING = ("frame_velocities", "frame_jacobians", "frame_jacobian_rates", "frame_bias_accelerations")
PLACEMENTS, RATES, ACCELERATIONS = "frame_placements", "frame_jacobian_rates", "frame_bias_accelerations"


class FrameForm(NamedTuple):
    """Other axes and another point: the map (n, frames, 6, 6) of [angular; linear], its rate, and what it adds to accelerations
    (n, frames, 6).
    """

    X: Floats
    Xdot: Floats
    added: Floats


Form = Callable[[AnswerView], FrameForm]


def frame_forms(belief: Belief) -> Iterator[Hypothesis]:
    """All that is asked of frames, or one quantity of them, in other axes, at another point, or linear first."""
    asked = tuple(name for name in MOVING if name in belief.evidence.quantities)
    for names in dict.fromkeys([*([asked] if asked else []), *((name,) for name in asked)]):
        subject = name_list((QUANTITIES[name].label for name in names), 8)
        suffix = "" if names == asked else f":{names[0]}"
        for name, (words, form) in FORMS.items():
            if name in SPATIAL and ACCELERATIONS not in names:
                continue
            yield convention(
                f"frame/{name}{suffix}", f"{subject}: {words}", answer_edit=partial(_answer, names, form, False), prior=1.0
            )
            both = f"{words}, and [linear; angular]"
            yield convention(
                f"frame/{name}+linear-first{suffix}", f"{subject}: {both}", answer_edit=partial(_answer, names, form, True)
            )
        order = f"{subject}: [linear; angular] instead of [angular; linear]"
        yield convention(f"frame/linear-first{suffix}", order, answer_edit=partial(_answer, names, _same, True))


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


def _answer(names: Collection[str], form: Form, linear_first: bool, view: AnswerView, quantity: str, values: Floats) -> Floats:
    if quantity not in names:
        return values
    X, Xdot, added = form(view)
    moved = X @ values if values.ndim == 4 else np.einsum("nfij,nfj->nfi", X, values)
    if quantity == RATES:
        moved = moved + Xdot @ view.value("frame_jacobians")
    moved = moved + added if quantity == ACCELERATIONS else moved
    return np.roll(moved, 3, axis=2) if linear_first else moved


def _same(view: AnswerView) -> FrameForm:
    V = view.value("frame_velocities")
    return FrameForm(np.broadcast_to(np.eye(6), (*V.shape, 6)), np.zeros((*V.shape, 6)), np.zeros_like(V))


def _local(view: AnswerView) -> FrameForm:
    """R^T of both parts."""
    X = _twice(np.swapaxes(view.value("frame_placements")[..., :3], -1, -2))
    return FrameForm(X, -X @ _twice(_skew(view.value("frame_velocities")[..., :3])), np.zeros(X.shape[:-1]))


def _world(view: AnswerView) -> FrameForm:
    """Velocities v + p x w; the rate of that, a + pdot x w + p x alpha."""
    p, V = view.value("frame_placements")[..., 3], view.value("frame_velocities")
    added = np.concatenate([np.zeros_like(p), np.cross(V[..., 3:], V[..., :3])], axis=-1)
    return FrameForm(_shift(p), _shift(V[..., 3:]) - np.eye(6), added)


def _at_com(view: AnswerView) -> FrameForm:
    """At each link's com, d from its origin: v + w x d, a + alpha x d + w x (w x d); contact points stay where they are."""
    R, w = view.value("frame_placements")[..., :3], view.value("frame_velocities")[..., :3]
    d = np.einsum("nfij,fj->nfi", R, _coms(view.spec, R.shape[1]))
    added = np.concatenate([np.zeros_like(d), np.cross(w, np.cross(w, d))], axis=-1)
    return FrameForm(_shift(-d), _shift(-np.cross(w, d)) - np.eye(6), added)


def _at_tree_com(view: AnswerView) -> FrameForm:
    """At the point of each link that is at the robot's com now, d from its origin: v + w x d, a + alpha x d + w x ddot."""
    V = view.value("frame_velocities")
    d = view.value("com_position")[:, None] - view.value(PLACEMENTS)[..., 3]
    ddot = view.value("com_velocity")[:, None] - V[..., 3:]
    added = np.concatenate([np.zeros_like(d), np.cross(V[..., :3], ddot)], axis=-1)
    return FrameForm(_shift(-d), _shift(-ddot) - np.eye(6), added)


def _aligned_spatial(view: AnswerView) -> FrameForm:
    """As it is, a - w x v."""
    form, V = _same(view), view.value("frame_velocities")
    return form._replace(added=np.concatenate([np.zeros_like(V[..., :3]), -np.cross(V[..., :3], V[..., 3:])], axis=-1))


def _local_spatial(view: AnswerView) -> FrameForm:
    """R^T of both parts, R^T (a - w x v)."""
    local = _local(view)
    return local._replace(added=np.einsum("nfij,nfj->nfi", local.X, _aligned_spatial(view).added))


FORMS: dict[str, tuple[str, Form]] = {
    "local": ("in the frame's own axes (Pinocchio's LOCAL) instead of the world's", _local),
    "world": ("spatial, at the world's origin (Pinocchio's WORLD) instead of at the frame's origin", _world),
    "com": ("at the link's com instead of its frame's origin", _at_com),
    "tree-com": ("at the robot's com (as MuJoCo's cvel and cdof) instead of at the frame's origin", _at_tree_com),
    "aligned-spatial": ("accelerations are spatial, not classical (w x pdot is missing)", _aligned_spatial),
    "local-spatial": ("in the frame's own axes (Pinocchio's LOCAL), accelerations spatial (w x pdot is missing)", _local_spatial),
}
"""Name, words and map of other axes and points."""

SPATIAL = ("aligned-spatial", "local-spatial")
"""Those that differ in accelerations alone from others."""


def _coms(spec: RobotSpec, count: int) -> Floats:
    """The com (frames, 3) of each link in its axes, zero for contact points."""
    coms = np.zeros((count, 3))
    coms[: len(spec.bodies)] = [body.inertia.com for body in spec.bodies]
    return coms


def _shift(arm: Floats) -> Floats:
    """The map (n, frames, 6, 6) of [w; v] to [w; v + arm x w]."""
    X = np.zeros((*arm.shape[:2], 6, 6)) + np.eye(6)
    X[..., 3:, :3] = _skew(arm)
    return X


def _skew(a: Floats) -> Floats:
    """a~ (..., 3, 3) with a~ b = a x b."""
    return np.swapaxes(np.cross(a[..., None, :], np.eye(3)), -1, -2)


def _twice(R: Floats) -> Floats:
    """R along both parts (n, frames, 6, 6)."""
    X = np.zeros((*R.shape[:2], 6, 6))
    X[..., :3, :3] = X[..., 3:, 3:] = R
    return X


def _spatial(view: AnswerView, values: Floats) -> Floats:
    V, spatial = view.value("frame_velocities"), values.copy()
    spatial[..., 3:] -= np.cross(V[..., :3], V[..., 3:])
    return spatial


def _spatial_rates(view: AnswerView, values: Floats) -> Floats:
    rates = values.copy()
    rates[..., 3:, :] -= _skew(view.value("frame_velocities")[..., :3]) @ view.value("frame_jacobians")[..., 3:, :]
    return rates


def _turned_rates(view: AnswerView, values: Floats) -> Floats:
    turned: Floats = _local(view).X @ values
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
    changed[..., 3] += np.einsum("nfij,fj->nfi", values[..., :3], _coms(view.spec, values.shape[1]))
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
