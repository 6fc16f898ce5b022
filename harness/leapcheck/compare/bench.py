"""The engines of a run, made once per process, and what one block of states yields in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from time import perf_counter

import numpy as np

from leapcheck.compare.distances import distances
from leapcheck.compare.heat import heat
from leapcheck.compare.in_house import InHouse, Values
from leapcheck.compare.participants import Participant, ShapeError, participants
from leapcheck.compare.records import EngineRow, Failure
from leapcheck.compare.tally import SAMPLE, Row, Tally, tally
from leapcheck.engines.errors import EngineError, NotApplicable
from leapcheck.engines.outside.load import load_engine
from leapcheck.engines.protocol import Engine, EngineRequest, Remarking
from leapcheck.engines.reference_engine import ReferenceEngine
from leapcheck.engines.registry import FACTORIES, make_engine
from leapcheck.quantities import QUANTITIES, Scale, sizes
from leapcheck.states import Floats, States, by_unit
from leapcheck_models.spec import RobotSpec

TRUTH = "truth"
"""Name under which the double-double values stand among the engines."""

AnswersOf = Mapping[Participant, Floats | None]
"""What each engine answers for a block in one portion, in slots; None where it fails."""


@dataclass(frozen=True, slots=True)
class Portion:
    """Quantities that go through the pipeline together: the in-house side, its truth, and how each engine takes part (None: it is
    the in-house side itself).
    """

    in_house: InHouse
    truth: Callable[[States], Floats] | None
    participants: tuple[tuple[str, Participant | None], ...]


@dataclass(frozen=True, slots=True)
class Bench:
    """One robot in its engines: those that could be made, those that failed, and what could not be compared."""

    spec: RobotSpec
    engines: tuple[Engine, ...]
    portions: tuple[Portion, ...]
    failures: tuple[Failure, ...]
    not_compared: tuple[str, ...]

    @property
    def rows(self) -> tuple[EngineRow, ...]:
        """The engines as records."""
        return tuple(
            EngineRow(e.name, e.version, e.route, tuple(q for q in QUANTITIES if q in e.quantities)) for e in self.engines
        )


@dataclass(slots=True)
class Outcome:
    """What consecutive blocks yielded: one tally per portion, in their order, and the failures met on the way.

    `seconds` is how long each engine's own evaluation took, the truth's among them; it is no part of a run's record.
    """

    states: int = 0
    tallies: dict[tuple[Row, ...], Tally] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    def merge(self, later: Outcome) -> None:
        """Adds what later blocks yielded."""
        self.states += later.states
        for rows, found in later.tallies.items():
            if rows in self.tallies:
                self.tallies[rows].merge(found)
            else:
                self.tallies[rows] = found
        self.failures += [failure for failure in later.failures if not known(failure, self.failures)]
        for engine, seconds in later.seconds.items():
            self.took(engine, seconds)

    def took(self, engine: str, seconds: float) -> None:
        """Adds to the time of an engine."""
        self.seconds[engine] = self.seconds.get(engine, 0.0) + seconds


def known(failure: Failure, failures: Sequence[Failure]) -> bool:
    """Whether the same engine has failed on the same quantity before: the first message is kept."""
    return any((f.engine, f.quantity) == (failure.engine, failure.quantity) for f in failures)


def bench(
    spec: RobotSpec, engines: Sequence[str | Engine | EngineRequest], quantities: Sequence[str], compile_code: bool
) -> Bench:
    """The robot in each engine; a name is looked up, any other word names the user's, an Engine is taken as it is.

    `compile_code` where many states are to come; it changes no bit of the results.
    """
    made: list[Engine] = []
    failures: list[Failure] = []
    not_compared: list[str] = []
    for request in engines:
        try:
            made.append(_made(request, spec))
        except NotApplicable as reason:
            not_compared.append(f"{_name(request)}: {reason}")
        except EngineError as error:
            failures.append(Failure(_name(request), "", str(error)))
    names = [name for name in quantities if _has_entries(spec, name)]
    portions = tuple(_portion(spec, part, made, compile_code) for part in _parts(names))
    if any(portion.truth is None for portion in portions):
        not_compared.append("the truth on every state: it needs llvmlite (pip install llvmlite); the worst states have it")
    return Bench(spec, tuple(made), portions, tuple(failures), tuple(not_compared))


def _name(request: str | Engine | EngineRequest) -> str:
    return request if isinstance(request, str) else request.name


def _made(request: str | Engine | EngineRequest, spec: RobotSpec) -> Engine:
    if isinstance(request, EngineRequest):
        return request.made()
    if not isinstance(request, str):
        return request
    return make_engine(request, spec) if request in FACTORIES else load_engine(request, spec)


def _parts(quantities: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The quantities by what they are computed from; the one that is as long as all others together is alone."""
    alone = ("contact_inertia",)
    groups = (
        [name for name in quantities if not QUANTITIES[name].in_mujoco_coordinates and name not in alone],
        [name for name in quantities if name in alone],
        [name for name in quantities if QUANTITIES[name].in_mujoco_coordinates],
    )
    yield from (tuple(group) for group in groups if group)


