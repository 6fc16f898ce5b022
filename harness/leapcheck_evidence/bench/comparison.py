"""Time of a whole comparison, and of its engines alone."""

from __future__ import annotations

import os
from dataclasses import dataclass
from time import perf_counter

from leapcheck.comparison.engine_set import engine_set_of
from leapcheck.comparison.execution import Resources, whole_result
from leapcheck.comparison.plan import Plan
from leapcheck.robots.load import named_robot
from leapcheck_evidence.bench.states import ALL, PARTS

ENGINES = ("reference", "mujoco", "pinocchio")


@dataclass(frozen=True, slots=True)
class WholeComparison:
    """Wall time of a comparison, its processes and their start included, and the seconds that each engine's own evaluation took
    of it in all processes together; the truth is one of the engines, the in-house values count as overhead.
    """

    states: int
    workers: int
    wall: float
    engines: dict[str, float]

    @property
    def rate(self) -> float:
        """States per second."""
        return self.states / self.wall

    @property
    def cost(self) -> float:
        """Wall x workers over the engines' own evaluation."""
        return self.wall * self.workers / sum(self.engines.values())

    @property
    def statement(self) -> str:
        """What went into the cost."""
        parts = ", ".join(f"{name} {1e9 * seconds / self.states:.0f}" for name, seconds in self.engines.items())
        return f"{self.states} states, {self.wall:.2f} s x {self.workers} processes, their start included; ns per state: {parts}"


def plan(robot: str, count: int) -> Plan:
    """The comparison that is timed: three engines, all quantities of the table."""
    return Plan(named_robot(robot), engines=ENGINES, quantities=PARTS[ALL], count=count)


def whole_comparison(robot: str, count: int) -> WholeComparison:
    """Runs the comparison on all cores, once its code is in the cache."""
    asked, workers = plan(robot, count), os.cpu_count() or 1
    at = engine_set_of(asked)
    start = perf_counter()
    total = whole_result(asked, at, Resources(workers))
    return WholeComparison(count, workers, perf_counter() - start, dict(total.seconds))
