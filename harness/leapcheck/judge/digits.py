"""Fingerprints of numbers that lost digits: XML written with six of them, principal axes found to 1e-8 only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from leapcheck.judge.case import Case, Cause, Hypothesis, first_explanation, values
from leapcheck.judge.changes import axis_changes, inertia_changes, placement_changes, point_changes, rotational_changes
from leapcheck.judge.fit import Change, equation, fitted
from leapcheck.judge.model import inertia_variants
from leapcheck.judge.order import POINT_QUANTITIES
from leapcheck.judge.parameters import WITH_MASS, falls
from leapcheck_models.rotors import rotation_matrix
from leapcheck_models.spec import Body, Inertia, Placement, RobotSpec, Symmetric3
from leapcheck_models.validation import is_realisable, nearest_realisable, rotational_matrix

BAND = (1e-12, 1e-5)
"""Scale-free errors that lost digits can make: six digits round by up to 5e-6."""

STEP = 1e-6
"""Difference step of every parameter in its SI unit: so small an error is linear in them all."""


def lost_digits(at: Case) -> Cause | None:
    """All numbers off a little: six-digit XML; or the rotational inertias alone: fullinertia diagonalised to 1e-8."""
    six = "the numbers of the model have six digits only, as MuJoCo writes them into XML (set spec.compiler.savecompiled = False)"
    if exact := first_explanation(at, _rounded(at, six)):
        return exact
    if not BAND[0] < at.error < BAND[1] or at.quantity == "contact_inertia":  # M and J, which make it, tell more for less
        return None
    posed = equation(at)
    links = list(enumerate(at.spec.bodies))
    fit = fitted(posed, [c for i, body in links for rotor in _parts(body) for c in rotational_changes(i, rotor)], STEP)
    if fit is not None and fit.explains:
        axes = "principal axes found to 1e-8 only (MuJoCo's fullinertia before 3.14), or XML of six digits"
        return Cause("model", f"the rotational inertias alone have lost digits: {axes}", falls(at, fit))
    fit = fitted(posed, [*_everything(at)], STEP, rounds=2, chord=True)
    return Cause("model", f"all numbers of the model are off a little: {six}", falls(at, fit)) if fit and fit.explains else None


def _rounded(at: Case, cause: str) -> Iterator[Hypothesis]:
    for words, spec in (("", at.spec), *inertia_variants(at.spec)):
        yield Hypothesis("model", "; ".join(filter(None, (cause, words))), values(at.quantity, rounded_spec(spec), at.states))


def _parts(body: Body) -> tuple[bool, ...]:
    """Flags of the bodies on a joint: the link, and its rotor where it has one."""
    return (False, True) if body.rotor else (False,)


def _everything(at: Case) -> Iterator[Change]:
    """Every number that the quantity depends on."""
    for i, body in enumerate(at.spec.bodies):
        if at.quantity in (*WITH_MASS, "contact_inertia"):
            yield from (change for rotor in _parts(body) for change in inertia_changes(i, rotor))
        yield from placement_changes(i)
        if body.joint.axis:
            yield from axis_changes(i)
    if at.quantity in (*POINT_QUANTITIES, "contact_inertia"):
        for k in range(sum(point.computed for point in at.spec.contact_points)):
            yield from point_changes(k)


def rounded_spec(spec: RobotSpec) -> RobotSpec:
    """The robot as a MuJoCo XML of six digits holds it: principal moments and axes, placements, joint axes, points."""
    bodies = []
    for body in spec.bodies:
        joint = replace(body.joint, axis=_unit(body.joint.axis), armature=_six(body.joint.armature))
        rotor = body.rotor
        if rotor:
            held, inertia = _placement(rotor.placement), _inertia(rotor.inertia)
            rotor = replace(rotor, placement=held, inertia=inertia, axis=_unit(rotor.axis))
        placement, inertia = _placement(body.placement), _inertia(body.inertia)
        bodies.append(replace(body, joint=joint, placement=placement, inertia=inertia, rotor=rotor))
    points = tuple(replace(point, position=_six(point.position)) for point in spec.contact_points)
    return replace(spec, bodies=tuple(bodies), contact_points=points, gravity=_six(spec.gravity))


def _six(value: Any) -> Any:
    """A number, or each of a tuple, rounded to six significant digits."""
    return tuple(_six(x) for x in value) if isinstance(value, tuple) else float(f"{value:.6g}")


def _unit(vector: Any) -> Any:
    """A unit vector rounded and normalised again; None stays None."""
    if vector is None:
        return None
    rounded = np.array(_six(vector))
    return tuple(map(float, rounded / np.linalg.norm(rounded)))


def _placement(placement: Placement) -> Placement:
    return Placement(_six(placement.p), _unit(placement.quaternion))


def _inertia(inertia: Inertia) -> Inertia:
    """Principal moments and the quaternion of the principal axes rounded, put together again."""
    ascending, columns = np.linalg.eigh(rotational_matrix(inertia.rotational))
    moments, axes = ascending[::-1], columns[:, ::-1]  # MuJoCo's order; half turns that remain free only permute the quaternion
    x, y, z, w = Rotation.from_matrix(axes * np.sign(np.linalg.det(axes))).as_quat()
    R = rotation_matrix(_unit((float(w), float(x), float(y), float(z))))
    m = (R * np.array(_six(tuple(map(float, moments))))) @ R.T
    entries: Symmetric3 = (float(m[0, 0]), float(m[0, 1]), float(m[0, 2]), float(m[1, 1]), float(m[1, 2]), float(m[2, 2]))
    real = is_realisable(entries)
    nearest = None if real else nearest_realisable(entries)
    return Inertia(_six(inertia.mass), _six(inertia.com), entries, real, nearest, inertia.source or "six digits")
