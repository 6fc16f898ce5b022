"""The whole computation of `leapcheck leg-jump`: plan, stroke, course, highest jump, verdict."""

from __future__ import annotations

from dataclasses import dataclass

from leapcheck.jump.judging.verdict import Verdict
from leapcheck.leg_jump.case import Case
from leapcheck.leg_jump.course import NEARLY_ALL, Course, course_of
from leapcheck.leg_jump.limits import Highest, highest, highest_at
from leapcheck.leg_jump.verdict import judged
from leapcheck_reference.classical.leg_jump import PushPlan


@dataclass(frozen=True, slots=True, eq=False)
class LegJump:
    """A judged case. `stroke_left` m from the first pose; `course` is None where the stroke does not suffice.

    `highest_here`: the highest jump within the rating at the case's acceleration; `highest` at the best one, None where no
    rating is known that ends it. `reason` says why the verdict is what it is, `remedies` what to change.
    """

    case: Case
    plan: PushPlan
    stroke_left: float
    course: Course | None
    highest_here: Highest
    highest: Highest | None
    verdict: Verdict
    reason: str
    remedies: tuple[str, ...]

    @property
    def exit_status(self) -> int:
        """0 for GO and MARGINAL, 1 for NO-GO."""
        return int(self.verdict is Verdict.NO_GO)


def leg_jump(case: Case) -> LegJump:
    """The case computed and judged. Raises ArithmeticError where the three ways to the torque differ."""
    plan, level = case.plan, case.thresholds.utilisation_no_go
    fits = plan.stroke <= case.stroke_left * (1.0 + NEARLY_ALL)
    course = course_of(case, plan) if fits else None
    here = highest_at(case, plan.acceleration, level)
    best = highest(case, level) if case.servo.torque is not None else None
    verdict, reason, remedies = judged(case, plan, course, here, best)
    return LegJump(case, plan, case.stroke_left, course, here, best, verdict, reason, remedies)
