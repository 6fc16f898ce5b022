"""The kinematics of contact points told otherwise: axes, reference points, spatial or classical accelerations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import product as combinations
from typing import NamedTuple

import numpy as np

import leapcheck_reference as reference
from leapcheck.conventions import product, transposed
from leapcheck.judge.belief import Belief, Hypothesis, View
from leapcheck.states import Floats
from leapcheck_models.spec import WORLD, RobotSpec
from leapcheck_reference.batch import evaluated

MOVING = ("contact_velocities", "contact_jacobians", "contact_bias_accelerations", "contact_inertia")
"""Quantities with components in world axes that do not depend on where the world's origin is."""

TURNED = {
    "": MOVING,
    ":points": MOVING[:3],
    ":jacobians": ("contact_jacobians",),
    ":velocities": ("contact_velocities",),
    ":accelerations": ("contact_bias_accelerations",),
    ":all": ("contact_positions", *MOVING),
}
"""Which of them are in other axes."""

SPATIAL = "the spatial acceleration stands for the classical one (w x pdot is missing)"

Turn = Callable[["Poses"], Floats]


class Poses(NamedTuple):
    """Per contact point R (n, points, 3, 3) of its link and of its base, p of the base, and w of the link, in world axes."""

    R_link: Floats
    R_base: Floats
    p_base: Floats
    w_link: Floats


TURNS: dict[str, tuple[str, Turn]] = {
    "link": ("in the axes of the link that carries the point instead of the world's", lambda at: transposed(at.R_link)),
    "base": ("in the axes of the base instead of the world's", lambda at: transposed(at.R_base)),
    "transposed-rotation": (
        "turned by the transposed rotation of the link (R^T for R)",
        lambda at: np.asarray(transposed(at.R_link) @ transposed(at.R_link)),
    ),
}


def contact_axes(belief: Belief) -> Iterator[Hypothesis]:
    """Contact quantities, some or all of them, in the axes of the point's link or of its base, or turned the wrong way round."""
    asked = set(belief.evidence.quantities)
    if _has_points(belief):
        seen = set()
        for (name, (words, turn)), (suffix, quantities) in combinations(TURNS.items(), TURNED.items()):
            concerned = tuple(q for q in quantities if q in asked)
            if concerned and (name, concerned) not in seen:
                seen.add((name, concerned))
                cause = f"the components of {_labels(suffix)} are {words}"
                prior = 1.0 + (suffix != "") + (name == "transposed-rotation")
                yield Hypothesis(f"axes/{name}{suffix}", "convention", cause, answering=_turning(turn, concerned), prior=prior)


def contact_places(belief: Belief) -> Iterator[Hypothesis]:
    """Positions of contact points counted from the base."""
    if _has_points(belief) and "contact_positions" in belief.evidence.quantities:
        words = "the positions of contact points are counted from the base, in world axes"
        yield Hypothesis("points/from-base", "convention", words, answering=_from_base)
        words = "the positions of contact points are counted from the base, in its axes"
        yield Hypothesis("points/from-base:its-axes", "convention", words, answering=_from_base_in_its_axes)


def contact_accelerations(belief: Belief) -> Iterator[Hypothesis]:
    """Jdot v as a spatial acceleration instead of the classical one, in world or other axes, or with gravity in it."""
    if not _has_points(belief) or "contact_bias_accelerations" not in belief.evidence.quantities:
        return
    zero, true, held = (np.array(g) for g in ((0.0, 0.0, 0.0), belief.evidence.spec.gravity, belief.spec.gravity))
    axes = {"": ("", None), ":link": (", in the axes of the link", "link"), ":base": (", in the axes of the base", "base")}
    for suffix, (words, turn) in axes.items():
        changed = _acceleration(True, zero, TURNS[turn][1] if turn else None)
        yield Hypothesis(f"acceleration/spatial{suffix}", "convention", f"{SPATIAL}{words}", answering=changed)
    if not true.any():
        return
    for sign, what in ((1.0, "added"), (-1.0, "taken-off")):
        name, words = f"acceleration/gravity-{what}", f"gravity is {'added to' if sign > 0.0 else 'taken off'} Jdot v"
        yield Hypothesis(name, "convention", words, answering=_acceleration(False, sign * true, None))
        both = f"{SPATIAL}, and {words}"
        yield Hypothesis(f"{name}:spatial", "convention", both, answering=_acceleration(True, sign * true, None), prior=2.0)
        if held.any() and not np.array_equal(held, true):
            its = f"{words}: the gravity that the engine holds"
            yield Hypothesis(f"{name}:held", "convention", its, answering=_acceleration(False, sign * held, None), prior=2.0)


