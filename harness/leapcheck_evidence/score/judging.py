"""One engine with a defect before the judge: compared with the in-house code, diagnosed, and its error shrunk."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leapcheck.comparison.engine_set import engine_set_of
from leapcheck.comparison.execution import whole_result
from leapcheck.comparison.plan import Plan
from leapcheck.judge.diagnosis import diagnose
from leapcheck.judge.explanation import one_state, states_to_ask
from leapcheck.judge.figures import run_figures
from leapcheck.judge.shrinking.mismatch import Budget
from leapcheck.judge.shrinking.shrink import smallest_case
from leapcheck.judge.verdicts import with_diagnoses
from leapcheck.records import Comparison, Diagnosis, EngineVerdict, Verdict
from leapcheck.robots.load import NamedRobot
from leapcheck.sampling import States
from leapcheck_evidence.score.planting.engines import NAME, Planted
from leapcheck_evidence.score.planting.fault import Defect
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import CONFIGURATION_SIZE, JointType, RobotSpec

STATES = 256
"""States of the comparison."""

BUDGET = Budget(evaluations=1200, models=50)
"""Of one shrinking; one for each defect, where a report has one for each quantity."""

SHRUNK_FIRST = (
    "mass_matrix",
    "contact_positions",
    "gravity_force",
    "potential_energy",
    "contact_jacobians",
    "bias_force",
    "kinetic_energy",
)
"""Wrong quantities in the order in which one is chosen to be shrunk: those that ask for least first."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the judge says: whether it found anything, verdicts, diagnoses, and the entries of the smallest state."""

    found: bool
    verdicts: tuple[EngineVerdict, ...]
    diagnoses: tuple[Diagnosis, ...]
    entries: int | None


def judgement(defect: Defect, engine: Planted, shrinks: bool = True) -> Judgement:
    """The judge's word on the engine with the defect, the same every time; its worst state is made small if it `shrinks`."""
    plan = Plan(NamedRobot(defect.spec, defect.robot), ("reference", engine), defect.quantities, STATES, defect.number)
    at = engine_set_of(plan)
    total = whole_result(plan, at)
    figures = run_figures(at, total)
    wrong = {
        row.quantity: row
        for row in figures.comparisons
        if row.verdict is Verdict.DISCREPANCY and NAME in (row.engine, row.against)
    }
    worst = [row.worst for row in wrong.values() if row.worst is not None]
    diagnoses = (
        diagnose(defect.spec, engine, states_to_ask(defect.spec, defect.number, worst), defect.quantities) if worst else ()
    )
    entries = _smallest(engine, defect.spec, wrong) if shrinks and defect.wanted == "wrong" and worst else None
    return Judgement(bool(wrong) or bool(total.failures), with_diagnoses(figures.verdicts, diagnoses), diagnoses, entries)


def entry_count(spec: RobotSpec, state: States) -> int:
    """Numbers of a state that are not zero; a turn about one coordinate axis counts as one, any other as three."""
    count, start = int(np.count_nonzero(state.v)) + int(np.count_nonzero(state.tau)), 0
    for kind in (body.joint.type for body in spec.bodies):
        q = state.q[0, start : start + CONFIGURATION_SIZE[kind]]
        start += len(q)
        turns = kind in (JointType.FREE, JointType.BALL)
        count += int(np.count_nonzero(q[:-4] if turns else q)) + (_turn_count(q[-4:]) if turns else 0)
    return count


def _turn_count(quaternion: Floats) -> int:
    axes = int(np.count_nonzero(quaternion[1:]))
    return axes if axes < 2 else 3


def _smallest(engine: Planted, spec: RobotSpec, wrong: dict[str, Comparison]) -> int | None:
    """Entries of the smallest state that shows one of the wrong quantities; None where shrinking fails."""
    name = min(wrong, key=lambda q: SHRUNK_FIRST.index(q) if q in SHRUNK_FIRST else len(SHRUNK_FIRST))
    worst = wrong[name].worst
    assert worst is not None
    try:
        case = smallest_case(spec, engine.rebuild, name, one_state(worst), BUDGET)
    except ValueError:
        return None
    return entry_count(case.spec, case.state)
