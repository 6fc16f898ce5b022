"""One unit in all engines: the same numbers in any block; what fails is named and takes nothing else down."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from leapcheck.compare.bench import Bench, bench, unit_outcome
from leapcheck.compare.run import Plan
from leapcheck.compare.tally import PairTally, comparison
from leapcheck.engines.protocol import Answers
from leapcheck.engines.reference_engine import ReferenceEngine
from leapcheck.engines.registry import ENGINE_NAMES
from leapcheck.quantities import QUANTITIES
from leapcheck.states import States, generated_states
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec

ALL = tuple(QUANTITIES)


class Wrapped:
    """The in-house dynamics under another name, to be spoilt."""

    route = "wrapped"
    version = "0"

    def __init__(self, name: str, spec: RobotSpec) -> None:
        self.name = name
        self.quantities = frozenset({"mass_matrix", "bias_force", "kinetic_energy"})
        self._inside = ReferenceEngine(spec)

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        return self._inside.evaluate(states, quantities)


class Refusing(Wrapped):
    """Fails as soon as the bias force is among the quantities."""

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        if "bias_force" in quantities:
            raise IndexError("row 7\nof 6")
        return super().evaluate(states, quantities)


class Short(Wrapped):
    """Leaves the last state out of the bias force."""

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        found = super().evaluate(states, quantities)
        return {name: values[:-1] if name == "bias_force" else values for name, values in found.items()}


def tallies(at: Bench, states: States) -> dict[tuple[str, str, str], PairTally]:
    outcome = unit_outcome(at, states, ALL)
    assert outcome.failures == []
    return outcome.tallies


def test_every_pair_is_compared_once_the_later_engine_against_the_earlier() -> None:
    spec = load("two_link_arm")
    at = bench(spec, ENGINE_NAMES)
    assert (at.failures, at.not_compared) == ((), ())
    found = tallies(at, generated_states(spec, 5, 0, 0))
    pairs = [(engine, against) for quantity, engine, against in found if quantity == "mass_matrix"]
    assert sorted(pairs) == sorted((ENGINE_NAMES[j], ENGINE_NAMES[i]) for i in range(5) for j in range(i + 1, 5))
    assert [(engine, against) for quantity, engine, against in found if quantity == "qM"] == [("mujoco", "reference")]
    assert {quantity for quantity, _, _ in found} == set(ALL)


@pytest.mark.parametrize("robot", ["tree4_9", "random:2"])
def test_a_state_gives_the_same_in_any_block(robot: str) -> None:
    spec = load(robot)
    at = bench(spec, ENGINE_NAMES)
    states = generated_states(spec, 64, 0, 0)
    whole = tallies(at, states)
    parts = [tallies(at, states[rows]) for rows in (slice(0, 24), slice(24, 25), slice(25, 64))]
    for pair, tally in whole.items():
        first, *others = (part[pair] for part in parts)
        for other in others:
            first.merge(other)
        assert comparison(spec, *pair, first) == comparison(spec, *pair, tally)


def test_a_robot_without_contact_points_has_no_contact_quantities() -> None:
    spec = load("random:44")
    found = tallies(bench(spec, ("reference", "mujoco")), generated_states(spec, 3, 0, 0))
    assert {quantity for quantity, _, _ in found} == {name for name in ALL if not name.startswith("contact")}


def test_the_in_house_answers_scale_also_where_they_are_not_compared() -> None:
    spec = load("two_link_arm")
    at = bench(spec, ("mujoco", "pinocchio"))
    assert [row.name for row in at.rows] == ["mujoco", "pinocchio"]
    found = tallies(at, generated_states(spec, 5, 0, 0))
    with_reference = tallies(bench(spec, ("reference", "mujoco", "pinocchio")), generated_states(spec, 5, 0, 0))
    pair = ("mass_matrix", "pinocchio", "mujoco")
    assert comparison(spec, *pair, found[pair]) == comparison(spec, *pair, with_reference[pair])


def test_what_a_file_format_cannot_hold_is_not_compared() -> None:
    at = bench(load("random:3"), ENGINE_NAMES)
    assert [engine.name for engine in at.engines] == ["reference", "mujoco", "pinocchio", "pinocchio-mjcf"]
    assert at.failures == ()
    assert len(at.not_compared) == 1
    assert "mujoco-urdf" in at.not_compared[0]
    assert "ball joint" in at.not_compared[0]


@pytest.mark.parametrize("target", ["faulty:raising_factory", "faulty:missing", "faulty:number", "faulty:nothing", "nowhere:f"])
def test_an_engine_that_cannot_be_made_leaves_the_others(target: str) -> None:
    at = bench(load("two_link_arm"), ("reference", target, "mujoco"))
    assert [engine.name for engine in at.engines] == ["reference", "mujoco"]
    assert [(failure.engine, failure.quantity) for failure in at.failures] == [(target, "")]
    assert target in at.failures[0].message


def test_one_failing_quantity_takes_no_other_down() -> None:
    spec = load("two_link_arm")
    outcome = unit_outcome(bench(spec, ("reference", Refusing("own", spec))), generated_states(spec, 5, 0, 0), ALL)
    assert {quantity for quantity, _, _ in outcome.tallies} == {"mass_matrix", "kinetic_energy"}
    assert [(f.engine, f.quantity) for f in outcome.failures] == [("own", "bias_force")]
    assert outcome.failures[0].message == "engine 'own' failed on bias_force: IndexError: row 7 of 6"


def test_an_answer_of_another_shape_is_a_failure() -> None:
    spec = load("two_link_arm")
    outcome = unit_outcome(bench(spec, ("reference", Short("own", spec))), generated_states(spec, 5, 0, 0), ALL)
    assert {quantity for quantity, _, _ in outcome.tallies} == {"mass_matrix", "kinetic_energy"}
    assert [(f.engine, f.quantity) for f in outcome.failures] == [("own", "bias_force")]


def test_unknown_engine() -> None:
    with pytest.raises(ValueError, match="unknown engine 'bullet': use one of reference, mujoco"):
        bench(load("two_link_arm"), ("reference", "bullet"))


@pytest.mark.parametrize(("change", "words"), [
    ({"count": 0}, "0 states: give at least 1"),
    ({"seed": -1}, "the seed is -1: give a whole number from 0"),
    ({"only": 32}, "state 32 is not among the 32 states: give 0 to 31"),
    ({"only": -1}, "state -1 is not among the 32 states"),
    ({"quantities": ("mass",)}, "unknown quantity 'mass': use one of mass_matrix"),
    ({"engines": ("mujoco",)}, "1 engines: give at least two"),
    ({"engines": ()}, "0 engines: give at least two"),
    ({"engines": ("mujoco", "reference", "mujoco")}, "engine 'mujoco' is given twice"),
    ({"spec": RobotSpec("empty")}, "robot 'empty' has nothing that moves: add a body"),
])  # fmt: skip
def test_a_plan_that_cannot_be_carried_out(change: dict[str, object], words: str) -> None:
    plan = {"robot": "two_link_arm", "spec": load("two_link_arm"), "count": 32} | change
    with pytest.raises(ValueError, match=words):
        Plan(**plan)


def test_a_plan_counts_the_states_of_a_file() -> None:
    spec = load("two_link_arm")
    states = generated_states(spec, 7, 0, 0)
    assert Plan("two_link_arm", spec, states=states).total == 7
    with pytest.raises(ValueError, match="state 7 is not among the 7 states"):
        Plan("two_link_arm", spec, states=states, only=7)
    assert np.array_equal(Plan("two_link_arm", spec, states=states).unit(0).q, states.q)
