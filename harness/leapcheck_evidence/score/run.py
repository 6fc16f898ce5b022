"""The score: defects planted and judged one by one, in several processes, and clean engines compared over many states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import leapcheck
from leapcheck.records import Verdict
from leapcheck.system.processes import running_jobs
from leapcheck_evidence.score.few_entries import FEW, allows_few
from leapcheck_evidence.score.judging import Judgement, judgement
from leapcheck_evidence.score.naming import is_named
from leapcheck_evidence.score.planting.catalogue import ENGINES, WHOLE_BODIES, draw_defect, places, size
from leapcheck_evidence.score.planting.engines import NAME, Planted
from leapcheck_evidence.score.planting.fault import Defect
from leapcheck_evidence.score.planting.kinds import WHOLE
from leapcheck_evidence.score.planting.own_whole_body import WHOLE_BODY
from leapcheck_evidence.score.planting.robots import random_tree
from leapcheck_evidence.score.record import CleanRun, Outcome, Score

CLEAN_STATES = 1_000_000
"""States of clean engines, over all robots."""

TREES = 3
"""Random trees among the robots of the clean comparisons."""

Progress = Callable[[int, int, str], None]

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class ScorePlan:
    """What to plant: `numbers` of the seed's defects of a catalogue; how many states of clean engines."""

    seed: int = 0
    count: int = WHOLE
    numbers: tuple[int, ...] = ()
    clean_states: int = CLEAN_STATES
    command: str = ""
    catalogue: str = ENGINES


def run_score(plan: ScorePlan, workers: int, progress: Progress | None = None) -> Score:
    """The whole score, the same for any number of workers."""
    every = places(plan.count, plan.catalogue)
    numbers = plan.numbers or tuple(range(len(every)))
    jobs = [(plan.seed, number, plan.count, plan.catalogue) for number in numbers]
    outcomes = _each(outcome_of, jobs, workers, progress)
    clean = clean_runs(plan.seed, plan.clean_states, workers, plan.catalogue, progress) if plan.clean_states else ()
    what = " --whole-body" if plan.catalogue == WHOLE_BODIES else ""
    count = "" if plan.count == size(plan.catalogue) else f" --count {plan.count}"
    repeat = f"python -m leapcheck_evidence.score{what} --seed {plan.seed}{count}"
    return Score(plan.command, repeat, plan.seed, len(numbers) == len(every), tuple(outcomes), clean, plan.catalogue)


def defect_lines(plan: ScorePlan, workers: int, progress: Progress | None = None) -> list[str]:
    """One line on each defect, without judging it."""
    numbers = plan.numbers or tuple(range(len(places(plan.count, plan.catalogue))))
    jobs = [(plan.seed, number, plan.count, plan.catalogue) for number in numbers]
    return _each(line_of, jobs, workers, progress)


def line_of(seed: int, number: int, count: int, catalogue: str = ENGINES) -> str:
    """Number, class, label and effect of one defect."""
    defect = draw_defect(seed, number, count, catalogue)
    M, h, largest = effect_of(defect)
    return f"{number} | {defect.kind} | {defect.label} | M {M:.1e} h {h:.1e} largest {largest:.1e}"


def outcome_of(seed: int, number: int, count: int, catalogue: str = ENGINES) -> Outcome:
    """Result for one defect; an exception in judging it is reported and counts as not found.

    States are shrunk for defects in engines alone: derivatives at thousands of states take minutes, and shrink no otherwise.
    """
    defect = draw_defect(seed, number, count, catalogue)
    shrinks = catalogue == ENGINES and defect.wanted == "wrong"
    try:
        engine = Planted(defect)
        said = judgement(defect, engine, shrinks)
        few = shrinks and allows_few(defect.spec, engine, defect.quantities)
        return outcome(defect, said, few)
    except Exception as error:  # a failure of the judge is a miss, not the end of the score
        return _outcome(defect, failure=f"{type(error).__name__}: {' '.join(str(error).split())}")


