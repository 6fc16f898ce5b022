"""A jump whose exact solution is known without any engine: rigid ground, point feet, the plan's torque in open loop.

While the feet stand still, the trunk keeps its orientation and the com moves by a t^2 / 2 straight up, the torques that belong
to it are fixed by the least-norm foot forces; these stay inside their cones, so the rigid motion under those torques is unique:
com velocity a t, vertical force m (g + a), no pitch. A time-stepper given only these torques must come to it with its order.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from leapcheck.jumping.planning.legged import Legged, legged_robot
from leapcheck.jumping.planning.stance import push
from leapcheck_evidence.studies.planned_push import CROUCH, crouch_position
from leapcheck_evidence.studies.row import StudyRow
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec
from leapcheck_reference import com_velocity
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.rigid import RigidSimulator

HEIGHT, DURATION = 0.2, 0.132
"""m, s."""

STEPS = (4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4)
"""Time steps (s), each half of the one before; DURATION is a multiple of all."""

ORDERS, AFTER_ONE, AFTER_TWO = (0.95, 1.05), 1e-5, 1e-7


@dataclass(frozen=True, slots=True, eq=False)
class Exact:
    """The plan: acceleration m/s^2 upwards, take-off velocity m/s, start pose (nq,), torques by time, robot with point feet."""

    spec: RobotSpec
    robot: Legged
    start: Floats
    acceleration: float
    velocity: float


def rows(robot: str = "mini_cheetah") -> list[StudyRow]:
    """The rows of the table: order, and error after one and two steps of Richardson's extrapolation."""
    plan = exact(load(robot))
    speeds = np.array([take_off(plan, dt)[2] for dt in STEPS])
    once, twice = errors(speeds, plan.velocity)
    order = orders(speeds, plan.velocity)
    detail = (
        f"{robot}, point feet, rigid ground, friction 0.8, from the crouch {CROUCH}: com to {plan.velocity:.5f} m/s in "
        f"{DURATION:g} s, torque in open loop, dt {STEPS[0] * 1e3:g} to {STEPS[-1] * 1e3:g} ms; take-off speed of the com"
    )
    return [
        StudyRow(
            what="exact solution: order of the rigid time-stepper",
            goal=f"{ORDERS[0]:.2f} to {ORDERS[1]:.2f}",
            figure=f"{order[0]:.3f} to {order[-1]:.3f}",
            met=bool(np.all((order > ORDERS[0]) & (order < ORDERS[1]))),
            detail=detail,
        ),
        _error_row("one Richardson step", once, AFTER_ONE),
        _error_row("two Richardson steps", twice, AFTER_TWO),
    ]


def exact(spec: RobotSpec, height: float = HEIGHT, duration: float = DURATION) -> Exact:
    """The exact jump to `height` m of a robot whose feet are made points, pushing for `duration` s from the crouch."""
    points = tuple(dataclasses.replace(point, radius=0.0) for point in spec.contact_points)
    pointed = dataclasses.replace(spec, contact_points=points)
    robot = legged_robot(pointed)
    velocity = float(np.sqrt(2.0 * robot.gravity * height))
    return Exact(pointed, robot, crouch_position(robot), velocity / duration, velocity)


def take_off(plan: Exact, dt: float, duration: float = DURATION) -> Floats:
    """Velocity of the com (3,) m/s at the end of the push, the robot stepped by dt under the planned torques."""
    torques = (
        push(plan.robot, plan.start, np.array([0.0, 0.0, plan.velocity]), duration)
        .at(dt * np.arange(round(duration / dt), dtype=float))
        .torque
    )
    simulator = RigidSimulator(Plant(plan.spec, smallest_radius=0.0), dt)
    simulator.start(plan.start, np.zeros(plan.spec.nv))
    for torque in torques:
        simulator.step(torque)
    return com_velocity(plan.robot.tree, simulator.q, simulator.v)


def orders(speeds: Floats, limit: float) -> Floats:
    """Observed orders (n - 1,) of errors that shrink with the step halved."""
    wrong = np.abs(speeds - limit)
    answer: Floats = np.log2(wrong[:-1] / wrong[1:])
    return answer


def errors(speeds: Floats, limit: float) -> tuple[float, float]:
    """Relative errors of the finest figure after one and after two steps of Richardson's extrapolation."""
    once = 2.0 * speeds[1:] - speeds[:-1]
    twice = (4.0 * once[1:] - once[:-1]) / 3.0
    return abs(once[-1] / limit - 1.0), abs(twice[-1] / limit - 1.0)


def _error_row(after: str, error: float, goal: float) -> StudyRow:
    what = f"exact solution: take-off speed after {after}"
    return StudyRow(what=what, goal=f"{goal:g} relative", figure=f"{error:.1e}", met=error <= goal)
