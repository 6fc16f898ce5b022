"""The kinematics of contact points in another convention: axes, reference points, spatial or classical accelerations."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from itertools import product as combinations
from typing import NamedTuple

import numpy as np

import leapcheck_reference as reference
from leapcheck.coordinates.conventions import product, transpose
from leapcheck.judge.belief import AnswerEdit, AnswerView, Belief, Hypothesis, convention
from leapcheck.judge.edits import edit_answers
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import WORLD, RobotSpec
from leapcheck_reference.batch import evaluate_batch

MOVING = ("contact_velocities", "contact_jacobians", "contact_bias_accelerations", "contact_inertia")
"""Quantities in world axes that do not depend on the world's origin."""

TURNED = {
    "": MOVING,
    ":points": MOVING[:3],
    ":jacobians": ("contact_jacobians",),
    ":velocities": ("contact_velocities",),
    ":accelerations": ("contact_bias_accelerations",),
    ":all": ("contact_positions", *MOVING),
}
"""Suffix of the name, and which quantities are in other axes."""

SPATIAL = "the spatial acceleration is given instead of the classical one (w x pdot is missing)"

Turn = Callable[["Poses"], Floats]


class Poses(NamedTuple):
    """Per contact point R (n, points, 3, 3) of its link and of its base, p of the base, and w of the link, in world axes."""

    R_link: Floats
    R_base: Floats
    p_base: Floats
    w_link: Floats


TURNS: dict[str, tuple[str, Turn]] = {
    "link": ("in the axes of the link that carries the point instead of the world's", lambda poses: transpose(poses.R_link)),
    "base": ("in the axes of the base instead of the world's", lambda poses: transpose(poses.R_base)),
    "transposed-rotation": (
        "turned by the transposed rotation of the link (R^T for R)",
        lambda poses: np.asarray(transpose(poses.R_link) @ transpose(poses.R_link)),
    ),
}


def contact_axes(belief: Belief) -> Iterator[Hypothesis]:
    """Contact quantities, some or all, in the axes of the point's link or of its base, or rotated the wrong way."""
    asked = set(belief.evidence.quantities)
    seen = set()
    for (name, (words, turn)), (suffix, quantities) in combinations(TURNS.items(), TURNED.items()) if has_points(belief) else ():
        concerned = tuple(q for q in quantities if q in asked)
        if concerned and (name, concerned) not in seen:
            seen.add((name, concerned))
            cause = f"the components of {_labels(suffix)} are {words}"
            prior = 1.0 + (suffix != "") + (name == "transposed-rotation")
            yield convention(f"axes/{name}{suffix}", cause, answer_edit=_turn_answers(turn, concerned), prior=prior)


def contact_places(belief: Belief) -> Iterator[Hypothesis]:
    """Positions of contact points relative to the base."""
    if has_points(belief) and "contact_positions" in belief.evidence.quantities:
        words = "the positions of contact points are relative to the base, in"
        yield convention("points/from-base", f"{words} world axes", answer_edit=_from_base(lambda _poses, p: p))
        in_its_axes = _from_base(lambda poses, p: product(transpose(poses.R_base), p))
        yield convention("points/from-base:its-axes", f"{words} its axes", answer_edit=in_its_axes)


def contact_accelerations(belief: Belief) -> Iterator[Hypothesis]:
    """Jdot v as a spatial acceleration instead of the classical one, in world or other axes, or with gravity in it."""
    if not has_points(belief) or "contact_bias_accelerations" not in belief.evidence.quantities:
        return
    zero, true, engine = (np.array(g) for g in ((0.0, 0.0, 0.0), belief.evidence.spec.gravity, belief.spec.gravity))
    axes = {"": ("", None), ":link": (", in the axes of the link", "link"), ":base": (", in the axes of the base", "base")}
    for suffix, (words, turn) in axes.items():
        edit = _accelerations(True, zero, TURNS[turn][1] if turn else None)
        yield convention(f"acceleration/spatial{suffix}", f"{SPATIAL}{words}", answer_edit=edit)
    if not true.any():
        return
    for sign, kind, words in ((1.0, "added", "added to"), (-1.0, "taken-off", "subtracted from")):
        name, words = f"acceleration/gravity-{kind}", f"gravity is {words} Jdot v"
        yield convention(name, words, answer_edit=_accelerations(False, sign * true))
        yield convention(f"{name}:spatial", f"{SPATIAL}, and {words}", answer_edit=_accelerations(True, sign * true), prior=2.0)
        if engine.any() and not np.array_equal(engine, true):
            its = f"{words}: the engine's own gravity"
            yield convention(f"{name}:held", its, answer_edit=_accelerations(False, sign * engine), prior=2.0)


