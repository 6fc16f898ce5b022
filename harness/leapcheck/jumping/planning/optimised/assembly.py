"""The solved program as a plan: sampled, and held against the limits as any plan is."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import casadi as ca
import numpy as np

from leapcheck.jumping.planning.checks import Measure, drive_measures, ground_measures, measures, posture_measures
from leapcheck.jumping.planning.optimised.body import Body
from leapcheck.jumping.planning.optimised.charges import JumpProblem, StagePlaces
from leapcheck.jumping.planning.optimised.goal import Goal
from leapcheck.jumping.planning.records import Gains, JumpPlan, JumpRequest
from leapcheck.jumping.planning.rolling import Motion
from leapcheck.jumping.planning.whole import END_TIME, SAMPLE, STAND_TIME, PlanPart, whole_plan
from leapcheck_models.arrays import Floats


def assemble(body: Body, made: JumpProblem, values: Floats, request: JumpRequest, goal: Goal, gains: Gains) -> JumpPlan:
    """The plan with the unknowns `values`."""
    sample = _sampler(body)
    first, last = made.stages[0], made.stages[-1]
    parts = [_rest(sample, values, first, 0, "stand", STAND_TIME)]
    for stage in made.stages:
        duration = float(values[stage.duration][0])
        t = np.linspace(0.0, duration, round(duration / SAMPLE) + 1)
        name = {"tip": "push", "hop": "run-up"}.get(stage.stage.name, stage.stage.name)
        parts.append(PlanPart(name, sample(*_between(values, stage, t)), t, stage.stage.standing))
    parts.append(_rest(sample, values, last, -1, "landing", END_TIME))
    air = made.stages[-2]
    velocity = ca.Function("velocity", [body.z, body.zd], [body.com_velocity])
    take_off_velocity = np.array(velocity(values[air.z[0]], values[air.zd[0]])).ravel()
    return whole_plan(body.robot, request, parts, partial(_measures, body, goal), take_off_velocity, gains, goal.drives)


def _sampler(body: Body) -> Any:
    """The motion (k moments) at z, zd, zdd, force (k, ...)."""
    feet = len(body.robot.feet)
    every = ca.Function(
        "sample", [body.z, body.zd, body.zdd, body.force], [body.q, body.v, body.vdot, body.torque, ca.vec(body.loads.T)]
    )

    def sample(*rows: Floats) -> Motion:
        q, v, vdot, torque, loads = (np.array(columns).T for columns in every.map(len(rows[0]))(*(row.T for row in rows)))
        forces = np.zeros((len(q), feet, 3))
        weight = body.robot.mass * body.robot.gravity
        for contact, of_contact in enumerate(body.coordinates.feet):
            forces[:, list(of_contact)] = weight * loads[:, None, 3 * contact : 3 * contact + 3]
        return Motion(q, v, vdot, torque, forces)

    return sample


def _between(values: Floats, part: StagePlaces, t: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """z, zd, zdd, force at t (k,) s from the stage's start: accelerations and forces are straight lines between the moments."""
    moments = part.stage.moments
    step = float(values[part.duration][0]) / (moments - 1)
    k = np.clip((t / step).astype(int), 0, moments - 2)
    s = (t - k * step)[:, None]
    z, zd, zdd, force = (values[places] for places in (part.z, part.zd, part.zdd, part.force))
    slope = (zdd[k + 1] - zdd[k]) / step
    return (
        z[k] + s * (zd[k] + s * (zdd[k] / 2 + s * slope / 6)),
        zd[k] + s * (zdd[k] + s * slope / 2),
        zdd[k] + s * slope,
        force[k] + s / step * (force[k + 1] - force[k]),
    )


def _rest(sample: Any, values: Floats, part: StagePlaces, moment: int, name: str, duration: float) -> PlanPart:
    """The robot at rest in one moment's pose, with that moment's forces."""
    t = np.linspace(0.0, duration, round(duration / SAMPLE) + 1)
    z, force = (np.tile(values[places[moment]], (len(t), 1)) for places in (part.z, part.force))
    return PlanPart(name, sample(z, 0.0 * z, 0.0 * z, force), t, part.stage.standing)


def _measures(body: Body, goal: Goal, part: PlanPart, motion: Motion) -> Iterator[Measure]:
    """The figures of a part: as `checks.measures`, but only of the feet that stand."""
    if not part.standing:
        yield from measures(body.robot, goal.drives, goal.battery, motion, None)
        return
    yield from drive_measures(body.robot, goal.drives, goal.battery, motion)
    yield from posture_measures(body.robot, motion.q, standing=True)
    feet = [foot for contact in part.standing for foot in body.coordinates.feet[contact]]
    yield from ground_measures([body.robot.feet[foot] for foot in feet], motion.foot_forces[:, feet], goal.friction)
