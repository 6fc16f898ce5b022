"""A standing pose for a robot whose file has none: trunk level, feet below the hips, legs bent, by inverse kinematics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leapcheck_models.arrays import Floats
from leapcheck_models.spec import ONE_DOF, RobotSpec
from leapcheck_reference import contact_jacobians, contact_positions
from leapcheck_reference.kinematics import frames
from leapcheck_reference.simulate.coordinates import zero_configuration
from leapcheck_reference.simulate.plant import SMALLEST_RADIUS
from leapcheck_reference.tree import Tree, build

BENT = 0.75
"""Distance from hip to foot, as part of the leg's length."""

STARTS = ((0.7, -1.4), (-0.7, 1.4), (0.7, 1.4), (-0.7, -1.4))
"""Angles (rad) of hip and knee, beside straight legs, that the search begins with."""

MOST_STEPS, LONGEST_STEP, DAMPING = 60, 0.3, 1e-6

REACHED = 1e-6
"""Distance (m) from its place at which a foot has reached it."""

SLACK = 0.02
"""A joint (rad) this close to a limit is at it: no pose to stand in."""


@dataclass(frozen=True, slots=True, eq=False)
class Leg:
    """A foot's number among the computed points, places of its joints in q from the trunk on, where the foot is to be (3,) m."""

    point: int
    joints: NDArray[np.intp]
    hip: Floats
    target: Floats


def standing_pose(spec: RobotSpec) -> Floats:
    """q (nq,) of a robot with a free trunk on its feet, each below its hip at `BENT` of the leg's length, knees to the rear where
    the limits allow it, the lowest foot on the ground. ValueError where a leg has no such pose, with the remedy."""
    tree, q = build(spec), _neutral(spec)
    legs = list(_legs(spec, tree, q))
    free = [body.joint.limits for body in spec.bodies if body.joint.type in ONE_DOF]
    limits = np.array([limit or (-np.inf, np.inf) for limit in free])
    choices = [_solution(tree, q, legs, start, limits) for start in STARTS]
    for i, leg in enumerate(legs):
        fitting = [trial for trial, fits in choices if fits[i]]
        if not fitting:
            name = tree.points[leg.point].name
            raise ValueError(
                f"'{spec.name}' has no pose, and none was found with '{name}' below its hip: add one named 'home' with bent legs "
                "to its file (MJCF: a keyframe), or name other feet with --feet"
            )
        best = min(fitting, key=lambda trial: _knee(tree, trial, leg))
        q[leg.joints] = best[leg.joints]
    centres = contact_positions(tree, q)
    radii = [max(point.radius, SMALLEST_RADIUS) for point in spec.contact_points if point.computed]
    q[2] -= min(float(centres[leg.point, 2]) - radii[leg.point] for leg in legs)
    return q


def _neutral(spec: RobotSpec) -> Floats:
    """q (nq,) with every joint at zero, or at the end of its range next to it."""
    q = zero_configuration(build(spec))
    for body, link in zip(spec.bodies, build(spec).links, strict=True):
        if body.joint.limits:
            q[link.q.start] = np.clip(0.0, *body.joint.limits)
    return q


def _legs(spec: RobotSpec, tree: Tree, q: Floats) -> Iterator[Leg]:
    """The legs of all feet. A leg's hip is its last joint but one, its length the way from there over the knee to the foot."""
    placed, centres = frames(tree, q), contact_positions(tree, q)
    parents = [spec.body_index(body.parent) if body.parent != "world" else -1 for body in spec.bodies]
    number = -1
    for point in spec.contact_points:
        if not point.computed:
            continue
        number += 1
        if not point.is_foot:
            continue
        chain: list[int] = []
        link = spec.body_index(point.body)
        while link > 0:
            if spec.bodies[link].joint.type in ONE_DOF:
                chain.insert(0, link)
            link = parents[link]
        if len(chain) < 2:
            raise ValueError(
                f"'{spec.name}' has no pose, and the leg of '{point.name}' has fewer than two joints: give it a pose"
            )
        hip, knee = (placed.position(i) for i in chain[-2:])
        foot = centres[number]
        length = float(np.linalg.norm(knee - hip) + np.linalg.norm(foot - knee))
        target = np.array([hip[0], foot[1], hip[2] - BENT * length])
        yield Leg(number, np.array([tree.links[i].q.start for i in chain], dtype=np.intp), hip, target)


def _solution(
    tree: Tree, q: Floats, legs: Sequence[Leg], start: tuple[float, float], limits: Floats
) -> tuple[Floats, list[bool]]:
    """(q, whether each foot is in its place within the joints' ranges) by damped least squares from hips and knees at `start`."""
    q = q.copy()
    for leg in legs:
        q[leg.joints[-2:]] += start
    q[7:] = np.clip(q[7:], *limits.T)
    for _ in range(MOST_STEPS):
        off = contact_positions(tree, q)
        J = contact_jacobians(tree, q)
        for leg in legs:
            rate, error = J[leg.point][:, leg.joints - 1], leg.target - off[leg.point]
            step = rate.T @ np.linalg.solve(rate @ rate.T + DAMPING * np.eye(3), error)
            q[leg.joints] += step * min(1.0, LONGEST_STEP / max(float(np.abs(step).max()), LONGEST_STEP))
        q[7:] = np.clip(q[7:], *limits.T)
    off = contact_positions(tree, q)
    inside = (q[7:] > limits[:, 0] + SLACK) & (q[7:] < limits[:, 1] - SLACK)
    fits = [bool(np.linalg.norm(off[leg.point] - leg.target) < REACHED and inside[leg.joints[-2:] - 7].all()) for leg in legs]
    return q, fits


def _knee(tree: Tree, q: Floats, leg: Leg) -> float:
    """How far (m) ahead of its hip a knee is."""
    link = next(i for i, own in enumerate(tree.links) if own.q.start == leg.joints[-1])
    return float(frames(tree, q).position(link)[0] - leg.hip[0])
