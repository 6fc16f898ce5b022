"""Fingerprints of one link: its inertia (turned, shifted, fused with another, left out), or its place in the parent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from leapcheck.judge.case import Case, Cause, Hypothesis, first_explanation, listed, values
from leapcheck.judge.changes import axis_changes, inertia_changes, inertia_factor_change, placement_changes, point_changes
from leapcheck.judge.fit import Equation, equation, fitted
from leapcheck.judge.order import POINT_QUANTITIES
from leapcheck.judge.parameters import WITH_MASS, falls
from leapcheck.judge.pattern import inertia_suspects, placement_suspects
from leapcheck_models.spec import WORLD, JointType, RobotSpec, Vector3
from leapcheck_reference.rotation import skew
from leapcheck_reference.scalar import Array
from leapcheck_reference.spatial import RigidInertia
from leapcheck_reference.tree import Tree

CLOSE = 1e-6
"""Relative difference below which a fitted mass, com or moment is called unchanged."""

MOST_SUSPECTS = 8
"""Links that are tried at most, the least far-reaching first."""

WEIGHT_ONLY = ("gravity_force", "potential_energy")
"""Quantities that only know the first moment of what a joint carries."""

ROUNDS, STEP = 8, 1e-6
"""Gauss-Newton steps and difference step (m, rad) for places and axes, which enter with sines and cosines."""


def link_inertia(at: Case) -> Cause | None:
    """One link's inertia is another: left out, inertial rpy, com, mass, fused bodies."""
    if at.quantity not in WITH_MASS:
        return None
    posed = equation(at)
    instead = ", or what hangs on it stands elsewhere" if at.quantity in WEIGHT_ONLY else ""
    suspects = inertia_suspects(at)[: MOST_SUSPECTS if at.found.ndim > 1 else None]  # energies do not point to any
    for i in suspects:
        fit = fitted(posed, [inertia_factor_change(i)])
        if fit is not None and fit.explains:
            factor = 1.0 + float(fit.changes[0])
            words = "is left out" if abs(factor) < CLOSE else f"is multiplied by {factor:.7g}"
            cause = f"the inertia of link {at.spec.bodies[i].name} {words}{instead}{_rigid(at.spec, i)}"
            return Cause("model", cause, falls(at, fit))
    for i in suspects:
        fit = fitted(posed, inertia_changes(i))
        if fit is not None and fit.explains:
            words = _inertia_words(posed.tree.links[i].inertia, fit.tree.links[i].inertia, fit.shows)
            return Cause("model", f"link {at.spec.bodies[i].name}: {words}{instead}{_rigid(at.spec, i)}", falls(at, fit))
    return None


def link_placement(at: Case) -> Cause | None:
    """One link's joint stands elsewhere in its parent or has another axis; or one contact point stands elsewhere."""
    if at.quantity == "contact_inertia":  # M and J, which make it, tell more for less
        return None
    posed = equation(at)
    if at.quantity in POINT_QUANTITIES and (cause := _point(at, posed)):
        return cause
    for i in placement_suspects(at)[:MOST_SUSPECTS]:
        joint = at.spec.bodies[i].joint
        if joint.type is JointType.FREE:
            continue
        if cause := _other_axis(at, i):
            return cause
        for changes in (placement_changes(i), axis_changes(i) if joint.axis else []):
            fit = fitted(posed, changes, STEP, ROUNDS) if changes else None
            if fit is not None and fit.explains:
                words = _placement_words(posed.tree, fit.tree, i)
                return Cause("model", f"joint {joint.name} {words}", falls(at, fit))
    return None


def _point(at: Case, posed: Equation) -> Cause | None:
    points = [point for point in at.spec.contact_points if point.computed]
    for k, point in enumerate(points):
        fit = fitted(posed, point_changes(k))
        if fit is not None and fit.explains:
            place = ", ".join(f"{x:.6g}" for x in fit.tree.points[k].position)
            return Cause("model", f"contact point {point.name} stands at ({place}) instead of {point.position} m", falls(at, fit))
    return None


