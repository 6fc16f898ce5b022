"""A run beside a baseline: what fails, what is accepted, and what is said."""

from __future__ import annotations

import dataclasses
from datetime import date

import pytest

from leapcheck.baseline.noise import growth
from leapcheck.baseline.record import Baseline
from leapcheck.baseline.update import Acceptance, accept_run, accepted_errors, unaccepted_discrepancies, update_baseline
from leapcheck.baseline.verdict import robot_baseline
from leapcheck.records import Run
from leapcheck.report.words import headline
from tests.harness.baseline.baseline_cases import FILE, GIVEN, TODAY, baseline_of, finding_keys, run_of, with_baseline


@pytest.fixture(scope="module")
def right() -> Run:
    return run_of()


@pytest.fixture(scope="module")
def faulty() -> Run:
    return run_of(gravity=1.01)


def test_a_run_beside_its_own_baseline_is_accepted(right: Run) -> None:
    judged = with_baseline(right, baseline_of(right))
    assert (judged.exit_status, finding_keys(judged)) == (0, [])
    assert judged.baseline.sentence == "Accepted by the baseline: no discrepancy."
    assert judged.baseline.notes == ()


def test_a_new_discrepancy_fails(right: Run, faulty: Run) -> None:
    judged = with_baseline(faulty, baseline_of(right))
    assert (judged.exit_status, finding_keys(judged)) == (1, [("new", "mine", "gravity_force")])
    assert judged.baseline.sentence == "Worse than the baseline: 1 new discrepancy."
    assert headline(judged).word == "Discrepancy"


def test_a_known_one_is_accepted_up_to_its_last_day(faulty: Run) -> None:
    baseline = baseline_of(faulty)
    for today in (TODAY, date(2026, 12, 31)):
        judged = with_baseline(faulty, baseline, today)
        assert (judged.exit_status, finding_keys(judged)) == (0, [("known", "mine", "gravity_force")])
        assert "until 2026-12-31: gravity of another planet, issue 12" in judged.baseline.findings[0].words
    assert headline(judged).word == "Known discrepancy"
    late = with_baseline(faulty, baseline, date(2027, 1, 1))
    assert (late.exit_status, finding_keys(late)) == (1, [("expired", "mine", "gravity_force")])


def test_one_without_a_day_is_accepted_for_good(faulty: Run) -> None:
    judged = with_baseline(faulty, baseline_of(faulty, given=Acceptance("for good")), date(2999, 1, 1))
    assert (judged.exit_status, finding_keys(judged)) == (0, [("known", "mine", "gravity_force")])


def test_one_that_is_gone_is_said(faulty: Run, right: Run) -> None:
    judged = with_baseline(right, baseline_of(faulty))
    assert (judged.exit_status, finding_keys(judged)) == (0, [("gone", "mine", "gravity_force")])
    assert f"leapcheck baseline RUN --out {FILE}" in judged.baseline.findings[0].words
    assert finding_keys(with_baseline(right, baseline_of(right, baseline_of(faulty)))) == []


def test_the_same_fault_grown_at_the_same_states_fails(faulty: Run) -> None:
    judged = with_baseline(run_of(gravity=1.02), baseline_of(faulty))
    assert (judged.exit_status, finding_keys(judged)) == (1, [("grown", "mine", "gravity_force")])
    assert "Its error was 0.010 at the same states and is 0.020." in judged.baseline.findings[0].words
    assert with_baseline(run_of(gravity=1.005), baseline_of(faulty)).exit_status == 0


def test_at_other_states_a_known_fault_stays_known_and_that_is_said(faulty: Run) -> None:
    judged = with_baseline(run_of(gravity=1.01, states=40, seed=5), baseline_of(faulty))
    assert (judged.exit_status, finding_keys(judged)) == (0, [("known", "mine", "gravity_force")])
    assert any("The states differ from the baseline's" in note for note in judged.baseline.notes)


def test_another_cause_in_the_same_quantity_is_new(faulty: Run) -> None:
    judged = with_baseline(run_of(gravity=-1.0), baseline_of(faulty))
    assert (judged.exit_status, finding_keys(judged)) == (1, [("new", "mine", "gravity_force")])
    assert "Another cause was known" in judged.baseline.findings[0].words


def test_an_unexplained_one_that_is_explained_now_is_new(faulty: Run) -> None:
    (known,) = baseline_of(faulty).robots[0].known
    part = dataclasses.replace(baseline_of(faulty).robots[0], known=(dataclasses.replace(known, causes=()),))
    assert finding_keys(with_baseline(faulty, Baseline((part,)))) == [("new", "mine", "gravity_force")]


def test_causes_that_the_answers_cannot_tell_apart_are_one(faulty: Run) -> None:
    (known,) = baseline_of(faulty).robots[0].known
    (diagnosis,) = faulty.diagnoses
    assert diagnosis.alternatives
    for causes in diagnosis.alternatives:
        other = dataclasses.replace(known, causes=tuple(cause.name for cause in reversed(causes)))
        part = dataclasses.replace(baseline_of(faulty).robots[0], known=(other,))
        assert finding_keys(with_baseline(faulty, Baseline((part,)))) == [("known", "mine", "gravity_force")]


def test_the_bound_of_growth_is_where_it_is_said_to_be(right: Run) -> None:
    poor, part = run_of(digits=200.0), baseline_of(right).robots[0]
    (error,) = [a.rounding for a in poor.accuracies if (a.engine, a.quantity) == ("mine", "mass_matrix")]
    for share, kinds in ((0.99, ["grown"]), (1.01, [])):
        rounding = share * error / growth(24, 24, rows=len(part.accepted))
        accepted = tuple(
            dataclasses.replace(a, rounding=rounding) if (a.engine, a.quantity) == ("mine", "mass_matrix") else a
            for a in part.accepted
        )
        judged = with_baseline(poor, Baseline((dataclasses.replace(part, accepted=accepted),)))
        assert [kind for kind, _, _ in finding_keys(judged)] == kinds


