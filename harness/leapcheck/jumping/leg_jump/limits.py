"""How high this leg can jump with this servo: the longest push that stays within the rating, by a bracketed search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leapcheck.jumping.leg_jump.case import LegCase, servo_use
from leapcheck_models.arrays import Floats
from leapcheck_reference.classical.leg_jump import PushPlan, push_motion, push_plan, push_torque

SAMPLES = 61
"""Times at which a push is checked before the search closes in on its first overload."""

NEARLY_STRAIGHT = 1.0 - 1e-6
"""Share of the time to the straight leg that is checked: without a speed rating the stroke is the only bound."""

TIME_TOLERANCE = 1e-13
"""s, of the first overload."""

ACCELERATIONS = np.geomspace(0.02, 50.0, 17)
"""Tried for the best push, in units of gravity."""

GOLDEN = (5**0.5 - 1) / 2
REFINEMENTS = 18
"""Golden sections of the bracket, about one in the logarithm of the acceleration: to 0.02 %, and the height to far less."""


@dataclass(frozen=True, slots=True)
class HighestLegJump:
    """The highest jump (m) and the body's acceleration (m/s^2) in its push; `by_stroke`: the stroke ends it, not the servo."""

    height: float
    acceleration: float
    by_stroke: bool


def highest_at(case: LegCase, acceleration: float, level: float) -> HighestLegJump:
    """The highest jump at this acceleration with no use of the servo above `level`.

    Exact up to the search's tolerance: a push for a lower jump is the beginning of one for a higher jump.
    """
    gravity = float(case.leg.gravity)
    plan = push_plan(acceleration * case.stroke_left / gravity, acceleration, gravity)  # to the straight leg
    times = np.linspace(0.0, plan.duration * NEARLY_STRAIGHT, SAMPLES)
    over = _use(case, plan, times) > level
    if not over.any():
        return HighestLegJump(height_after(acceleration, float(times[-1]), gravity), acceleration, True)
    first = int(over.argmax())
    if first == 0:
        return HighestLegJump(0.0, acceleration, False)

    from scipy.optimize import brentq  # here: it takes long to import

    def spare(time: float) -> float:
        return level - float(_use(case, plan, np.array([time]))[0])

    time = brentq(spare, float(times[first - 1]), float(times[first]), xtol=TIME_TOLERANCE)
    return HighestLegJump(height_after(acceleration, time, gravity), acceleration, False)


def highest(case: LegCase, level: float) -> HighestLegJump:
    """The highest jump from the case's first pose at any constant acceleration: a scan, then golden section."""
    trials = [highest_at(case, float(a), level) for a in ACCELERATIONS * float(case.leg.gravity)]
    best = max(range(len(trials)), key=lambda k: trials[k].height)
    low, high = (float(np.log(trials[k].acceleration)) for k in (max(best - 1, 0), min(best + 1, len(trials) - 1)))
    result = trials[best]
    lower, upper = (_at_log(case, low + share * (high - low), level) for share in (1 - GOLDEN, GOLDEN))
    for _ in range(REFINEMENTS):
        result = max(result, lower, upper, key=lambda trial: trial.height)
        if lower.height > upper.height:
            high, upper = float(np.log(upper.acceleration)), lower
            lower = _at_log(case, low + (1 - GOLDEN) * (high - low), level)
        else:
            low, lower = float(np.log(lower.acceleration)), upper
            upper = _at_log(case, low + GOLDEN * (high - low), level)
    return result


def _at_log(case: LegCase, logarithm: float, level: float) -> HighestLegJump:
    return highest_at(case, float(np.exp(logarithm)), level)


def height_after(acceleration: float, time: float, gravity: float) -> float:
    """Height (m) that the speed after `time` (s) of the push is worth: (a t)^2 / (2 g)."""
    return (acceleration * time) ** 2 / (2 * gravity)


def _use(case: LegCase, plan: PushPlan, times: Floats) -> Floats:
    """The larger use (k,) of the two servos."""
    motion = push_motion(case.leg, np.array(case.pose), plan, times)
    use: Floats = servo_use(case.servo, push_torque(case.leg, motion, case.carried_mass, plan), motion.qd).max(axis=1)
    return use