def outcome(defect: Defect, said: Judgement, few: bool = False) -> Outcome:
    """What the judge's word on a defect comes to."""
    first = said.diagnoses[0] if said.diagnoses else None
    match defect.wanted:
        case "right":
            named = not said.found
        case "imprecise":
            named = _is_called_imprecise(said)
        case _:
            named = is_named(defect.faults, said.diagnoses)
    return _outcome(
        defect,
        found=said.found,
        named=named,
        said=tuple(cause.name for diagnosis in said.diagnoses for cause in diagnosis.causes),
        equivalents=len(first.alternatives) if first else 0,
        unexplained=tuple(name for diagnosis in said.diagnoses for name in diagnosis.unexplained),
        entries=said.entries,
        allows_few=few or (said.entries is not None and said.entries <= FEW),
    )


def _is_called_imprecise(said: Judgement) -> bool:
    """Whether the engine is right but imprecise by the judge, and wrong in nothing."""
    verdicts = {verdict.verdict for verdict in said.verdicts if verdict.engine == NAME}
    return "wrong" not in verdicts and "right but imprecise" in verdicts


def effect_of(defect: Defect) -> tuple[float, float, float]:
    """Effect on M, on the bias and on any quantity."""
    effect = defect.effect
    return effect.get("mass_matrix", 0.0), effect.get("bias_force", 0.0), max(effect.values(), default=0.0)


def clean_runs(
    seed: int, states: int, workers: int, catalogue: str = ENGINES, progress: Progress | None = None
) -> tuple[CleanRun, ...]:
    """The engines as they are, on the Mini Cheetahs and on trees of the seed: half of the states on the first."""
    trees = [random_tree(seed, i) for i in range(TREES)]
    shares = {"mini_cheetah": 0.5, "mini_cheetah_armature": 0.2} | dict.fromkeys(trees, 0.3 / TREES)
    runs = []
    for done, (robot, share) in enumerate(shares.items()):
        if progress is not None:
            progress(done, len(shares), f"clean engines on {robot}")
        runs.append(clean_run(robot, seed, round(share * states), workers, catalogue))
    return tuple(runs)


def clean_run(robot: str, seed: int, states: int, workers: int, catalogue: str = ENGINES) -> CleanRun:
    """One robot in all engines."""
    quantities = WHOLE_BODY if catalogue == WHOLE_BODIES else ()
    run = leapcheck.compare(robot, states=states, seed=seed, workers=workers, quantities=quantities).record
    alarms = [f"{r.quantity}: {r.engine} against {r.against}" for r in run.comparisons if r.verdict is Verdict.DISCREPANCY]
    alarms += [f"{failure.engine}: {failure.message}" for failure in run.failures]
    alarms += [f"{d.engine}: {', '.join(cause.name for cause in d.causes)}" for d in run.diagnoses]
    return CleanRun(robot, states, tuple(engine.name for engine in run.engines), tuple(alarms))


def _outcome(defect: Defect, **judged: object) -> Outcome:
    blank = {
        "found": False,
        "named": False,
        "said": (),
        "equivalents": 0,
        "unexplained": (),
        "entries": None,
        "allows_few": False,
        "failure": "",
    }
    return Outcome(
        number=defect.number,
        kind=defect.kind,
        label=defect.label,
        robot=defect.robot,
        base=defect.base,
        pair=defect.is_pair,
        wanted=defect.wanted,
        effect=effect_of(defect),
        **(blank | judged),  # type: ignore[arg-type]
    )


def _each(
    work: Callable[..., Result], jobs: Sequence[tuple[int, int, int, str]], workers: int, progress: Progress | None
) -> list[Result]:
    """Results of the jobs, in their order, made in this process or in several."""
    results: list[Result] = []
    if workers == 1 or len(jobs) == 1:
        for job in jobs:
            _tell(progress, len(results), len(jobs))
            results.append(work(*job))
        return results
    with running_jobs(work, jobs, workers) as running:
        for future in list(running):
            results.append(future.result())
            _tell(progress, len(results), len(jobs))
    return results


def _tell(progress: Progress | None, done: int, total: int) -> None:
    if progress is not None:
        progress(done, total, "planted defects")
