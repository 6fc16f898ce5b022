"""The codes to plant in: right as they stand, and wrong after each edit."""

from __future__ import annotations

import pytest

from leapcheck_evidence.score.planting.effect import effect
from leapcheck_evidence.score.programs import guises
from leapcheck_evidence.score.programs.catalogue import NUMBERS, SLIPS, draw_defect, draws, robot
from leapcheck_evidence.score.programs.defect import Faulty
from leapcheck_evidence.score.programs.engine import LIBRARIES, ProgramEngine
from leapcheck_evidence.score.programs.guises import CleanGuise, Guise, clean_guises, guise_outcome
from leapcheck_evidence.score.programs.mutation import Edit, edited_text, source

ROUNDING = 1e-12
"""Largest scale-free difference from the reference; measured: 1.3e-13, in M^-1 on random:716."""

SMALL_TREES = ("random:715", "tree4_5", "pupper_leg")
"""The first has every kind of joint but no ball, rotors, armature and contact points."""


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", SMALL_TREES)
def test_the_codes_agree_with_the_reference(library: str, name: str) -> None:
    spec = robot(name)
    assert max(effect(spec, ProgramEngine(spec, library)).values()) < ROUNDING


@pytest.mark.parametrize("library", ["newton_euler", "spatial"])
def test_the_codes_agree_with_the_reference_on_the_mini_cheetah(library: str) -> None:
    spec = robot("mini_cheetah")
    assert max(effect(spec, ProgramEngine(spec, library)).values()) < ROUNDING


def test_each_edit_stands_once_in_its_function() -> None:
    for slip in (*SLIPS, *NUMBERS):
        for edit in slip.term.edits(slip.change):
            text = source(edit.place.partition(".")[0])
            assert edited_text(text, edit) != text, slip.label


def test_text_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="stands 0 times"):
        edited_text(source("poses"), Edit("poses.poses", "nothing of the kind", "0.0"))


def test_a_seed_gives_the_same_defect_and_each_shows() -> None:
    number = next(i for i, draw in enumerate(draws()) if draw.kind == "three faults")
    first, again = draw_defect(3, number), draw_defect(3, number)
    assert first.label == again.label
    spec = robot(first.robot)
    assert effect(spec, Faulty(first, spec)) == first.effect
    assert max(first.effect.values()) > ROUNDING


def test_three_hundred_defects() -> None:
    assert len(draws()) >= 300


def test_a_clean_guise_raises_no_alarm() -> None:
    """One of them; the score asks all."""
    number = next(i for i, guise in enumerate(clean_guises()) if guise.label == "M by unit torques")
    assert guise_outcome(number).alarms == ()


def test_a_guise_with_a_fault_raises_the_alarm(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = CleanGuise(
        "half of M^-1",
        "tree4_5",
        lambda spec: Guise("half", spec, "spatial", lambda engine, states, name: 0.5 * engine.own(states, name)),
    )
    monkeypatch.setattr(guises, "clean_guises", lambda: (wrong,))
    assert guise_outcome(0).alarms
