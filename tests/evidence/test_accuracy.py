"""How well the engines agree: the goals of the project hold, on a few robots always, on all of them in the slow tests."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from leapcheck.comparison.plan import Plan
from leapcheck.quantities import DEFAULT, quantity_names
from leapcheck.records import Accuracy, Run, Verdict
from leapcheck.robots.load import named_robot
from leapcheck.study import run_comparison
from leapcheck_evidence.accuracy import (
    NAMED_GOALS,
    NAMED_STATES,
    TREE_GOALS,
    TREE_STATES,
    TREES,
    WHOLE_BODY_GROUPS,
    WHOLE_BODY_HEADING,
    Truth,
    Worst,
    against_truth,
    problems,
    runs,
    table,
    truth_lines,
    with_part,
    worst_by_quantity,
)
from leapcheck_models.robots import ROBOTS

FEW_NAMED = ("mini_cheetah", "two_link_arm", "tree4_9", "falling_rod")
FEW_TREES = ("random:2", "random:29", "random:36")  # 36: armature about a generic axis
ISSUE_GOALS = {
    "mass_matrix": 1e-13,
    "contact_jacobians": 1e-13,
    "bias_force": 1e-11,
    "contact_bias_accelerations": 1e-11,
    "forward_dynamics": 1e-9,
}


def beyond(group: list[Run], goals: dict[str, float]) -> dict[str, Worst]:
    """Quantities that miss their goal."""
    return {row.quantity: row for row in worst_by_quantity(group) if row.error > goals.get(row.quantity, float("inf"))}


def test_the_goals_are_those_of_the_project() -> None:
    assert NAMED_GOALS == ISSUE_GOALS
    assert TREE_GOALS == {"mass_matrix": 5e-12}
    assert (NAMED_STATES, TREE_STATES, TREES, len(ROBOTS)) == (2000, 200, 50, 15)


@pytest.mark.parametrize("robot", FEW_NAMED)
def test_named_robots_meet_the_goals(robot: str) -> None:
    group = list(runs([robot], 256))
    assert beyond(group, NAMED_GOALS) == {}
    assert problems(group) == []
    assert {row.quantity for row in worst_by_quantity(group)} == set(DEFAULT)


def test_random_trees_meet_the_goals() -> None:
    group = list(runs(FEW_TREES, 128))
    assert beyond(group, TREE_GOALS) == {}
    assert problems(group) == []


def faulty() -> Run:
    engines = ("reference", "faulty:gravity_off", "faulty:raising_factory")
    return run_comparison(Plan(named_robot("pupper_leg"), engines, ("gravity_force",), 32))


def test_a_fault_misses_the_goals_and_is_a_problem() -> None:
    run = faulty()
    missed = beyond([run], {"gravity_force": 1e-11})
    assert missed["gravity_force"].error == pytest.approx(1e-8, rel=1e-3)
    assert missed["gravity_force"].where == "pupper_leg: faulty:gravity_off / reference"
    first, second = problems([run])
    assert first.startswith("pupper_leg: engine 'faulty:raising_factory'")
    assert second == "pupper_leg: gravity_force, faulty:gravity_off / reference: 1e-08"


def test_far_states_stand_apart() -> None:
    (run,) = runs(["box"], 64)
    row = next(row for row in run.comparisons if row.quantity == "contact_jacobians" and row.engine == "pinocchio")
    far = next(kind for kind in row.kinds if kind.kind == "far")
    assert far.verdict is Verdict.IMPRECISE
    near = max(kind.error for kind in row.kinds if kind.kind != "far")
    (worst,) = worst_by_quantity([replace(run, comparisons=(row,))])
    assert (worst.error, worst.far_error, worst.far_rounding) == (near, far.error, far.rounding)
    assert worst.far_error > 10.0 * worst.error
    shown = table("Robots", [worst], NAMED_GOALS)
    assert shown.startswith("## Robots\n\n| quantity |")
    assert f"| {near:.1e} | 1e-13 |" in shown
    assert f"{far.error:.1e} ({far.rounding:.0f})" in shown


def test_no_pair_differs_by_more_than_both_are_off_the_truth() -> None:
    """The triangle inequality ties the pairwise differences to the errors against the truth, whatever the scale."""
    group = list(runs(("mini_cheetah", "tree4_9"), 128))
    for run in group:
        off = {(a.quantity, a.engine): a.worst for a in run.accuracies}
        assert {(c.quantity, name) for c in run.comparisons for name in (c.engine, c.against)} == set(off)
        for c in run.comparisons:
            assert c.error <= (off[c.quantity, c.engine] + off[c.quantity, c.against]) * (1.0 + 1e-15), c
    found = against_truth(group)
    assert list(found) == list(DEFAULT)
    assert found["mass_matrix"]["mujoco"].worst == max(
        a.worst for run in group for a in run.accuracies if (a.quantity, a.engine) == ("mass_matrix", "mujoco")
    )


def test_the_truth_over_robots_and_its_table() -> None:
    (run,) = runs(["falling_rod"], 1)
    eps = 2.0**-52
    rows = [Accuracy("gravity_force", "mine", 9, 9, k * eps, 10.0 * k * eps, 0.5 / k, 0) for k in (1, 2, 6)]
    one = replace(rows[0], engine="other", quantity="mass_matrix")
    group = [replace(run, accuracies=part) for part in ((rows[0], one), (rows[1],), (rows[2],), ())]
    found = against_truth(group)
    assert found == {
        "mass_matrix": {"other": Truth(eps, 10.0 * eps, 0.5)},
        "gravity_force": {"mine": Truth(2.0 * eps, 60.0 * eps, 0.5)},
    }
    assert truth_lines(found).splitlines() == [
        "| against the truth | other | mine |",
        "|---|---:|---:|",
        "| mass matrix M | 1.0 / 10 (0.5) |  |",
        "| gravity force |  | 2.0 / 60 (0.5) |",
    ]
    assert "No values in double-double" in truth_lines(against_truth(group[3:]))


@pytest.mark.slow
def test_the_whole_study() -> None:
    workers = os.cpu_count() or 1
    named = list(runs(tuple(ROBOTS), NAMED_STATES, workers))
    trees = list(runs([f"random:{seed}" for seed in range(TREES)], TREE_STATES, workers))
    assert beyond(named, NAMED_GOALS) == {}
    assert beyond(trees, TREE_GOALS) == {}
    assert problems([*named, *trees]) == []
    assert sum(run.provenance.states for run in named + trees) == 15 * 2000 + 50 * 200


def test_each_part_of_the_file_is_written_again_by_itself() -> None:
    core, more = "# How well the engines agree\n\nold\n", f"{WHOLE_BODY_HEADING}\n\nold\n"
    both = with_part(with_part("", core, False), more, True)
    assert both == f"{core}\n{more}"
    assert with_part(both, core.replace("old", "new"), False) == f"{core.replace('old', 'new')}\n{more}"
    assert with_part(both, more.replace("old", "new"), True) == f"{core}\n{more.replace('old', 'new')}"


def test_whole_body_quantities_are_told_for_each_engine_that_has_them() -> None:
    names = quantity_names(WHOLE_BODY_GROUPS)
    group = list(runs(["two_link_arm"], 16, quantities=names))
    truths = against_truth(group)
    assert problems(group) == []
    assert set(truths) == set(names)
    assert {"mujoco", "pinocchio", "reference"} <= set(truths["frame_jacobians"])
