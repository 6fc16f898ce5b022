"""One block in all engines: the same numbers in any block; what fails is named and takes nothing else down."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from leapcheck.comparison.engine_set import EngineSet, make_engine_set
from leapcheck.comparison.plan import Plan
from leapcheck.comparison.results import TRUTH, BlockResult, block_result
from leapcheck.comparison.tally import TallyRow
from leapcheck.engines.protocol import Answers
from leapcheck.engines.registry import ENGINE_NAMES
from leapcheck.judge.figures import Figures, run_figures
from leapcheck.quantities import DEFAULT
from leapcheck.records import Verdict
from leapcheck.robots.load import NamedRobot, named_robot
from leapcheck.sampling import STATE_PARTS, UNIT, States, generated_states, join_states
from leapcheck.study import run_comparison
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec
from tests.harness.comparison.wrapped import Wrapped

ALL = DEFAULT
THREE = ("mass_matrix", "bias_force", "kinetic_energy")


class Refusing(Wrapped):
    """Fails as soon as the bias force is among the quantities."""

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        if "bias_force" in quantities:
            raise IndexError("row 7\nof 6")
        return super().evaluate(states, quantities)


class Closed(Wrapped):
    """Has no bias force at one state."""

    index = UNIT + 3

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        if "bias_force" in quantities and self.index in states.index:
            raise ArithmeticError(f"no answer at {self.index}")
        return super().evaluate(states, quantities)


def short(name: str, values: Floats, _states: States) -> Floats:
    """Leaves the last state out of the bias force."""
    return values[:-1] if name == "bias_force" else values


def wide(name: str, values: Floats, _states: States) -> Floats:
    """The bias force as a column."""
    return values[:, :, None] if name == "bias_force" else values


def rows(found: BlockResult) -> list[TallyRow]:
    return [row for tally in found.tallies.values() for row in tally.rows]


def figures(at: EngineSet, states: States, cuts: Sequence[int] = ()) -> Figures:
    """The figures of the states, cut into blocks at these numbers."""
    total = BlockResult()
    for start, end in zip([0, *cuts], [*cuts, len(states)], strict=True):
        total.merge(block_result(at, states[start:end]))
    assert total.failures == []
    return run_figures(at, total)


def test_every_pair_is_compared_once_the_later_engine_against_the_earlier() -> None:
    spec = load("two_link_arm")
    at = make_engine_set(spec, ENGINE_NAMES, ALL, compile_code=False)
    assert (at.failures, at.not_compared) == ((), ())
    found = rows(block_result(at, generated_states(spec, 5, 0, 0)))
    assert len(found) == len(set(found))
    pairs = [(row.engine, row.against) for row in found if row.quantity == "mass_matrix" and row.against != TRUTH]
    assert sorted(pairs) == sorted((ENGINE_NAMES[j], ENGINE_NAMES[i]) for i in range(5) for j in range(i + 1, 5))
    assert [row[1:] for row in found if row.quantity == "qM"] == [
        ("mujoco", "reference"),
        ("reference", TRUTH),
        ("mujoco", TRUTH),
    ]
    assert {row.quantity for row in found} == set(ALL)


def test_every_engine_is_held_against_the_truth_in_every_quantity() -> None:
    spec = load("two_link_arm")
    at = make_engine_set(spec, ENGINE_NAMES, ALL, compile_code=False)
    found = rows(block_result(at, generated_states(spec, 5, 0, 0)))
    true = {(row.quantity, row.engine) for row in found if row.against == TRUTH}
    assert true == {(name, engine.name) for engine in at.engines for name in engine.quantities if name in DEFAULT}


@pytest.mark.parametrize("compile_code", [False, True])
@pytest.mark.parametrize("robot", ["tree4_9", "box"])
def test_a_state_gives_the_same_in_any_block(robot: str, compile_code: bool) -> None:
    spec = load(robot)
    at = make_engine_set(
        spec, ("reference", "mujoco", "pinocchio"), ("mass_matrix", "forward_dynamics", "contact_jacobians"), compile_code
    )
    states = generated_states(spec, 64, 0, 0)
    whole = figures(at, states)
    for cuts in ((24, 25), (13, 15, 29, 31), (8, 16, 48)):  # 13, 14, 29 and 30 are far: blocks of these alone
        assert figures(at, states, cuts) == whole


def test_a_robot_without_contact_points_has_no_contact_quantities() -> None:
    spec = load("random:44")
    found = rows(
        block_result(make_engine_set(spec, ("reference", "mujoco"), ALL, compile_code=False), generated_states(spec, 3, 0, 0))
    )
    assert {row.quantity for row in found} == {name for name in ALL if not name.startswith("contact")}


def test_the_in_house_answers_scale_also_where_they_are_not_compared() -> None:
    spec = load("two_link_arm")
    states = generated_states(spec, 5, 0, 0)
    without = make_engine_set(spec, ("mujoco", "pinocchio"), THREE, compile_code=False)
    assert [row.name for row in without.rows] == ["mujoco", "pinocchio"]
    with_reference = make_engine_set(spec, ("reference", "mujoco", "pinocchio"), THREE, compile_code=False)
    kept = [row for row in figures(with_reference, states).comparisons if row.against == "mujoco"]
    assert list(figures(without, states).comparisons) == kept


def test_what_a_file_format_cannot_hold_is_not_compared() -> None:
    at = make_engine_set(load("random:3"), ENGINE_NAMES, ("mass_matrix",), compile_code=False)
    assert [engine.name for engine in at.engines] == ["reference", "mujoco", "pinocchio", "pinocchio-mjcf"]
    assert at.failures == ()
    assert len(at.not_compared) == 1
    assert "mujoco-urdf" in at.not_compared[0]
    assert "ball joint" in at.not_compared[0]


@pytest.mark.parametrize("target", ["faulty:raising_factory", "faulty:missing", "faulty:number", "faulty:nothing", "nowhere:f"])
def test_an_engine_that_cannot_be_made_leaves_the_others(target: str) -> None:
    at = make_engine_set(load("two_link_arm"), ("reference", target, "mujoco"), ("mass_matrix",), compile_code=False)
    assert [engine.name for engine in at.engines] == ["reference", "mujoco"]
    assert [(failure.engine, failure.quantity) for failure in at.failures] == [(target, "")]
    assert target in at.failures[0].message


def own(engine: Wrapped, spec: RobotSpec, states: States, compile_code: bool = False) -> BlockResult:
    """The outcome of the engine beside the reference."""
    return block_result(make_engine_set(spec, ("reference", engine), THREE, compile_code), states)


@pytest.mark.parametrize("compile_code", [False, True])
def test_one_failing_quantity_takes_no_other_down(compile_code: bool) -> None:
    spec = load("two_link_arm")
    found = own(Refusing(spec, quantities=THREE), spec, generated_states(spec, 5, 0, 0), compile_code)
    assert {row.quantity for row in rows(found) if row.engine == "own"} == {"mass_matrix", "kinetic_energy"}
    assert [(f.engine, f.quantity) for f in found.failures] == [("own", "bias_force")]
    assert found.failures[0].message == "engine 'own' failed on bias_force at state 0: IndexError: row 7 of 6"


@pytest.mark.parametrize(("spoil", "words"), [
    (short, "engine 'own': bias_force has shape (4, 2), the in-house answers (5, 2): the models differ in size, or states"),
    (wide, "engine 'own': bias_force has shape (5, 2, 1), the in-house answers (5, 2): the models differ in size, or states"),
])  # fmt: skip
def test_an_answer_of_another_shape_is_a_failure(spoil: object, words: str) -> None:
    spec = load("two_link_arm")
    found = own(Wrapped(spec, spoil, THREE), spec, generated_states(spec, 5, 0, 0))
    assert {row.quantity for row in rows(found) if row.engine == "own"} == {"mass_matrix", "kinetic_energy"}
    assert [(f.engine, f.quantity) for f in found.failures] == [("own", "bias_force")]
    assert words in found.failures[0].message


def test_a_failure_takes_the_quantity_out_of_its_unit_and_of_no_other() -> None:
    spec = load("two_link_arm")
    states = join_states([generated_states(spec, 3 * UNIT, 0, unit) for unit in range(3)])
    at = make_engine_set(spec, ("reference", Closed(spec, quantities=THREE)), THREE, compile_code=False)
    total = block_result(at, states)
    assert [(f.engine, f.quantity) for f in total.failures] == [("own", "bias_force")]
    counts = {row.quantity: (row.states, sum(row.histogram)) for row in run_figures(at, total).comparisons}
    assert counts == {name: (n, n) for name, n in zip(THREE, (3 * UNIT, 2 * UNIT, 3 * UNIT), strict=True)}


def test_comparisons_come_in_the_order_of_quantities_and_engines_whatever_failed_first() -> None:
    spec = load("two_link_arm")
    closed = Closed(spec, quantities=THREE, name="closed")
    closed.index = 5
    states = join_states([generated_states(spec, 2 * UNIT, 0, unit) for unit in range(2)])
    at = make_engine_set(spec, ("reference", closed, Wrapped(spec, quantities=THREE)), THREE, compile_code=False)
    found = run_figures(at, block_result(at, states))
    pairs = [("closed", "reference"), ("own", "reference"), ("own", "closed")]
    assert [(row.quantity, row.engine, row.against) for row in found.comparisons] == [(n, *pair) for n in THREE for pair in pairs]
    assert [(row.quantity, row.engine) for row in found.accuracies] == [
        (n, e) for n in THREE for e in ("reference", "closed", "own")
    ]
    assert [(heat.engine, heat.against) for heat in found.heat_maps] == pairs


def test_unknown_engine() -> None:
    with pytest.raises(ValueError, match="unknown engine 'bullet': use one of reference, mujoco"):
        make_engine_set(load("two_link_arm"), ("reference", "bullet"), ALL, compile_code=False)


@pytest.mark.parametrize(("change", "words"), [
    ({"count": 0}, "0 states: give at least 1"),
    ({"seed": -1}, "the seed is -1: give a whole number from 0"),
    ({"only": 32}, "state 32 is not among the 32 states: give 0 to 31"),
    ({"only": -1}, "state -1 is not among the 32 states"),
    ({"quantities": ("mass",)}, "unknown quantity 'mass': use one of mass_matrix"),
    ({"engines": ("mujoco",)}, "1 engines: give at least two"),
    ({"engines": ()}, "0 engines: give at least two"),
    ({"engines": ("mujoco", "reference", "mujoco")}, "engine 'mujoco' is given twice"),
    ({"robot": NamedRobot(RobotSpec("empty"))}, "robot 'empty' has nothing that moves: add a body"),
])  # fmt: skip
def test_a_plan_that_cannot_be_carried_out(change: dict[str, object], words: str) -> None:
    plan = {"robot": named_robot("two_link_arm"), "count": 32} | change
    with pytest.raises(ValueError, match=words):
        Plan(**plan)


def test_a_plan_counts_the_states_of_a_file() -> None:
    spec = load("two_link_arm")
    states = generated_states(spec, 7, 0, 0)
    assert Plan(NamedRobot(spec), states=states).total == 7
    with pytest.raises(ValueError, match="state 7 is not among the 7 states"):
        Plan(NamedRobot(spec), states=states, only=7)
    assert np.array_equal(Plan(NamedRobot(spec), states=states).unit(0).q, states.q)


@pytest.mark.parametrize(("quantity", "taken"), [("bias_force", False), ("inverse_dynamics", True)])
def test_accelerations_are_drawn_where_a_quantity_takes_them(quantity: str, taken: bool) -> None:
    plan = Plan(NamedRobot(load("two_link_arm")), quantities=(quantity,), count=2 * UNIT)
    whole, needed = plan.block((0, 1)), plan.needed_block((0, 1))
    assert whole.vdot.any()
    assert np.array_equal(needed.vdot, whole.vdot if taken else np.zeros_like(whole.vdot))
    assert all(np.array_equal(getattr(needed, part), getattr(whole, part)) for part in STATE_PARTS if part != "vdot")


def test_an_engine_that_uses_accelerations_where_it_should_not_is_found() -> None:
    def with_acceleration(name: str, values: Floats, states: States) -> Floats:
        return values + 1e-3 * states.vdot if name == "bias_force" else values

    spec = load("two_link_arm")
    plan = Plan(NamedRobot(spec), ("reference", Wrapped(spec, with_acceleration)), ("mass_matrix", "bias_force"), UNIT)
    verdicts = {row.quantity: row.verdict for row in run_comparison(plan).comparisons}
    assert verdicts == {"mass_matrix": Verdict.AGREE, "bias_force": Verdict.DISCREPANCY}


SECOND_RUN = """
from leapcheck.comparison.engine_set import make_engine_set
from leapcheck.quantities import DEFAULT
from leapcheck.records import Verdict
from leapcheck.engines.registry import ENGINE_NAMES
from leapcheck_models.robots import load
make_engine_set(load("two_link_arm"), ENGINE_NAMES, DEFAULT, compile_code=False)
"""


def test_another_process_finds_every_program(tmp_path: Path) -> None:
    """Nothing in a key may depend on the order of a set, or on which values are one object."""
    made = []
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "LEAPCHECK_CACHE": str(tmp_path)}
        subprocess.run([sys.executable, "-c", SECOND_RUN], check=True, env=environment)
        made.append({path.name for path in tmp_path.iterdir()})
    assert made[0] == made[1]
