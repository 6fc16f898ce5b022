"""Where a smooth motion leaves the piece of a law that it is integrated with: the first zero of its margins along a step."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from scipy.optimize import brentq

from leapcheck_models.arrays import Floats

SAMPLES = 4
"""Places along a step at which margins are looked at: a margin that dips below zero between two of them goes unseen."""


def first_crossing(margins: Callable[[float], Floats], begin: float, end: float) -> tuple[float, int] | None:
    """(time, which) of the first margin that falls below zero in (begin, end]; None where all stay positive.

    `margins(t)` (n,) are at least zero where the piece holds. One that starts at zero, or a rounding below, and falls has
    crossed at `begin`.
    """
    times = np.linspace(begin, end, SAMPLES + 1).tolist()
    before = margins(begin)
    for earlier, later in pairwise(times):
        after = margins(later)
        fallen = np.flatnonzero(after < 0.0).tolist()
        if fallen:
            return min((_zero(margins, i, earlier, later, float(before[i])), i) for i in fallen)
        before = after
    return None


def _zero(margins: Callable[[float], Floats], which: int, begin: float, end: float, at_begin: float) -> float:
    """When margin `which`, negative at `end`, crosses zero; an end where it is zero but for rounding is the crossing."""
    if at_begin <= 0.0:
        middle = (begin + end) / 2.0
        if margins(middle)[which] <= 0.0:
            return begin
        begin = middle
    # Evaluated again a margin may round to the other side, since its solver starts elsewhere: an end keeps its value.
    ends = {t: float(margins(t)[which]) for t in (begin, end)}
    if ends[begin] <= 0.0:
        return begin
    if ends[end] >= 0.0:
        return end
    return float(brentq(lambda t: ends[t] if t in ends else float(margins(t)[which]), begin, end, xtol=1e-15, rtol=1e-14))
