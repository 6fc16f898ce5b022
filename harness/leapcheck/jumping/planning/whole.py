"""The parts of a planned jump put together: one motion over time, its phases, and the worst of what it demands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from leapcheck.jumping.planning.checks import Measure, worst_first
from leapcheck.jumping.planning.legged import Legged
from leapcheck.jumping.planning.records import Check, Gains, JumpPlan, JumpRequest, PlanPhase
from leapcheck.jumping.planning.rolling import Motion, join
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import JointType
from leapcheck_reference.simulate.actuator import Drives

STAND_TIME, END_TIME = 0.1, 0.15
"""Seconds of standing before and after."""
SAMPLE = 1e-3
"""Seconds between samples of a plan, at most."""


@dataclass(frozen=True, slots=True, eq=False)
class PlanPart:
    """A motion at `times` (k,) s from its beginning, and the feet (numbers of them, or of planned forces) that stand."""

    name: str
    motion: Motion
    times: Floats
    standing: tuple[int, ...] = ()


def whole_plan(
    robot: Legged,
    request: JumpRequest,
    parts: Sequence[PlanPart],
    demands: Callable[[PlanPart, Motion], Iterable[Measure]],
    take_off_velocity: Floats,
    gains: Gains,
    drives: Drives,
) -> JumpPlan:
    """The parts one after the other, "flight" among them; neighbours of one name are one phase.

    `demands` are the figures of a part, given its motion over the ground where it takes place.
    """
    phases, checks, times, start = list[PlanPhase](), list[Check](), list[Floats](), 0.0
    for part in parts:
        ground = {"landing": request.landing_height, "flight": min(request.landing_height, 0.0)}.get(part.name, 0.0)
        times.append(start + part.times)
        checks += [measure.worst(times[-1], part.name) for measure in demands(part, part.motion.lower(ground))]
        end = start + float(part.times[-1])
        goes_on = bool(phases) and phases[-1].name == part.name
        phases.append(PlanPhase(part.name, phases.pop().start if goes_on else start, end))
        start = end
    flight = next(phase for phase in phases if phase.name == "flight")
    whole = join(*(part.motion for part in parts))
    rows = np.tile(_gain_shares(robot), (len(whole.q), 1))
    return JumpPlan(
        robot=robot.spec.name,
        request=request,
        phases=tuple(phases),
        take_off=flight.start,
        touch_down=flight.end,
        duration=start,
        times=np.concatenate(times),
        q=whole.q,
        v=whole.v,
        torque=whole.torque,
        kp=gains.kp * rows,
        kd=gains.kd * rows,
        foot_forces=whole.foot_forces,
        checks=worst_first(checks),
        take_off_velocity=take_off_velocity,
        drives=drives,
        joint_q=robot.joint_q,
        joint_v=robot.joint_v,
    )


def _gain_shares(robot: Legged) -> Floats:
    """What each drive's gains are multiplied by: those of a prismatic joint are N/m where a hinge's are N m/rad."""
    sliding = {link.v.start for link in robot.tree.links if link.type is JointType.PRISMATIC}
    return np.array([robot.size**-2 if place in sliding else 1.0 for place in robot.joint_v.tolist()])
