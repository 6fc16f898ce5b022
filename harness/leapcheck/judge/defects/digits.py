"""Numbers of a model that lost digits: XML written with six digits, principal axes computed to 1e-8 only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from leapcheck.judge.attribution.together import everything, fitted_inertias
from leapcheck.judge.belief import Belief, Hypothesis, model_fault
from leapcheck.judge.dictionary.model import unreal_inertias
from leapcheck.judge.edits import edit_bodies, in_turn
from leapcheck.robot_diff.rigid import quaternion_of
from leapcheck_models.rotors import rotation_matrix
from leapcheck_models.spec import Body, Inertia, Placement, RobotSpec, Symmetric3
from leapcheck_models.validation import is_realisable, nearest_realisable, rotational_matrix

LARGEST = 1e-5
"""Scale-free error of M that lost digits can make at most: six digits round by up to 5e-6."""

SIX = "the numbers of the model have six digits only, as MuJoCo writes them into XML (set spec.compiler.savecompiled = False)"

AXES = (
    "the rotational inertias alone have lost digits: principal axes computed to 1e-8 only (MuJoCo's fullinertia before 3.14), "
    "or XML of six digits"
)


def six_digits(belief: Belief) -> Iterator[Hypothesis]:
    """All numbers rounded as MuJoCo rounds them when it saves a model, after unreal inertias were replaced or not."""
    yield model_fault("digits/six", SIX, rounded_spec)
    for unreal in unreal_inertias(belief):
        assert unreal.spec_edit is not None
        name, edit = f"digits/six:{unreal.name.split('/')[1]}", in_turn(unreal.spec_edit, rounded_spec)
        yield model_fault(name, f"{SIX}; {unreal.words}", edit, prior=1.5)


def lost_axes(belief: Belief) -> Iterator[Hypothesis]:
    """The rotational inertias of all bodies off a little, masses and coms right."""
    if _is_small(belief) and (hypothesis := fitted_inertias(belief, "digits/axes")):
        yield replace(hypothesis, words=AXES, prior=4.0)


def all_numbers(belief: Belief) -> Iterator[Hypothesis]:
    """All numbers of the robot off a little, in a way that is not MuJoCo's own rounding."""
    if hypothesis := everything(belief):
        yield replace(hypothesis, words=f"{hypothesis.words}: {SIX}")


def _is_small(belief: Belief) -> bool:
    """Whether M, or where it is not asked for the rest, is off by no more than lost digits make."""
    evidence = belief.evidence
    off = [name for name in evidence.deviating if name in ("mass_matrix", "qM", "csr")] or list(evidence.deviating)
    return bool(off) and all(evidence.worst_error(name) < LARGEST for name in off)


def rounded_spec(spec: RobotSpec) -> RobotSpec:
    """The robot as a MuJoCo XML of six digits has it: principal moments and axes, placements, joint axes, points."""
    points = tuple(replace(point, position=_six(point.position)) for point in spec.contact_points)
    return replace(edit_bodies(_round_body)(spec), contact_points=points, gravity=_six(spec.gravity))


def _round_body(body: Body) -> Body:
    joint = replace(body.joint, axis=_unit(body.joint.axis), armature=_six(body.joint.armature))
    rotor = body.rotor and replace(_round_part(body.rotor), axis=_unit(body.rotor.axis))
    rounded: Body = _round_part(body)
    return replace(rounded, joint=joint, rotor=rotor)


def _round_part(part: Any) -> Any:
    """Placement and inertia of a body or rotor rounded."""
    placement = Placement(_six(part.placement.p), _unit(part.placement.quaternion))
    return replace(part, placement=placement, inertia=_round_inertia(part.inertia))


def _six(value: Any) -> Any:
    """A number, or each of a tuple, rounded to six significant digits."""
    return tuple(_six(x) for x in value) if isinstance(value, tuple) else float(f"{value:.6g}")


def _unit(vector: Any) -> Any:
    """A unit vector rounded and normalised again; None stays None."""
    if vector is None:
        return None
    rounded = np.array(_six(vector))
    return tuple(map(float, rounded / np.linalg.norm(rounded)))


def _round_inertia(inertia: Inertia) -> Inertia:
    """Principal moments and the quaternion of the principal axes rounded, put together again."""
    ascending, columns = np.linalg.eigh(rotational_matrix(inertia.rotational))
    moments, axes = ascending[::-1], columns[:, ::-1]  # MuJoCo's order; half turns that remain free only permute the quaternion
    R = rotation_matrix(_unit(quaternion_of(axes * np.sign(np.linalg.det(axes)))))
    m = (R * np.array(_six(tuple(map(float, moments))))) @ R.T
    entries: Symmetric3 = (float(m[0, 0]), float(m[0, 1]), float(m[0, 2]), float(m[1, 1]), float(m[1, 2]), float(m[2, 2]))
    real = is_realisable(entries)
    nearest = None if real else nearest_realisable(entries)
    return Inertia(_six(inertia.mass), _six(inertia.com), entries, real, nearest, inertia.source or "six digits")
