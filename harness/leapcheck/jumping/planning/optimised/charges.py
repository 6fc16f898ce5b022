"""The program of a jump with where its unknowns stand; limits in it, and what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from leapcheck.jumping.planning.optimised.limits import PlanLimit
from leapcheck.jumping.planning.optimised.program import Program
from leapcheck.jumping.planning.optimised.schedule import Stage
from leapcheck_models.arrays import Floats

Places = NDArray[np.intp]

ROUNDING = 0.005
"""Part of a limit over which its price sets in."""


@dataclass(frozen=True, slots=True, eq=False)
class StagePlaces:
    """Where a stage's unknowns stand: `z`, `zd`, `zdd` (moments, n), `force` (moments, parts), `duration` (1,)."""

    stage: Stage
    z: Places
    zd: Places
    zdd: Places
    force: Places
    duration: Places

    @property
    def states(self) -> Places:
        """(moments, 3 n + parts)."""
        return np.hstack([self.z, self.zd, self.zdd, self.force])


@dataclass(frozen=True, slots=True, eq=False)
class Charge:
    """Limits (each with as many rows as its excess has) of unknowns `local`, at each row of `places`."""

    limits: Sequence[PlanLimit]
    local: Any
    places: Places


@dataclass(frozen=True, slots=True, eq=False)
class JumpProblem:
    """A program, where its unknowns stand, which of them is the worst use of a limit, and what an excess beyond it costs.

    `charges`: the limits, and where they hold.
    """

    program: Program
    stages: tuple[StagePlaces, ...]
    use: Places
    price: Places
    charges: list[Charge]


def charge(made: JumpProblem, local: Any, limits: list[PlanLimit], places: Places) -> None:
    """Each excess over a limit costs its square: smooth, where bounds would leave hundreds of them active."""
    made.charges.append(Charge(limits, local, places))
    price, excess = ca.SX.sym("price"), ca.vertcat(*(limit.excess for limit in limits))
    cost = price * ca.sumsqr((excess + ca.sqrt(excess**2 + ROUNDING**2)) / 2)
    made.program.minimise(ca.vertcat(local, price), cost, np.hstack([places, np.tile(made.price, (len(places), 1))]))


def height_gains(made: JumpProblem, values: Floats, per_cost: float) -> dict[str, float]:
    """Metres that the highest jump gains with each limit 1 % wider, largest first, at the solution `values`.

    By the envelope theorem: what an excess costs, by the excess, is what the limit costs; `per_cost`: metres for a cost of 1.
    """
    price, gains = float(values[made.price][0]), dict[str, float]()
    for block in made.charges:
        excess = ca.Function("excess", [block.local], [ca.vertcat(*(limit.excess for limit in block.limits))])
        e = np.array(excess.map(len(block.places))(values[block.places].T))
        root = np.sqrt(e**2 + ROUNDING**2)
        costs = (price * (e + root) / 2 * (1 + e / root)).sum(axis=1)
        names = [limit.name for limit in block.limits for _ in range(limit.excess.numel())]
        for name, cost in zip(names, costs.tolist(), strict=True):
            gains[name] = gains.get(name, 0.0) + 0.01 * cost * per_cost
    return dict(sorted(gains.items(), key=lambda item: -item[1]))
