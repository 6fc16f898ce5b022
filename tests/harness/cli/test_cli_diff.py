"""`leapcheck diff`: two runs of one robot, one of them with a planted fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from leapcheck.report.comparison.files import write_report
from leapcheck.study import run_comparison
from tests.harness.cli.command_line import ANSI, Leapcheck, refusal, run_plan


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run without a fault, one at other states, one with an engine whose gravity is off by 1e-8, and one of another robot."""
    folder = tmp_path_factory.mktemp("runs")
    plans = {
        "right": run_plan(),
        "again": run_plan(seed=1),
        "faulty": run_plan("faulty:gravity_off"),
        "rod": run_plan(robot="falling_rod"),
    }
    for name, plan in plans.items():
        write_report(run_comparison(plan), folder / name)
    return folder


def test_a_fault_is_worse_one_way_and_better_the_other(leapcheck: Leapcheck, runs: Path) -> None:
    result = leapcheck("diff", runs / "right", runs / "faulty")
    assert (result.status, result.err) == (1, "")
    assert "worse  discrepancy faulty:gravity_off, gravity force" in result.out
    assert "engine faulty:gravity_off" in result.out
    assert ANSI not in result.out
    assert leapcheck("diff", runs / "faulty", runs / "right").status == 0


def test_other_states_are_the_same_but_for_the_seed(leapcheck: Leapcheck, runs: Path) -> None:
    result = leapcheck("diff", runs / "right", runs / "again" / "results.json", "--json")
    assert (result.status, result.err) == (0, "")
    assert result.json["changes"] == [{"kind": "run", "subject": "seed", "before": "0", "after": "1", "sense": "other"}]
    assert result.json["robot"] == "two_link_arm"
    same = leapcheck("diff", runs / "right", runs / "right")
    assert same.status == 0
    assert "two_link_arm: no relevant change." in same.out


def test_another_robot_and_what_is_no_run_are_refused(leapcheck: Leapcheck, runs: Path, tmp_path: Path) -> None:
    different = refusal(leapcheck, tmp_path, "diff", runs / "right", runs / "rod")
    assert "different robots, 'two_link_arm' and 'falling_rod'" in different
    assert "no results at" in refusal(leapcheck, tmp_path, "diff", runs / "right", "nowhere")


def test_many_runs_are_compared_one_after_the_other_and_make_a_page(leapcheck: Leapcheck, runs: Path, tmp_path: Path) -> None:
    page = tmp_path / "trends.html"
    three = (runs / "right", runs / "faulty", runs / "right" / "results.json")
    result = leapcheck("diff", *three, "--page", page)
    assert (result.status, result.err) == (1, "")
    assert result.out.index(f"{runs / 'right'} to {runs / 'faulty'}:") < result.out.index(f"{runs / 'faulty'} to ")
    steps = leapcheck("diff", *three, "--json").json["steps"]
    assert [{change["sense"] for change in step["changes"]} - {"other"} for step in steps] == [{"worse"}, set()]
    text = page.read_text(encoding="utf-8")
    assert "3 runs; the last is right. Worse than the run before: 1 of 2." in text
    assert "right → faulty" in text
    assert "faulty:gravity_off, gravity force" in text
    assert text.count("<figure>") == len(run_plan().quantities)


def test_one_run_is_refused(leapcheck: Leapcheck, runs: Path, tmp_path: Path) -> None:
    assert "give two or more" in refusal(leapcheck, tmp_path, "diff", runs / "right")
