"""Runs that the tests of whole comparisons share."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from leapcheck.comparison.engine_set import EngineSet, engine_set_of
from leapcheck.comparison.execution import Progress, Resources, whole_result
from leapcheck.comparison.parts import Parts
from leapcheck.comparison.plan import Plan
from leapcheck.judge.figures import Figures, run_figures
from leapcheck.quantities import DEFAULT
from leapcheck.records import Comparison, Run
from leapcheck.robots.load import named_robot
from leapcheck.study import run_comparison

OURS = ("reference", "mujoco", "pinocchio")
LEG = "pupper_leg"  # three dof and one point: J and its transpose have one shape


@cache
def run_of(robot: str, engines: tuple[str, ...], quantities: tuple[str, ...] = DEFAULT, count: int = 48) -> Run:
    return run_comparison(Plan(named_robot(robot), engines, quantities, count))


def figures_of(plan: Plan) -> Figures:
    """The figures of a run without its words: nothing is explained, no worst state has its truth."""
    at = engine_set_of(plan)
    total = whole_result(plan, at)
    assert total.failures == []
    return run_figures(at, total)


def exact_figures(
    plan: Plan,
    engine_set: EngineSet,
    resources: Resources = Resources(),
    progress: Progress | None = None,
    parts: Parts | None = None,
) -> str:
    """All that the judge reads of a run, to the last bit; these engines may serve many runs."""
    result = whole_result(plan, engine_set, resources, progress, parts)
    return repr((run_figures(engine_set, result), result.failures))


def rows_of(run: Run, *engines: str) -> list[Comparison]:
    """Comparisons among these engines; the truth is computed for the worst pair alone, thus left out."""
    rows = [row for row in run.comparisons if {row.engine, row.against} <= set(engines)]
    return [replace(row, worst=row.worst and replace(row.worst, truth=None)) for row in rows]


def without_truth(run: Run) -> list[Comparison]:
    return rows_of(run, *(engine.name for engine in run.engines))
