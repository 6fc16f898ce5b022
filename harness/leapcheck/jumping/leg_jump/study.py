"""The whole computation of `leapcheck leg-jump`: plan, stroke, course, highest jump, verdict."""

from __future__ import annotations

from dataclasses import dataclass

from leapcheck.jumping.judging.thresholds import JumpVerdict
from leapcheck.jumping.leg_jump.case import LegCase
from leapcheck.jumping.leg_jump.course import NEARLY_ALL, Course, push_course
from leapcheck.jumping.leg_jump.limits import HighestLegJump, highest, highest_at
from leapcheck.jumping.leg_jump.options import LegJumpOptions
from leapcheck.jumping.leg_jump.verdict import judge_push
from leapcheck_reference.classical.leg_jump import PushPlan


@dataclass(frozen=True, slots=True, eq=False)
class LegJumpStudy:
    """A leg's jump computed and judged. `stroke_left` m from the first pose; `course` is None where the stroke does not suffice.

    `highest_here`: the highest jump within the rating at the case's acceleration; `highest` at the best one, None where no
    rating is known that ends it. `reason` says why the verdict is what it is, `remedies` what to change.
    """

    case: LegCase
    plan: PushPlan
    stroke_left: float
    course: Course | None
    highest_here: HighestLegJump
    highest: HighestLegJump | None
    verdict: JumpVerdict
    reason: str
    remedies: tuple[str, ...]

    @property
    def exit_status(self) -> int:
        """0 for GO and MARGINAL, 1 for NO-GO."""
        return int(self.verdict is JumpVerdict.NO_GO)


def leg_jump_study(jump: LegJumpOptions | LegCase) -> LegJumpStudy:
    """A leg's jump computed and judged.

    Raises ValueError for an option that is invalid, ArithmeticError where the three ways to the torque differ.
    """
    case = jump.case() if isinstance(jump, LegJumpOptions) else jump
    plan, level = case.plan, case.thresholds.utilisation_no_go
    fits = plan.stroke <= case.stroke_left * (1.0 + NEARLY_ALL)
    course = push_course(case, plan) if fits else None
    here = highest_at(case, plan.acceleration, level)
    best = highest(case, level) if case.servo.torque is not None else None
    verdict, reason, remedies = judge_push(case, plan, course, here, best)
    return LegJumpStudy(case, plan, case.stroke_left, course, here, best, verdict, reason, remedies)
