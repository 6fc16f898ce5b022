"""What an optimised jump is best at, and the small weights beside it that leave one motion the best."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from leapcheck.jumping.planning.optimised.body import Body
from leapcheck.jumping.planning.optimised.charges import JumpProblem, StagePlaces
from leapcheck.jumping.planning.optimised.goal import Goal
from leapcheck.jumping.planning.optimised.limits import battery_power, drive_uses

HIGHEST_USE = 0.96
"""Part of each limit that is planned with at the moments where margin is not the merit: between them a little more is used."""
SMOOTH, EASY, EFFORT = 0.1, 0.05, 0.3
"""Weights of changes of force, of joint accelerations, and of the drives' mean square use, beside the worst use of a limit."""
STAND = 1000.0
"""Weight of the squares (rad, m) by which the joints end off the stand's: equations would say again where the feet are."""
CREEP = 0.1
"""Weight of the acceleration along the ground, in parts of gravity, that standing feet would have at constant joint rates."""


def add_objective(made: JumpProblem, body: Body, goal: Goal) -> None:
    """Adds the merit, for every stage what keeps the motion easy, and the stand that it ends in."""
    _add_merit(made, body, goal)
    off = body.z[body.coordinates.base :] - goal.stand
    made.program.minimise(body.z, STAND * ca.sumsqr(off), made.stages[-1].z[-1])
    for part in made.stages:
        _add_ease(made, body, part, goal)
        if goal.upright and part.stage.standing and part is not made.stages[-1]:
            creep = CREEP / part.stage.moments * ca.sumsqr(_bias_slip(body, part.stage.standing) / body.robot.gravity)
            made.program.minimise(ca.vertcat(body.z, body.zd), creep, np.hstack([part.z, part.zd]))


def _add_merit(made: JumpProblem, body: Body, goal: Goal) -> None:
    """Least use of a limit; or least energy, or the highest speed at take-off, all limits kept to `HIGHEST_USE`."""
    if goal.merit == "margin":
        use = ca.SX.sym("use")
        made.program.minimise(use, goal.weight * use, made.use)
        return
    made.program.fix(made.use, HIGHEST_USE)
    if goal.merit == "height":
        air = made.stages[-2]
        rising = -goal.weight * body.com_velocity[2]
        made.program.minimise(ca.vertcat(body.z, body.zd), rising, np.hstack([air.z[0], air.zd[0]]))
    else:
        for part in made.stages:
            _add_energy(made, body, part, goal)


def _add_ease(made: JumpProblem, body: Body, part: StagePlaces, goal: Goal) -> None:
    """Small costs of accelerations, of the drives' mean square use, and of forces that change."""
    program, moments = made.program, part.stage.moments
    joints = body.zdd[body.coordinates.base :]
    program.minimise(body.zdd, EASY * ca.sumsqr(joints / 200.0) / moments * body.coordinates.size, part.zdd)
    torque, voltage = drive_uses(body, goal.drives, goal.battery)
    local = ca.vertcat(body.z, body.zd, body.zdd, body.force)
    program.minimise(local, EFFORT / moments * (ca.sumsqr(torque) + ca.sumsqr(voltage)), part.states)
    if part.stage.standing:
        now, then = (ca.SX.sym(name, body.force.numel()) for name in ("now", "then"))
        pairs = np.hstack([part.force[:-1], part.force[1:]])
        program.minimise(ca.vertcat(now, then), SMOOTH * ca.sumsqr(then - now), pairs)


def _bias_slip(body: Body, standing: tuple[int, ...]) -> Any:
    """Accelerations (m/s^2) along the ground of the standing feet at constant joint rates, Jdot v."""
    parts = body.coordinates.forces.shape[1]
    along = [contact * parts + i for contact in standing for i in range(parts - 1)]
    return ca.substitute(body.slip_rate[along], body.zdd, ca.SX.zeros(body.zdd.numel()))


def _add_energy(made: JumpProblem, body: Body, part: StagePlaces, goal: Goal) -> None:
    """What the drives draw from the battery, in parts of the weight times the trunk's height, by the trapezoidal rule."""
    duration, share = ca.SX.sym("duration"), ca.SX.sym("share")
    moments = part.stage.moments
    shares = np.full(moments, 1.0 / (moments - 1))
    shares[[0, -1]] /= 2
    scale = body.robot.mass * body.robot.gravity * body.robot.size
    local = ca.vertcat(body.z, body.zd, body.zdd, body.force, duration, share)
    rows = [part.states, np.tile(part.duration, (moments, 1)), made.program.constants(shares)[:, None]]
    drawn = goal.weight / scale * share * duration * battery_power(body, goal.drives)
    made.program.minimise(local, drawn, np.hstack(rows))
