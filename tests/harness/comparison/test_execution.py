"""A run that is cut into parts, ended, resumed and shared out is the run that was never disturbed."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from leapcheck.api.comparison import ComparisonSetup
from leapcheck.api.options import CompareOptions
from leapcheck.comparison.engine_set import EngineSet, engine_set_of
from leapcheck.comparison.execution import Resources, compute_missing
from leapcheck.comparison.identity import run_identity
from leapcheck.comparison.parts import Parts, parts_in
from leapcheck.comparison.plan import Plan, jobs
from leapcheck.report.comparison.results import run_json
from leapcheck.robots.load import NamedRobot, named_robot
from leapcheck.sampling import UNIT
from leapcheck.study import run_comparison
from tests.harness.comparison.run_cases import exact_figures

COUNT = 4 * UNIT + 11
PLAN = Plan(
    named_robot("two_link_arm"),
    ("reference", "mujoco", "faulty:gravity_off", "faulty:seldom_right"),
    ("mass_matrix", "bias_force"),
    COUNT,
    block_units=1,
)


@pytest.fixture(autouse=True)
def parts_of_a_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leapcheck.comparison.plan.COMPILED_FROM", 1)
    monkeypatch.setattr("leapcheck.comparison.plan.LONG_FROM", 1)
    monkeypatch.setattr("leapcheck.comparison.plan.JOB", 1)


@cache
def engine_set() -> EngineSet:
    return engine_set_of(PLAN)


@cache
def figures() -> str:
    return exact_figures(PLAN, engine_set())


@cache
def record() -> str:
    run = run_comparison(PLAN)
    assert run.exit_status == 1
    assert run.failures
    return run_json(run)


def kept(folder: Path, goes_on: bool = True) -> Parts:
    return parts_in(folder, run_identity(PLAN), goes_on)


@pytest.mark.parametrize(("seed", "workers"), [(0, 1), (1, 1), (2, 2)])
def test_parts_that_are_there_change_no_bit(seed: int, workers: int, tmp_path: Path) -> None:
    parts, count = kept(tmp_path), len(jobs(PLAN))
    compute_missing(PLAN, engine_set(), Resources(), parts)
    assert parts.whole == set(range(count))
    for number in np.random.default_rng(seed).permutation(count)[: count // 2]:
        (tmp_path / f"part-{number:06d}").unlink()
    seen: list[tuple[int, int]] = []
    found = exact_figures(PLAN, engine_set(), Resources(workers), lambda done, total: seen.append((done, total)), parts)
    assert found == figures()
    assert seen == [(k, count) for k in range(count - count // 2 + 1, count + 1)]


def test_damaged_parts_are_computed_again_and_named(tmp_path: Path) -> None:
    compute_missing(PLAN, engine_set(), Resources(), kept(tmp_path))
    (tmp_path / "part-000002").write_bytes((tmp_path / "part-000001").read_bytes())
    (tmp_path / "part-000004").write_bytes(b"")
    setup = ComparisonSetup(PLAN, Resources(), CompareOptions(), kept(tmp_path), None)
    with pytest.warns(UserWarning, match="damaged parts were computed again: 2, 4"):
        assert run_json(setup.run().record) == record()


def test_shards_meet_in_the_whole_run(tmp_path: Path) -> None:
    found = [compute_missing(PLAN, engine_set(), Resources(shard=(k, 3)), kept(tmp_path)) for k in (3, 1, 2)]
    assert sorted(found) == [1, 2, 2]
    assert sum(found) == len(jobs(PLAN))

    def nothing_is_left(done: int, total: int) -> None:
        raise AssertionError(f"part {done} of {total} was computed again")

    assert run_json(run_comparison(PLAN, Resources(), nothing_is_left, kept(tmp_path))) == record()


def test_an_interrupted_run_tells_what_is_done_and_goes_on(tmp_path: Path) -> None:
    def stop(done: int, _total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    agreeing = replace(PLAN, engines=("reference", "mujoco"))
    parts = parts_in(tmp_path, run_identity(agreeing), resume=False)
    run = run_comparison(agreeing, Resources(), stop, parts)
    assert run.exit_status == 2
    left = COUNT - 3 * UNIT
    assert run.verdict.startswith(f"Interrupted: {left} of 1 035 states are left (--resume). 2 engines agree on 2 quantities")
    assert f"over {3 * UNIT} states of" in run.verdict
    assert {row.states for row in run.comparisons} == {3 * UNIT}
    assert run_json(run_comparison(agreeing, parts=parts)) == run_json(run_comparison(agreeing))


def test_an_interrupt_before_the_first_part_is_one(tmp_path: Path) -> None:
    class Stopping:
        name, version, route, quantities = "stopping", "-", "-", frozenset({"mass_matrix"})

        def evaluate(self, states: object, quantities: object) -> dict[str, object]:
            raise KeyboardInterrupt

    plan = Plan(NamedRobot(PLAN.spec), ("reference", Stopping()), ("mass_matrix",), COUNT)
    with pytest.raises(KeyboardInterrupt):
        run_comparison(plan, parts=parts_in(tmp_path, run_identity(plan), resume=False))


def test_a_discrepancy_stands_though_the_run_was_interrupted(tmp_path: Path) -> None:
    def stop(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    run = run_comparison(PLAN, Resources(), stop, kept(tmp_path))
    assert run.exit_status == 1
    assert run.verdict.startswith("Interrupted: ")
    assert run.discrepancies