def rows(baseline: Baseline) -> set[tuple[str, str]]:
    return {(a.engine, a.quantity) for part in baseline.robots for a in part.accepted}


def test_digits_that_are_lost_within_the_tolerance_have_grown(right: Run) -> None:
    poor = run_of(digits=200.0)
    assert poor.exit_status == 0  # without a baseline nobody notices
    judged = with_baseline(poor, baseline_of(right))
    assert (judged.exit_status, finding_keys(judged)) == (1, [("grown", "mine", "mass_matrix")])
    assert headline(judged).word == "Worse"
    assert finding_keys(with_baseline(right, baseline_of(poor))) == []


def test_a_function_that_is_left_out_fails_and_what_was_not_asked_does_not(right: Run) -> None:
    judged = with_baseline(run_of(gravity_force=True), baseline_of(right))
    assert judged.exit_status == 1
    assert finding_keys(judged)[0] == ("unanswered", "mine", "gravity_force")
    less = dataclasses.replace(
        right,
        comparisons=tuple(c for c in right.comparisons if c.quantity != "gravity_force"),
        accuracies=tuple(a for a in right.accuracies if a.quantity != "gravity_force"),
    )
    judged = with_baseline(less, baseline_of(right))
    assert (judged.exit_status, {kind for kind, _, _ in finding_keys(judged)}) == (0, {"not compared"})


def test_a_run_that_could_not_be_made_stays_so(right: Run) -> None:
    assert with_baseline(dataclasses.replace(right, exit_status=2), baseline_of(right)).exit_status == 2


def test_other_versions_are_noted(right: Run) -> None:
    newer = dataclasses.replace(right.provenance, versions=(("mujoco", "99.0"),))
    judged = with_baseline(dataclasses.replace(right, provenance=newer), baseline_of(right))
    assert judged.exit_status == 0
    assert any(note.startswith("mujoco is 99.0, in the baseline ") for note in judged.baseline.notes)


def test_another_robot_and_another_description_are_refused(right: Run) -> None:
    baseline = baseline_of(right)
    with pytest.raises(ValueError, match=r"holds two_link_arm, not 'box': add it with `leapcheck baseline RUN") as other:
        robot_baseline(baseline, "box", "beef", FILE)
    with pytest.raises(ValueError, match=r"'two_link_arm' has changed since .* there, beef here") as changed:
        robot_baseline(baseline, "two_link_arm", "beef", FILE)
    assert "\n" not in str(other.value) + str(changed.value)


def test_an_update_keeps_reasons_and_what_was_not_compared(right: Run, faulty: Run) -> None:
    first = baseline_of(faulty)
    again = baseline_of(run_of(gravity=1.01, seed=3), first, Acceptance("another", None))
    assert [k.reason for k in again.robots[0].known] == [GIVEN.reason]
    assert [k.expires for k in again.robots[0].known] == [GIVEN.expires]
    assert [k.seed for k in again.robots[0].known] == [3]
    without = baseline_of(run_of(gravity_force=True), first)
    assert [k.quantity for k in without.robots[0].known] == ["gravity_force"]
    assert rows(without) == rows(first)
    assert len(without.robots[0].accepted) == len(first.robots[0].accepted)


def test_of_two_runs_in_one_update_the_larger_error_is_accepted(right: Run) -> None:
    poor = run_of(digits=200.0)
    errors = {
        a.rounding for run in (right, poor) for a in accepted_errors(run) if (a.engine, a.quantity) == ("mine", "mass_matrix")
    }
    for runs in ((right, poor), (poor, right)):
        (part,) = update_baseline(Baseline(()), [accept_run(run, Baseline(()), GIVEN) for run in runs]).robots
        (accepted,) = [a for a in part.accepted if (a.engine, a.quantity) == ("mine", "mass_matrix")]
        assert accepted.rounding == max(errors) > min(errors)


def test_another_description_replaces_the_old_one_and_keeps_the_reasons(faulty: Run) -> None:
    first = baseline_of(faulty)
    changed = dataclasses.replace(faulty, provenance=dataclasses.replace(faulty.provenance, model_hash="beef"))
    (part,) = baseline_of(changed, first, Acceptance("another", None)).robots
    assert (part.model_hash, [k.reason for k in part.known]) == ("beef", [GIVEN.reason])


def test_of_states_of_ones_own_the_size_of_a_fault_is_not_judged(faulty: Run) -> None:
    provenance = dataclasses.replace(faulty.provenance, command="leapcheck compare two_link_arm --states-file mine.csv")
    own = dataclasses.replace(faulty, provenance=provenance)
    baseline = baseline_of(own)
    assert {k.seed for k in baseline.robots[0].known} == {None}
    judged = with_baseline(own, baseline)
    assert (judged.exit_status, finding_keys(judged)) == (0, [("known", "mine", "gravity_force")])
    assert any("The states differ" in note for note in judged.baseline.notes)
    (known,) = baseline.robots[0].known
    smaller = dataclasses.replace(baseline.robots[0], known=(dataclasses.replace(known, error=known.error / 2),))
    assert with_baseline(own, Baseline((smaller,))).exit_status == 0


def test_without_a_reason_nothing_new_is_accepted(right: Run, faulty: Run) -> None:
    part = accept_run(faulty, Baseline(()), Acceptance())
    assert part.known == ()
    assert [judged.quantity for judged in unaccepted_discrepancies(faulty, part)] == ["gravity_force"]
    assert ("mine", "gravity_force") not in {(a.engine, a.quantity) for a in part.accepted}
