"""How far an engine's error jumps between nearby states, where it should change smoothly."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import leapcheck_reference as reference
from leapcheck.judge.evidence import Evidence, ask_again
from leapcheck.judge.layout import quaternions
from leapcheck.judge.robot_rows import value
from leapcheck.quantities import QUANTITIES, Scale
from leapcheck.rounding import ALLOWED_UNITS, scales
from leapcheck.sampling import STATE_PARTS, States
from leapcheck_models.arrays import Floats
from leapcheck_reference.tree import Tree

Flags = NDArray[np.bool_]
ByStep = Mapping[float, Floats]

LINES, POINTS = 3, 24
"""Short lines of states along which the engine is asked again, and states on each."""

TINY, STEPS = 2.0**-31, (1e-5, 1e-3, 1e-2)
"""Steps along the lines (rad, m, rad/s and so on): one under which numbers rounded to single precision or coarser stay the
same, and those at which jumps are measured, the coarser ones where numbers stay the same under the finer."""

SAME, STILL = 0.5, 0.1
"""Share of the steps in which an entry stays the same, and share of such entries, from which on answers count as still."""

ROUNDED_CONSTANT = 1e-13
"""Share of itself up to which a constant may seem to move: by its rounding in double precision."""

FOURTH = float(np.sqrt(70.0) * 0.6745)
"""Median of the absolute fourth differences of normal noise of unit size."""

ORDINARY = ("generic", "file")
"""Kinds of states from which lines preferably start."""


class Jitter(NamedTuple):
    """How imprecise answers are: `lost_bits`, the logarithm to base 2 of the jumps in units of the expected rounding.

    `still`: whether they do not change at all under tiny moves of the state. `repeats`: whether asking twice gives
    the same. `bits` are those of the format in which all numbers are exact, 0 where there is none.
    """

    lost_bits: float
    still: bool
    repeats: bool
    bits: int = 0


def jitters(evidence: Evidence, quantities: Sequence[str]) -> dict[str, Jitter]:
    """The jitter of each quantity, by asking the engine again along short lines of states.

    Empty where it cannot be asked.
    """
    rows = _starts(evidence, quantities)
    lines = {step: _line(evidence, rows, step) for step in (TINY, *STEPS)}
    answers = {step: ask_again(evidence, line, quantities) for step, line in lines.items()}
    again = ask_again(evidence, lines[TINY], quantities)
    if again is None or any(of is None for of in answers.values()):
        return {}
    tree = reference.build(evidence.spec)
    jitter_of: dict[str, Jitter] = {}
    for name in quantities:
        rounding = evidence.allowed[name][rows] / ALLOWED_UNITS
        its = {step: _by_line(of[name]) for step, of in answers.items() if of}
        units, still = _of_one(name, its, rounding, partial(_right, name, tree, lines))
        repeats = np.array_equal(its[TINY], _by_line(again[name]), equal_nan=True)
        jitter_of[name] = Jitter(float(np.log2(max(units, 2.0**-99))), still, repeats)
    return jitter_of


def _of_one(name: str, answers: ByStep, rounding: Floats, right: Callable[[float], Floats]) -> tuple[float, bool]:
    """Jumps of one quantity, in units of its `rounding` (lines,), and whether it is still.

    Answers are (lines, points, entries). The jumps are those at the smallest step under which it is not still.
    """
    coarse = answers[STEPS[-1]]
    rounded = _still(answers[TINY], right(TINY), coarse)
    if not _is_still(rounded):  # at larger steps an entry near its extremum may stay the same, and is not rounded
        return _jumps(name, answers[STEPS[0]], right(STEPS[0]), rounding, None), False
    for step in STEPS:
        its = right(step)
        waiting = _still(answers[step], its, coarse)
        if step == STEPS[-1] or not _is_still(waiting):
            return _jumps(name, answers[step], its, rounding, None if step == STEPS[0] else rounded[0]), True
        rounded = waiting
    raise AssertionError("the last step ends the loop")


def _right(name: str, tree: Tree, lines: Mapping[float, States], step: float) -> Floats:
    """In-house answers along the lines of one step."""
    return _by_line(value(name, tree, lines[step]))


def _starts(evidence: Evidence, quantities: Sequence[str]) -> list[int]:
    """States from which the lines start: ordinary ones, where the quantities are off most."""
    misfit = np.zeros(len(evidence.states))
    for name in quantities:
        misfit = np.fmax(misfit, evidence.error(name, evidence.expected[name]) / evidence.allowed[name])
    ordinary = np.array([kind in ORDINARY for kind in evidence.states.kind])
    return [int(i) for i in np.lexsort((-misfit, ~ordinary))[:LINES]]


def _line(evidence: Evidence, rows: Sequence[int], step: float) -> States:
    """States along short lines, `POINTS` for each start; every number moves by about `step` from one to the next."""
    rng = np.random.default_rng(0)
    states, chosen = evidence.states, list(rows)

    def moving(block: Floats) -> Floats:
        shape = (len(chosen), 1, block.shape[1])
        rate = rng.uniform(0.5, 1.5, shape) * rng.choice([-1.0, 1.0], shape)
        points: Floats = block[chosen, None, :] + step * np.arange(POINTS)[None, :, None] * rate
        return points.reshape(len(chosen) * POINTS, block.shape[1])  # a robot without contact points has no forces

    q, v, tau, vdot, forces = (moving(getattr(states, part)) for part in STATE_PARTS)
    for place in quaternions(evidence.spec):
        q[:, place] /= np.linalg.norm(q[:, place], axis=1, keepdims=True)
    return States(q, v, tau, np.repeat(states.index[chosen], POINTS), (ORDINARY[0],) * len(q), vdot, forces)


def _by_line(block: Floats) -> Floats:
    """Answers (lines x points, ...) as (lines, points, entries)."""
    return block.reshape(-1, POINTS, int(np.prod(block.shape[1:])))


def _still(answers: Floats, right: Floats, coarse: Floats) -> tuple[Flags, Flags]:
    """Entries (lines, entries) that stay the same to the last bit and should not, and those that should not.

    `coarse` are the answers at larger steps: an entry that is the same there too, or rounds differently at most, is a constant,
    not a rounded number.
    """
    moves = ((np.diff(right, axis=1) != 0.0).mean(axis=1) > SAME) & ((np.diff(coarse, axis=1) != 0.0).mean(axis=1) > SAME)
    moves &= np.ptp(coarse, axis=1) > ROUNDED_CONSTANT * np.abs(coarse).max(axis=1)
    same = (np.diff(answers, axis=1) == 0.0).mean(axis=1) > SAME
    return same & moves, moves


def _is_still(flags: tuple[Flags, Flags]) -> bool:
    still, moves = flags
    return bool(still.sum() > STILL * moves.sum())


def _jumps(name: str, answers: Floats, right: Floats, rounding: Floats, rounded: Flags | None) -> float:
    """Size of the jumps of the error along the lines, in units of the expected rounding: the worst entry of the worst line.

    From fourth differences, in which what is smooth cancels; their median, so that one jump (an angle taken round) does not
    count. With larger steps only the entries that are known to be `rounded` count.
    """
    scale = np.fmax(_scale(name, right), _scale(name, answers))
    with np.errstate(all="ignore"):
        jumps = np.median(np.abs(np.diff((answers - right) / scale, n=4, axis=1)), axis=1) / FOURTH
    jumps = np.nan_to_num(jumps if rounded is None else np.where(rounded, jumps, 0.0))
    return float((jumps.max(axis=1, initial=0.0) / rounding).max(initial=0.0))


def _scale(name: str, answers: Floats) -> Floats:
    """What errors are divided by at each state (lines, points, entries or 1)."""
    lines, points, entries = answers.shape
    side = int(np.sqrt(entries)) if QUANTITIES[name].scale is Scale.DIAGONAL else 0
    flat = np.abs(answers).reshape(-1, side, side) if side else answers.reshape(-1, entries)
    scale = np.broadcast_to(scales(name, flat), flat.shape)
    return scale.reshape(lines, points, entries)
