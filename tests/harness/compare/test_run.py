"""Whole comparisons: planted faults are found and blamed, right engines agree, and nothing depends on the processes."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from leapcheck.compare.records import Comparison, Run, Verdict
from leapcheck.compare.run import Plan, blocks, compared
from leapcheck.engines.registry import ENGINE_NAMES
from leapcheck.engines.user import CANONICAL
from leapcheck.quantities import QUANTITIES
from leapcheck.report import run_json
from leapcheck.states import UNIT, generated_states
from leapcheck_models.robots import load

OURS = ("reference", "mujoco", "pinocchio")
LEG = "pupper_leg"  # three dof and one point: J and its transpose have one shape
GRAVITY_ERROR = 1e-8


@cache
def run_of(robot: str, engines: tuple[str, ...], quantities: tuple[str, ...] = tuple(QUANTITIES), count: int = 48) -> Run:
    return compared(Plan(robot, load(robot), engines, quantities, count))


def rows_of(run: Run, *engines: str) -> list[Comparison]:
    """Comparisons among these engines; the truth is computed for the worst pair alone, thus left out."""
    rows = [row for row in run.comparisons if {row.engine, row.against} <= set(engines)]
    return [replace(row, worst=row.worst and replace(row.worst, truth=None)) for row in rows]


def without_truth(run: Run) -> list[Comparison]:
    return rows_of(run, *(engine.name for engine in run.engines))


@pytest.mark.parametrize("robot", [LEG, "tree4_9", "random:29"])
def test_our_own_engines_agree(robot: str) -> None:
    run = run_of(robot, ENGINE_NAMES)
    assert (run.exit_status, run.discrepancies, run.failures) == (0, (), ())
    assert {row.quantity for row in run.comparisons} == set(QUANTITIES)
    assert all(row.states == 48 for row in run.comparisons)
    assert all(sum(row.histogram) == 48 for row in run.comparisons)
    assert all(sum(kind.states for kind in row.kinds) == 48 for row in run.comparisons)
    assert run.verdict.startswith("5 engines agree on 17 quantities over 48 states of ")


def test_a_right_engine_of_the_users_agrees() -> None:
    run = run_of(LEG, (*OURS, "faulty:clean"))
    assert (run.exit_status, run.discrepancies, run.failures) == (0, (), ())
    assert [engine.name for engine in run.engines] == [*OURS, "faulty:clean"]
    assert run.engines[-1].version == "1.2"
    own = [row for row in run.comparisons if row.engine == "faulty:clean"]
    assert len(own) == len(CANONICAL) * len(OURS)


DISAGREEMENTS = {
    "gravity_off": {"bias_force", "gravity_force", "forward_dynamics", "potential_energy"},
    "wrong_sign": {"bias_force"},
    "transposed_jacobian": {"contact_jacobians"},
}


@pytest.mark.parametrize("fault", DISAGREEMENTS)
def test_a_planted_fault_is_found_and_its_engine_blamed(fault: str) -> None:
    name = f"faulty:{fault}"
    run = run_of(LEG, (*OURS, name))
    assert (run.exit_status, run.failures) == (1, ())
    assert {(d.quantity, d.engine) for d in run.discrepancies} == {(quantity, name) for quantity in DISAGREEMENTS[fault]}
    assert all(d.who_is_wrong.startswith(f"{name} is wrong: ") for d in run.discrepancies)
    bad = {(row.quantity, row.engine, row.against) for row in run.comparisons if row.verdict is Verdict.DISCREPANCY}
    assert bad == {(quantity, name, other) for quantity in DISAGREEMENTS[fault] for other in OURS}
    assert rows_of(run, *OURS) == without_truth(run_of(LEG, OURS))  # the others are compared as if it were not there
    assert all(QUANTITIES[quantity].label in run.verdict for quantity in DISAGREEMENTS[fault])
    assert run.verdict.startswith(name)


def test_an_error_has_the_size_that_was_planted() -> None:
    run = run_of(LEG, (*OURS, "faulty:gravity_off"))
    rows = [row for row in run.comparisons if row.quantity == "gravity_force" and row.engine == "faulty:gravity_off"]
    for row in rows:
        assert row.error == pytest.approx(GRAVITY_ERROR, rel=1e-5)
        assert row.worst is not None
        assert row.worst.value / row.worst.against_value - 1.0 == pytest.approx(GRAVITY_ERROR, rel=1e-3)


def test_wrong_leg_order_is_found() -> None:
    run = run_of("mini_cheetah", ("reference", "mujoco", "faulty:wrong_leg_order"), ("mass_matrix",), 32)
    assert run.exit_status == 1
    assert [(d.quantity, d.engine) for d in run.discrepancies] == [("mass_matrix", "faulty:wrong_leg_order")]
    assert all(row.verdict is not Verdict.DISCREPANCY for row in rows_of(run, "reference", "mujoco"))


@pytest.mark.parametrize("engines", [("faulty:clean", "faulty:gravity_off"), ("faulty:gravity_off", "faulty:clean")])
def test_the_truth_blames_not_the_order(engines: tuple[str, str]) -> None:
    run = run_of(LEG, engines, ("gravity_force",))
    assert [(d.engine, d.against) for d in run.discrepancies] == [("faulty:gravity_off", "faulty:clean")]


FAILURES = {
    "not_a_number": "bias_force(q, v) at state 11 gave nan at entry (0,)",
    "raising": "bias_force(q, v) at state 0 raised LookupError: no table for this state",
    "wrong_shape": "bias_force(q, v) at state 0 gave the shape (4,): return an array of shape (3,)",
}


@pytest.mark.parametrize("fault", FAILURES)
def test_a_failing_function_of_the_users_is_reported_and_the_rest_compared(fault: str) -> None:
    name = f"faulty:{fault}"
    run = run_of(LEG, (*OURS, name))
    assert (run.exit_status, run.discrepancies) == (1, ())
    assert [(failure.engine, failure.quantity) for failure in run.failures] == [(name, "bias_force")]
    assert FAILURES[fault] in run.failures[0].message
    assert rows_of(run, *OURS) == without_truth(run_of(LEG, OURS))
    own = {row.quantity for row in run.comparisons if row.engine == name}
    assert own == set(CANONICAL) - {"bias_force"}
    assert name in run.verdict


def test_an_engine_that_writes_into_its_arguments_and_reuses_its_buffer_harms_nobody() -> None:
    run = run_of(LEG, (*OURS, "faulty:overwriting"))
    clean = run_of(LEG, (*OURS, "faulty:clean"))
    assert run.exit_status == 0
    assert run_json(run).replace("overwriting", "clean") == run_json(clean)


def test_what_an_engine_does_not_answer_is_not_compared_and_said() -> None:
    run = run_of(LEG, (*OURS, "faulty:only_mass_matrix"))
    assert run.exit_status == 0
    assert {row.quantity for row in run.comparisons if row.engine == "faulty:only_mass_matrix"} == {"mass_matrix"}
    assert sum("faulty:only_mass_matrix" in line for line in run.not_compared) == len(QUANTITIES) - 1


def test_nothing_to_compare_is_no_agreement() -> None:
    run = run_of(LEG, ("mujoco", "faulty:only_mass_matrix"), ("kinetic_energy",))
    assert (run.exit_status, run.comparisons) == (2, ())
    assert run.verdict == "Nothing could be compared over 48 states of pupper_leg."
    assert run.not_compared == ("kinetic energy: only ['mujoco'] can answer it",)


def test_no_contact_points_and_no_urdf_are_said() -> None:
    run = run_of("random:44", ENGINE_NAMES, ("mass_matrix", "contact_jacobians", "contact_positions"), 16)
    assert run.exit_status == 0
    assert {row.quantity for row in run.comparisons} == {"mass_matrix"}
    said = "\n".join(run.not_compared)
    for words in (
        "mujoco-urdf",
        "contact Jacobians J: the robot has no computed",
        "contact positions: the robot has no computed",
    ):
        assert words in said


def test_far_from_the_origin_an_imprecise_engine_does_not_fail() -> None:
    run = run_of("mini_cheetah", ("reference", "pinocchio"), ("mass_matrix", "contact_jacobians"), 32)
    assert run.exit_status == 0
    assert "right but imprecise" in run.verdict
    verdicts = {(kind.kind, kind.verdict) for row in run.comparisons for kind in row.kinds}
    assert ("far", Verdict.IMPRECISE) in verdicts
    assert ("far", Verdict.DISCREPANCY) not in verdicts
    assert {verdict for kind, verdict in verdicts if kind != "far"} == {Verdict.AGREE}


def test_a_fault_far_from_the_origin_is_still_found() -> None:
    run = run_of("box", ("reference", "faulty:far_fault"), ("mass_matrix",), 32)
    assert run.exit_status == 1
    kinds = {kind.kind: kind.verdict for row in run.comparisons for kind in row.kinds}
    assert [kind for kind, verdict in kinds.items() if verdict is Verdict.DISCREPANCY] == ["far"]


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
