"""Engines in slots: conventions traced around an engine's own numbers give what it evaluates, and are checked in a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import pytest

from leapcheck.comparison.engine_set import make_engine_set
from leapcheck.comparison.in_house import InHouse
from leapcheck.comparison.participants import SAMPLE, AnsweringEngine, OwnNumbers, participants
from leapcheck.comparison.plan import Plan, blocks
from leapcheck.comparison.results import block_result
from leapcheck.coordinates.conventions import configuration
from leapcheck.engines.mujoco.engine import MujocoEngine
from leapcheck.engines.pinocchio.engine import PinocchioEngine
from leapcheck.engines.projection import Assembly, OwnStates
from leapcheck.engines.registry import make_engine
from leapcheck.quantities import DEFAULT, QUANTITIES
from leapcheck.robots.load import NamedRobot, named_robot
from leapcheck.sampling import UNIT, States, generated_states
from leapcheck.study import run_comparison
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import ROBOTS, load
from tests.harness.comparison.run_cases import run_of

CANONICAL = tuple(name for name in DEFAULT if not QUANTITIES[name].in_mujoco_coordinates)
STORAGE = tuple(name for name, quantity in QUANTITIES.items() if quantity.in_mujoco_coordinates)
FEW = ("two_link_arm", "tree4_9", "random:32", "random:2", "random:29")  # with rotors, without, balls and free bases
OTHERS = [pytest.param(name, marks=pytest.mark.slow) for name in (*ROBOTS, "random:27", "random:30") if name not in FEW]

BOTH_WAYS = 1e-13
"""Largest difference of the two ways, relative to the largest entry, per metre from the origin: measured 6e-15."""


def near(states: States) -> Floats:
    """Reach (n,) of each state: 1 and the largest position, m."""
    return 1.0 + np.abs(states.q).max(axis=1)


@pytest.mark.parametrize(("name", "quantities"), [("mujoco", CANONICAL), ("pinocchio", CANONICAL), ("mujoco", STORAGE)])
@pytest.mark.parametrize("robot", [*FEW, *OTHERS])
def test_an_engines_own_numbers_make_what_it_evaluates(robot: str, name: str, quantities: tuple[str, ...]) -> None:
    spec = load(robot)
    engine = make_engine(name, spec)
    in_house = InHouse(spec, tuple(n for n in quantities if n in engine.quantities), compile_code=False)
    states = generated_states(spec, 40, 3, 0)
    parts = participants(engine, in_house)
    assert {quantity for part in parts for quantity in part.quantities} == set(in_house.quantities) & engine.quantities
    for part in parts:
        rows = part(states).swapaxes(1, 2).reshape(-1, in_house.slot_count)
        answers = engine.evaluate(states, part.quantities)
        for quantity in part.quantities:
            at = in_house.slot_map.of[quantity]
            values = answers[quantity].reshape(len(states), -1)
            mine = rows[:, at.range]
            theirs = values[:, list(at.first)] * at.factor.ravel()[list(at.first)]
            reach = near(states) * np.maximum(1.0, np.abs(values).max(axis=1, initial=0.0))
            assert (np.abs(mine - theirs).max(axis=1, initial=0.0) <= BOTH_WAYS * reach).all(), quantity


def test_what_is_traced_and_what_is_asked_for() -> None:
    without, rotors = load("random:32"), load("random:2")
    for spec, solved in ((without, {"forward_dynamics"}), (rotors, set())):
        engine = make_engine("pinocchio", spec)
        parts = participants(engine, InHouse(spec, ("mass_matrix", "forward_dynamics"), compile_code=False))
        own = {name for part in parts if isinstance(part, OwnNumbers) for name in part.quantities}
        asked = {name for part in parts if isinstance(part, AnsweringEngine) for name in part.quantities}
        assert (own, asked) == ({"mass_matrix"} | solved, {"forward_dynamics"} - solved)


def test_one_quantity_alone_has_the_same_slots() -> None:
    spec = load("tree4_9")
    states = generated_states(spec, 12, 0, 0)
    in_house = InHouse(spec, ("mass_matrix", "bias_force", "contact_inertia"), compile_code=False)
    for part in participants(make_engine("mujoco", spec), in_house):
        together = part(states).copy()
        for name in part.quantities:
            alone, at = part.one(name, states), in_house.slot_map.of[name].range
            assert np.array_equal(alone[:, at], together[:, at])
            others = np.ones(in_house.slot_map.count, dtype=bool)
            others[at] = False
            assert not alone[:, : in_house.slot_map.count][:, others].any()


@dataclass(frozen=True)
class OffBy:
    """What an assembly makes, and a little more."""

    made: Callable[..., Floats]
    size: float

    def __call__(self, *raw: Floats) -> Floats:
        return self.made(*raw) + self.size


def make_wrong(monkeypatch: pytest.MonkeyPatch, engine: type, name: str, size: float = 1e-12) -> None:
    """Makes the engine's recipe of one number wrong."""
    right = engine.assembly.fget

    def assembly(self: object) -> dict[str, Assembly]:
        recipes = dict(right(self))
        return {**recipes, name: Assembly(recipes[name].raw, OffBy(recipes[name].assemble, size))}

    monkeypatch.setattr(engine, "assembly", property(assembly))


