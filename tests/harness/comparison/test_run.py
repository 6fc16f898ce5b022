"""Whole comparisons: planted faults are found and blamed, right engines agree, and what was not compared is said."""

from __future__ import annotations

import pytest

from leapcheck.engines.registry import ENGINE_NAMES
from leapcheck.quantities import CANONICAL, DEFAULT, QUANTITIES
from leapcheck.records import Verdict
from leapcheck.report.comparison.results import run_json
from tests.harness.comparison.run_cases import LEG, OURS, rows_of, run_of, without_truth

GRAVITY_ERROR = 1e-8

ANSWERED = {*CANONICAL} & {*DEFAULT}
"""What the planted engines are asked for by default."""


@pytest.mark.parametrize("robot", [LEG, "tree4_9", "random:29"])
def test_our_own_engines_agree(robot: str) -> None:
    run = run_of(robot, ENGINE_NAMES)
    assert (run.exit_status, run.discrepancies, run.failures) == (0, (), ())
    assert {row.quantity for row in run.comparisons} == set(DEFAULT)
    assert all(row.states == 48 for row in run.comparisons)
    assert all(sum(row.histogram) == 48 for row in run.comparisons)
    assert all(sum(kind.states for kind in row.kinds) == 48 for row in run.comparisons)
    assert run.verdict.startswith("5 engines agree on 18 quantities over 48 states of ")


def test_a_right_engine_of_the_users_agrees() -> None:
    run = run_of(LEG, (*OURS, "faulty:clean"))
    assert (run.exit_status, run.discrepancies, run.failures) == (0, (), ())
    assert [engine.name for engine in run.engines] == [*OURS, "faulty:clean"]
    assert run.engines[-1].version == "1.2"
    own = [row for row in run.comparisons if row.engine == "faulty:clean"]
    assert len(own) == len(ANSWERED) * len(OURS)


DISAGREEMENTS = {
    "gravity_off": {"bias_force", "gravity_force", "forward_dynamics", "inverse_dynamics", "potential_energy"},
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
    assert own == ANSWERED - {"bias_force"}
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
    assert sum("faulty:only_mass_matrix" in line for line in run.not_compared) == len(DEFAULT) - 1


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
