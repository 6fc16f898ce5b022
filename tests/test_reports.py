"""The committed reports: what they claim still holds, and they are of the robots as they are now."""

from __future__ import annotations

from pathlib import Path

import pytest

from leapcheck.comparison.plan import Plan
from leapcheck.records import Verdict
from leapcheck.report.comparison.results import read_run
from leapcheck.robots.load import named_robot
from leapcheck.study import run_comparison
from leapcheck_models.robots import load
from leapcheck_models.spec import spec_hash

REPORTS = Path(__file__).parents[1] / "reports"

SLACK = 8.0  # units of expected rounding between machines; measured on one machine: 0, the states being a part of the report's


@pytest.mark.parametrize("name", ["mini_cheetah", "example_discrepancy"])
def test_report_is_of_the_robot_as_it_is(name: str) -> None:
    provenance = read_run(REPORTS / name / "results.json").provenance
    assert provenance.model_hash == spec_hash(load(provenance.robot))


def test_a_fresh_run_is_no_worse_than_the_baseline() -> None:
    baseline = read_run(REPORTS / "mini_cheetah" / "results.json")
    assert baseline.exit_status == 0
    known = {(row.quantity, row.engine, row.against): row for row in baseline.comparisons}
    fresh = run_comparison(Plan(named_robot("mini_cheetah"), count=128))
    assert {(row.quantity, row.engine, row.against) for row in fresh.comparisons} == set(known)
    for row in fresh.comparisons:
        before = known[row.quantity, row.engine, row.against]
        assert row.rounding <= before.rounding + SLACK, (row.quantity, row.engine, row.against)
        assert row.verdict is not Verdict.DISCREPANCY


def test_the_example_names_the_planted_fault() -> None:
    run = read_run(REPORTS / "example_discrepancy" / "results.json")
    assert run.exit_status == 1
    assert {found.engine for found in run.discrepancies} == {"faulty_dynamics:FaultyDynamics"}
    for found in run.discrepancies:
        assert found.cause_class == "model"
        assert "FR_hip" in found.cause
        assert "Ixy" in found.cause
