"""The jumps that both planners are asked for, and the row of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from leapcheck.jumping.act import Act
from leapcheck.jumping.judging.thresholds import JumpVerdict
from leapcheck.jumping.judging.verdict import judge_first_runs
from leapcheck.jumping.options import JumpOptions, Planner
from leapcheck.jumping.planning.records import Infeasible, JumpPlan, PlannerError
from leapcheck.jumping.runs import estimates_of, simulate_everywhere
from leapcheck.jumping.setup import jump_setup
from leapcheck.jumping.study import jump_act
from leapcheck.robots.load import load

PLANNERS: tuple[Planner, ...] = ("quick", "optimised")
ENGINES = ("mujoco", "rigid", "spring-damper")
LIMITS: Mapping[str, str] = {
    "torque_use": "torque",
    "voltage_use": "voltage",
    "friction_use": "friction",
    "trunk_clearance": "clearance",
}
"""What simulations measure of the limits that plans keep: parts of 1, and m of the trunk that must stay above 0."""

ROBOTS = ("mini_cheetah", "mini_cheetah_armature")
JUMPS: tuple[dict[str, float], ...] = (
    {"height": 0.1},
    {"height": 0.2},
    {"height": 0.3},
    {"height": 0.4},
    {"height": 0.5},
    {"height": 0.1, "distance": 0.2},
    {"height": 0.2, "distance": 0.4},
    {"height": 0.25, "distance": 0.6},
    {"height": 0.2, "distance": -0.3},
    {"height": 0.2, "pitch": 20.0},
)
"""Options of the goals; with each robot they are 20."""


def goals() -> dict[str, tuple[str, dict[str, float]]]:
    """(robot, options) of each goal by its words."""
    return {
        f"{robot}, {', '.join(f'{name} {value:g}' for name, value in options.items())}": (robot, options)
        for robot in ROBOTS
        for options in JUMPS
    }


def goal_row(label: str, robot: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """What each planner makes of a goal: worst use of a limit, or why there is no plan; what each simulator sees."""
    return {"label": label, **{planner: _planned(robot, planner, options) for planner in PLANNERS}}


def _planned(robot: str, planner: Planner, options: Mapping[str, Any]) -> dict[str, Any]:
    asked = JumpOptions(**options, planner=planner, engines=ENGINES, levels=1)
    setup = jump_setup(load(robot), asked)
    try:
        act = jump_act(setup, asked)
    except (Infeasible, PlannerError) as refusal:
        return {"refused": str(refusal)}
    return {**_plan_figures(act), "seen": _seen(robot, asked, act)}


def _plan_figures(act: Act) -> dict[str, Any]:
    assert isinstance(act.plan, JumpPlan)
    worst = act.plan.checks[0]
    return {"use": worst.utilisation, "worst": f"{worst.name}, {worst.where}"}


def _seen(robot: str, options: JumpOptions, act: Act) -> dict[str, Any]:
    """By simulator: whether the jump succeeds there, and the worst of each limit."""
    setup = replace(jump_setup(load(robot), options), act=act)
    logs, failures = simulate_everywhere(setup, 1)
    seen: dict[str, Any] = {name: {"fails": why} for name, why in failures.items()}
    for name, runs in logs.items():
        alone = {name: runs}
        figures = estimates_of(setup, alone)
        judged = judge_first_runs(figures, alone, setup.thresholds)
        values = {figure.key: figure.by_simulator[name].value for figure in figures if figure.key in LIMITS}
        fails = judged.reasons[0].text if judged.verdict is JumpVerdict.NO_GO else ""
        seen[name] = {"fails": fails, **values}
    return seen
