"""How much larger the largest error of a run may be at other states, or with other rounding, though the code is unchanged.

The largest of n errors scatters: at another seed it is larger in half of all cases, whatever the errors' distribution. By how
much depends on the tail. An error is measured in units of the expected rounding, the largest of `DRAWS` independent
perturbations: a unit as small as a fraction u of its usual size needs all of them as small, whose probability goes as
u^DRAWS. So the probability of an error above x units falls at least as x^-DRAWS. Maxima M, M' over n and n' such errors obey

    P(M' > f M) <= n' / (n' + n f^DRAWS),

with equality for a pure power law. `growth` is the f at which this is the probability of a false alarm. Measured on maxima over
blocks of 256 of 128 000 states, all pairs of blocks, seven robots, five engines, all quantities, the worst of 464 rows: where
1 % of alarms is allowed there are 0.5 %, where 0.1 % 0.011 %, where 0.01 % none. An error near the tolerance has no room to
grow beyond chance: there the tolerance itself decides.
"""

from __future__ import annotations

from leapcheck.rounding import DRAWS

FALSE_ALARMS = 0.01
"""Probability that a run of unchanged code at another seed is reported to have grown, over all its rows together."""

SMALLEST = 1.0
"""Unit below which growth does not count: an answer within one expected rounding is as good as an exact one."""


def growth(states_before: int, states_now: int, rows: int) -> float:
    """The factor by which the error of one of `rows` rows may be larger than before; at least 1."""
    rate = FALSE_ALARMS / max(rows, 1)
    odds = (1.0 - rate) / rate * states_now / states_before
    return max(1.0, float(odds ** (1.0 / DRAWS)))


def allowed_error(accepted: float, states_before: int, states_now: int, rows: int) -> float:
    """The largest error, in units of the expected rounding, that an accepted one explains."""
    return growth(states_before, states_now, rows) * max(accepted, SMALLEST)