def _portion(spec: RobotSpec, quantities: tuple[str, ...], engines: Sequence[Engine], compile_code: bool) -> Portion:
    in_house = InHouse(spec, quantities, compile_code)
    try:
        truth = in_house.truth()
    except ImportError:
        truth = None
    taking_part: list[tuple[str, Participant | None]] = []
    for engine in engines:
        itself = isinstance(engine, ReferenceEngine)
        taking_part += [(engine.name, part) for part in ([None] if itself else participants(engine, in_house))]
    return Portion(in_house, truth, tuple(taking_part))


def outcome(at: Bench, states: States) -> Outcome:
    """Every engine's answers on a block of states, compared pair by pair and with the truth, and reduced."""
    found = Outcome(len(states))
    for portion in at.portions:
        before = _seconds(portion)
        found.merge(_portion_outcome(at.spec, portion, states))
        for engine, seconds in _seconds(portion).items():
            found.took(engine, seconds - before[engine])
    remarks = [
        Failure(engine.name, "", text) for engine in at.engines if isinstance(engine, Remarking) for text in engine.remarks
    ]
    found.failures += [failure for failure in remarks if not known(failure, found.failures)]
    return found


def _portion_outcome(spec: RobotSpec, portion: Portion, states: States) -> Outcome:
    """The outcome of a block in one portion; where an engine fails, unit by unit, so that no size of blocks changes a loss."""
    found = Outcome()
    answers = {part: _answers(part, states) for _, part in portion.participants if part is not None}
    units = by_unit(states)
    if len(units) > 1 and any(slots is None for slots in answers.values()):
        for unit in units:
            found.merge(_portion_outcome(spec, portion, unit))
    elif (reduced := _reduced(spec, portion, states, answers, found)) is not None:
        found.tallies[reduced.rows] = reduced
    failed = [engine for engine, part in portion.participants if part is not None and answers[part] is None]
    told = {failure.engine for failure in found.failures}
    found.failures += [Failure(engine, "", _only_once(engine)) for engine in dict.fromkeys(failed) if engine not in told]
    return found


def _only_once(engine: str) -> str:
    return f"engine '{engine}' failed once, but not when it was asked again: its answers depend on the order of the calls"


