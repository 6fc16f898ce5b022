"""Versions of an engine asked at the same seeded states, each in a process with an environment of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from pathlib import Path

from leapcheck.compare.bench import bench
from leapcheck.compare.execution import Means, whole_outcome
from leapcheck.compare.figures import Figures, finished
from leapcheck.compare.plan import Plan
from leapcheck.compare.records import Failure
from leapcheck.compare.tally import TOLERANCE_UNITS
from leapcheck.engines.errors import EngineError
from leapcheck.engines.other_version import OtherVersion, Package, environment
from leapcheck.engines.protocol import Answers
from leapcheck.engines.reference_engine import ReferenceEngine
from leapcheck.judge.evidence import Evidence, evidence
from leapcheck.quantities import QUANTITIES
from leapcheck.states import States, generated_states, joined, units
from leapcheck.versions.records import Difference, Figure, Held
from leapcheck.versions.routes import ModelFile

IN_HOUSE = "reference"

CANONICAL = tuple(name for name, quantity in QUANTITIES.items() if not quantity.in_mujoco_coordinates)
"""What a version may be asked for: MuJoCo's own storage has changed its form too often."""

Progress = Callable[[int, int, str], None]
"""Told how many of how many parts are done, and what is being done."""


@dataclass(frozen=True, slots=True)
class Question:
    """What every version is asked: the same file, quantities and states. `folder` holds the environments."""

    package: Package
    robot: str
    model: ModelFile
    quantities: tuple[str, ...]
    states: int
    seed: int
    folder: Path


def held(question: Question, versions: Sequence[str], progress: Progress | None = None) -> Held:
    """The versions held against the truth and in pairs; one that cannot be installed, or refuses the file, is a failure."""
    engines: list[OtherVersion] = []
    failures: list[Failure] = []
    try:
        for done, version in enumerate(versions):
            if progress:
                progress(done, len(versions), f"{question.package} {version}: its environment")
            try:
                engines.append(engine(question, version))
            except EngineError as error:
                failures.append(Failure(f"{question.package}-{version}", "", str(error)))
        return _held(question, tuple(engines), failures, progress)
    finally:
        for made in engines:
            made.close()


def engine(question: Question, version: str) -> OtherVersion:
    """The robot in that version; EngineError where it cannot be installed, cannot be imported, or refuses the file."""
    python = environment(question.package, version, question.folder)
    model = question.model
    made = OtherVersion(model.spec, python, question.package, model.text, model.kind)
    if version not in (made.version, f"{made.version}.post1"):
        made.close()
        raise EngineError(f"{question.package} {version}: its environment holds version {made.version}: ask for that one")
    return made


def _held(question: Question, engines: tuple[OtherVersion, ...], failures: list[Failure], progress: Progress | None) -> Held:
    versions = tuple(engine.version for engine in engines)
    if not engines:
        return Held((), (), (), tuple(failures))
    plan = Plan(
        question.robot,
        question.model.spec,
        (IN_HOUSE, *engines),
        question.quantities,
        count=question.states,
        seed=question.seed,
    )
    at = bench(plan.spec, plan.engines, plan.quantities, plan.is_long)
    total = whole_outcome(plan, at, Means(), progress and (lambda done, of: progress(done, of, f"asking {', '.join(versions)}")))
    figures = finished(at, total)
    version_of = {engine.name: engine.version for engine in engines}
    return Held(
        versions,
        tuple(_figures(figures, version_of)),
        tuple(_differences(question, engines)),
        (*failures, *at.failures, *total.failures),
    )


def _figures(found: Figures, version_of: dict[str, str]) -> list[Figure]:
    verdicts = {(verdict.engine, verdict.quantity): verdict.verdict for verdict in found.verdicts}
    return [
        Figure(version_of[row.engine], row.quantity, row.worst, row.rounding, verdicts[row.engine, row.quantity])
        for row in found.accuracies
        if row.engine in version_of
    ]


def _differences(question: Question, engines: Sequence[OtherVersion]) -> Iterator[Difference]:
    """Pairs of versions, the one asked first before the other: their answers entry by entry, whether right or wrong."""
    rounding = _rounding(question)
    answers = [_answers(engine, rounding.states, question.quantities) for engine in engines]
    for (before, old), (after, new) in combinations(zip(engines, answers, strict=True), 2):
        for quantity in (name for name in question.quantities if name in old.keys() & new.keys()):
            pair = replace(rounding, found=old)
            misfit = pair.misfit(quantity, new[quantity])
            error = pair.worst_error(quantity, new[quantity])
            yield Difference(quantity, before.version, after.version, error, TOLERANCE_UNITS * misfit, misfit > 1.0)


def _answers(engine: OtherVersion, states: States, quantities: Sequence[str]) -> Answers:
    """What the version answers; a quantity on which it fails is left out, the comparison with the truth has told it."""
    found: Answers = {}
    for quantity in (name for name in quantities if name in engine.quantities):
        with suppress(EngineError):
            found |= engine.evaluate(states, (quantity,))
    return found


@lru_cache(maxsize=2)
def _rounding(question: Question) -> Evidence:
    """All states, with the scale of each quantity there and the error that rounding explains."""
    spec = question.model.spec
    states = joined([generated_states(spec, question.states, question.seed, unit) for unit in units(question.states)])
    return evidence(spec, ReferenceEngine(spec), states, question.quantities)
