"""Laws that hold whoever is right: clean engines keep them, each planted fault breaks those that it touches and no others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import leapcheck.judge.identities as module
import leapcheck_reference as reference
from leapcheck.comparison.engine_set import make_engine_set
from leapcheck.engines.protocol import Answers
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.engines.registry import ENGINE_NAMES, make_engine
from leapcheck.judge.identities import STATES, engine_identities, identities, in_house, states_for_laws
from leapcheck.judge.identities.laws import LAWS
from leapcheck.judge.in_house import InHouseAnswers
from leapcheck.quantities import CORE, QUANTITIES, QuantityGroup
from leapcheck.records import Identity
from leapcheck.sampling import States, generated_states
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.trace.cache import FOLDER_VARIABLE

ROBOT = "random:2"
SPEC = load(ROBOT)  # a free base, a ball joint, a slide, a geared rotor, contact points
STATES_OF_RUN = generated_states(SPEC, 64, 0, 0)
LARGEST_SHARE = 0.01
"""Of what is allowed, by any engine in any law; measured worst over the named robots and twenty random ones 6.1e-3."""

Spoil = Callable[[str, Floats, States], Floats]

SYMMETRIC, FORCES, MOTION, ENERGY, VELOCITY, INERTIA, GRADIENT, JACOBIAN, RATE, POWER = (
    law.words for law in LAWS if {QUANTITIES[name].group for name in law.quantities} == {QuantityGroup.CORE}
)

CORE_LAWS = {SYMMETRIC, FORCES, MOTION, ENERGY, VELOCITY, INERTIA, GRADIENT, JACOBIAN, RATE, POWER}


@cache
def in_house_answers(robot: str) -> InHouseAnswers:
    """By the programs of a comparison: the expected rounding is worked out fast."""
    spec = load(robot)
    portions = make_engine_set(spec, ["reference"], CORE, False).portions
    return InHouseAnswers(spec, [portion.in_house for portion in portions])


class Spoilt:
    """The reference with its answers altered."""

    version = "0"
    route = "in this test"

    def __init__(self, spoil: Spoil, spec: RobotSpec = SPEC, held: RobotSpec | None = None) -> None:
        self.name = "spoilt"
        self._spoil = spoil
        self._inside = ReferenceEngine(held or spec)
        self.quantities = self._inside.quantities

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        return {name: self._spoil(name, values, states) for name, values in self._inside.evaluate(states, quantities).items()}


def broken(spoil: Spoil, **more: RobotSpec) -> set[str]:
    """The laws that an engine with altered answers breaks."""
    at = states_for_laws(SPEC, STATES_OF_RUN)
    found = engine_identities(in_house_answers(ROBOT), [Spoilt(spoil, **more)], at).identities
    assert {identity.law for identity in found} == CORE_LAWS
    return {identity.law for identity in found if not identity.holds}


def times(quantity: str, factor: float) -> Spoil:
    return lambda name, values, states: values * factor if name == quantity else values


def plus(quantity: str, place: tuple[int, ...], amount: float) -> Spoil:
    def spoil(name: str, values: Floats, states: States) -> Floats:
        values = values.copy()
        if name == quantity:
            values[(slice(None), *place)] += amount
        return values

    return spoil


def unspoilt(name: str, values: Floats, states: States) -> Floats:
    return values


@pytest.mark.parametrize("robot", ["mini_cheetah", "two_link_arm", "random:2", "random:11"])
def test_clean_engines_keep_every_law(robot: str) -> None:
    spec = load(robot)
    names = [name for name in ENGINE_NAMES if not (robot == "random:2" and name == "mujoco-urdf")]  # no ball joint in URDF
    engines = [make_engine(name, spec) for name in names]
    found = engine_identities(
        in_house_answers(robot), engines, states_for_laws(spec, generated_states(spec, 64, 0, 0))
    ).identities
    points = any(point.computed for point in spec.contact_points)
    of_points = (VELOCITY, INERTIA, JACOBIAN, RATE)
    for engine in engines:
        its = [identity.law for identity in found if identity.engine == engine.name]
        assert its == [law.words for law in LAWS if law.words in CORE_LAWS and (points or law.words not in of_points)]
    assert all(identity.holds for identity in found)
    assert max(identity.error / identity.allowed for identity in found) <= LARGEST_SHARE


@pytest.mark.parametrize(
    ("spoil", "laws"),
    [
        (plus("mass_matrix", (7, 8), 1e-9), {SYMMETRIC, MOTION, ENERGY, INERTIA}),
        (times("mass_matrix", -1.0), {SYMMETRIC, MOTION, ENERGY, INERTIA, POWER}),
        (times("mass_matrix", 1.0 + 1e-5), {MOTION, ENERGY, INERTIA, POWER}),
        (times("bias_force", 1.0 + 1e-10), {FORCES, MOTION}),
        (times("gravity_force", 1.0 + 1e-8), {FORCES, GRADIENT}),
        (times("coriolis_force", 1.0 + 1e-5), {FORCES, POWER}),
        (times("forward_dynamics", 1.0 + 1e-10), {MOTION}),
        (times("kinetic_energy", 1.0 + 1e-10), {ENERGY}),
        (times("potential_energy", 1.0 + 1e-7), {GRADIENT}),
        (plus("potential_energy", (), 1.0), set()),
        (times("contact_velocities", 1.0 + 1e-10), {VELOCITY}),
        (plus("contact_jacobians", (0, 1, 4), 1e-7), {VELOCITY, INERTIA, JACOBIAN}),
        (plus("contact_positions", (0, 0), 1.0), set()),
        (times("contact_positions", 1.0 + 1e-7), {JACOBIAN}),
        (times("contact_bias_accelerations", 1.0 + 1e-6), {RATE}),
        (times("contact_inertia", 1.0 + 1e-9), {INERTIA}),
        (times("mass_matrix", float("nan")), {SYMMETRIC, MOTION, ENERGY, INERTIA, POWER}),
        (times("coriolis_force", float("inf")), {FORCES, POWER}),
    ],
)
def test_a_planted_fault_breaks_the_laws_that_it_touches(spoil: Spoil, laws: set[str]) -> None:
    assert broken(spoil) == laws


def test_another_robot_obeys_the_laws_as_well() -> None:
    """A wrong mass is no contradiction: identities judge an engine by itself, the truth judges the robot."""
    heavy = replace(SPEC.bodies[1], inertia=replace(SPEC.bodies[1].inertia, mass=2.0 * SPEC.bodies[1].inertia.mass))
    held = replace(SPEC, bodies=(SPEC.bodies[0], heavy, *SPEC.bodies[2:]))
    assert broken(unspoilt, held=held) == set()


def test_a_missing_rate_of_the_base_frame_is_seen() -> None:
    """h without the Tdot term: m w x v is missing in the rows of the base."""

    def spoil(name: str, values: Floats, states: States) -> Floats:
        if name not in ("bias_force", "coriolis_force"):
            return values
        values = values.copy()
        values[:, 3:6] -= SPEC.total_mass * np.cross(states.v[:, :3], states.v[:, 3:6])
        return values

    assert {MOTION} <= broken(spoil) <= {MOTION, POWER}


def test_an_engine_that_fails_is_asked_for_the_rest() -> None:
    def spoil(name: str, values: Floats, states: States) -> Floats:
        if name == "bias_force":
            raise RuntimeError("no bias force today")
        return values

    found, failures = engine_identities(in_house_answers(ROBOT), [Spoilt(spoil)], states_for_laws(SPEC, STATES_OF_RUN))
    assert [(failure.engine, failure.quantity) for failure in failures] == [("spoilt", "bias_force")]
    assert "no bias force today" in failures[0].message
    assert {identity.law for identity in found} == CORE_LAWS - {FORCES, MOTION}
    assert all(identity.holds for identity in found)


def test_the_states_are_near_moving_and_ordinary() -> None:
    at = states_for_laws(SPEC, STATES_OF_RUN)
    assert at.kind == ("generic",) * STATES
    rest = replace(STATES_OF_RUN, v=0.0 * STATES_OF_RUN.v)
    assert np.all(np.any(states_for_laws(SPEC, rest).v, axis=1))
    far = [i for i, kind in enumerate(STATES_OF_RUN.kind) if kind == "far"]
    some = States(
        *(getattr(STATES_OF_RUN, part)[[*far, 0]] for part in ("q", "v", "tau", "index")), ("far",) * len(far) + ("rest",)
    )
    assert "rest" in states_for_laws(SPEC, some).kind


def test_far_from_the_origin_as_much_is_excused_as_in_a_comparison() -> None:
    """Without that allowance two engines would break three laws here, by up to twice what is allowed."""
    near = STATES_OF_RUN[:STATES]
    q = near.q.copy()
    q[:, :3] += 1e4 * np.array([1.0, 0.7, 0.3])
    at = states_for_laws(SPEC, replace(near, q=q, kind=("far",) * STATES))
    engines = [make_engine(name, SPEC) for name in ENGINE_NAMES if name != "mujoco-urdf"]
    assert all(identity.holds for identity in engine_identities(in_house_answers(ROBOT), engines, at).identities)


def in_house_laws(robot: str) -> list[Identity]:
    spec = load(robot)
    return list(in_house.in_house_identities(spec, states_for_laws(spec, generated_states(spec, 16, 0, 0))))


@pytest.mark.parametrize("robot", ["mini_cheetah", "random:2", "random:11"])
def test_the_in_house_code_keeps_its_laws_in_extended_precision(robot: str) -> None:
    found = in_house_laws(robot)
    assert all(identity.holds for identity in found)
    assert {identity.engine for identity in found} == {in_house.NAME}
    with_points = any(point.computed for point in load(robot).contact_points)
    of_points = {words for words, names, *_ in in_house.LAWS if any(name.startswith("contact") for name in names)}
    expected = {words for words, *_ in in_house.LAWS if with_points or words not in of_points}
    assert {identity.law for identity in found} == expected | {"double-double = balls", "closed forms of the two-link arm"}


@pytest.mark.parametrize(
    ("function", "laws"),
    [
        ("mass_matrix", 6),
        ("gravity_force", 4),
        ("coriolis_force", 3),
        ("contact_jacobians", 4),
        ("contact_bias_accelerations", 1),
        ("kinetic_energy", 1),
        ("potential_energy", 1),
        ("forward_dynamics", 2),
    ],
)
def test_an_error_of_the_in_house_code_of_1e_20_is_seen(function: str, laws: int, monkeypatch: pytest.MonkeyPatch) -> None:
    right = getattr(reference, function)

    class Altered:
        """The in-house code with one function altered where a law asks for it; functions that call it themselves stay right."""

        def __getattr__(self, name: str) -> object:
            return getattr(reference, name)

    altered = Altered()
    setattr(altered, function, lambda *given: right(*given) * (1 + in_house.arb(1e-20)))
    monkeypatch.setattr(in_house, "reference", altered)
    found = in_house_laws("two_link_arm")
    assert sum(not identity.holds for identity in found) == laws


def test_all_of_it_fits_a_record() -> None:
    spec = load("two_link_arm")
    found = identities(make_engine_set(spec, ["reference"], CORE, False), generated_states(spec, 16, 0, 0)).identities
    assert len({(identity.engine, identity.law) for identity in found}) == len(found) == len(CORE_LAWS) + len(in_house.LAWS) + 2


def test_the_in_house_code_is_checked_once_for_a_robot_and_states(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    checked: list[str] = []
    check = in_house.in_house_identities

    def counted(spec: RobotSpec, states: States) -> Iterator[Identity]:
        checked.append(spec.name)
        return check(spec, states)

    monkeypatch.setattr(in_house, "in_house_identities", counted)
    arm, leg = load("two_link_arm"), load("pupper_leg")
    heavy = replace(arm, bodies=(replace(arm.bodies[0], joint=replace(arm.bodies[0].joint, armature=1.0)), *arm.bodies[1:]))

    def found(spec: RobotSpec, seed: int) -> list[Identity]:
        own = identities(make_engine_set(spec, ["reference"], ("mass_matrix",), False), generated_states(spec, 16, seed, 0))
        return [identity for identity in own.identities if identity.engine == in_house.NAME]

    first = found(arm, 0)
    assert found(arm, 0) == first
    assert [identity.law for identity in first[: len(in_house.LAWS)]] == [words for words, *_ in in_house.LAWS]
    assert checked == ["two_link_arm"]
    for spec, seed in ((arm, 1), (leg, 0), (heavy, 0)):
        assert found(spec, seed) != first
    assert len(checked) == 4
    monkeypatch.setattr(module, "_law_sources", lambda: "other")
    found(arm, 0)
    assert len(checked) == 5
