"""The push against time: joint angles, speeds, torque by three ways, ground force, use of the servo."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from leapcheck.leg_jump.case import Case
from leapcheck.leg_jump.servo import servo_use
from leapcheck.leg_jump.tree_torque import push_torque_by_tree
from leapcheck_reference.classical.leg_jump import (
    LegMotion,
    PushPlan,
    com_rise,
    ground_force,
    push_motion,
    push_torque,
    push_torque_by_recursion,
    torque_by_formula,
)

Floats = NDArray[np.float64]

JOINTS = ("hip", "knee")
SAMPLES = 401
CHECKED = 8
"""The torque is computed three ways at every so many samples, the first and the last among them."""

NEARLY_ALL = 1e-9
"""A plan that leaves less than this share of the stroke ends with a straight leg."""

TORQUE_TOLERANCE = 1e-12
"""N m, between the three ways; measured 2e-16 at torques of 0.4 N m."""


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """The push at the times of `motion` (k,): arrays (k, 2) of hip and knee, N m; `ground` (k, 2) N forward and up.

    `torque` is exact (Lagrange's closed form), `formula` the text's, without the leg's own acceleration. `difference` N m: the
    largest between the closed form, the 3-vector recursion and the tree dynamics, at every `CHECKED`th time. `use` (k, 2) of
    the servo. `height` m: what the body's speed at the end of the course is worth, `rise` m the whole robot's com then.
    """

    motion: LegMotion
    torque: Floats
    formula: Floats
    difference: float
    ground: Floats
    use: Floats
    height: float
    rise: float

    @property
    def friction(self) -> float:
        """Largest ratio of sideways to upward ground force: the friction that the push needs; infinite where it pulls."""
        sideways, up = np.abs(self.ground[:, 0]), self.ground[:, 1]
        return float(np.max(np.where(up > 0.0, sideways / np.where(up > 0.0, up, 1.0), np.inf)))


def ends_straight(case: Case, plan: PushPlan) -> bool:
    """Whether the push uses up the stroke: joint speeds then have no bound at its end."""
    return plan.stroke >= case.stroke_left * (1.0 - NEARLY_ALL)


def sampled(motion: LegMotion, every: int) -> LegMotion:
    """The motion at every so many of its times, the first among them."""
    return LegMotion(motion.times[::every], motion.q[::every], motion.qd[::every], motion.qdd[::every])


def course_of(case: Case, plan: PushPlan) -> Course:
    """The push of a plan that the stroke allows; one that ends with a straight leg up to the case's `until` share of its time.

    Raises ArithmeticError where the three ways to the torque differ, ValueError where the stroke does not suffice.
    """
    share = case.until if ends_straight(case, plan) else 1.0
    leg, carried_mass = case.leg, case.carried_mass
    motion = push_motion(leg, np.array(case.pose), plan, np.linspace(0.0, plan.duration * share, SAMPLES))
    torque, few = push_torque(leg, motion, carried_mass, plan), sampled(motion, CHECKED)
    others = [f(leg, few, carried_mass, plan) for f in (push_torque_by_recursion, push_torque_by_tree)]
    difference = max(float(np.abs(other - torque[::CHECKED]).max()) for other in others)
    if not difference <= TORQUE_TOLERANCE * max(1.0, float(np.abs(torque).max())):
        raise ArithmeticError(f"the three ways to the joint torque differ by {difference:.2g} N m: report this as a defect")
    at_end = replace(plan, take_off_speed=plan.take_off_speed * share)
    return Course(
        motion=motion,
        torque=torque,
        formula=torque_by_formula(leg, motion, carried_mass, plan),
        difference=difference,
        ground=ground_force(leg, motion, carried_mass, plan),
        use=servo_use(case.servo, torque, motion.qd),
        height=case.height * share**2,
        rise=com_rise(leg, motion.q[-1], motion.qd[-1], carried_mass, at_end),
    )
