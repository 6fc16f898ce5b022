"""Numbers of a set of bodies read wrongly, by a whole engine or by one of its functions, are named in words."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from leapcheck.engines.protocol import Answers
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.judge.diagnosis import diagnose
from leapcheck.records import Diagnosis
from leapcheck.sampling import States, generated_states
from leapcheck_models.rotors import axial_inertia
from leapcheck_models.spec import Body, RobotSpec
from tests.harness.judge.few_legs import LEGS, cheetah

COUNT = 56
LEFT = ("FL_abad", "FL_hip", "FL_knee", "HL_abad", "HL_hip", "HL_knee")
LEG = ("HR_abad", "HR_hip", "HR_knee")
NAMES = ("mass_matrix", "bias_force", "forward_dynamics", "kinetic_energy", "potential_energy", "contact_positions")
"""Quantities of the engines."""


class Misread:
    """An engine that answers some quantities for another robot."""

    name, version, route = "misread", "0", "a changed spec"

    def __init__(self, spec: RobotSpec, edit: Callable[[RobotSpec], RobotSpec], where: tuple[str, ...]) -> None:
        self.quantities = frozenset(NAMES)
        self._spec, self._edit, self._where = spec, edit, where
        self._right, self._wrong = ReferenceEngine(spec), ReferenceEngine(edit(spec))

    def rebuild(self, spec: RobotSpec) -> Misread:
        return Misread(spec, self._edit, self._where)

    def evaluate(self, states: States, quantities: tuple[str, ...]) -> Answers:
        return {
            name: (self._wrong if name in self._where else self._right).evaluate(states, (name,))[name] for name in quantities
        }


def of(names: tuple[str, ...], change: Callable[[Body], Body]) -> Callable[[RobotSpec], RobotSpec]:
    """The edit of some bodies."""
    return lambda spec: replace(spec, bodies=tuple(change(body) if body.name in names else body for body in spec.bodies))


def opposite_com(body: Body) -> Body:
    x, y, z = body.inertia.com
    return replace(body, inertia=replace(body.inertia, com=(-x, -y, -z)))


def heavier(body: Body) -> Body:
    return replace(body, inertia=replace(body.inertia, mass=1.1 * body.inertia.mass))


def geared(body: Body) -> Body:
    assert body.rotor
    return replace(body, rotor=replace(body.rotor, gear_ratio=0.643 * body.rotor.gear_ratio))


def mirrored(body: Body) -> Body:
    x, y, z = body.placement.p
    return replace(body, placement=replace(body.placement, p=(-x, y, z)))


CASES = {
    "com of a side": (of(LEFT, opposite_com), NAMES, LEFT, "com of .* has the opposite sign"),
    "com of a side, in M": (of(LEFT, opposite_com), ("mass_matrix",), LEFT, "in mass matrix M alone: the com of"),
    "com in one energy": (
        of(("FR_hip",), opposite_com),
        ("potential_energy",),
        ("FR_hip",),
        "in potential energy alone: the com",
    ),
    "mass in M and what follows": (of(LEG, heavier), ("mass_matrix",), LEG, r"the mass of links .* is multiplied by 1\.1"),
    "gears of a leg": (of(LEG, geared), NAMES, LEG, "HR_knee_joint has the gear ratio 5.99919 instead of 9.33"),
    "gears in the kinetic energy": (
        of(LEG, geared),
        ("kinetic_energy",),
        LEG,
        "in kinetic energy alone: the rotor of joint HR_abad_joint has the gear ratio 3.858 instead of 6",
    ),
    "places of a side": (of(LEFT, mirrored), NAMES, ("FL_abad", "HL_abad"), "the place of links .* its x has the opposite sign"),
}


def diagnosis_of(edit: Callable[[RobotSpec], RobotSpec], where: tuple[str, ...], legs: tuple[str, ...] = LEGS) -> Diagnosis:
    spec = cheetah(*legs)
    (diagnosis,) = diagnose(spec, Misread(spec, edit, where), generated_states(spec, COUNT, 0, 0), NAMES)
    return diagnosis


def needed_legs(links: tuple[str, ...]) -> tuple[str, ...]:
    """The legs of a case's links, and one that is right."""
    return tuple(leg for leg in LEGS if leg == "FR" or any(link.startswith(leg) for link in links))


@pytest.mark.parametrize(
    ("case", "legs"),
    [
        *((case, needed_legs(links)) for case, (_, _, links, _) in CASES.items()),
        *(pytest.param(case, LEGS, marks=pytest.mark.slow) for case in CASES),
    ],
)
def test_a_set_of_wrong_numbers_is_named(case: str, legs: tuple[str, ...]) -> None:
    edit, where, links, words = CASES[case]
    diagnosis = diagnosis_of(edit, where, legs)
    assert not diagnosis.unexplained
    told = [causes[0] for causes in (diagnosis.causes, *diagnosis.alternatives) if len(causes) == 1]
    right = [cause for cause in told if re.search(words, cause.words)]
    assert right, [cause.words for cause in told]
    named = {link for link in (*LEFT, *LEG, "FR_hip", "FR_abad", "FR_knee", "trunk") if link in right[0].name}
    assert named == set(links)


def counted_as_armature(spec: RobotSpec) -> RobotSpec:
    """The rotors left out, with their reflected inertias as armatures of the joints."""

    def lumped(body: Body) -> Body:
        if body.rotor is None:
            return body
        armature = body.joint.armature + body.rotor.gear_ratio**2 * axial_inertia(body.rotor)
        return replace(body, rotor=None, joint=replace(body.joint, armature=armature))

    return replace(spec, bodies=tuple(map(lumped, spec.bodies)))


def test_rotors_counted_as_armature_in_one_function_alone_are_named() -> None:
    diagnosis = diagnosis_of(counted_as_armature, ("mass_matrix",))
    (cause,) = diagnosis.causes
    assert cause.words.startswith("in mass matrix M alone: the rotors count as armature only")
    assert not diagnosis.unexplained
