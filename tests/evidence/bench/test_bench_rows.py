"""Floors, goals and ratios: the rows out of fixed samples."""

from __future__ import annotations

import pytest

from leapcheck_evidence.bench.contenders import LAYOUTS, MUJOCO, own_name
from leapcheck_evidence.bench.goals import GOALS_ROBOT, PROGRAM_GOALS, ROBOT_GOALS, BenchGoal, Standing
from leapcheck_evidence.bench.measure import Timing
from leapcheck_evidence.bench.rows import PAIRINGS, Measured, fastest, kernel_measurements, measurement_or_reason, robot_rows
from leapcheck_evidence.bench.states import ALL
from tests.evidence.bench.bench_cases import timing_name, timings

pytestmark = pytest.mark.quick

OPERATIONS = {ALL: 4000}


@pytest.mark.parametrize(
    ("measured", "standing"),
    [(14.0, "met"), (13.9, "floor only"), (11.0, "floor only"), (10.9, "not met"), (None, "not measured")],
)
def test_standing_where_more_is_better(measured: float | None, standing: str) -> None:
    assert BenchGoal("", "", 11.0, 14.0, "x", at_least=True).standing(measured) == standing


@pytest.mark.parametrize(("measured", "standing"), [(1.3, "met"), (1.31, "floor only"), (1.5, "floor only"), (1.51, "not met")])
def test_standing_where_less_is_better(measured: float, standing: str) -> None:
    assert BenchGoal("", "", 1.5, 1.3, "x", at_least=False).standing(measured) == standing


def test_without_a_goal_the_floor_is_met_or_not() -> None:
    only_floor = BenchGoal("", "", 2.0, None, "s", at_least=False)
    assert [only_floor.standing(value) for value in (2.0, 2.1)] == [Standing.MET, Standing.NOT_MET]


def test_goals_are_beyond_their_floors_and_have_names_of_their_own() -> None:
    goals = (*ROBOT_GOALS, *PROGRAM_GOALS)
    for goal in goals:
        assert goal.goal is None or (goal.goal > goal.floor) == goal.at_least
    assert len({goal.key for goal in goals}) == len({goal.label for goal in goals}) == len(goals)
    assert {goal.key for goal in ROBOT_GOALS} >= {*PAIRINGS, "bound_8", "bound_4"}


def test_ratios_of_minima_and_medians_to_the_fastest_way_of_calling() -> None:
    found = kernel_measurements(timings(), {}, OPERATIONS)
    assert found["mujoco_rows_8"].value == 2200.0 / 200.0
    assert found["mujoco_rows_8"].by_medians == 2300.0 / 230.0
    assert found["mujoco_compact_8"].value == 2200.0 / 80.0
    assert found["pinocchio_rows_8"].value == 4000.0 / 200.0
    assert found["pinocchio_compact_8"].by_medians == 4100.0 / 82.0
    assert found["mujoco_rows_8"].detail == "2200.0 / 200.0 ns"


def test_the_share_of_the_bound() -> None:
    found = kernel_measurements(timings(), {}, OPERATIONS)["bound_8"]
    assert found.value == pytest.approx(100 * 4000 * 0.01 / 80.0)
    assert found.by_medians == pytest.approx(100 * 4000 * 0.01 / 82.0)
    assert found.detail == "4000 operations at 100.0 GFLOP/s: 40.0 ns of 80.0 ns"


def test_what_is_missing_has_its_reason() -> None:
    rows = own_name(LAYOUTS[0], 8)
    some = {name: timing for name, timing in timings().items() if not name.startswith((rows, MUJOCO))}
    found = kernel_measurements(some, {MUJOCO: "no llvmlite", rows: "no kernel"}, OPERATIONS)
    assert found["mujoco_compact_8"] == Measured(None, None, "no llvmlite")
    assert found["pinocchio_rows_8"] == Measured(None, None, "no kernel")
    assert found["truth_8"].value is None
    assert found["pinocchio_compact_8"].value == 50.0


def test_ways_of_calling_are_not_confused_with_other_names() -> None:
    some = {timing_name("MuJoCo-like", ALL): Timing((1.0,)), timing_name("MuJoCo, a", "M"): Timing((2.0,))}
    assert fastest(some, MUJOCO) is None
    assert fastest({**some, timing_name("MuJoCo, a", ALL): Timing((3.0,))}, MUJOCO) == Timing((3.0,))


def test_goals_are_those_of_one_robot() -> None:
    measured = {"rate": Measured(1.0, None, "")}
    meant = {row.goal.key: row.standing for row in robot_rows(GOALS_ROBOT, measured)}
    beside = {row.goal.key: row.standing for row in robot_rows("mini_cheetah", measured)}
    assert (meant["rate"], beside["rate"]) == (Standing.NOT_MET, Standing.BESIDE)
    assert meant["memory"] == beside["memory"] == Standing.NOT_MEASURED


def test_what_was_not_asked_for_says_how_to_ask() -> None:
    details = {row.goal.key: row.detail for row in robot_rows(GOALS_ROBOT, {})}
    assert (details["memory"], details["rate"]) == (f"asked for by --memory, of {GOALS_ROBOT}", "left out by --states 0")


def test_a_refusal_becomes_a_reason() -> None:
    def refuses() -> Measured:
        raise ValueError("not here")

    assert measurement_or_reason(refuses, ValueError) == Measured(None, None, "not here")
    with pytest.raises(ValueError, match="not here"):
        measurement_or_reason(refuses, KeyError)
