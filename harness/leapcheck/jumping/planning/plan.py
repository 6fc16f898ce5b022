"""A whole jump planned: stand, crouch, push, flight, landing."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from leapcheck.jumping.planning.air import Choice, chosen_swing, in_air
from leapcheck.jumping.planning.bounds import SURELY, power_at_take_off
from leapcheck.jumping.planning.checks import Measure, measures, refusal, worst_first
from leapcheck.jumping.planning.flight import Flight
from leapcheck.jumping.planning.landing import Landing, chosen_landing, rise_path, touch_down_heights
from leapcheck.jumping.planning.legged import legged_robot
from leapcheck.jumping.planning.path import slow_path, slow_time
from leapcheck.jumping.planning.records import Check, Gains, Infeasible, JumpPlan, JumpRequest, PlannerError
from leapcheck.jumping.planning.rolling import Motion, join
from leapcheck.jumping.planning.search import TICK, Pushes, chosen_push
from leapcheck.jumping.planning.stance import Stance, push, stance
from leapcheck.jumping.planning.task import Task, task
from leapcheck.jumping.planning.whole import END_TIME, SAMPLE, STAND_TIME, PlanPart, whole_plan
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.actuator import Drives
from leapcheck_reference.simulate.battery import Battery
from leapcheck_reference.simulate.plant import SMALLEST_RADIUS

CROUCH_TIME = 0.4
"""Seconds of going down, at least."""


@dataclass(frozen=True, slots=True, eq=False)
class _Jump:
    """The parts of one jump, each a continuous motion."""

    down: Stance
    push: Stance
    flight: Flight
    catch: Stance
    rise: Stance


def plan_jump(
    spec: RobotSpec, request: JumpRequest, drives: Drives, battery: Battery = Battery(), gains: Gains | None = None
) -> JumpPlan:
    """The plan of a jump; `gains` None: Mini Cheetah's, scaled by weight and height.

    Raises Infeasible, a ValueError, where the robot cannot do it: which limit, by how much, and what to change; ValueError for a
    robot that cannot be planned for.
    """
    if request.yaw:
        raise ValueError("the quick planner pushes straight: plan a turn about the vertical with --planner optimised")
    if request.roll:
        raise ValueError("the quick planner pushes straight: plan a barrel roll with --planner optimised")
    if request.run_up is not None:
        raise ValueError("the quick planner jumps from rest alone: --planner optimised plans a run-up")
    if obstacle := quick_plan_obstacle(spec):
        raise ValueError(f"{obstacle}: plan with --planner optimised")
    work = task(legged_robot(spec, SMALLEST_RADIUS), request, drives, battery)
    weight = work.robot.mass * work.robot.gravity
    _refuse_beyond(work, power_at_take_off(work), SURELY)
    plan = _assemble(work, _parts(work), gains or Gains.for_robot(weight * work.com[2], work.com[2], work.robot.gravity))
    _refuse_beyond(work, plan.checks[0])
    return plan


@lru_cache(maxsize=8)  # a study asks before it plans, and a search plans the same robot many times
def quick_plan_obstacle(spec: RobotSpec) -> str | None:
    """Why `plan_jump` plans no jump of the robot, while the optimised planner may; None where it does.

    Raises ValueError for a robot that neither plans for.
    """
    if foot := legged_robot(spec, SMALLEST_RADIUS).planar_foot:
        return f"'{spec.name}': the joints of foot '{foot}' do not move it in all directions, as the quick planner needs them to"
    return None


def _refuse_beyond(work: Task, worst: Check, most: float = 1.0) -> None:
    if worst.utilisation > most:
        raise Infeasible(refusal(work.robot.spec.name, work.request, worst), worst)


def _parts(work: Task) -> _Jump:
    """The parts: first with any landing, which tells how fast the trunk turns at touch-down, then with the best one."""
    robot, heights, ground = work.robot, touch_down_heights(work), work.request.landing_height
    height = float(heights[-1] if work.request.distance else heights[0])  # a long flight needs less speed forward
    pushed = chosen_push(work, height + ground)
    down = _down(work, pushed)
    crouched = down.end
    _refuse_beyond(work, _worst_in_push(work, pushed, down))
    first = Choice(pushed, Landing(height, height / float(pushed.velocity[0, 2]), 0.0, ground))
    air = in_air(work, first, crouched)
    turn_rate = float(air.catch.pitch_at(np.zeros(1), 1)[0])
    landing = chosen_landing(work, heights, (float(pushed.velocity[0, 2]), float(pushed.high[0])), air.end[3:7], turn_rate)
    if work.request.distance:  # the time in the air has changed, and with it the speed
        pushed = chosen_push(work, landing.height + ground)
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
    figures = measures(work.robot, work.drives, work.battery, level.at(t), work.request.friction)
    return worst_first([measure.worst(STAND_TIME + down.duration + t, "push") for measure in figures])[0]


def _assemble(work: Task, jump: _Jump, gains: Gains) -> JumpPlan:
    parts = []
    for name, duration, motion_at in _phases(jump):
        t = np.linspace(0.0, duration, math.ceil(duration / SAMPLE) + 1)
        parts.append(PlanPart(name, motion_at(t), t))

    def demands(part: PlanPart, motion: Motion) -> Iterator[Measure]:
        return measures(work.robot, work.drives, work.battery, motion, None if part.name == "flight" else work.request.friction)

    velocity = jump.push.path.com_at(np.ones(1), 1)[0]
    return whole_plan(work.robot, work.request, parts, demands, velocity, gains, work.drives)


def _phases(jump: _Jump) -> list[tuple[str, float, Callable[[Floats], Motion]]]:
    """Name, duration and motion, by the time from its beginning, of each phase."""
    landing = jump.catch.duration + jump.rise.duration + END_TIME
    return [
        ("stand", STAND_TIME, lambda t: jump.down.at(0.0).repeat(len(t))),
        ("crouch", jump.down.duration, jump.down.at),
        ("push", jump.push.duration, jump.push.at),
        ("flight", jump.flight.duration, jump.flight.at),
        ("landing", landing, lambda t: _landing(jump, t)),
    ]


def _landing(jump: _Jump, t: Floats) -> Motion:
    """Catch, rise and standing at the end, one after the other, at t (n,) s from touch-down."""
    caught, risen = jump.catch.duration, jump.catch.duration + jump.rise.duration
    rest = jump.rise.at(jump.rise.duration).repeat(int((t > risen).sum()))
    return join(jump.catch.at(t[t <= caught]), jump.rise.at(t[(t > caught) & (t <= risen)] - caught), rest)


FIRST = 0.2
"""Height (m) tried first."""
CLOSE = 1e-3
"""m: the highest jump is figures to this."""
NEARLY = 0.998
"""Utilisation from which on a plan is as good as at its limit."""
LOWEST = 0.02
"""Lowest height (m) that counts as a jump."""
FACTOR = 1.6
"""Between the heights tried until one is feasible and one is not."""


@dataclass(frozen=True, slots=True, eq=False)
class HighestJump:
    """The highest feasible jump (to `CLOSE`, or `NEARLY` at its limit), its plan, and what a higher one would run against."""

    height: float
    plan: JumpPlan
    limited_by: str

    @property
    def sentence(self) -> str:
        """How high, and why not higher: other pushes than the planner's may do more."""
        return (
            f"the highest feasible jump is {self.height:.3f} m: {self.limited_by} limits it, "
            "in a push of constant acceleration with a level trunk"
        )


