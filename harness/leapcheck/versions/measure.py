"""Measures versions of an engine at the same seeded states, each in a process with an environment of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from pathlib import Path

from leapcheck.comparison.engine_set import engine_set_of
from leapcheck.comparison.execution import Resources, whole_result
from leapcheck.comparison.plan import Plan
from leapcheck.engines.errors import EngineError
from leapcheck.engines.other_version.engine import OtherVersion, Package, environment
from leapcheck.engines.protocol import Answers
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.judge.evidence import Evidence, evidence
from leapcheck.judge.figures import run_figures
from leapcheck.records import Failure, VersionDifference, VersionFigure, VersionMeasurement
from leapcheck.robots.load import NamedRobot
from leapcheck.rounding import ALLOWED_UNITS
from leapcheck.sampling import States, generated_block, units
from leapcheck.versions.routes import ModelFile

Progress = Callable[[int, int, str], None]
"""Called with the number of parts that are done, the number of all, and what is being done."""


@dataclass(frozen=True, slots=True)
class VersionQuestion:
    """What every version is asked: the same file, quantities and states. `folder` holds the environments; `sandbox`: each
    version runs under bubblewrap."""

    package: Package
    robot: str
    model: ModelFile
    quantities: tuple[str, ...]
    states: int
    seed: int
    folder: Path
    sandbox: bool = False


def measure_versions(question: VersionQuestion, versions: Sequence[str], progress: Progress | None = None) -> VersionMeasurement:
    """The versions compared with the truth and in pairs; one that cannot be installed, or rejects the file, is a failure."""
    engines: list[OtherVersion] = []
    failures: list[Failure] = []
    try:
        for done, version in enumerate(versions):
            if progress:
                progress(done, len(versions), f"{question.package} {version}: its environment")
            try:
                engines.append(version_engine(question, version))
            except EngineError as error:
                failures.append(Failure(f"{question.package}-{version}", "", str(error)))
        return _measurement(question, tuple(engines), failures, progress)
    finally:
        for engine in engines:
            engine.close()


def version_engine(question: VersionQuestion, version: str) -> OtherVersion:
    """The robot in that version; EngineError where it cannot be installed or imported, or rejects the file."""
    python = environment(question.package, version, question.folder)
    model = question.model
    engine = OtherVersion(model.spec, python, question.package, model.text, model.kind, question.sandbox)
    if version not in (engine.version, f"{engine.version}.post1"):
        engine.close()
        raise EngineError(f"{question.package} {version}: its environment holds version {engine.version}: ask for that one")
    return engine


def _measurement(
    question: VersionQuestion, engines: tuple[OtherVersion, ...], failures: list[Failure], progress: Progress | None
) -> VersionMeasurement:
    version_of = {engine.name: engine.version for engine in engines}
    if not engines:
        return VersionMeasurement((), (), (), tuple(failures))
    spec, quantities = question.model.spec, question.quantities
    robot = NamedRobot(spec, question.robot)
    plan = Plan(robot, ("reference", *engines), quantities, count=question.states, seed=question.seed)
    engine_set = engine_set_of(plan)
    now = f"asking {', '.join(version_of.values())}"
    result = whole_result(plan, engine_set, Resources(), progress and (lambda done, total: progress(done, total, now)))
    figures = run_figures(engine_set, result)
    verdicts = {(row.engine, row.quantity): row.verdict for row in figures.verdicts}
    return VersionMeasurement(
        tuple(version_of.values()),
        tuple(
            VersionFigure(version_of[row.engine], row.quantity, row.worst, row.rounding, verdicts[row.engine, row.quantity])
            for row in figures.accuracies
            if row.engine in version_of
        ),
        tuple(_differences(question, engines)),
        (*failures, *engine_set.failures, *result.failures, *figures.failures),
    )


def _differences(question: VersionQuestion, engines: Sequence[OtherVersion]) -> Iterator[VersionDifference]:
    """Each pair of versions, in the order asked: their answers entry by entry, whether right or wrong."""
    rounding = _rounding(question)
    answers = [_answers(engine, rounding.states, question.quantities) for engine in engines]
    for (before, old), (after, new) in combinations(zip(engines, answers, strict=True), 2):
        for quantity in (name for name in question.quantities if name in old.keys() & new.keys()):
            pair = replace(rounding, answers=old)
            misfit = pair.misfit(quantity, new[quantity])
            error = pair.worst_error(quantity, new[quantity])
            yield VersionDifference(quantity, before.version, after.version, error, ALLOWED_UNITS * misfit, misfit > 1.0)


def _answers(engine: OtherVersion, states: States, quantities: Sequence[str]) -> Answers:
    """The version's answers without the quantities that fail: the comparison with the truth reports those."""
    answers: Answers = {}
    for quantity in (name for name in quantities if name in engine.quantities):
        with suppress(EngineError):
            answers |= engine.evaluate(states, (quantity,))
    return answers


@lru_cache(maxsize=2)
def _rounding(question: VersionQuestion) -> Evidence:
    """All states, with each quantity's scale and the error that rounding explains there."""
    spec = question.model.spec
    states = generated_block(spec, question.states, question.seed, units(question.states))
    return evidence(spec, ReferenceEngine(spec), states, question.quantities)
