"""The engines of a run, made once per process, and what one unit of states yields in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations

from leapcheck.compare.records import EngineRow, Failure
from leapcheck.compare.rounding import ExpectedRounding
from leapcheck.compare.tally import PairTally, pair_tally
from leapcheck.engines.errors import EngineError, NotApplicable
from leapcheck.engines.protocol import Answers, Engine
from leapcheck.engines.reference_engine import ReferenceEngine
from leapcheck.engines.registry import make_engine
from leapcheck.engines.user import load_user_engine
from leapcheck.quantities import QUANTITIES, sizes
from leapcheck.states import States
from leapcheck_models.spec import RobotSpec

Pair = tuple[str, str, str]
"""(quantity, engine, against)."""


@dataclass(frozen=True, slots=True)
class Bench:
    """One robot in its engines: those that could be made, those that failed, and what could not be compared."""

    spec: RobotSpec
    engines: tuple[Engine, ...]
    in_house: ReferenceEngine
    expected_rounding: ExpectedRounding
    failures: tuple[Failure, ...]
    not_compared: tuple[str, ...]

    @property
    def rows(self) -> tuple[EngineRow, ...]:
        """The engines as records."""
        return tuple(
            EngineRow(e.name, e.version, e.route, tuple(q for q in QUANTITIES if q in e.quantities)) for e in self.engines
        )


@dataclass(slots=True)
class UnitOutcome:
    """Tallies by pair, and the failures met on the way."""

    tallies: dict[Pair, PairTally] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)


def bench(spec: RobotSpec, engines: Sequence[str | Engine]) -> Bench:
    """The robot in each engine; a name is looked up, "module:factory" is the user's, an Engine is taken as it is."""
    made: list[Engine] = []
    failures: list[Failure] = []
    not_compared: list[str] = []
    for request in engines:
        try:
            made.append(_made(request, spec))
        except NotApplicable as reason:
            not_compared.append(f"{request}: {reason}")
        except EngineError as error:
            failures.append(Failure(str(request), "", str(error)))
    in_house = next((e for e in made if isinstance(e, ReferenceEngine)), None) or ReferenceEngine(spec)
    return Bench(spec, tuple(made), in_house, ExpectedRounding(spec), tuple(failures), tuple(not_compared))


def _made(request: str | Engine, spec: RobotSpec) -> Engine:
    if not isinstance(request, str):
        return request
    return load_user_engine(request, spec) if ":" in request else make_engine(request, spec)


@lru_cache(maxsize=1)
def named_bench(spec: RobotSpec, engines: tuple[str, ...]) -> Bench:
    """The bench of a worker process, made once and kept for all its units."""
    return bench(spec, engines)


def unit_outcome(at: Bench, states: States, quantities: Sequence[str]) -> UnitOutcome:
    """Every engine's answers on the states, compared pair by pair and reduced."""
    outcome = UnitOutcome()
    wanted = [name for name in quantities if _has_entries(at.spec, name)]
    in_house = at.in_house.evaluate(states, wanted)
    rounding = at.expected_rounding(states, in_house)
    answers: dict[str, Answers] = {}
    for engine in at.engines:
        asked = [name for name in wanted if name in engine.quantities]
        found = in_house if engine is at.in_house else _answers(engine, states, asked, outcome.failures)
        answers[engine.name] = _of_the_right_shape(engine.name, found, in_house, outcome.failures)
    for name in wanted:
        able = [engine_name for engine_name, answer in answers.items() if name in answer]
        for first, second in combinations(able, 2):
            values, others = answers[second][name], answers[first][name]
            tally = pair_tally(at.spec, name, states, values, others, in_house[name], rounding[name])
            outcome.tallies[name, second, first] = tally
    return outcome


def _answers(engine: Engine, states: States, asked: Sequence[str], failures: list[Failure]) -> Answers:
    """What the engine answers; where it fails, quantity by quantity, so that one failure takes no other down."""
    try:
        return engine.evaluate(states, asked)
    except Exception:  # any failure of foreign code is a finding, named below
        answers: Answers = {}
        for name in asked:
            try:
                answers.update(engine.evaluate(states, (name,)))
            except EngineError as error:
                failures.append(Failure(engine.name, name, str(error)))
            except Exception as error:
                failures.append(Failure(engine.name, name, f"engine '{engine.name}' failed on {name}: {_one_line(error)}"))
        return answers


def _of_the_right_shape(engine: str, found: Answers, in_house: Answers, failures: list[Failure]) -> Answers:
    """The answers whose shape is that of the in-house ones; the others are failures."""
    right: Answers = {}
    for name, values in found.items():
        if values.shape == in_house[name].shape:
            right[name] = values
        else:
            shapes = f"{values.shape[1:]}, the in-house answer {in_house[name].shape[1:]}"
            failures.append(Failure(engine, name, f"engine '{engine}': {name} has shape {shapes}: the models differ in size"))
    return right


def _has_entries(spec: RobotSpec, quantity: str) -> bool:
    shape = QUANTITIES[quantity].shape
    return shape is None or 0 not in shape(sizes(spec))


def _one_line(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