def _reduced(spec: RobotSpec, portion: Portion, states: States, answers: AnswersOf, found: Outcome) -> Tally | None:
    """The tally of a portion's rows; None where nothing could be held against anything."""
    in_house = portion.in_house
    values = in_house(states)
    sides = _sides(portion, values, states, answers, found)
    rows: list[Row] = []
    parts: list[tuple[Floats, Floats, Floats]] = []
    heat_of: dict[Row, Floats] = {}
    for names in _with_the_same_sides(sides):
        engines, slots = [engine for engine, _ in sides[names[0]]], [found for _, found in sides[names[0]]]
        pairs = list(combinations(range(len(engines)), 2))
        errors, absolutes = _differences(in_house, values, names, slots, pairs)
        for name, error, absolute in zip(names, errors, absolutes, strict=True):
            mine = [_row(name, engines[i], engines[j]) for i, j in pairs]
            rows += mine
            parts.append((error, absolute, np.broadcast_to(values.rounding[name], error.shape)))
            if name == "mass_matrix" and states.index[0] < SAMPLE:
                told = {row: pair for row, pair in zip(mine, pairs, strict=True) if row.against != TRUTH}
                heat_of = heat(spec, in_house.slot_map.of[name], values, states, slots, told)
    if not rows:
        return None
    reduced = tally(spec, states, rows, *(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
    reduced.heat = heat_of
    return reduced


def _with_the_same_sides(sides: Mapping[str, Sequence[tuple[str, Floats]]]) -> Iterator[list[str]]:
    """Quantities in groups that are answered by the same participants, two or more, in the same slots."""
    groups: dict[tuple[tuple[str, int], ...], list[str]] = {}
    for name, side in sides.items():
        if len(side) > 1:
            groups.setdefault(tuple((engine, id(slots)) for engine, slots in side), []).append(name)
    yield from groups.values()


def _seconds(portion: Portion) -> dict[str, float]:
    """What the engines of a portion have taken so far."""
    found: dict[str, float] = {}
    for engine, participant in portion.participants:
        if participant is not None:
            found[engine] = found.get(engine, 0.0) + participant.seconds
    return found


def _row(quantity: str, first: str, second: str) -> Row:
    """The row of a pair; the truth is always what is held against."""
    return Row(quantity, first, second) if second == TRUTH else Row(quantity, second, first)


def _sides(
    portion: Portion, values: Values, states: States, answers: AnswersOf, found: Outcome
) -> dict[str, list[tuple[str, Floats]]]:
    """Per quantity who answers it and where the slots are; the truth comes last."""
    sides: dict[str, list[tuple[str, Floats]]] = {name: [] for name in portion.in_house.quantities}
    for engine, participant in portion.participants:
        if participant is None:
            answered = dict.fromkeys(sides, values.slots)
        elif (together := answers[participant]) is not None:
            answered = dict.fromkeys(participant.quantities, together)
        else:
            answered = _one_by_one(engine, participant, states, found.failures)
        for name, slots in answered.items():
            sides[name].append((engine, slots))
    if portion.truth is not None:
        start = perf_counter()
        true = portion.truth(states)
        found.took(TRUTH, perf_counter() - start)
        for side in sides.values():
            side.append((TRUTH, true))
    return sides


def _answers(participant: Participant, states: States) -> Floats | None:
    """Slots of all its quantities; None where the engine fails on any of them."""
    try:
        return participant(states)
    except Exception:  # any failure of foreign code is a finding, named when the quantities are asked for one by one
        return None


def _one_by_one(engine: str, participant: Participant, states: States, failures: list[Failure]) -> dict[str, Floats]:
    """Slots per quantity, each asked for alone, so that one failure takes no other down."""
    answers: dict[str, Floats] = {}
    for name in participant.quantities:
        try:
            answers[name] = participant.one(name, states)
        except (EngineError, ShapeError) as error:
            failures.append(Failure(engine, name, str(error)))
        except Exception as error:
            failures.append(Failure(engine, name, f"engine '{engine}' failed on {name}: {_one_line(error)}"))
    return answers


def _differences(
    in_house: InHouse, values: Values, names: Sequence[str], slots: Sequence[Floats], pairs: Sequence[tuple[int, int]]
) -> tuple[Floats, Floats]:
    """Scale-free and absolute errors (quantities, pairs, n)."""
    n = len(values.scale[names[0]])
    places = [in_house.slot_map.remainder(name) for name in names]
    remainders = np.stack([side[:, places].swapaxes(0, 1).reshape(len(names), -1)[:, :n] for side in slots])
    rest = np.stack([np.maximum(remainders[i], remainders[j]) for i, j in pairs], axis=1)
    apart = distances(slots, [in_house.slot_map.of[name].range for name in names], pairs)[:, :, :n]
    absolute = np.maximum(apart, rest)
    error = absolute / np.stack([values.scale[name] for name in names])[:, None]
    for k, name in enumerate(names):
        if QUANTITIES[name].scale is Scale.DIAGONAL:  # its remainder is scale-free, as its weights make its slots
            weighted = distances(slots, [in_house.slot_map.of[name].range], pairs, values.weights)[0, :, :n]
            error[k], absolute[k] = np.maximum(weighted, rest[k]), apart[k]
    return error, absolute


def _has_entries(spec: RobotSpec, quantity: str) -> bool:
    shape = QUANTITIES[quantity].shape
    return shape is None or 0 not in shape(sizes(spec))


def _one_line(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
