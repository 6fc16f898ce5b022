"""The score of the codes: defects judged one by one in several processes, and what they come to by kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

from leapcheck.system.processes import running_jobs
from leapcheck_evidence.score.programs.catalogue import CONVENTION, KINDS, PLACES, STATES, TERM, THREE, draws
from leapcheck_evidence.score.programs.guises import GuiseOutcome, clean_guises, guise_outcome
from leapcheck_evidence.score.programs.judging import ProgramOutcome, program_outcome
from leapcheck_evidence.score.programs.naming import Named

LEAST_NAMED = {TERM: 0.95, PLACES: 0.97, STATES: 0.90, CONVENTION: 0.85, THREE: 0.70}
"""Share of each kind that is to be named rightly."""

ONE_FAULT = (TERM, PLACES, STATES)
"""Kinds of one mistake each, though it may stand in many places."""

MOST_WRONG = 0.01
MEDIAN_SECONDS, WORST_SECONDS = 5.0, 15.0

Result = TypeVar("Result")

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class ProgramGoal:
    """A line of the verdict: a figure, what it should be, and whether it is."""

    label: str
    reached: str
    wanted: str
    is_reached: bool


@dataclass(frozen=True, slots=True)
class ProgramScore:
    """All outcomes of a seed; `repeat` is the command for one defect, less its number."""

    command: str
    repeat: str
    seed: int
    outcomes: tuple[ProgramOutcome, ...]
    clean: tuple[GuiseOutcome, ...]


def score_programs(
    command: str, seed: int, numbers: Sequence[int], workers: int, progress: Progress | None = None
) -> ProgramScore:
    """The score of the defects of these numbers; of all defects, and of the clean engines, where there are no numbers.

    The same for any number of workers, but for the seconds.
    """
    jobs = [(seed, number) for number in numbers or range(len(draws()))]
    outcomes = _each(program_outcome, jobs, workers, progress)
    guises = () if numbers else tuple((number,) for number in range(len(clean_guises())))
    clean = _each(guise_outcome, guises, workers, progress)
    repeat = f"python -m leapcheck_evidence.score --programs --seed {seed}"
    return ProgramScore(command, repeat, seed, tuple(outcomes), tuple(clean))


def _each(work: Callable[..., Result], jobs: Sequence[tuple[int, ...]], workers: int, progress: Progress | None) -> list[Result]:
    """Results of the jobs, in their order, made in this process or in several."""
    if workers == 1 or len(jobs) < 2:
        return [work(*job) for job in jobs]
    results: list[Result] = []
    with running_jobs(work, jobs, workers) as running:
        for future in list(running):
            results.append(future.result())
            if progress is not None:
                progress(len(results), len(jobs), "planted defects")
    return results


def program_goals(score: ProgramScore) -> tuple[ProgramGoal, ...]:
    """All goals of the kinds that were planted."""
    outcomes = score.outcomes
    found_count = sum(outcome.named is not Named.UNFOUND for outcome in outcomes)
    wrong = sum(outcome.named is Named.WRONGLY for outcome in outcomes)
    seconds = [outcome.seconds for outcome in outcomes if outcome.kind in ONE_FAULT]
    goals = [
        ProgramGoal("found", _share(found_count, len(outcomes)), "100%", found_count == len(outcomes)),
        ProgramGoal("named wrongly", _share(wrong, len(outcomes)), f"<= {MOST_WRONG:.0%}", wrong <= MOST_WRONG * len(outcomes)),
    ]
    for kind in KINDS:
        if own := [outcome for outcome in outcomes if outcome.kind == kind]:
            named = sum(outcome.named is Named.RIGHTLY for outcome in own)
            least = LEAST_NAMED[kind]
            goals.append(
                ProgramGoal(f"named rightly, {kind}", _share(named, len(own)), f">= {least:.0%}", named >= least * len(own))
            )
    if score.clean:
        silent = sum(not outcome.alarms for outcome in score.clean)
        share = _share(silent, len(score.clean))
        goals.append(ProgramGoal("engines without a fault, no alarm", share, "100%", silent == len(score.clean)))
    if seconds:
        middle, worst = median(seconds), max(seconds)
        goals += [
            ProgramGoal("CPU for one fault, median", f"{middle:.1f} s", f"<= {MEDIAN_SECONDS:g} s", middle <= MEDIAN_SECONDS),
            ProgramGoal("CPU for one fault, worst", f"{worst:.1f} s", f"<= {WORST_SECONDS:g} s", worst <= WORST_SECONDS),
        ]
    return tuple(goals)


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({part / whole:.1%})"
