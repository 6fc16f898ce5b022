"""Fingerprints in the kinematics of contact points: axes, reference points, spatial or classical accelerations."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import leapcheck_reference as reference
from leapcheck.conventions import product, transposed
from leapcheck.judge.case import Case, Cause, Hypothesis, first_explanation, values
from leapcheck.states import Floats
from leapcheck_models.spec import WORLD, RobotSpec
from leapcheck_reference.batch import evaluated

IN_WORLD_AXES = (
    "contact_positions",
    "contact_velocities",
    "contact_jacobians",
    "contact_bias_accelerations",
    "contact_inertia",
)


def contact_axes(at: Case) -> Cause | None:
    """Contact quantities in the axes of the point's link or of its base instead of the world's; positions from the base."""
    if at.quantity not in IN_WORLD_AXES or not at.found.shape[1]:
        return None
    return first_explanation(at, _axes(at))


def contact_accelerations(at: Case) -> Cause | None:
    """Jdot v as a spatial acceleration instead of the classical one, or with gravity in it."""
    if at.quantity != "contact_bias_accelerations" or not at.found.shape[1]:
        return None
    return first_explanation(at, _accelerations(at))


def _axes(at: Case) -> Iterator[Hypothesis]:
    R, p = _link_poses(at)
    carriers, roots = _carriers(at.spec)
    for words, links in (("of the link that carries the point", carriers), ("of the base", roots)):
        cause = f"the components are in the axes {words} instead of the world's"
        yield Hypothesis("convention", cause, _turned(at, transposed(R[:, links])))
    if at.quantity == "contact_positions":
        from_base = at.expected - p[:, roots]
        yield Hypothesis("convention", "the positions are counted from the base, in world axes", from_base)
        in_base_axes = product(transposed(R[:, roots]), from_base)
        yield Hypothesis("convention", "the positions are counted from the base, in its axes", in_base_axes)


def _accelerations(at: Case) -> Iterator[Hypothesis]:
    R, _ = _link_poses(at)
    carriers, roots = _carriers(at.spec)
    w = product(R[:, carriers], _angular_velocities(at)[:, carriers])
    velocity = values("contact_velocities", at.spec, at.states)
    spatial = at.expected - np.cross(w, velocity)
    words = "the spatial acceleration stands for the classical one (w x pdot is missing)"
    yield Hypothesis("convention", words, spatial)
    for axes, links in (("of the link", carriers), ("of the base", roots)):
        back = transposed(R[:, links])
        yield Hypothesis("convention", f"{words}, in the axes {axes}", product(back, spatial))
    for sign, direction in ((1.0, "added"), (-1.0, "taken off")):
        gravity = sign * np.array(at.spec.gravity)
        yield Hypothesis("convention", f"gravity is {direction}", at.expected + gravity)
        yield Hypothesis("convention", f"{words}, and gravity is {direction}", spatial + gravity)


def _turned(at: Case, R: Floats) -> Floats:
    """The expected values with the three rows of each point multiplied by its R (n, points, 3, 3)."""
    if at.quantity == "contact_jacobians":
        return np.asarray(R @ at.expected)
    if at.quantity == "contact_inertia":
        n, points = R.shape[:2]
        blocks = at.expected.reshape(n, points, 3, points, 3)
        turned = np.einsum("niab,nibjc,njdc->niajd", R, blocks, R)
        return np.asarray(turned.reshape(at.expected.shape), dtype=np.float64)
    return product(R, at.expected)


def _link_poses(at: Case) -> tuple[Floats, Floats]:
    """R_WB (n, bodies, 3, 3) and p_WB (n, bodies, 3)."""
    tree = reference.build(at.spec)
    q, v = at.states.q, at.states.v
    R = evaluated(lambda tree, q, v: reference.forward_kinematics(tree, q, v).R_WB, tree, q, v)
    return R, evaluated(lambda tree, q, v: reference.forward_kinematics(tree, q, v).p_WB, tree, q, v)


def _angular_velocities(at: Case) -> Floats:
    """w_WB_B (n, bodies, 3)."""
    tree = reference.build(at.spec)
    V = evaluated(lambda tree, q, v: np.stack(reference.forward_kinematics(tree, q, v).V.links), tree, at.states.q, at.states.v)
    return V[:, :, :3]


def _carriers(spec: RobotSpec) -> tuple[list[int], list[int]]:
    """For each computed contact point the link that carries it, and that link's root."""
    roots: dict[str, str] = {}
    for body in spec.bodies:
        roots[body.name] = body.name if body.parent == WORLD else roots[body.parent]
    bodies = [point.body for point in spec.contact_points if point.computed]
    return [spec.body_index(name) for name in bodies], [spec.body_index(roots[name]) for name in bodies]
