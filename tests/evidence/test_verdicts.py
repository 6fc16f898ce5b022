"""The study of verdicts: what its rows hold, how it counts false GO, and that it goes on where it was stopped."""

from pathlib import Path

import pytest

from leapcheck.jumping.planning.records import Infeasible, PlannerError
from leapcheck_evidence.verdicts import __main__ as command
from leapcheck_evidence.verdicts import trials
from leapcheck_evidence.verdicts.catalogue import known_plans, random_requests
from leapcheck_evidence.verdicts.page import false_go_page, verdicts_page
from leapcheck_evidence.verdicts.trials import VerdictTrial, changed_robot
from leapcheck_models.robots import load


def row(label: str, verdict: str, succeeds: bool) -> dict[str, object]:
    left = {"verdict": verdict, "reason": "a | b", "succeeds": succeeds, "fails": "" if succeeds else "it falls"}
    return {"label": label, "planned": True, "left_out": {"rigid": left}}


ROWS = [
    row("up", "GO", True),
    row("far", "GO", False),
    row("flip", "NO-GO", False),
    {"label": "moon", "planned": False, "verdict": "NO-GO", "reason": "too high", "left_out": {}},
    {"label": "odd", "planned": False, "verdict": "UNDECIDED", "reason": "not converged", "left_out": {}},
]


def test_a_go_that_fails_is_counted_and_named() -> None:
    page = false_go_page(ROWS, 200)
    assert "5 of 200 rows were made" in page
    assert (
        "Of 2 jumps that GO or MARGINAL allows 1 succeed in the simulator left out, of 1 that NO-GO forbids 1 fail there." in page
    )
    assert "**1 of 2 verdicts GO failed in the simulator left out.** 1 requests are beyond a" in page
    assert "limit of the robot by the plan (NO-GO), of 1 the planner has found no plan (UNDECIDED)." in page
    assert "| far | rigid | it falls |" in page
    assert "| GO | 1 | 1 |" in page
    assert "| NO-GO | 0 | 1 |" in page


def test_the_table_has_a_line_for_each_jump() -> None:
    page = verdicts_page(ROWS, 5)
    assert "All 5 rows were made." in page
    assert page.count("| far | rigid | GO | it falls |") == 1
    assert "| up | rigid |" not in page
    assert r"| flip | NO-GO 1 | 0 of 1 | a \| b |" in page
    assert "| moon | NO-GO | not planned | too high |" in page
    assert "| odd | UNDECIDED | not planned | not converged |" in page


@pytest.mark.parametrize(("refusal", "verdict"), [(Infeasible("beyond"), "NO-GO"), (PlannerError("lost"), "UNDECIDED")])
def test_a_jump_without_a_plan_is_a_row(monkeypatch: pytest.MonkeyPatch, refusal: ValueError, verdict: str) -> None:
    def refuse(*_: object) -> None:
        raise refusal

    monkeypatch.setattr(trials, "jump_act", refuse)
    row = trials.run_trial(VerdictTrial("mini_cheetah", {"height": 0.2}))
    assert (row["planned"], row["verdict"], row["reason"]) == (False, verdict, str(refusal))


def test_rows_that_are_there_are_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def run(trial: VerdictTrial) -> dict[str, object]:
        made.append(trial.label)
        if len(made) == 3:
            raise KeyboardInterrupt
        return row(trial.label, "GO", True)

    monkeypatch.setattr(command, "run_trial", run)
    with pytest.raises(KeyboardInterrupt):
        command.VerdictStudy(tmp_path, tmp_path / "rows", 4, known=False).run()
    command.VerdictStudy(tmp_path, tmp_path / "rows", 4, known=False).run()
    labels = [trial.label for trial in random_requests(4)]
    assert made == [*labels[:3], *labels[2:]]
    assert "0 of 4 verdicts GO failed" in (tmp_path / "false_go.md").read_text()


def test_pages_are_written_of_the_rows_that_are_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "run_trial", lambda trial: row(trial.label, "GO", True))
    command.VerdictStudy(tmp_path, tmp_path / "rows", 2, known=False).run()
    monkeypatch.setattr(command, "run_trial", pytest.fail)
    command.VerdictStudy(tmp_path, tmp_path / "rows", 4, known=False, more=False).run()
    assert "2 of 4 rows were made" in (tmp_path / "false_go.md").read_text()


def test_what_is_met_is_no_part_of_the_plan() -> None:
    plans = known_plans()
    assert {name for trial in plans for name in trial.met} == {"friction", "battery_voltage"}
    assert not any({"friction", "battery_voltage"} & set(trial.options) for trial in plans)


def test_requests_are_the_same_for_every_count_and_no_two_are_called_alike() -> None:
    assert random_requests(3) == random_requests(5)[:3]
    for some in (random_requests(200), known_plans()):
        assert len({trial.label for trial in some}) == len(some)


def test_strength_and_payload_are_the_robots() -> None:
    spec = load("mini_cheetah")
    changed = changed_robot(spec, 0.7, 1.5)
    assert changed.total_mass == pytest.approx(spec.total_mass + 1.5)
    assert changed.actuators[2].motor.torque_limit == pytest.approx(0.7 * spec.actuators[2].motor.torque_limit)