def _other_axis(at: Case, i: int) -> Cause | None:
    """The joint turns the other way round, or about a coordinate axis of its link."""
    body = at.spec.bodies[i]
    if body.joint.axis is None:
        return None
    x, y, z = body.joint.axis
    axes: list[Vector3] = [(-x, -y, -z), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    axes += [(-1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)]

    def hypotheses() -> Iterator[Hypothesis]:
        for axis in axes:
            held = replace(body, joint=replace(body.joint, axis=axis))
            spec = replace(at.spec, bodies=(*at.spec.bodies[:i], held, *at.spec.bodies[i + 1 :]))
            cause = f"joint {body.joint.name} has the axis {axis} instead of {body.joint.axis}"
            yield Hypothesis("model", cause, values(at.quantity, spec, at.states))

    return first_explanation(at, hypotheses())


def _rigid(spec: RobotSpec, i: int) -> str:
    """A remark on the links that move with a link as one, which some compilers fuse."""
    carriers: dict[str, str] = {}
    for body in spec.bodies:
        fixed = body.joint.type is JointType.FIXED and body.parent != WORLD
        carriers[body.name] = carriers[body.parent] if fixed else body.name
    name = spec.bodies[i].name
    mates = [other for other, carrier in carriers.items() if carrier == carriers[name] and other != name]
    return f" (rigid with {listed(mates)}: one of them, or how they are fused)" if mates else ""


def _inertia_words(true: RigidInertia, held: RigidInertia, shows: NDArray[np.bool_]) -> str:
    """What became of an inertia, of whose ten numbers not all need show."""
    size = float(np.trace(true.I))
    if shows[0] and abs(held.mass - true.mass) > CLOSE * true.mass:
        return f"its mass is {held.mass:.7g} instead of {true.mass:.7g} kg"
    words = []
    if shows[:4].all() and np.abs(held.mc - true.mc).max() > CLOSE * np.sqrt(true.mass * size):
        words.append(f"its com is at {_vector(held.mc / held.mass)} instead of {_vector(true.mc / true.mass)} m")
    if shows.all():
        (moments, matrix), (true_moments, true_matrix) = _principal(held), _principal(true)
        if np.abs(moments - true_moments).max() > CLOSE * size:
            words.append(f"its principal moments are {_vector(moments)} instead of {_vector(true_moments)} kg m^2")
        elif np.abs(matrix - true_matrix).max() > CLOSE * size:
            words.append("its rotational inertia is turned, with the same principal moments: the inertial rpy")
    vague = "its mass, com or rotational inertia is another, or the place of what hangs on it: these answers do not tell"
    return ", ".join(words) or (vague if not shows[:4].all() else "its rotational inertia is another")


def _principal(inertia: RigidInertia) -> tuple[Array, Array]:
    """Principal moments about the com, ascending, and the rotational inertia about the com."""
    C = skew(inertia.mc / inertia.mass) if inertia.mass else np.zeros((3, 3))
    about_com = inertia.I - inertia.mass * (C @ C.T)
    return np.linalg.eigvalsh(about_com), about_com


def _placement_words(true: Tree, held: Tree, i: int) -> str:
    """How a joint's pose or axis differs."""
    X, X_held, axis, axis_held = true.links[i].placement, held.links[i].placement, true.links[i].axis, held.links[i].axis
    words = []
    if np.abs(X_held.p - X.p).max() > CLOSE:
        words.append(f"stands at {_vector(X_held.p)} instead of {_vector(X.p)} m in its parent")
    angle = float(np.arccos(np.clip((np.trace(X_held.R @ X.R.T) - 1.0) / 2.0, -1.0, 1.0)))
    if angle > CLOSE:
        words.append(f"is turned by {angle:.6g} rad in its parent")
    if np.abs(axis_held - axis).max() > CLOSE:
        words.append(f"has the axis {_vector(axis_held)} instead of {_vector(axis)}")
    return " and ".join(words) or "stands elsewhere"


def _vector(numbers: Array) -> str:
    return "(" + ", ".join(f"{x:.6g}" for x in numbers) + ")"