def has_points(belief: Belief) -> bool:
    """Whether the robot has contact points that are computed."""
    return any(point.computed for point in belief.evidence.spec.contact_points)


def _labels(suffix: str) -> str:
    moving = "velocities, Jacobians and accelerations"
    kinds = {"": f"{moving} (J M^-1 J^T too)", ":points": moving, ":all": f"positions, {moving}"}
    return f"the contact points' {kinds.get(suffix, suffix[1:])}"


def _turn_answers(turn: Turn, quantities: Collection[str]) -> AnswerEdit:
    """The three rows of each point multiplied by its rotation."""

    def edit(view: AnswerView, quantity: str, values: Floats) -> Floats:
        if quantity not in quantities:
            return values
        R = turn(poses_of(view))
        if quantity == "contact_jacobians":
            return np.asarray(R @ values)
        if quantity == "contact_inertia":
            n, points = R.shape[:2]
            blocks = values.reshape(n, points, 3, points, 3)
            turned = np.einsum("niab,nibjc,njdc->niajd", R, blocks, R, optimize=True)
            return np.asarray(turned.reshape(values.shape), dtype=np.float64)
        return product(R, values)

    return edit


def _from_base(in_axes: Callable[[Poses, Floats], Floats]) -> AnswerEdit:
    return edit_answers(("contact_positions",), lambda view, values: in_axes(poses_of(view), values - poses_of(view).p_base))


def _accelerations(spatial: bool, gravity: Floats, turn: Turn | None = None) -> AnswerEdit:
    def edit(view: AnswerView, values: Floats) -> Floats:
        poses = poses_of(view)
        if spatial:
            values = values - np.cross(poses.w_link, view.value("contact_velocities"))
        return product(turn(poses), values + gravity) if turn else values + gravity

    return edit_answers(("contact_bias_accelerations",), edit)


def poses_of(view: AnswerView) -> Poses:
    """Poses of what carries the contact points of the engine's robot, at the states as it reads them."""
    return _poses_at(view.spec, len(view.read), view.read.q.tobytes(), view.read.v.tobytes())


@lru_cache(maxsize=8)
def _poses_at(spec: RobotSpec, n: int, q: bytes, v: bytes) -> Poses:
    """Cached for the other hypotheses, which need the poses at the same states."""
    tree, states = reference.build(spec), (np.frombuffer(block).reshape(n, -1) for block in (q, v))

    def motions(tree: reference.Tree, q: object, v: object) -> object:
        poses = reference.forward_kinematics(tree, q, v)
        return np.concatenate([poses.R_WB.reshape(-1, 9), poses.p_WB, np.stack(poses.V.links)[:, :3]], axis=1)

    with np.errstate(all="ignore"):
        block = evaluate_batch(motions, tree, *states)
    R, p, w = block[..., :9].reshape(n, -1, 3, 3), block[..., 9:12], block[..., 12:]
    links, roots = carriers(spec)
    return Poses(R[:, links], R[:, roots], p[:, roots], product(R[:, links], w[:, links]))


def carriers(spec: RobotSpec) -> tuple[list[int], list[int]]:
    """For each computed contact point the link that carries it, and that link's root."""
    roots: dict[str, str] = {}
    for body in spec.bodies:
        roots[body.name] = body.name if body.parent == WORLD else roots[body.parent]
    bodies = [point.body for point in spec.contact_points if point.computed]
    return [spec.body_index(name) for name in bodies], [spec.body_index(roots[name]) for name in bodies]
