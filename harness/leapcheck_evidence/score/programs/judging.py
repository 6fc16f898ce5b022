"""One defect before the judge, as a user meets it: `leapcheck.compare` with the code as the user's own engine."""

from __future__ import annotations

import time
from dataclasses import dataclass

import leapcheck
from leapcheck.records import Diagnosis, Run
from leapcheck_evidence.score.programs.catalogue import draw_defect, robot
from leapcheck_evidence.score.programs.defect import Faulty, ProgramDefect
from leapcheck_evidence.score.programs.naming import Named, naming

STATES = 256


@dataclass(frozen=True, slots=True)
class ProgramOutcome:
    """A defect, how it was named, what was said, and the CPU seconds of the comparison."""

    number: int
    kind: str
    label: str
    effect: tuple[tuple[str, float], ...]
    named: Named
    said: tuple[str, ...]
    unexplained: tuple[str, ...]
    pattern: str
    seconds: float
    failure: str = ""


def program_outcome(seed: int, number: int) -> ProgramOutcome:
    """The result for one defect; an exception is reported, and counts as not found."""
    defect = draw_defect(seed, number)
    start = time.process_time()
    try:
        run = run_of(defect, seed)
    except Exception as error:  # a failure of the judge is a miss, not the end of the score
        failure = f"{type(error).__name__}: {' '.join(str(error).split())}"
        return _outcome(defect, Named.UNFOUND, (), "", time.process_time() - start, failure)
    seconds = time.process_time() - start
    if run.exit_status == 0:
        return _outcome(defect, Named.UNFOUND, (), "", seconds)
    named = naming(defect, robot(defect.robot), run.diagnoses)
    failed = "; ".join(failure.message for failure in run.failures)
    return _outcome(defect, named, run.diagnoses, run.verdict, seconds, failed)


def run_of(defect: ProgramDefect, seed: int) -> Run:
    """The record of the comparison with the in-house code."""
    spec = robot(defect.robot)
    return leapcheck.compare(spec, Faulty(defect, spec), engines=("reference",), states=STATES, seed=seed).record


def _outcome(
    defect: ProgramDefect, named: Named, diagnoses: tuple[Diagnosis, ...], pattern: str, seconds: float, failure: str = ""
) -> ProgramOutcome:
    return ProgramOutcome(
        defect.number,
        defect.kind,
        defect.label,
        tuple(sorted(defect.effect.items())),
        named,
        tuple(f"{cause.name}: {cause.words}" for diagnosis in diagnoses for cause in diagnosis.causes),
        tuple(name for diagnosis in diagnoses for name in diagnosis.unexplained),
        "; ".join(diagnosis.pattern for diagnosis in diagnoses) or pattern,
        seconds,
        failure,
    )
