"""A whole jump planned: stand, crouch, push, flight, landing."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leapcheck.jump.planning.air import Choice, chosen_swing, in_air
from leapcheck.jump.planning.checks import Check, measures, refusal, worst_first
from leapcheck.jump.planning.flight import Flight
from leapcheck.jump.planning.infeasible import Infeasible
from leapcheck.jump.planning.landing import Landing, chosen_landing, rise_path, touch_down_heights
from leapcheck.jump.planning.legged import legged
from leapcheck.jump.planning.path import slow_path, slow_time
from leapcheck.jump.planning.push import push
from leapcheck.jump.planning.records import Gains, JumpPlan, Phase, Request
from leapcheck.jump.planning.rolling import Motion, joined
from leapcheck.jump.planning.search import TICK, Pushes, chosen_push
from leapcheck.jump.planning.stance import Stance, stance
from leapcheck.jump.planning.task import Task, standing, task
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.actuator import Battery, Drives
from leapcheck_reference.simulate.plant import SMALLEST_RADIUS

__all__ = ["Check", "Gains", "Infeasible", "JumpPlan", "Phase", "Request", "planned", "standing"]

Floats = NDArray[np.float64]

STAND_TIME, CROUCH_TIME, END_TIME = 0.1, 0.4, 0.15
"""Seconds of standing, of going down (at least), and of standing at the end."""
SAMPLE = 1e-3
"""Seconds between samples of the plan, at most."""


@dataclass(frozen=True, slots=True, eq=False)
class _Jump:
    """The parts of one jump, each a continuous motion."""

    down: Stance
    push: Stance
    flight: Flight
    catch: Stance
    rise: Stance


def planned(
    spec: RobotSpec, request: Request, drives: Drives, battery: Battery = Battery(), gains: Gains | None = None
) -> JumpPlan:
    """The plan of a jump; `gains` None: Mini Cheetah's, scaled by weight and height.

    Raises Infeasible, a ValueError, where the robot cannot do it: which limit, by how much, and what to change; ValueError for a
    robot that cannot be planned for.
    """
    work = task(legged(spec, SMALLEST_RADIUS), request, drives, battery)
    weight = work.robot.mass * work.robot.gravity
    plan = _assembled(work, _jump(work), gains or Gains.scaled(weight * work.com[2], work.com[2], work.robot.gravity))
    _refuse_beyond(work, plan.checks[0])
    return plan


def _refuse_beyond(work: Task, worst: Check) -> None:
    if worst.utilisation > 1.0:
        raise Infeasible(refusal(work.robot.spec.name, work.request, worst), worst)


def _jump(work: Task) -> _Jump:
    """The parts: first with any landing, which tells how fast the trunk turns at touch-down, then with the best one."""
    robot, heights = work.robot, touch_down_heights(work)
    height = float(heights[-1] if work.request.distance else heights[0])  # a long flight needs less speed forward
    pushed = chosen_push(work, height)
    down = _down(work, pushed)
    crouched = down.end
    _refuse_beyond(work, _worst_in_push(work, pushed, down))
    first = Choice(pushed, Landing(height, height / float(pushed.velocity[0, 2]), 0.0))
    air = in_air(work, first, crouched)
    turn_rate = float(air.catch.pitch_at(np.zeros(1), 1)[0])
    landing = chosen_landing(work, heights, (float(pushed.velocity[0, 2]), float(pushed.high[0])), air.end[3:7], turn_rate)
    if work.request.distance:  # the time in the air has changed, and with it the speed
        pushed = chosen_push(work, landing.height)
        down = _down(work, pushed)
        crouched = down.end
    air = in_air(work, Choice(pushed, landing, chosen_swing(work, air, crouched)), crouched)
    air.catch.com[:, :, 0] += robot.geometry(air.end[None])["com_position"] - air.catch.com[:, :, 0]
    catch = stance(robot, air.end, air.catch)
    rise = stance(robot, catch.end, rise_path(work, catch.end, float(catch.feet[-1, :, 0].mean())))
    return _Jump(down, air.push, air.flight, catch, rise)


def _down(work: Task, pushed: Pushes) -> Stance:
    """From the stand to the crouch."""
    bottom = pushed.bottom(work)
    duration = math.ceil(max(CROUCH_TIME, slow_time(work.com, bottom[0], work.robot.gravity)) / TICK) * TICK
    return stance(work.robot, work.stand, slow_path(work.com[None], bottom, duration, work.quaternion))


def _worst_in_push(work: Task, pushed: Pushes, down: Stance) -> Check:
    """The worst check of the push with a level trunk: what is beyond the robot there need not be planned further."""
    level = push(work.robot, down.end, pushed.velocity[0], float(pushed.time[0]))
    t = np.linspace(0.0, level.duration, math.ceil(level.duration / SAMPLE) + 1)
    found = measures(work.robot, work.drives, work.battery, level.at(t), work.request.friction)
    return worst_first([measure.worst(STAND_TIME + down.duration + t, "push") for measure in found])[0]


def _assembled(work: Task, jump: _Jump, gains: Gains) -> JumpPlan:
    phases, times, motions, checks, start = [], [], [], [], 0.0
    for name, duration, at in _phases(jump):
        t = np.linspace(0.0, duration, math.ceil(duration / SAMPLE) + 1)
        friction = None if name == "flight" else work.request.friction
        motions.append(at(t))
        found = measures(work.robot, work.drives, work.battery, motions[-1], friction)
        checks += [measure.worst(start + t, name) for measure in found]
        phases.append(Phase(name, start, start + duration))
        times.append(start + t)
        start += duration
    whole = joined(*motions)
    rows = np.ones((len(whole.q), len(work.robot.joint_v)))
    return JumpPlan(
        robot=work.robot.spec.name,
        request=work.request,
        phases=tuple(phases),
        take_off=phases[2].end,
        touch_down=phases[3].end,
        duration=start,
        times=np.concatenate(times),
        q=whole.q,
        v=whole.v,
        torque=whole.torque,
        kp=gains.kp * rows,
        kd=gains.kd * rows,
        foot_forces=whole.foot_forces,
        checks=worst_first(checks),
        take_off_velocity=jump.push.path.com_at(np.ones(1), 1)[0],
        drives=work.drives,
        joint_q=work.robot.joint_q,
        joint_v=work.robot.joint_v,
    )


def _phases(jump: _Jump) -> list[tuple[str, float, Callable[[Floats], Motion]]]:
    """Name, duration and motion, by the time from its beginning, of each phase."""
    landing = jump.catch.duration + jump.rise.duration + END_TIME
    return [
        ("stand", STAND_TIME, lambda t: jump.down.at(0.0).repeated(len(t))),
        ("crouch", jump.down.duration, jump.down.at),
        ("push", jump.push.duration, jump.push.at),
        ("flight", jump.flight.duration, jump.flight.at),
        ("landing", landing, lambda t: _landing(jump, t)),
    ]


def _landing(jump: _Jump, t: Floats) -> Motion:
    """Catch, rise and standing at the end, one after the other, at t (n,) s from touch-down."""
    caught, risen = jump.catch.duration, jump.catch.duration + jump.rise.duration
    rest = jump.rise.at(jump.rise.duration).repeated(int((t > risen).sum()))
    return joined(jump.catch.at(t[t <= caught]), jump.rise.at(t[(t > caught) & (t <= risen)] - caught), rest)
