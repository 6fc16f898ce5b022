"""The push against time: joint angles, speeds, torque by three ways, ground force, use of the servo."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

import leapcheck_reference as reference
from leapcheck.jumping.leg_jump.case import LegCase, servo_use
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import Inertia, Joint, JointType, Placement, RobotSpec, add_body, add_contact_point
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
from leapcheck_reference.classical.two_link import TwoLink
from leapcheck_reference.tree import build

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


def ends_straight(case: LegCase, plan: PushPlan) -> bool:
    """Whether the push uses up the stroke: joint speeds then have no bound at its end."""
    return plan.stroke >= case.stroke_left * (1.0 - NEARLY_ALL)


def subsample(motion: LegMotion, every: int) -> LegMotion:
    """The motion at every so many of its times, the first among them."""
    return LegMotion(motion.times[::every], motion.q[::every], motion.qd[::every], motion.qdd[::every])


def push_course(case: LegCase, plan: PushPlan) -> Course:
    """The push of a plan that the stroke allows; one that ends with a straight leg up to the case's `until` share of its time.

    Raises ArithmeticError where the three ways to the torque differ, ValueError where the stroke does not suffice.
    """
    share = case.until if ends_straight(case, plan) else 1.0
    leg, carried_mass = case.leg, case.carried_mass
    motion = push_motion(leg, np.array(case.pose), plan, np.linspace(0.0, plan.duration * share, SAMPLES))
    torque, few = push_torque(leg, motion, carried_mass, plan), subsample(motion, CHECKED)
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


BODY_RADIUS = 0.02
"""The body stands as a sphere of this radius (m): it does not turn, so that its inertia plays no part."""

AXIS = (0.0, -1.0, 0.0)
"""A positive angle swings the leg forward."""


def leg_robot(leg: TwoLink, carried_mass: float) -> RobotSpec:
    """Body with a free joint at the hip, thigh, shank, and a foot 0 at the shank's end. Raises ValueError for a massless link."""
    inertia = 0.4 * carried_mass * BODY_RADIUS**2
    spec = RobotSpec("two_link_leg", gravity=(0.0, 0.0, -float(leg.gravity)), source="the command line")
    spec = add_body(
        spec,
        "body",
        joint=Joint("base", JointType.FREE),
        inertia=Inertia(carried_mass, rotational=(inertia, 0, 0, inertia, 0, inertia)),
    )
    place = 0.0
    for name, joint, parent, link in (("thigh", "hip", "body", leg.first), ("shank", "knee", "thigh", leg.second)):
        across = float(link.inertia)
        rotational = (across, 0.0, 0.0, across, 0.0, across)  # only the inertia across the plane plays a part
        spec = add_body(
            spec,
            name,
            parent=parent,
            joint=Joint(joint, JointType.REVOLUTE, AXIS),
            placement=Placement((0.0, 0.0, -place)),
            inertia=Inertia(float(link.mass), (0.0, 0.0, -float(link.com)), rotational),
        )
        place = float(link.length)
    return add_contact_point(spec, "foot", "shank", (0.0, 0.0, -place), is_foot=True)


def push_torque_by_tree(leg: TwoLink, motion: LegMotion, carried_mass: float, plan: PushPlan) -> Floats:
    """`push_torque` (k, 2), N m: tau = id(q, v, vdot) - J^T f with the ground's force f that leaves no force on the free body.

    The moment that is left on the body is what holds it upright: the robot's other legs.
    """
    tree = build(leg_robot(leg, carried_mass))
    torques = []
    for t, angles, speeds, rates in zip(motion.times, motion.q, motion.qd, motion.qdd, strict=True):
        q = np.array([0.0, 0.0, plan.acceleration * t * t / 2, 1.0, 0.0, 0.0, 0.0, *angles])
        v = np.array([0.0, 0.0, 0.0, 0.0, 0.0, plan.acceleration * t, *speeds])
        vdot = np.array([0.0, 0.0, 0.0, 0.0, 0.0, plan.acceleration, *rates])
        without_ground = reference.inverse_dynamics(tree, q, v, vdot)
        ground = without_ground[3:6]  # the body stands level: its axes are the world's
        torques.append((without_ground - reference.contact_jacobians(tree, q)[0].T @ ground)[6:])
    return np.array(torques)
