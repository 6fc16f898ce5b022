"""What blocks of states yield: every engine's answers, compared pair by pair and with the truth, and reduced to tallies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from time import perf_counter

import numpy as np

from leapcheck.comparison.differences import differences, heat
from leapcheck.comparison.engine_set import EngineSet, Portion
from leapcheck.comparison.in_house import Values
from leapcheck.comparison.participants import Participant
from leapcheck.comparison.plan import Plan
from leapcheck.comparison.tally import SAMPLE, Tally, TallyRow, make_tally
from leapcheck.engines.errors import EngineError
from leapcheck.records import Failure
from leapcheck.sampling import States, unit_blocks
from leapcheck.system.plugins import reason_of
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

TRUTH = "truth"
"""Name under which the double-double values stand among the engines."""

AnswersOf = Mapping[Participant, Floats | None]
"""What each engine answers for a block in one portion, in slots; None where it fails."""


@dataclass(slots=True)
class BlockResult:
    """What consecutive blocks yielded: one tally per portion, in their order, and the failures on the way.

    `seconds` is how long each engine's own evaluation took, the truth's among them; it is no part of a run's record.
    """

    states: int = 0
    tallies: dict[tuple[TallyRow, ...], Tally] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    def merge(self, later: BlockResult) -> None:
        """Adds what later blocks yielded."""
        self.states += later.states
        for rows, tally in later.tallies.items():
            if rows in self.tallies:
                self.tallies[rows].merge(tally)
            else:
                self.tallies[rows] = tally
        self.failures += [failure for failure in later.failures if not is_repeated(failure, self.failures)]
        for engine, seconds in later.seconds.items():
            self.add_seconds(engine, seconds)

    def add_seconds(self, engine: str, seconds: float) -> None:
        """Adds to the time of an engine."""
        self.seconds[engine] = self.seconds.get(engine, 0.0) + seconds


def is_repeated(failure: Failure, failures: Sequence[Failure]) -> bool:
    """Whether the same engine has failed on the same quantity before: the first message is kept."""
    return any((f.engine, f.quantity) == (failure.engine, failure.quantity) for f in failures)


def block_result(engine_set: EngineSet, states: States) -> BlockResult:
    """Every engine's answers on a block of states, compared pair by pair and with the truth, and reduced."""
    result = BlockResult(len(states))
    for portion in engine_set.portions:
        before = _seconds(portion)
        result.merge(_portion_result(engine_set.spec, portion, states))
        for engine, seconds in _seconds(portion).items():
            result.add_seconds(engine, seconds - before[engine])
    remarks = [Failure(engine.name, "", text) for engine in engine_set.remarking for text in engine.remarks]
    result.failures += [failure for failure in remarks if not is_repeated(failure, result.failures)]
    return result


def _portion_result(spec: RobotSpec, portion: Portion, states: States) -> BlockResult:
    """The result of a block in one portion; where an engine fails, unit by unit, so that no size of blocks changes a loss."""
    result = BlockResult()
    answers = {part: _answers(part, states) for _, part in portion.participants if part is not None}
    if any(slots is None for slots in answers.values()) and len(units := unit_blocks(states)) > 1:
        for unit in units:
            result.merge(_portion_result(spec, portion, unit))
    elif (tally := _portion_tally(spec, portion, states, answers, result)) is not None:
        result.tallies[tally.rows] = tally
    failed = dict.fromkeys(engine for engine, part in portion.participants if part is not None and answers[part] is None)
    named = {failure.engine for failure in result.failures}
    for engine in (engine for engine in failed if engine not in named):
        once = "failed once, but not when it was asked again: its answers depend on the order of the calls"
        result.failures.append(Failure(engine, "", f"engine '{engine}' {once}"))
    return result


def _portion_tally(spec: RobotSpec, portion: Portion, states: States, answers: AnswersOf, result: BlockResult) -> Tally | None:
    """The tally of a portion's rows; None where nothing could be compared. Failures and seconds go into the `result`."""
    in_house = portion.in_house
    values = in_house(states)
    sides = _sides(portion, values, states, answers, result)
    rows: list[TallyRow] = []
    arrays: list[tuple[Floats, Floats, Floats]] = []
    heat_of: dict[TallyRow, Floats] = {}
    for names in _with_the_same_sides(sides):
        engines, slots = zip(*sides[names[0]], strict=True)
        pairs = list(combinations(range(len(engines)), 2))
        error, absolute = differences(in_house, values, names, slots, pairs)
        rounding = np.repeat([values.rounding[name] for name in names], len(pairs), axis=0)
        arrays.append((error.reshape(rounding.shape), absolute.reshape(rounding.shape), rounding))
        for name in names:
            own = [_row(name, engines[i], engines[j]) for i, j in pairs]
            rows += own
            if name == "mass_matrix" and states.index[0] < SAMPLE:
                maps = heat(spec, in_house.slot_map.of[name], values, states, slots, pairs)
                heat_of = {row: both for row, both in zip(own, maps, strict=True) if row.against != TRUTH}
    if not rows:
        return None
    joined = list(arrays[0]) if len(arrays) == 1 else [np.concatenate(parts) for parts in zip(*arrays, strict=True)]
    error, absolute, rounding = joined
    reduced = make_tally(spec, states, rows, error, absolute, rounding, portion.ratios)
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
    """The engines' own time so far."""
    seconds: dict[str, float] = {}
    for engine, participant in portion.participants:
        if participant is not None:
            seconds[engine] = seconds.get(engine, 0.0) + participant.seconds
    return seconds


def _row(quantity: str, first: str, second: str) -> TallyRow:
    """The row of a pair; the truth comes second."""
    return TallyRow(quantity, first, second) if second == TRUTH else TallyRow(quantity, second, first)


def _sides(
    portion: Portion, values: Values, states: States, answers: AnswersOf, result: BlockResult
) -> dict[str, list[tuple[str, Floats]]]:
    """Per quantity who answers it and where the slots are; the truth comes last."""
    sides: dict[str, list[tuple[str, Floats]]] = {name: [] for name in portion.in_house.quantities}
    for engine, participant in portion.participants:
        if participant is None:
            answered = dict.fromkeys(sides, values.slots)
        elif (together := answers[participant]) is not None:
            answered = dict.fromkeys(participant.quantities, together)
        else:
            answered = _one_by_one(engine, participant, states, result.failures)
        for name, slots in answered.items():
            sides[name].append((engine, slots))
    start = perf_counter()
    true = portion.truth(states)
    result.add_seconds(TRUTH, perf_counter() - start)
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
        except EngineError as error:
            failures.append(Failure(engine, name, str(error)))
        except Exception as error:  # of an engine's own numbers
            failures.append(Failure(engine, name, f"engine '{engine}' failed on {name}: {reason_of(error)}"))
    return answers


def part_result(plan: Plan, engine_set: EngineSet, part: Sequence[range]) -> BlockResult:
    """What the states of one part yield, block by block."""
    total = BlockResult()
    block = plan.block if engine_set.hands_states_over else plan.needed_block
    for units in part:
        total.merge(block_result(engine_set, block(units)))
    return total


def part_result_elsewhere(plan: Plan, engine_set: EngineSet, part: Sequence[range]) -> BlockResult:
    """The same in another process: engines that could not be made there are failures of the part."""
    result = part_result(plan, engine_set, part)
    result.failures = [*engine_set.failures, *(f for f in result.failures if not is_repeated(f, engine_set.failures))]
    return result