def highest_jump(spec: RobotSpec, request: JumpRequest, drives: Drives, battery: Battery = Battery()) -> HighestJump:
    """The highest jump like `request`, whose own height does not matter.

    Raises Infeasible where not even the lowest is feasible, saying why; PlannerError where its plan was not found.
    """
    best: JumpPlan | None = None
    low, high, excess, why = 0.0, math.inf, math.inf, ""
    height = FIRST
    while high - low > CLOSE and not (best and best.utilisation > NEARLY and high < math.inf):
        try:
            best, low = plan_jump(spec, replace(request, height=height), drives, battery), height
        except Infeasible as error:
            high, why, excess = height, str(error), math.inf
            if error.check:
                why, excess = f"{error.check.name} ({error.check.where})", error.check.utilisation
        except PlannerError as error:
            high, why, excess = height, str(error), math.inf
            if high < LOWEST:
                raise
        if high < LOWEST:
            raise Infeasible(f"'{spec.name}' cannot do such a jump at any height: {why}")
        height = _next(low, high, best, excess)
    assert best is not None
    return HighestJump(low, best, why)


def _next(low: float, high: float, best: JumpPlan | None, excess: float) -> float:
    """The next height to try: where the worst utilisation between two known ones reaches 1, kept away from both ends."""
    if math.isinf(high):
        return low * FACTOR
    if best is None:
        return high / FACTOR
    part = 0.5 if math.isinf(excess) else (1.0 - best.utilisation) / (excess - best.utilisation)
    edge = max(0.1, 0.4 * CLOSE / (high - low))
    return low + (high - low) * min(max(part, edge), 1.0 - edge)
