"""Answers that depend on the calls before: stale values, positions in a block, one call in many, chance."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from time import process_time

import numpy as np
from numpy.typing import NDArray

from leapcheck.judge.conditions.stale import StalePairs, stale_left, stale_values
from leapcheck.judge.evidence import Evidence, ask_again, rows_of, worst_errors
from leapcheck.quantities import QUANTITIES
from leapcheck.records import CauseClass, CauseRow, Diagnosis, Falls
from leapcheck_models.arrays import Floats

ALONE, ALONE_FIRST = 6, 2
"""States that are also asked for one at a time; and, where a simple fault explains all, to see whether they agree."""

LAGS = (1, 2, 3)
"""How many calls ago the state was whose numbers may be stale."""

COPIES = 1200
"""Calls at one state that show one wrong call in several hundred."""

IN_BLOCK = 100
"""So many of them at once."""

SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 128, 129)
"""Sizes of blocks of one state, all the same."""

ALL_THE_SAME = "seen in blocks of one state, all the same; asked for alone or elsewhere, the same states are right"
ALL_DIFFERENT = "seen in blocks of different states; where they are all the same nothing is wrong: the answer is another state's"

MOST_STEP = 65
"""Steps from one wrong position to the next that are tried, and sizes of groups."""

SECONDS = 3.0
"""CPU time within which the copies are asked for."""

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Asking:
    """Answers by position in one block, whose states are the `order`-th of the evidence."""

    order: Sequence[int]
    answers: Mapping[str, Floats]

    def wrong(self, whole: Evidence, quantity: str) -> Flags:
        """At which positions an answer is wrong."""
        rows = list(self.order)
        scale, expected = whole.scale[quantity][rows], whole.expected[quantity][rows]
        return worst_errors(quantity, self.answers[quantity], expected, scale) > whole.allowed[quantity][rows]


def call_dependence(whole: Evidence) -> tuple[Diagnosis, ...]:
    """Diagnoses of answers that differ when the same states are asked for in another order; none where they do not."""
    names, n = whole.deviating, len(whole.states)
    orders = [range(n), range(n - 1, -1, -1)]
    blocks = [Asking(order, answers) for order in orders if (answers := _answers(whole, order, names)) is not None]
    first = Asking(range(n), whole.answers)
    flags = {name: np.array([_by_row(block, whole, name) for block in (first, *blocks)]) for name in names}
    rows = _telling(flags, n)
    alone = [Asking([row], answers) for row in rows if (answers := _answers(whole, [row], names)) is not None]
    if len(blocks) < len(orders) or len(alone) < len(rows):
        return ()  # it fails, or cannot be asked
    if not any(_differs(flags[name], rows, [block.wrong(whole, name)[0] for block in alone]) for name in names):
        return ()
    if together := _stale(whole, names, blocks) or _by_position(whole, names, blocks):
        return (together,)
    return tuple(diagnosis for name in names if (diagnosis := repeated_calls(whole, name, rows[0])))


def differs_alone(whole: Evidence) -> bool:
    """Whether the engine, asked for its worst states one at a time, answers otherwise than in a block."""
    names = whole.deviating
    flags = {name: np.array([_by_row(Asking(range(len(whole.states)), whole.answers), whole, name)]) for name in names}
    rows = _telling(flags, len(whole.states))[:ALONE_FIRST]
    alone = [Asking([row], answers) for row in rows if (answers := _answers(whole, [row], names)) is not None]
    return len(alone) == len(rows) and any(_differs(flags[q], rows, [block.wrong(whole, q)[0] for block in alone]) for q in names)


def _answers(whole: Evidence, order: Sequence[int], names: Sequence[str]) -> Mapping[str, Floats] | None:
    return ask_again(whole, rows_of(whole.states, list(order)), names)


def _by_row(block: Asking, whole: Evidence, name: str) -> Flags:
    """Which states (n,) of the evidence a block is wrong at."""
    flags = np.zeros(len(whole.states), dtype=bool)
    flags[list(block.order)] = block.wrong(whole, name)
    return flags


def _telling(flags: Mapping[str, Flags], n: int) -> list[int]:
    """Rows to ask for alone: wrong ones first."""
    often = np.sum([of_name.sum(axis=0) for of_name in flags.values()], axis=0)
    return [int(i) for i in np.argsort(-often, kind="stable")[: min(ALONE, n)]]


def _differs(flags: Flags, rows: Sequence[int], alone: Sequence[bool]) -> bool:
    """Whether a state is right in one asking and wrong in another."""
    in_blocks = bool((flags.any(axis=0) & ~flags.all(axis=0)).any())
    return in_blocks or any(bool(flags[0, row]) != is_wrong for row, is_wrong in zip(rows, alone, strict=True))


def _diagnosis(whole: Evidence, name: str, words: str, details: str, left: Mapping[str, float]) -> Diagnosis:
    cause = CauseRow(f"calls/{name}", CauseClass.ENGINE, words, details)
    falls = tuple(Falls(q, whole.worst_error(q), left[q]) for q in left)
    return Diagnosis(whole.engine.name, (cause,), (), falls, (), "")


def _stale(whole: Evidence, names: Sequence[str], blocks: Sequence[Asking]) -> Diagnosis | None:
    """Wrong answers that are the true ones of a state asked for before, in all or in some of its numbers."""
    for lag in LAGS:
        for stale in stale_values():
            left = {q: stale_left(whole, q, stale, [_pairs(whole, q, block, lag) for block in blocks]) for q in names}
            if all(np.isfinite(error) for error in left.values()):
                calls = "the call before" if lag == 1 else f"{lag} calls before"
                wrong = sum(int(block.wrong(whole, q)[lag:].sum()) for block in blocks for q in names)
                total = sum(len(block.order) - lag for block in blocks) * len(names)
                details = (
                    f"asked forwards and backwards, it is so at {wrong} of {total} calls; the first call has nothing before it"
                )
                return _diagnosis(whole, f"stale/{stale.name}/{lag}", stale.words.format(calls=calls), details, left)
    return None


def _pairs(whole: Evidence, quantity: str, block: Asking, lag: int) -> StalePairs:
    """The wrong answers of a block, the states that were asked for, and those of so many calls before."""
    positions = [k for k in np.flatnonzero(block.wrong(whole, quantity)).tolist() if k >= lag]
    now, before = ([block.order[k - ago] for k in positions] for ago in (0, lag))
    return StalePairs(rows_of(whole.states, now), rows_of(whole.states, before), block.answers[quantity][positions])


def _by_position(whole: Evidence, names: Sequence[str], blocks: Sequence[Asking]) -> Diagnosis | None:
    """Wrong at the same positions of a block, whatever the states there are: copies of one state, or different ones."""
    flags = [np.any([block.wrong(whole, q) for q in names], axis=0) for block in blocks]
    row = int(np.argmax(np.sum(flags, axis=0)))
    left = {q: float(np.max([_right_error(whole, q, block) for block in blocks])) for q in names}
    for step, details in ((0, ALL_THE_SAME), (1, ALL_DIFFERENT)):
        orders = {size: [(row + k * step) % len(whole.states) for k in range(size)] for size in SIZES}
        patterns = {size: _wrong_positions(whole, names, order) for size, order in orders.items()}
        again = {size: _wrong_positions(whole, names, orders[size]) for size in SIZES[-4:]}
        if any(flags is None for flags in patterns.values()) or any(again[size] != patterns[size] for size in again):
            return None
        if words := _position_words({size: wrong for size, wrong in patterns.items() if wrong is not None}):
            return _diagnosis(whole, "position", words, details, left)
    return None


def _wrong_positions(whole: Evidence, names: Sequence[str], order: Sequence[int]) -> tuple[int, ...] | None:
    """Positions at which a block of states is wrong."""
    answers = _answers(whole, order, names)
    if answers is None:
        return None
    block = Asking(order, answers)
    return tuple(np.flatnonzero(np.any([block.wrong(whole, q) for q in names], axis=0)).tolist())


def _position_words(patterns: Mapping[int, tuple[int, ...]]) -> str:
    """What the wrong positions of blocks of several sizes have in common; nothing where they are all right."""
    if not any(patterns.values()):
        return ""
    sizes = [size for size, wrong in patterns.items() if wrong]
    smallest, whole = min(sizes), all(len(wrong) == size for size, wrong in patterns.items() if wrong)
    if whole and sizes == [size for size in patterns if size >= smallest]:
        below = max((size for size in patterns if size < smallest), default=0)
        return f"wrong in blocks of {smallest} states or more, right in blocks of {below} or fewer" if below else ""
    start = min(min(wrong) for wrong in patterns.values() if wrong)
    for words, rule in _position_rules(start):
        if all(tuple(k for k in range(size) if rule(k, size)) == wrong for size, wrong in patterns.items()):
            return words
    return ""


def _position_rules(start: int) -> Iterator[tuple[str, Callable[[int, int], bool]]]:
    """Which position k of a block of n states is wrong, the likeliest first."""
    yield "the first state of each block is wrong", lambda k, _n: k == 0
    yield "the last state of each block is wrong", lambda k, n: k == n - 1
    yield "the last state of each block of two or more is wrong", lambda k, n: k == n - 1 > 0
    yield f"wrong from position {start} of a block on (counted from 0)", lambda k, _n: k >= start
    for step in range(2, MOST_STEP):
        fill = f"the last states of a block that fill no group of {step} are wrong"
        yield fill, partial(_is_remainder, step)
        yield f"one state in {step} of a block is wrong, the first at position {start}", partial(_is_in_step, step, start)


def _is_remainder(step: int, k: int, n: int) -> bool:
    return k >= n - n % step


def _is_in_step(step: int, start: int, k: int, _n: int) -> bool:
    return k >= start and (k - start) % step == 0


def _right_error(whole: Evidence, quantity: str, block: Asking) -> float:
    """The largest error at the positions that are right."""
    rows = list(block.order)
    error = worst_errors(quantity, block.answers[quantity], whole.expected[quantity][rows], whole.scale[quantity][rows])
    return float(error[~block.wrong(whole, quantity)].max(initial=0.0))


def repeated_calls(whole: Evidence, name: str, row: int) -> Diagnosis | None:
    """What asking many times for one state shows: every so many calls, or some by chance, are wrong; None where none is."""
    wrong, error = _wrong_calls(whole, name, row)
    if not 0 < len(wrong) < error.size:
        return None
    gaps, label = np.diff(wrong), QUANTITIES[name].label
    left = {name: float(np.sort(error)[error.size - len(wrong) - 1])}
    if len(gaps) and (gaps == gaps[0]).all():
        details = f"{len(wrong)} of {error.size} calls at one state"
        return _diagnosis(whole, "every", f"one call in {gaps[0]} of {label} is wrong", details, left)
    share = f"{len(wrong)} of {error.size} calls of {label} at one state are wrong"
    return _diagnosis(whole, "chance", f"not deterministic: {share}, without a pattern", "", left)


def _wrong_calls(whole: Evidence, name: str, row: int) -> tuple[NDArray[np.intp], Floats]:
    """Which of many calls at one state are wrong, and the errors."""
    end, count = process_time() + SECONDS, 0
    errors: list[Floats] = []
    while count < COPIES and process_time() < end:
        order = [row] * IN_BLOCK
        if (answers := _answers(whole, order, (name,))) is None:
            break
        errors.append(worst_errors(name, answers[name], whole.expected[name][order], whole.scale[name][order]))
        count += IN_BLOCK
    error = np.concatenate(errors) if errors else np.zeros(0)
    return np.flatnonzero(error > whole.allowed[name][row]), error
