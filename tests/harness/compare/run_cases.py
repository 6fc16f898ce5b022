"""Runs that the tests of whole comparisons share."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from leapcheck.compare.bench import bench
from leapcheck.compare.execution import whole_outcome
from leapcheck.compare.figures import Figures, finished
from leapcheck.compare.plan import Plan
from leapcheck.compare.records import Comparison, Run
from leapcheck.compare.run import compared
from leapcheck.quantities import QUANTITIES
from leapcheck_models.robots import load

OURS = ("reference", "mujoco", "pinocchio")
LEG = "pupper_leg"  # three dof and one point: J and its transpose have one shape


@cache
def run_of(robot: str, engines: tuple[str, ...], quantities: tuple[str, ...] = tuple(QUANTITIES), count: int = 48) -> Run:
    return compared(Plan(robot, load(robot), engines, quantities, count))


def figures_of(plan: Plan) -> Figures:
    """The figures of a run without its words: nothing is explained, no worst state has its truth."""
    at = bench(plan.spec, plan.engines, plan.quantities, plan.is_long)
    total = whole_outcome(plan, at)
    assert total.failures == []
    return finished(at, total)


def rows_of(run: Run, *engines: str) -> list[Comparison]:
    """Comparisons among these engines; the truth is computed for the worst pair alone, thus left out."""
    rows = [row for row in run.comparisons if {row.engine, row.against} <= set(engines)]
    return [replace(row, worst=row.worst and replace(row.worst, truth=None)) for row in rows]


def without_truth(run: Run) -> list[Comparison]:
    return rows_of(run, *(engine.name for engine in run.engines))
