"""The same fault in several legs: code loops over legs, and so does its fault."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from leapcheck.engines.reference import ReferenceEngine
from leapcheck.judge.diagnosis import diagnose
from leapcheck.sampling import generated_states
from leapcheck_models.spec import Body, Rotor
from tests.harness.judge.few_legs import LEGS, cheetah

QUANTITIES = ("mass_matrix", "bias_force", "gravity_force", "coriolis_force", "forward_dynamics", "contact_jacobians")


def _mass(body: Body, factor: float) -> Body:
    return replace(body, inertia=replace(body.inertia, mass=factor * body.inertia.mass))


def _com(body: Body, x: float) -> Body:
    return replace(body, inertia=replace(body.inertia, com=(body.inertia.com[0] + x, *body.inertia.com[1:])))


def _place(body: Body, z: float) -> Body:
    x, y, before = body.placement.p
    return replace(body, placement=replace(body.placement, p=(x, y, before + z)))


def _rotor(body: Body, change: Callable[[Rotor], Rotor]) -> Body:
    return replace(body, rotor=change(body.rotor) if body.rotor else None)


def _armature(body: Body) -> Body:
    return replace(body, joint=replace(body.joint, armature=body.joint.armature + 0.01))


CASES: dict[str, tuple[str, tuple[str, ...], Callable[[Body], Body], str]] = {
    "knees without rotors": ("knee", LEGS, lambda b: replace(b, rotor=None), "{}_knee_rotor"),
    "another gear at the knees": (
        *("knee", LEGS),
        lambda b: _rotor(b, lambda rotor: replace(rotor, gear_ratio=6.0)),
        "{}_knee_joint has the gear ratio 6 instead of 9.33",
    ),
    "knees' rotors turn the other way": (
        *("knee", LEGS),
        lambda b: _rotor(b, lambda rotor: replace(rotor, gear_ratio=-rotor.gear_ratio)),
        "{}_knee_rotor",
    ),
    "heavier thighs": ("hip", LEGS, lambda b: _mass(b, 1.05), "link {}_hip: its mass is 0.6657 instead of 0.634 kg"),
    "coms on the left": ("hip", ("FL", "HL"), lambda b: _com(b, 0.003), "link {}_hip: its com is at (0.003,"),
    "shins behind": ("knee", ("HR", "HL"), lambda b: _mass(b, 2.0), "link {}_knee: its mass is 0.128"),
    "shorter thighs": ("knee", LEGS, lambda b: _place(b, 0.01), "joint {}_knee_joint is at (0, 0, -0.199)"),
    "armature at the abductors": ("abad", LEGS, _armature, "{}_abad_joint"),
}


OFTEN = ("knees without rotors", "heavier thighs", "coms on the left", "shorter thighs", "armature at the abductors")
"""Each kind of number of each kind of link once, in all legs and in some: of two legs, or of three where one is right."""


@pytest.mark.parametrize(
    ("case", "having"),
    [
        *((case, ("FL", "HL") if CASES[case][1] == LEGS else ("FR", "FL", "HL")) for case in OFTEN),
        *(pytest.param(case, LEGS, marks=pytest.mark.slow) for case in CASES),
    ],
)
def test_a_fault_in_several_legs_is_named_in_those(case: str, having: tuple[str, ...]) -> None:
    part, legs, change, words = CASES[case]
    spec = cheetah(*having)
    wrong = {f"{leg}_{part}" for leg in legs}
    other = replace(spec, bodies=tuple(change(body) if body.name in wrong else body for body in spec.bodies))
    (diagnosis,) = diagnose(spec, ReferenceEngine(other), generated_states(spec, 24, 0, 0), QUANTITIES)
    assert not diagnosis.unexplained
    (cause,) = diagnosis.causes
    for leg in having:
        assert (words.format(leg) in cause.words) == (leg in legs), cause.words