def _has_points(belief: Belief) -> bool:
    return any(point.computed for point in belief.evidence.spec.contact_points)


def _labels(suffix: str) -> str:
    moving = "velocities, Jacobians and accelerations"
    kinds = {"": f"{moving} (J M^-1 J^T too)", ":points": moving, ":all": f"positions, {moving}"}
    return f"the contact points' {kinds.get(suffix, suffix[1:])}"


def _turning(turn: Turn, quantities: tuple[str, ...]) -> Callable[[View, str, Floats], Floats]:
    def answering(view: View, quantity: str, values: Floats) -> Floats:
        return _turned(quantity, values, turn(_poses(view))) if quantity in quantities else values

    return answering


def _from_base(view: View, quantity: str, values: Floats) -> Floats:
    return values - _poses(view).p_base if quantity == "contact_positions" else values


def _from_base_in_its_axes(view: View, quantity: str, values: Floats) -> Floats:
    if quantity != "contact_positions":
        return values
    return product(transposed(_poses(view).R_base), _from_base(view, quantity, values))


def _acceleration(spatial: bool, gravity: Floats, turn: Turn | None) -> Callable[[View, str, Floats], Floats]:
    def answering(view: View, quantity: str, values: Floats) -> Floats:
        if quantity != "contact_bias_accelerations":
            return values
        at = _poses(view)
        if spatial:
            values = values - np.cross(at.w_link, view.value("contact_velocities"))
        return product(turn(at), values + gravity) if turn else values + gravity

    return answering


def _turned(quantity: str, values: Floats, R: Floats) -> Floats:
    """The values with the three rows of each point multiplied by its R (n, points, 3, 3)."""
    if quantity == "contact_jacobians":
        return np.asarray(R @ values)
    if quantity == "contact_inertia":
        n, points = R.shape[:2]
        blocks = values.reshape(n, points, 3, points, 3)
        turned = np.einsum("niab,nibjc,njdc->niajd", R, blocks, R, optimize=True)
        return np.asarray(turned.reshape(values.shape), dtype=np.float64)
    return product(R, values)


def _poses(view: View) -> Poses:
    return _poses_of(view.spec, len(view.read), view.read.q.tobytes(), view.read.v.tobytes())


@lru_cache(maxsize=8)
def _poses_of(spec: RobotSpec, n: int, q: bytes, v: bytes) -> Poses:
    """Kept for the hypotheses that follow, which ask at the same states."""
    tree, states = reference.build(spec), (np.frombuffer(block).reshape(n, -1) for block in (q, v))

    def motions(tree: reference.Tree, q: object, v: object) -> object:
        at = reference.forward_kinematics(tree, q, v)
        return np.concatenate([at.R_WB.reshape(-1, 9), at.p_WB, np.stack(at.V.links)[:, :3]], axis=1)

    with np.errstate(all="ignore"):
        at = evaluated(motions, tree, *states)
    R, p, w = at[..., :9].reshape(n, -1, 3, 3), at[..., 9:12], at[..., 12:]
    links, roots = _carriers(spec)
    return Poses(R[:, links], R[:, roots], p[:, roots], product(R[:, links], w[:, links]))


def _carriers(spec: RobotSpec) -> tuple[list[int], list[int]]:
    """For each computed contact point the link that carries it, and that link's root."""
    roots: dict[str, str] = {}
    for body in spec.bodies:
        roots[body.name] = body.name if body.parent == WORLD else roots[body.parent]
    bodies = [point.body for point in spec.contact_points if point.computed]
    return [spec.body_index(name) for name in bodies], [spec.body_index(roots[name]) for name in bodies]
