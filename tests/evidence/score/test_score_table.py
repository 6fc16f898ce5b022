"""The count, its goals, its tables and its command line, over outcomes made up or cheap."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from leapcheck.records import CauseRow, Diagnosis, EngineVerdict
from leapcheck.sampling import States, generated_states
from leapcheck_evidence.score.__main__ import FILES, ScoreCommand
from leapcheck_evidence.score.goals import goals
from leapcheck_evidence.score.judging import Judgement, entry_count
from leapcheck_evidence.score.planting.catalogue import draw_defect, places
from leapcheck_evidence.score.planting.fault import Defect, Fault
from leapcheck_evidence.score.planting.kinds import WHOLE
from leapcheck_evidence.score.record import CleanRun, Outcome, Score
from leapcheck_evidence.score.run import ScorePlan, clean_run, outcome, run_score
from leapcheck_evidence.score.show import miss_cells, misses, score_json, score_markdown
from leapcheck_models.robots import load

GOOD = Outcome(
    7, "parameters", "mass", "box", "own", False, "wrong", (1e-3, 0.0, 1e-3), True, True, ("mass/box",), 0, (), 1, True
)
PAIR = replace(GOOD, number=8, kind="pairs", pair=True)
NOISE = replace(
    GOOD, number=9, kind="noise", wanted="right", effect=(1e-15, 0.0, 1e-15), found=False, said=(), entries=None, allows_few=False
)
SINGLE = replace(NOISE, number=10, kind="single precision", wanted="imprecise", effect=(1e-6, 1e-6, 1e-6), found=True)
CLEAN = CleanRun("box", 1000, ("reference", "mujoco"), ())


def score(*outcomes: Outcome, whole: bool = False, clean: tuple[CleanRun, ...] = (CLEAN,)) -> Score:
    return Score(
        "python -m leapcheck_evidence.score --seed 0", "python -m leapcheck_evidence.score --seed 0", 0, whole, outcomes, clean
    )


def failed(found: Score) -> list[str]:
    return [goal.label.split(",")[0] for goal in goals(found) if not goal.is_reached]


def test_all_goals_are_reached_where_all_is_right() -> None:
    assert failed(score(GOOD, PAIR, NOISE, SINGLE)) == []
    assert failed(score(GOOD, whole=True)) == ["planted"]


@pytest.mark.parametrize(
    ("wrong", "label"),
    [
        (replace(GOOD, found=False), "found"),
        (replace(GOOD, named=False), "named rightly"),
        (replace(PAIR, named=False), "named rightly"),
        (replace(GOOD, entries=4), "smallest state of at most 3 entries"),
        (replace(GOOD, entries=None), "smallest state of at most 3 entries"),
        (replace(NOISE, named=False, found=True), "rounding noise not called a fault"),
        (replace(SINGLE, named=False), "single precision called imprecise"),
    ],
)
def test_each_goal_can_be_missed(wrong: Outcome, label: str) -> None:
    assert failed(score(wrong)) == [label]


def test_a_defect_too_small_to_be_demanded_need_not_be_found() -> None:
    assert failed(score(replace(GOOD, found=False, effect=(1e-10, 1e-10, 1e-10)))) == []


def test_an_alarm_over_clean_engines_is_a_miss() -> None:
    assert len(failed(score(GOOD, clean=(replace(CLEAN, alarms=("csr: mujoco against truth",)),)))) == 1


def test_the_tables_say_what_was_missed_and_how_to_repeat_it() -> None:
    missed = replace(GOOD, named=False, said=("com-x/box",), unexplained=("csr",))
    found = score(missed, NOISE)
    assert misses(found) == [missed]
    assert miss_cells(found, [missed])[0] == (
        "7",
        "parameters: mass",
        "com-x/box; unexplained: csr",
        "python -m leapcheck_evidence.score --seed 0 --defect 7",
    )
    text = score_markdown(found)
    assert "not all goals reached" in text
    assert "| parameters | 1 | 1 | 0 | 0% | 1 |" in text
    record = json.loads(score_json(found))
    assert [row["number"] for row in record["outcomes"]] == [7, 9]
    assert not all(goal["is_reached"] for goal in record["goals"])


def defect(wanted: str, *faults: Fault) -> Defect:
    spec = load("box")
    return Defect(0, "", "", "box", spec, "own", faults, ("mass_matrix",), wanted)


def said(found: bool, *names: str, verdict: str = "wrong") -> Judgement:
    causes = tuple(CauseRow(name, "model", "", "") for name in names)
    diagnoses = (Diagnosis("planted", causes, (), (), (), ""),) if names else ()
    return Judgement(found, (EngineVerdict("planted", "mass_matrix", verdict, 0.0, 0.0, 0.0, 0),), diagnoses, 2)


def test_what_the_judge_says_comes_to_an_outcome() -> None:
    mass = defect("wrong", Fault("", ("mass/box",)))
    assert outcome(mass, said(True, "mass/box")).named
    assert outcome(mass, said(True, "mass/box")).allows_few
    assert not outcome(mass, said(True, "com/box")).named
    assert outcome(defect("right"), said(False)).named
    assert not outcome(defect("right"), said(True)).named
    assert outcome(defect("imprecise"), said(True, "precision/float32", verdict="right but imprecise")).named
    assert not outcome(defect("imprecise"), said(True, "mass/box")).named


def test_entries_are_counted_as_a_reader_would() -> None:
    spec = load("box")
    state = generated_states(spec, 1, 0, 0)
    assert entry_count(spec, state) == 3 + 3 + 6 + 6
    half = 0.5**0.5
    turned = States(state.q * 0.0, state.v * 0.0, state.tau * 0.0, state.index, state.kind)
    turned.q[0, 3], turned.q[0, 5] = half, half
    assert entry_count(spec, turned) == 1
    turned.v[0, 0] = 1.0
    assert entry_count(spec, turned) == 2
    turned.q[0, 4] = half
    assert entry_count(spec, turned) == 4


def test_engines_without_a_fault_raise_no_alarm() -> None:
    run = clean_run("two_link_arm", 0, 512, 1)
    assert run.alarms == ()
    assert len(run.engines) == 5


@pytest.mark.slow
def test_any_number_of_workers_comes_to_the_same() -> None:
    numbers = tuple(i for i, (kind, _) in enumerate(places(WHOLE)) if kind.name == "noise")[:2]
    plan = ScorePlan(numbers=numbers, clean_states=0)
    one, two = (run_score(plan, workers) for workers in (1, 2))
    assert one == two
    assert [o.wanted for o in one.outcomes] == ["right", "right"]


def test_the_command_writes_both_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    number = next(i for i, (kind, _) in enumerate(places(WHOLE)) if kind.name == "noise")
    assert ScoreCommand(defect=(number,), out=tmp_path, workers=1).run() == 0
    assert f"--defect {number}" in (tmp_path / FILES[0]).read_text()
    assert len(json.loads((tmp_path / FILES[1]).read_text())["outcomes"]) == 1
    assert "noise" in capsys.readouterr().out


def test_the_command_lists(capsys: pytest.CaptureFixture[str]) -> None:
    assert ScoreCommand(list=True, defect=(1,), workers=1).run() == 0
    assert draw_defect(0, 1).label in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (ScoreCommand(only=("nonsense",)), "unknown class 'nonsense'"),
        (ScoreCommand(defect=(100_000,)), "is not among"),
        (ScoreCommand(seed=-1), "--seed -1"),
    ],
)
def test_a_wrong_choice_is_refused(command: ScoreCommand, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        command.run()