WRONG = [
    ("mujoco", MujocoEngine, "M", {"mass_matrix"}),
    ("pinocchio", PinocchioEngine, "J", {"contact_jacobians"}),
    ("pinocchio", PinocchioEngine, "p", {"contact_positions"}),
]


@pytest.mark.parametrize(
    ("name", "engine", "number", "quantities", "block_units"),
    [
        *((*wrong, 1) for wrong in WRONG),
        *(pytest.param(*wrong, 3, marks=[pytest.mark.slow] if k else []) for k, wrong in enumerate(WRONG)),
    ],
)
def test_a_wrong_assembly_is_a_failure_of_ours(
    name: str, engine: type, number: str, quantities: set[str], block_units: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_wrong(monkeypatch, engine, number)
    asked = ("mass_matrix", "bias_force", "contact_positions", "contact_jacobians", "kinetic_energy")
    plan = Plan(named_robot("pupper_leg"), ("reference", name), asked, 3 * UNIT, block_units=block_units)
    run = run_comparison(plan)
    assert run.exit_status == 2
    assert {(f.engine, f.quantity) for f in run.failures} == {(name, quantity) for quantity in quantities}
    for failure in run.failures:
        assert f"engine '{name}': {number} as assembled by leapcheck is off the engine's own call by" in failure.message
        assert "please report it with the robot" in failure.message
    # The unit with the sample has no answer; without it the error would be too small to be found.
    assert {row.quantity: row.states for row in run.comparisons} == {n: (2 if n in quantities else 3) * UNIT for n in asked}


def test_a_right_assembly_is_none() -> None:
    for robot in ("pupper_leg", "random:2"):
        assert run_of(robot, ("reference", "mujoco", "pinocchio"), ("mass_matrix", "contact_jacobians"), 3).failures == ()


def test_what_cancels_in_an_acceleration_is_no_wrong_assembly() -> None:
    """A state of a soak: w x v is 1e2 where Jdot v is 1, and both ways are off by rounding of the former."""
    spec, unit = load("random:508140907"), 1280
    (participant,) = participants(
        make_engine("pinocchio-mjcf", spec), InHouse(spec, ("contact_bias_accelerations",), compile_code=False)
    )
    states = generated_states(spec, unit * UNIT + 2, 76244, unit)
    assert len(states) == 2
    assert np.isfinite(participant(states)).all()


@pytest.mark.parametrize("block_units", [1, 2, 3])
def test_the_engines_own_calls_are_asked_at_the_same_states_whatever_the_blocks(
    block_units: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leapcheck.comparison.participants.SAMPLE_EVERY", 2)
    asked: list[Floats] = []
    right = PinocchioEngine.own_calls

    def own_calls(self: PinocchioEngine, at: OwnStates, names: Iterable[str]) -> dict[str, Floats]:
        asked.append(at.q)
        return right(self, at, names)

    monkeypatch.setattr(PinocchioEngine, "own_calls", own_calls)
    spec = load("two_link_arm")
    at = make_engine_set(spec, ("reference", "pinocchio"), ("contact_jacobians",), compile_code=False)
    plan = Plan(NamedRobot(spec), ("reference", "pinocchio"), ("contact_jacobians",), 5 * UNIT, block_units=block_units)
    for block in blocks(plan):
        assert block_result(at, block).failures == []
    first = np.concatenate([plan.unit(unit).q[:SAMPLE] for unit in (0, 2, 4)])
    expected = configuration(make_engine("pinocchio", spec).convention, first)  # here by NumPy's sines
    assert np.concatenate(asked) == pytest.approx(expected, abs=1e-15)
