"""A whole comparison, timed: how much it costs beside what its engines cost by themselves."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from time import perf_counter

from leapcheck.bench.contenders import TRUTH
from leapcheck.bench.measure import Contender, Timing, interleaved
from leapcheck.bench.own import NotAvailable, make_truth
from leapcheck.bench.states import ALL, PARTS, outputs
from leapcheck.compare.run import Plan, compared
from leapcheck.engines.registry import make_engine
from leapcheck.quantities import sizes
from leapcheck.states import UNIT, generated_states
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec

ENGINES = ("reference", "mujoco", "pinocchio")


@dataclass(frozen=True, slots=True)
class WholeComparison:
    """Wall time of a comparison, its processes and their start included, and ns per state of each engine on one thread."""

    states: int
    workers: int
    wall: float
    engines: dict[str, Timing]

    @property
    def rate(self) -> float:
        """States per second."""
        return self.states / self.wall

    @property
    def cost_by_minima(self) -> float:
        """Wall x workers over the engines' own evaluation, at its fastest."""
        return self.wall * self.workers / (self.states * 1e-9 * sum(timing.minimum for timing in self.engines.values()))

    @property
    def cost_by_medians(self) -> float:
        """The same over the engines' own evaluation as it usually is."""
        return self.wall * self.workers / (self.states * 1e-9 * sum(timing.median for timing in self.engines.values()))


def plan(robot: str, count: int) -> Plan:
    """The comparison that is timed: three engines, all quantities of the table."""
    return Plan(robot, load(robot), engines=ENGINES, quantities=PARTS[ALL], count=count)


def whole_comparison(robot: str, count: int, seconds: float) -> WholeComparison:
    """Runs the comparison on all cores, and each engine alone, the truth among them where there is one."""
    asked = plan(robot, count)
    workers = os.cpu_count() or 1
    engines = interleaved(engine_contenders(asked.spec), seconds)
    start = perf_counter()
    compared(asked, workers)
    return WholeComparison(count, workers, perf_counter() - start, engines)


def engine_contenders(spec: RobotSpec) -> list[Contender]:
    """Each engine's evaluation of a block as the comparison asks for it."""
    states, quantities = generated_states(spec, UNIT, 0, 0), PARTS[ALL]
    made = [Contender(name, partial(make_engine(name, spec).evaluate, states, quantities), UNIT) for name in ENGINES]
    with suppress(NotAvailable):  # then the comparison has none on every state either
        out = outputs(UNIT, sizes(spec))
        made.append(Contender(TRUTH, partial(make_truth(spec, quantities), states.q, states.v, out=out), UNIT))
    return made
