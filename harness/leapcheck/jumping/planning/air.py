"""From the crouch to the touch-down: the push whose pitch rate makes the flight end as asked, and the flight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leapcheck.jumping.planning.checks import measures
from leapcheck.jumping.planning.fixed_point import next_point
from leapcheck.jumping.planning.flight import LIFT, Flight, Joints, Swing, air_time, flight
from leapcheck.jumping.planning.landing import Landing, pitch_between, touch_down_pose
from leapcheck.jumping.planning.path import Path, catch_path
from leapcheck.jumping.planning.pose import pitch_quaternions, rotations
from leapcheck.jumping.planning.records import Infeasible, PlannerError
from leapcheck.jumping.planning.rolling import free_fall_acceleration, landing_velocity
from leapcheck.jumping.planning.search import Pushes
from leapcheck.jumping.planning.stance import Stance, push
from leapcheck.jumping.planning.task import Task
from leapcheck_models.arrays import Floats

UNCHOSEN = Swing()
"""The swing of the first flight, which is planned to choose from."""
SWINGS = tuple(Swing(retraction, 0.4, out) for retraction in (0.3, 0.15, 0.0) for out in (0.4, 0.55, 0.7))
"""Ways to swing the legs that are tried."""
QUICK_SWINGS = tuple(
    Swing(retraction, part, 1.0 - part) for retraction in (0.3, 0.15, 0.0) for part in (0.3, 0.2, 0.13, 0.08, 0.05)
)
"""Those tried where none of them will do: in a long flight the legs must follow the trunk long before its middle."""
AS_GOOD = 1e-9
"""Utilisation by which a swing must be better than one before it: where the take-off decides, all are equal to rounding."""
SWING_MOMENTS = 41
"""Moments at which they are evaluated."""
SAME_TURN = 1e-10
"""Turn (rad) of the trunk at touch-down between two rounds at which the flight and its landing pose are figures."""
MOST_ROUNDS = 30


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """What is chosen: push, landing, how the legs swing in between."""

    push: Pushes
    landing: Landing
    swing: Swing = UNCHOSEN

    def air_time(self, gravity: float) -> float:
        """Duration (s) of the flight."""
        return air_time(
            float(self.push.velocity[0, 2]), float(self.push.high[0]) - self.landing.height - self.landing.ground, gravity
        )

    def touch_down_velocity(self, gravity: float) -> Floats:
        """Velocity (3,) m/s of the com at touch-down."""
        velocity: Floats = self.push.velocity[0] - np.array([0.0, 0.0, gravity * self.air_time(gravity)])
        return velocity


@dataclass(frozen=True, slots=True, eq=False)
class Air:
    """Push, flight, and the path of the catch after touch-down."""

    push: Stance
    flight: Flight
    catch: Path

    @property
    def end(self) -> Floats:
        """Pose (nq,) at touch-down."""
        pose: Floats = self.flight.at(self.flight.duration).q[0]
        return pose


def in_air(task: Task, choice: Choice, crouched: Floats) -> Air:
    """Push, flight and catch from the pose `crouched` (nq,), the landing pose made for the orientation that the flight ends in.

    This depends on the pose too: a fixed point. Raises Infeasible where a pose is out of reach, PlannerError where none is found.
    """
    rate, quaternion = 0.0, pitch_quaternions(task.quaternion, np.array([task.pitch]))[0]
    air, landings, ends = None, list[Floats](), list[Floats]()
    for _ in range(MOST_ROUNDS):
        if task.request.pitch is None:
            air = _air(task, choice, crouched, quaternion, rate, air)
        else:
            rate, air = _pitched_air(task, choice, crouched, quaternion, rate, air)
        end = air.end[3:7]
        if np.abs(end - quaternion).max() < SAME_TURN:
            return air
        landings.append(quaternion)
        ends.append(end)
        mixed = next_point(landings, ends)
        quaternion = mixed / np.linalg.norm(mixed)
    raise PlannerError(
        f"the planner finds no landing pose for the trunk's turn in the air after {MOST_ROUNDS} rounds: whether "
        f"'{task.robot.spec.name}' can jump so is not known; jump another height, or leave the turn open"
    )


def chosen_swing(task: Task, air: Air, crouched: Floats) -> Swing:
    """The swing of least worst utilisation in a flight like this one."""
    worst = [_swing_utilisation(task, air, crouched, swing) for swing in SWINGS]
    if min(worst) > 1.0:
        worst += [_swing_utilisation(task, air, crouched, swing) for swing in QUICK_SWINGS]
    first = next(i for i, utilisation in enumerate(worst) if utilisation <= min(worst) + AS_GOOD)
    return (*SWINGS, *QUICK_SWINGS)[first]


def _swing_utilisation(task: Task, air: Air, crouched: Floats, swing: Swing) -> float:
    off, end = air.push.at(air.push.duration), air.flight.waypoints[-1]
    flying = flight(task.robot, off, crouched[7:], end, air.flight.duration, swing)
    moments = np.linspace(0.0, flying.duration, SWING_MOMENTS)
    motion = flying.at(moments).lower(min(task.request.landing_height, 0.0))
    figures = measures(task.robot, task.drives, task.battery, motion, None)
    return max(float(measure.utilisation.max()) for measure in figures)


def _pitched_air(
    task: Task, choice: Choice, crouched: Floats, quaternion: Floats, guess: float, like: Air | None
) -> tuple[float, Air]:
    """(pitch rate (rad/s) at take-off that turns the trunk as asked until touch-down, what it leads to), by the secant method."""

    def attempt(rate: float, like: Air | None) -> tuple[Air, float]:
        try:
            air = _air(task, choice, crouched, quaternion, rate, like)
        except Infeasible as error:
            text = f"no push in reach turns the trunk by {task.pitch:g} rad until touch-down: jump higher, or leave pitch open"
            raise Infeasible(f"{text} ({error})") from None
        return air, task.pitch - pitch_between(task.quaternion, air.end[3:7])

    before, (air, was) = guess, attempt(guess, like)
    if abs(was) < SAME_TURN:
        return guess, air
    rate = guess + was / (choice.air_time(task.robot.gravity) + float(choice.push.time[0]) / 2)
    for _ in range(MOST_ROUNDS):
        air, error = attempt(rate, air)
        if abs(error) < SAME_TURN:
            return rate, air
        before, was, rate = rate, error, rate - error * (rate - before) / (error - was)
    raise PlannerError(
        f"the planner finds no push that turns the trunk by {task.pitch:g} rad until touch-down after {MOST_ROUNDS} rounds: "
        f"whether '{task.robot.spec.name}' can jump so is not known; ask for another pitch or height"
    )


def _air(task: Task, choice: Choice, crouched: Floats, quaternion: Floats, rate: float, like: Air | None) -> Air:
    """Push with a pitch rate (rad/s) at its end, flight, and the catch as if the com came down at x = y = 0.

    The feet touch down level and at rest if the trunk is then at `quaternion`. `like`: what another rate led to.
    """
    robot, gravity = task.robot, task.robot.gravity
    velocity, landing = choice.touch_down_velocity(gravity), choice.landing
    duration = float(choice.push.time[0])
    pushing = push(robot, crouched, choice.push.velocity[0], duration, rate, None if like is None else like.push)
    off = pushing.at(pushing.duration)
    momentum = robot.momentum(off.q)["centroidal_momentum_matrix"][0, :3] @ off.v[0]
    pose = touch_down_pose(task, landing, quaternion)
    v = landing_velocity(robot, pose, velocity, momentum)
    turn_rate = float((rotations(pose[None, 3:7])[0] @ v[:3])[1])
    com = np.array([[0.0, 0.0, landing.height]])
    catch = catch_path(com, velocity[None], np.array([landing.duration]), turn_rate, quaternion)
    end = Joints(pose[7:], v[6:], free_fall_acceleration(robot, pose, v, LIFT * gravity)[6:])
    return Air(pushing, flight(robot, off, crouched[7:], end, choice.air_time(gravity), choice.swing), catch)
