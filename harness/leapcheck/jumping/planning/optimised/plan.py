"""A jump planned by trajectory optimisation: the program of the jump solved, sampled, and checked against the limits."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from leapcheck.jumping.planning.legged import Legged, legged_robot
from leapcheck.jumping.planning.optimised.assembly import assemble
from leapcheck.jumping.planning.optimised.body import Coordinates, body
from leapcheck.jumping.planning.optimised.charges import JumpProblem, height_gains
from leapcheck.jumping.planning.optimised.coordinates import simplest_coordinates, whole_coordinates
from leapcheck.jumping.planning.optimised.footing import footing, steps
from leapcheck.jumping.planning.optimised.goal import Goal
from leapcheck.jumping.planning.optimised.guess import first_guess
from leapcheck.jumping.planning.optimised.problem import problem
from leapcheck.jumping.planning.optimised.program import Program
from leapcheck.jumping.planning.optimised.schedule import schedule
from leapcheck.jumping.planning.records import Gains, JumpPlan, JumpRequest, PlannerError
from leapcheck.jumping.planning.task import task
from leapcheck.jumping.planning.whole import SAMPLE
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.actuator import Drives
from leapcheck_reference.simulate.battery import Battery
from leapcheck_reference.simulate.plant import SMALLEST_RADIUS
from leapcheck_reference.simulate.terrain import LEVEL, Terrain

PRICES = (0.0, 10.0, 100.0, 1000.0)
"""Of the squares of excesses over limits, one solution after the other."""
LARGE_TURN, HIGH = 0.5, 0.533
"""Pitch (rad) and height of the landing (in parts of the trunk's) from which on the feet leave the ground in pairs."""
GLOBALIZATIONS = ("never-monotone-mode", "kkt-error")
"""What Ipopt does where its free choice of the barrier makes no progress: the one converges where the other does not."""
IPOPT = {
    "print_level": 0,
    "sb": "yes",
    "tol": 1e-5,
    "constr_viol_tol": 1e-6,
    "max_iter": 300,
    "mu_strategy": "adaptive",
}


def optimised_jump(
    spec: RobotSpec,
    request: JumpRequest,
    drives: Drives,
    battery: Battery = Battery(),
    terrain: Terrain = LEVEL,
    gains: Gains | None = None,
) -> JumpPlan:
    """The best plan by the request's merit, over and onto what `terrain` has; its joints end as they begin, in the stand's pose.

    Raises PlannerError where that is beyond a limit or the solver has not converged: what it finds is a local optimum, so
    whether the robot can jump is not known. Infeasible for a height that is no jump. ValueError for
    the merit "energy" without motors.
    """
    if request.merit == "energy" and not drives.electrical.any():
        raise ValueError(f"--merit energy: no drive of '{spec.name}' has a motor, so its energy is not known: leave --merit out")
    robot = legged_robot(spec, SMALLEST_RADIUS)
    work = task(robot, request, drives, battery)
    coordinates = whole_coordinates(robot) if request.yaw or request.roll else simplest_coordinates(robot)
    expressions = body(robot, coordinates)
    pitch = request.pitch or 0.0
    every, last = tuple(range(coordinates.contacts)), _last_feet(robot, coordinates, request)
    flip = abs(pitch) > LARGE_TURN
    stages = schedule(every, math.sqrt(robot.size / robot.gravity), last, request.run_up is not None, flip)
    turn = np.array([request.roll, pitch, request.yaw])
    level = np.array([*(math.tau * round(angle / math.tau) for angle in turn[:2]), request.yaw])
    guess = first_guess(robot, coordinates, stages, turn, request.distance, request.landing_height, request.run_up or 0.0)
    angles, turn_places = np.nonzero(coordinates.matrix[3:6])
    height_place = np.flatnonzero(coordinates.matrix[2])
    goal = Goal(
        drives=drives,
        battery=battery,
        friction=request.friction,
        merit=request.merit,
        speed=math.sqrt(2.0 * robot.gravity * request.height),
        distance=request.distance,
        ground=request.landing_height,
        turn_places=turn_places,
        turn_values=turn[angles],
        final_places=np.concatenate([height_place, turn_places]),
        final_values=np.concatenate([guess.start[height_place] + request.landing_height, level[angles]]),
        stand=guess.start[coordinates.base :],
        footing=footing(terrain, request.landing_height, float(work.centre[0]) + request.distance, robot.size),
        steps=steps(terrain),
        impact=flip or abs(request.roll) > LARGE_TURN,
        upright=bool(last) or request.yaw != 0.0,
        run_up=request.run_up,
    )
    made = problem(expressions, stages, goal, guess)
    values = _solution(made, spec.name)
    weight = robot.mass * robot.gravity
    gains = gains or Gains.for_robot(weight * work.com[2], work.com[2], robot.gravity)
    plan = assemble(expressions, made, values, request, goal, gains)
    if request.merit == "height":
        speed = float(plan.take_off_velocity[2])
        height = speed**2 / (2.0 * robot.gravity)
        gains_of = height_gains(made, values, speed / robot.gravity / goal.weight)
        plan = replace(plan, request=replace(request, height=height), height_gains=gains_of)
    if plan.utilisation > 1.0:
        raise PlannerError(_refusal(request, plan, float(values[made.use][0])))
    return plan


def _refusal(request: JumpRequest, plan: JumpPlan, use: float) -> str:
    """Why a plan is none: it is beyond a limit; `use` < 1: only between the moments that the program looks at."""
    between = ", which it keeps at its moments, not between them" if use < 1.0 else ""
    return (
        f"the best jump {request.words} that the optimised planner finds for '{plan.robot}' is beyond a limit{between}: "
        f"{plan.checks[0].words}: whether there is a better one is not known"
    )


def _last_feet(robot: Legged, coordinates: Coordinates, request: JumpRequest) -> tuple[int, ...]:
    """Contacts that leave the ground last: the rear ones of a jump up or one that turns nose up, the front ones nose down.

    Those of the right side where the robot rolls over to the left, of the left side where it rolls to the right. Those that the
    request says, if it does.
    """
    pitch = request.pitch or 0.0
    x, y = robot.geometry(robot.home[None])["contact_positions"][0, [feet[0] for feet in coordinates.feet], :2].T
    ahead = x > x.mean()
    if abs(request.roll) > LARGE_TURN:
        return tuple(np.flatnonzero(y * request.roll > 0.0).tolist())
    chosen = request.take_off
    if chosen is None and abs(pitch) > LARGE_TURN:
        chosen = "front-first" if pitch < 0.0 else "rear-first"
    if chosen is None and request.landing_height > HIGH * robot.size:
        chosen = "front-first"
    last = {"front-first": ~ahead, "rear-first": ahead}.get(chosen or "together")
    return () if last is None else tuple(np.flatnonzero(last).tolist())


def _solution(made: JumpProblem, name: str) -> Floats:
    """The unknowns: first the easiest motion without limits, then with limits of rising price, then in whole milliseconds."""
    program = made.program
    solvers: list[Any] = []
    for price in PRICES:
        program.fix(made.price, price)
        values = _solve(program, solvers, name)
        program.guess[:] = values.tolist()
    for part in made.stages:
        program.fix(part.duration, np.round(values[part.duration] / SAMPLE) * SAMPLE)
    return _solve(program, solvers, name)


def _options(globalization: str) -> dict[str, Any]:
    return {"ipopt": IPOPT | {"adaptive_mu_globalization": globalization}, "print_time": False, "error_on_fail": False}


def _solve(program: Program, solvers: list[Any], name: str) -> Floats:
    """The unknowns, by the first of `GLOBALIZATIONS` that converges; `solvers`: those made so far, more are appended."""
    for k, globalization in enumerate(GLOBALIZATIONS):
        if k == len(solvers):
            solvers.append(program.solver(_options(globalization)))
        values, report = program.solve(solvers[k])
        if report["success"]:
            return values
    raise PlannerError(
        f"the optimised planner has not converged ({report['return_status']}) after {report['iter_count']} steps: whether "
        f"'{name}' can jump so is not known"
    )
