"""The highest jump that a robot can be planned to do, and what keeps it from a higher one."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from leapcheck.jump.planning.infeasible import Infeasible
from leapcheck.jump.planning.plan import planned
from leapcheck.jump.planning.records import JumpPlan, Request
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.actuator import Battery, Drives

FIRST = 0.2
"""Height (m) tried first."""
CLOSE = 1e-3
"""m: the highest jump is found to this."""
NEARLY = 0.998
"""Utilisation from which on a plan is as good as at its limit."""
LOWEST = 0.02
"""Height (m) below which a jump is none."""
FACTOR = 1.6
"""Between the heights tried until one is feasible and one is not."""


@dataclass(frozen=True, slots=True, eq=False)
class Highest:
    """The highest feasible jump (to `CLOSE`, or `NEARLY` at its limit), its plan, and what a higher one would run against."""

    height: float
    plan: JumpPlan
    limited_by: str


def highest(spec: RobotSpec, request: Request, drives: Drives, battery: Battery = Battery()) -> Highest:
    """The highest jump like `request`, whose own height does not matter.

    Raises Infeasible where not even the lowest is feasible, saying why.
    """
    best: JumpPlan | None = None
    low, high, excess, why = 0.0, math.inf, math.inf, ""
    height = FIRST
    while high - low > CLOSE and not (best and best.utilisation > NEARLY and high < math.inf):
        try:
            best, low = planned(spec, replace(request, height=height), drives, battery), height
        except Infeasible as error:
            high, why, excess = height, str(error), math.inf
            if error.check:
                why, excess = f"{error.check.name} ({error.check.where})", error.check.utilisation
        if high < LOWEST:
            raise Infeasible(f"'{spec.name}' cannot do such a jump at any height: {why}")
        height = _next(low, high, best, excess)
    assert best is not None
    return Highest(low, best, why)


def _next(low: float, high: float, best: JumpPlan | None, excess: float) -> float:
    """The next height to try: where the worst utilisation between two known ones reaches 1, kept away from both ends."""
    if math.isinf(high):
        return low * FACTOR
    if best is None:
        return high / FACTOR
    part = 0.5 if math.isinf(excess) else (1.0 - best.utilisation) / (excess - best.utilisation)
    edge = max(0.1, 0.4 * CLOSE / (high - low))
    return low + (high - low) * min(max(part, edge), 1.0 - edge)
