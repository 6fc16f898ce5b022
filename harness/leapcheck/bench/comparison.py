"""A whole comparison, timed: how much it costs beside what its engines cost by themselves."""

from __future__ import annotations

import os
from dataclasses import dataclass
from time import perf_counter

from leapcheck.bench.states import ALL, PARTS
from leapcheck.compare.bench import bench
from leapcheck.compare.execution import Means, whole_outcome
from leapcheck.compare.plan import Plan
from leapcheck.robot_files import load

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


def plan(robot: str, count: int) -> Plan:
    """The comparison that is timed: three engines, all quantities of the table."""
    return Plan(robot, load(robot), engines=ENGINES, quantities=PARTS[ALL], count=count)


def whole_comparison(robot: str, count: int) -> WholeComparison:
    """Runs the comparison on all cores, once its code is in the cache."""
    asked, workers = plan(robot, count), os.cpu_count() or 1
    at = bench(asked.spec, asked.engines, asked.quantities, asked.is_long)
    start = perf_counter()
    total = whole_outcome(asked, at, Means(workers))
    return WholeComparison(count, workers, perf_counter() - start, dict(total.seconds))
