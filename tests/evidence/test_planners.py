"""The study of both planners: its goals, what counts as a broken limit, and what its page says of the rows."""

from pathlib import Path

import pytest

from leapcheck_evidence.planners import __main__ as command
from leapcheck_evidence.planners.goals import goal_row, goals
from leapcheck_evidence.planners.page import broken_limits, planners_page

KEPT = {"fails": "", "torque_use": 0.9, "voltage_use": 1.0, "friction_use": 0.2, "trunk_clearance": 0.01}
BROKEN = KEPT | {"voltage_use": 1.25, "trunk_clearance": -0.002}


def plan(use: float, seen: dict[str, object]) -> dict[str, object]:
    return {"use": use, "worst": "voltage, FR_knee, push, t = 0.1 s", "seen": {"rigid": seen}}


ROWS = [
    {"label": "up", "quick": plan(0.9, KEPT), "optimised": plan(0.7, KEPT)},
    {"label": "far", "quick": plan(0.6, KEPT), "optimised": plan(0.7, BROKEN | {"fails": "it falls"})},
    {"label": "moon", "quick": {"refused": "too high"}, "optimised": plan(0.95, KEPT)},
]


def test_limits_are_broken_beyond_one_and_by_a_trunk_in_the_ground() -> None:
    assert broken_limits(KEPT) == []
    assert broken_limits(BROKEN) == ["voltage 1.25", "clearance -0.00"]


def test_the_page_counts_plans_and_broken_limits() -> None:
    page = planners_page(ROWS, 20)
    assert "3 of 20 goals were tried." in page
    assert "Of 2 goals that both planners plan, the optimised plan has the smaller worst use in 1." in page
    assert "The optimised planner alone plans 1, the closed-form one alone 0." in page
    assert "Of 3 simulations of optimised plans 1 fail and 1 break a limit." in page
    assert "| far | 0.60 (voltage) | 0.70 (voltage) | none | rigid: voltage 1.25, clearance -0.00, it fails |" in page
    assert "| moon | no plan | 0.95 (voltage) |  | none |" in page
    assert "No quick plan for moon: too high." in page


def test_rows_that_are_there_are_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "goals", lambda: {row["label"]: ("", {}) for row in ROWS})
    monkeypatch.setattr(command, "goal_row", lambda label, *_: next(row for row in ROWS if row["label"] == label))
    command.PlannerStudy(tmp_path, tmp_path / "rows").run()
    monkeypatch.setattr(command, "goal_row", pytest.fail)
    command.PlannerStudy(tmp_path, tmp_path / "rows").run()
    assert (tmp_path / "planners.md").read_text() == planners_page(ROWS, 3)


@pytest.mark.slow
def test_a_goal_is_planned_by_both_and_simulated() -> None:
    assert len(goals()) == 20
    row = goal_row("up", "mini_cheetah_armature", {"height": 0.15})
    assert row["optimised"]["use"] < row["quick"]["use"] < 1.0
    assert all(seen["fails"] == "" and 0.0 < seen["torque_use"] < 1.0 for seen in row["optimised"]["seen"].values())
