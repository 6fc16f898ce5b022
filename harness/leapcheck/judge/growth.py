"""What an error grows with: velocities, the base's tilt, the joints' angles; by asking the engine again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

import leapcheck_reference as reference
from leapcheck.judge.evidence import Evidence, ask_again, rows_of
from leapcheck.judge.layout import free_joints, neutral, places
from leapcheck.judge.robot_rows import value
from leapcheck.quantities import QUANTITIES
from leapcheck.sampling import States
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import JointType

STATES = 6
"""States that are altered, out of those with the largest error."""

VANISHED = 1e-9
"""Share of the error that may be left where it vanishes."""

POWERS = {1: "the velocities", 2: "the square of the velocities"}

SHARP = 1e-3
"""Share of the error by which it may miss growing with a power."""


def growth(evidence: Evidence, quantity: str) -> Iterator[str]:
    """In words: where the error of a quantity vanishes, and with which power of the velocities it grows."""
    error = evidence.error(quantity, evidence.expected[quantity])
    finite = np.flatnonzero(np.isfinite(error) & (error > 0.0))
    rows = [int(i) for i in finite[np.argsort(-error[finite])][:STATES]]
    states = rows_of(evidence.states, rows)
    before = _difference(evidence, states, quantity) if rows else None
    if before is None or not before.any():
        return
    if "v" in QUANTITIES[quantity].arguments:
        yield from _with_velocity(evidence, states, quantity, before)
    variants = {"with the base upright": _upright(evidence, states), "with all joints at zero": _straight(evidence, states)}
    for words, altered in variants.items():
        after = None if altered is None else _difference(evidence, altered, quantity)
        if after is not None and _size(after) <= VANISHED * _size(before):
            yield f"it vanishes {words}"


def _with_velocity(evidence: Evidence, states: States, quantity: str, before: Floats) -> Iterator[str]:
    at_rest, double = (_difference(evidence, replace(states, v=factor * states.v), quantity) for factor in (0.0, 2.0))
    if at_rest is None or double is None:
        return
    size = _size(double)
    if _size(at_rest) <= VANISHED * _size(before):
        yield "it vanishes at rest"
        yield from (f"it grows with {words}" for n, words in POWERS.items() if _size(double - 2.0**n * before) <= SHARP * size)
    elif _size(double - before) <= SHARP * size:
        yield "it does not depend on the velocities"


def _difference(evidence: Evidence, states: States, quantity: str) -> Floats | None:
    """Engine less in-house answers at some states; None where the engine cannot be asked or answers no numbers."""
    answers = ask_again(evidence, states, [quantity])
    if not answers:
        return None
    difference: Floats = answers[quantity] - value(quantity, reference.build(evidence.spec), states)
    return difference if np.isfinite(difference).all() else None


def _size(difference: Floats) -> float:
    return float(np.abs(difference).max(initial=0.0))


def _upright(evidence: Evidence, states: States) -> States | None:
    """The states with every base upright; None for a robot without one."""
    q = states.q.copy()
    bases = list(free_joints(evidence.spec))
    for start, _ in bases:
        q[:, start + 3 : start + 7] = 1.0, 0.0, 0.0, 0.0
    return replace(states, q=q) if bases else None


def _straight(evidence: Evidence, states: States) -> States | None:
    """The states with every joint but the bases at zero; None where there is no other."""
    q: Floats = states.q.copy()
    zero = neutral(evidence.spec)
    moving = [place for place in places(evidence.spec) if place.joint.type not in (JointType.FREE, JointType.FIXED)]
    for place in moving:
        q[:, place.q] = zero[place.q]
    return replace(states, q=q) if moving else None
