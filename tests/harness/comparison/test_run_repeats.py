"""Whole comparisons depend on nothing but the plan: not on processes, not on the number of states, not on which are asked."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from leapcheck.comparison.engine_set import EngineSet, make_engine_set
from leapcheck.comparison.execution import Resources
from leapcheck.comparison.plan import BLOCK, BLOCK_ENTRIES, Plan, blocks, jobs
from leapcheck.engines.registry import ENGINE_NAMES
from leapcheck.report.comparison.results import run_json
from leapcheck.robots.load import NamedRobot, named_robot
from leapcheck.sampling import UNIT, States, generated_states, join_states
from leapcheck.study import run_comparison
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import ROBOTS, load
from leapcheck_models.spec import RobotSpec
from tests.harness.comparison.run_cases import LEG, OURS, exact_figures, run_of, without_truth
from tests.harness.comparison.wrapped import Spoil, Wrapped, with_entry

FAILING = (*OURS, "faulty:gravity_off", "faulty:not_a_number", "faulty:seldom_right", "faulty:raising_factory")
COUNT = 2 * UNIT + 40


def long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes a run of a few states behave as one of many: compiled code, a job for each block, processes where asked for."""
    monkeypatch.setattr("leapcheck.comparison.plan.COMPILED_FROM", 1)
    monkeypatch.setattr("leapcheck.comparison.plan.LONG_FROM", 1)
    monkeypatch.setattr("leapcheck.comparison.plan.JOB", 1)


FAILING_PLAN = Plan(named_robot("two_link_arm"), FAILING, ("mass_matrix", "bias_force"), COUNT, block_units=1)
"""Engines err, fail at some states or cannot be made."""


@cache
def engines_of_failing_plan(compile_code: bool) -> EngineSet:
    return make_engine_set(FAILING_PLAN.spec, FAILING, FAILING_PLAN.quantities, compile_code)


@cache
def figures_of_failing_plan() -> str:
    """By NumPy, unit by unit."""
    return exact_figures(FAILING_PLAN, engines_of_failing_plan(compile_code=False))


@pytest.mark.parametrize("block_units", [2, 8])
def test_the_size_of_blocks_changes_no_bit(block_units: int) -> None:
    plan = replace(FAILING_PLAN, block_units=block_units)
    assert exact_figures(plan, engines_of_failing_plan(compile_code=False)) == figures_of_failing_plan()


