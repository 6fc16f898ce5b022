"""Whole comparisons depend on nothing but the plan: not on processes, not on the number of states, not on which are asked."""

from __future__ import annotations

from dataclasses import replace

import pytest
from run_cases import LEG, OURS, run_of, without_truth

from leapcheck.compare.run import Plan, blocks, compared
from leapcheck.engines.registry import ENGINE_NAMES
from leapcheck.report import run_json
from leapcheck.states import UNIT, generated_states
from leapcheck_models.robots import load


def test_one_and_two_processes_give_the_same_record() -> None:
    engines = (*OURS, "faulty:gravity_off", "faulty:not_a_number")
    plan = Plan("two_link_arm", load("two_link_arm"), engines, ("mass_matrix", "bias_force"), 2 * UNIT + 40)
    alone, together = compared(plan, workers=1), compared(plan, workers=2)
    assert run_json(alone) == run_json(together)
    assert alone.provenance.states == 2 * UNIT + 40
    assert alone.discrepancies
    assert alone.failures


def test_an_engine_that_cannot_be_made_in_a_worker_is_a_failure() -> None:
    engines = ("reference", "mujoco", "faulty:only_in_the_first_process")
    run = compared(Plan("two_link_arm", load("two_link_arm"), engines, ("mass_matrix",), 2 * UNIT), workers=2)
    assert run.exit_status == 1
    (failure,) = run.failures
    assert failure.engine == engines[-1]
    assert "the licence is in use" in failure.message
    assert {(row.engine, row.against) for row in run.comparisons} == {("mujoco", "reference")}


def test_progress_counts_the_units() -> None:
    seen: list[tuple[int, int]] = []
    plan = Plan("two_link_arm", load("two_link_arm"), ("reference", "mujoco"), ("mass_matrix",), 2 * UNIT + 1)
    compared(plan, progress=lambda done, total: seen.append((done, total)))
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
    own = compared(Plan("tree4_9", spec, OURS, states=states, states_file="own.npz"))
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
    alone = compared(Plan(robot, spec, OURS, quantities, 300, only=row.worst.index))
    again = next(r for r in alone.comparisons if (r.quantity, r.engine, r.against) == (row.quantity, row.engine, row.against))
    assert again.worst == row.worst
    assert (again.rounding, again.tolerance, again.margin) == (row.rounding, row.tolerance, row.margin)
    assert again.states == 1
    assert "over 1 state of" in alone.verdict


def test_blocks_of_a_plan() -> None:
    spec = load("two_link_arm")
    plan = Plan("two_link_arm", spec, count=UNIT + 3)
    assert [len(block) for block in blocks(plan)] == [UNIT, 3]
    (only,) = blocks(replace(plan, only=UNIT + 1))
    assert only.index.tolist() == [UNIT + 1]
    assert only.q.tolist() == plan.unit(1).q[1:2].tolist()


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
