"""What an error grows with: velocities, the base's tilt, the joints' angles; by asking the engine at states made for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from leapcheck.judge.asking import differences_at
from leapcheck.judge.coordinates import free_joints, neutral, places
from leapcheck.judge.evidence import Evidence, rows_of
from leapcheck.quantities import QUANTITIES
from leapcheck.states import Floats, States
from leapcheck_models.spec import JointType

STATES = 6
"""States that are altered, out of those with the largest error."""

VANISHED = 1e-9
"""Share of the error that may be left where it is said to vanish."""

POWERS = {1: "the velocities", 2: "the square of the velocities"}

SHARP = 1e-3
"""Share of the error by which it may miss growing with a power."""


def growth(evidence: Evidence, quantity: str) -> Iterator[str]:
    """In words: where the error of a quantity vanishes, and the power of the velocities to which it grows."""
    error = evidence.error(quantity, evidence.expected[quantity])
    finite = np.flatnonzero(np.isfinite(error) & (error > 0.0))
    chosen = [int(i) for i in finite[np.argsort(-error[finite])][:STATES]]
    if not chosen:
        return
    states = rows_of(evidence.states, chosen)
    before = _difference(evidence, states, quantity)
    if before is None or not before.any():
        return
    arguments = QUANTITIES[quantity].arguments
    if "v" in arguments:
        yield from _with_velocity(evidence, states, quantity, before)
    made = {"with the base upright": _upright(evidence, states), "with all joints at zero": _straight(evidence, states)}
    for words, altered in made.items():
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
        for power, words in POWERS.items():
            if _size(double - 2.0**power * before) <= SHARP * size:
                yield f"it grows with {words}"
    elif _size(double - before) <= SHARP * size:
        yield "it does not depend on the velocities"


def _difference(evidence: Evidence, states: States, quantity: str) -> Floats | None:
    """Engine less in-house answers at some states; None where the engine cannot be asked or answers no numbers."""
    found = differences_at(evidence, states, [quantity])
    return found[quantity] if found and np.isfinite(found[quantity]).all() else None


def _size(difference: Floats) -> float:
    return float(np.abs(difference).max(initial=0.0))


def _upright(evidence: Evidence, states: States) -> States | None:
    """The states with every base upright; None for a robot without one."""
    q = states.q.copy()
    bases = list(free_joints(evidence.spec))
    for place, _ in bases:
        q[:, place + 3 : place + 7] = 1.0, 0.0, 0.0, 0.0
    return replace(states, q=q) if bases else None


def _straight(evidence: Evidence, states: States) -> States | None:
    """The states with every joint but the bases at zero; None where there is no other."""
    q: Floats = states.q.copy()
    zero = neutral(evidence.spec)
    moving = [at for at in places(evidence.spec) if at.joint.type not in (JointType.FREE, JointType.FIXED)]
    for at in moving:
        q[:, at.q] = zero[at.q]
    return replace(states, q=q) if moving else None