@pytest.mark.quick
@pytest.mark.parametrize(("entries", "expected"), [(BLOCK_ENTRIES, BLOCK), (3 * 117 + 116, 3), (116, 1)])
def test_blocks_have_fewer_units_where_M_has_more_entries(entries: int, expected: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the Mini Cheetah's M 117 entries of the lower triangle are not zero: a block takes so many of each unit."""
    monkeypatch.setattr("leapcheck.comparison.plan.BLOCK_ENTRIES", entries)
    assert Plan(named_robot("mini_cheetah")).block_units == expected


@pytest.mark.parametrize("block_units", [1, 3])
def test_compiled_code_changes_no_bit(block_units: int, monkeypatch: pytest.MonkeyPatch) -> None:
    long(monkeypatch)
    plan = replace(FAILING_PLAN, block_units=block_units)
    assert plan.is_long
    assert plan.is_compiled
    assert exact_figures(plan, engines_of_failing_plan(compile_code=True)) == figures_of_failing_plan()


def test_the_number_of_processes_changes_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the judge finds in the figures too."""
    run = run_comparison(FAILING_PLAN)
    assert run.provenance.states == COUNT
    assert {d.engine for d in run.discrepancies} == {"faulty:gravity_off", "faulty:seldom_right"}
    assert [(failure.engine, failure.quantity) for failure in run.failures] == [
        ("faulty:not_a_number", "bias_force"),
        ("faulty:seldom_right", "bias_force"),
        ("faulty:raising_factory", ""),
    ]
    counts = {(row.quantity, row.engine): row.states for row in run.comparisons if row.against == "reference"}
    assert counts["bias_force", "mujoco"] == counts["mass_matrix", "faulty:seldom_right"] == COUNT
    assert 0 < counts["bias_force", "faulty:seldom_right"] < COUNT  # without the units in which it failed
    long(monkeypatch)
    seen: list[tuple[int, int]] = []
    elsewhere = run_comparison(
        replace(FAILING_PLAN, block_units=2), Resources(workers=2), lambda done, total: seen.append((done, total))
    )
    assert run_json(elsewhere) == run_json(run)
    assert seen == [(1, 2), (2, 2)]


@pytest.mark.parametrize(
    "robot", ["tree4_9", "random:32", *(pytest.param(name, marks=pytest.mark.slow) for name in ROBOTS if name != "tree4_9")]
)
def test_neither_changes_a_bit_of_any_quantity(robot: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = load(robot)
    plan = Plan(NamedRobot(spec, robot), OURS, count=2 * UNIT + 9, block_units=3)
    record = run_json(run_comparison(plan))
    long(monkeypatch)
    assert run_json(run_comparison(replace(plan, block_units=1))) == record


def test_nor_does_code_that_is_too_long_to_be_compiled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Some programs of a run are then compiled and others are not."""
    plan = Plan(named_robot("random:32"), OURS, ("mass_matrix", "bias_force", "contact_inertia"), UNIT + 9)
    record = run_json(run_comparison(plan))
    long(monkeypatch)
    monkeypatch.setenv("LEAPCHECK_CACHE", str(tmp_path))
    monkeypatch.setattr("leapcheck_reference.trace.compiled_program.LONGEST", 2000)
    assert run_json(run_comparison(plan)) == record


def own_states(spec: RobotSpec, far_units: tuple[int, ...]) -> States:
    """Three units, and some more, of the user's; in some of them every base is far."""
    states = join_states([generated_states(spec, 4 * UNIT, 0, unit) for unit in range(4)])[: 3 * UNIT + 8]
    q, far = states.q.copy(), np.isin(states.index // UNIT, far_units)
    q[far, :3] = 1e4 * np.sign(q[far, :3])
    return replace(states, q=q, kind=("file",) * len(states))


@pytest.mark.parametrize("far_units", [(), (1,), (0, 2), (0, 1, 2, 3)])
def test_nor_do_units_that_are_far_or_hold_no_number_or_end_the_sample(
    far_units: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Engines that answer NaN at a state, one that refuses a unit; the last block has as many states as a vector has lanes."""
    for module in ("results", "differences", "tally"):
        monkeypatch.setattr(f"leapcheck.comparison.{module}.SAMPLE", 2 * UNIT - 3)
    engine_set = gappy_engines(compile_code=False)
    spec = engine_set.spec
    plan = Plan(
        NamedRobot(spec, "random:32"),
        engine_set.engines,
        GAPPY_QUANTITIES,
        states=own_states(spec, far_units),
        states_file="own.npz",
        block_units=1,
    )
    figures = exact_figures(plan, engine_set)
    for block_units in (2, 3, 8):
        assert exact_figures(replace(plan, block_units=block_units), engine_set) == figures
    long(monkeypatch)
    assert exact_figures(replace(plan, block_units=2), gappy_engines(compile_code=True)) == figures


GAPPY_QUANTITIES = ("mass_matrix", "contact_jacobians")


@cache
def gappy_engines(compile_code: bool) -> EngineSet:
    spec = load("random:32")
    engines = (
        "reference",
        "pinocchio",
        Wrapped(spec, with_entry("mass_matrix", (1, 0), lambda x: x * np.nan, UNIT + 9), GAPPY_QUANTITIES, "nan"),
        Wrapped(spec, refusing(3 * UNIT + 1), GAPPY_QUANTITIES, "refusing"),
        Wrapped(spec, drifting, GAPPY_QUANTITIES, "drifting"),
    )
    return make_engine_set(spec, engines, GAPPY_QUANTITIES, compile_code)


def drifting(_name: str, values: Floats, states: States) -> Floats:
    """The later the state the larger the error, but for the first state: it is the worst, by its first entry alone."""
    found = values * (1.0 + 1e-15 * states.index.reshape(-1, *[1] * (values.ndim - 1)))
    found[(states.index == 0, *[0] * (values.ndim - 1))] += 1e-6
    return found


def refusing(index: int) -> Spoil:
    """Raises where one state is among those asked for."""

    def spoil(_name: str, values: Floats, states: States) -> Floats:
        if index in states.index:
            raise ArithmeticError("not here")
        return values

    return spoil


def test_an_engine_that_cannot_be_made_in_a_worker_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    long(monkeypatch)
    engines = ("reference", "mujoco", "faulty:only_in_the_first_process")
    run = run_comparison(Plan(named_robot("two_link_arm"), engines, ("mass_matrix",), 3 * UNIT, block_units=1), Resources(2))
    assert run.exit_status == 1
    (failure,) = run.failures
    assert failure.engine == engines[-1]
    assert "the licence is in use" in failure.message
    assert {(row.engine, row.against) for row in run.comparisons} == {("mujoco", "reference")}


def test_progress_counts_the_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leapcheck.comparison.plan.JOB", 1)
    seen: list[tuple[int, int]] = []
    plan = Plan(named_robot("two_link_arm"), ("reference", "mujoco"), ("mass_matrix",), 2 * UNIT + 1, block_units=1)
    run_comparison(plan, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_a_longer_run_contains_the_shorter_one() -> None:
    short, long = (run_of("tree4_9", ENGINE_NAMES, count=count) for count in (40, 64))
    kept = 0
    for a, b in zip(without_truth(short), without_truth(long), strict=True):
        assert (a.quantity, a.engine, a.against) == (b.quantity, b.engine, b.against)
        assert a.error <= b.error
        assert a.rounding <= b.rounding
        assert all(x <= y for x, y in zip(a.histogram, b.histogram, strict=True))
        assert b.worst is not None
        if b.worst.index < 40:
            kept += 1
            assert (a.worst, a.rounding, a.tolerance, a.margin) == (b.worst, b.rounding, b.tolerance, b.margin)
    assert kept > 40


def test_the_users_own_states_give_what_the_seeded_ones_give() -> None:
    spec = load("tree4_9")
    states = replace(generated_states(spec, 40, 0, 0), kind=("file",) * 40)
    own = run_comparison(Plan(NamedRobot(spec), OURS, states=states, states_file="own.npz"))
    for a, b in zip(without_truth(own), without_truth(run_of("tree4_9", OURS, count=40)), strict=True):
        assert [kind.kind for kind in a.kinds] == ["file"]
        assert a.worst is not None
        assert b.worst is not None
        assert replace(a, kinds=(), worst=None) == replace(b, kinds=(), worst=None)
        assert replace(a.worst, kind="") == replace(b.worst, kind="")


@pytest.mark.parametrize("robot", ["tree4_9", "mini_cheetah"])
def test_a_state_alone_gives_the_error_that_was_reported(robot: str) -> None:
    quantities = ("mass_matrix", "forward_dynamics", "contact_bias_accelerations")
    spec = load(robot)
    whole = run_of(robot, OURS, quantities, 300)
    row = max(whole.comparisons, key=lambda row: row.rounding if row.worst and row.worst.index >= UNIT else 0.0)
    assert row.worst is not None
    alone = run_comparison(Plan(NamedRobot(spec, robot), OURS, quantities, 300, only=row.worst.index))
    again = next(r for r in alone.comparisons if (r.quantity, r.engine, r.against) == (row.quantity, row.engine, row.against))
    assert again.worst == row.worst
    assert (again.rounding, again.tolerance, again.margin) == (row.rounding, row.tolerance, row.margin)
    assert again.states == 1
    assert "over 1 state of" in alone.verdict


def test_blocks_of_a_plan() -> None:
    spec = load("two_link_arm")
    plan = Plan(NamedRobot(spec), count=5 * UNIT + 3, block_units=2)
    assert [len(block) for block in blocks(plan)] == [2 * UNIT, 2 * UNIT, UNIT + 3]
    assert [len(block) for block in blocks(replace(plan, block_units=1))] == [UNIT] * 5 + [3]
    whole = join_states(list(blocks(plan)))
    assert whole.index.tolist() == list(range(5 * UNIT + 3))
    assert np.array_equal(whole.q, join_states(list(blocks(replace(plan, block_units=3)))).q)
    (only,) = blocks(replace(plan, only=UNIT + 1))
    assert only.index.tolist() == [UNIT + 1]
    assert only.q.tolist() == plan.unit(1).q[1:2].tolist()


def test_a_plan_is_long_by_its_states() -> None:
    plan = Plan(named_robot("two_link_arm"), count=20_000)
    assert plan.is_long
    assert not replace(plan, only=3).is_long
    assert not replace(plan, count=19_999).is_long
    assert [replace(plan, count=count).is_compiled for count in (20_000, 299_999, 300_000)] == [False, False, True]
    assert not replace(plan, count=300_000, only=3).is_compiled
    assert sum(len(block) for part in jobs(plan) for block in part) == -(-20_000 // UNIT)


def test_provenance_names_everything_that_the_run_depends_on() -> None:
    run = run_of(LEG, OURS)
    assert run.provenance.robot == LEG
    assert len(run.provenance.model_hash) == 16
    assert {package for package, _ in run.provenance.versions} == {"leapcheck", "mujoco", "pin", "numpy", "python-flint"}
    assert "not installed" not in dict(run.provenance.versions).values()
    assert run.dof_names == ("roll", "pitch_1", "pitch_2")
    assert [(heat.engine, heat.against) for heat in run.heat_maps] == [
        ("mujoco", "reference"),
        ("pinocchio", "reference"),
        ("pinocchio", "mujoco"),
    ]
