"""What counts as naming a defect of a code."""

from __future__ import annotations

import pytest

from leapcheck.records import CauseClass, CauseRow, Diagnosis
from leapcheck_evidence.score.programs.catalogue import SLIPS, robot
from leapcheck_evidence.score.programs.defect import Plant, ProgramDefect, StateFault
from leapcheck_evidence.score.programs.naming import Named, naming
from leapcheck_evidence.score.programs.places import Place, all_links

ROBOT = "mini_cheetah"
GYROSCOPIC = next(slip for slip in SLIPS if slip.label == "gyroscopic torque missing")
OTHER = next(slip for slip in SLIPS if slip.label == "com in the potential energy missing")
TWO_LINKS = Place("of two", frozenset({"FR_hip", "FR_knee"}))


def defect(*plants: Plant) -> ProgramDefect:
    return ProgramDefect(0, "term", ROBOT, "newton_euler", plants)


def diagnosis(*causes: str, unexplained: tuple[str, ...] = ()) -> Diagnosis:
    rows = tuple(CauseRow(f"term/{i}", CauseClass.ENGINE, words, "") for i, words in enumerate(causes))
    return Diagnosis("program", rows, (), (), unexplained, "")


@pytest.mark.parametrize(
    ("causes", "unexplained", "named"),
    [
        (("the gyroscopic torque of FR_hip, FR_knee is missing",), (), Named.RIGHTLY),
        (("the term w x I w of FR_knee and FR_hip is left out",), (), Named.RIGHTLY),
        (("the gyroscopic torque of FR_hip, FL_knee is missing",), (), Named.WRONGLY),
        (("the gyroscopic torque of FR_hip, FR_knee has the wrong sign",), (), Named.WRONGLY),
        (("the mass of FR_hip, FR_knee is missing",), (), Named.WRONGLY),
        (("the gyroscopic torque of FR_hip is missing",), (), Named.WRONGLY),
        (("the gyroscopic torque of FR_hip is missing",), ("bias_force",), Named.PARTLY),
        (("the gyroscopic torque of FR_hip, FR_knee is missing", "the mass of trunk is off"), (), Named.WRONGLY),
        ((), ("bias_force",), Named.NOT),
    ],
)
def test_right_are_the_term_the_change_and_the_links(causes: tuple[str, ...], unexplained: tuple[str, ...], named: Named) -> None:
    planted = defect(Plant(GYROSCOPIC, TWO_LINKS))
    assert naming(planted, robot(ROBOT), (diagnosis(*causes, unexplained=unexplained),)) is named


def test_of_two_faults_both_are_to_be_named() -> None:
    planted = defect(Plant(GYROSCOPIC, TWO_LINKS), Plant(OTHER, TWO_LINKS))
    one, both = "the gyroscopic torque of FR_hip, FR_knee is missing", "the com of FR_hip, FR_knee is missing in the energy"
    assert naming(planted, robot(ROBOT), (diagnosis(one),)) is Named.PARTLY
    assert naming(planted, robot(ROBOT), (diagnosis(one, both),)) is Named.RIGHTLY


def test_a_factor_is_right_where_the_numbers_have_it() -> None:
    """Where all hinges' columns of J are missing and there is nothing else, J is zero."""
    hinges = next(slip for slip in SLIPS if slip.label == "hinges' columns of J missing")
    spec = robot("two_link_arm")
    planted = ProgramDefect(0, "term", spec.name, "spatial", (Plant(hinges, all_links(spec, hinges.term.of)),))
    for factor, named in (("0", Named.RIGHTLY), ("0.5", Named.WRONGLY)):
        row = CauseRow("factor/contact_jacobians", CauseClass.ENGINE, f"J is multiplied by {factor}", "")
        assert naming(planted, spec, (Diagnosis("program", (row,), (), (), (), ""),)) is named


def test_a_condition_and_what_happens_under_it_are_one_cause() -> None:
    fault = StateFault(
        "clipped",
        lambda engine, states, quantities: engine.inner.evaluate(states, quantities),
        (r"\bFR_knee\b", "clip", "number 2.6 2.8"),
    )
    planted = ProgramDefect(0, "state-dependent", ROBOT, "spatial", states=fault)
    for limit, named in (("2.7", Named.RIGHTLY), ("1.2", Named.WRONGLY)):
        words = (
            ("condition/q 9", f"wrong exactly where |FR_knee| > {limit} rad"),
            ("condition/clip/q 9", "the angle is clipped there"),
        )
        rows = tuple(CauseRow(name, CauseClass.ENGINE, text, "") for name, text in words)
        assert naming(planted, robot(ROBOT), (Diagnosis("program", rows, (), (), (), ""),)) is named
