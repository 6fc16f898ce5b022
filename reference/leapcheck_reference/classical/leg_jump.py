"""Can a two-link leg jump? The push at constant body acceleration: plan, stroke, joint motion and joint torque.

The body carries all but the leg's mass, moves straight up from rest by a t^2 / 2 over the pinned foot, and takes off at
v0 = sqrt(2 g h). SI units. (A consistent set of kg, mm and N works too; its time unit is then sqrt(1e-3) s, not 1 s.)
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_models.spec import JointType
from leapcheck_reference.classical import planar_leg
from leapcheck_reference.classical.newton_euler import newton_euler_in_link_frames
from leapcheck_reference.classical.serial_chain import SerialLink, TipWrench
from leapcheck_reference.classical.two_link import PlanarLink, TwoLink
from leapcheck_reference.spatial import Transform

KGF_CM = 0.0980665
"""1 kgf cm in N m: the unit of hobby servo ratings."""

STROKE_SLACK = 1e-14
"""Rounding allowed, relative to the stroke, when a plan uses up all that is left."""


@dataclass(frozen=True, slots=True)
class PushPlan:
    """Constant acceleration a (m/s^2) from rest to the take-off speed v0 (m/s) in T (s) over the stroke (m)."""

    acceleration: float
    take_off_speed: float
    duration: float
    stroke: float


@dataclass(frozen=True, slots=True, eq=False)
class LegMotion:
    """Times (k,) s and the joints' q, qd, qdd (k, 2) in rad during the push."""

    times: Array
    q: Array
    qd: Array
    qdd: Array


def push_plan(height: float, acceleration: float, gravity: float = 9.8) -> PushPlan:
    """Plan for a jump of `height` (m): v0 = sqrt(2 g h), T = v0 / a, stroke v0^2 / (2 a)."""
    _check_positive(height=height, acceleration=acceleration, gravity=gravity)
    v0 = math.sqrt(2 * gravity * height)
    return PushPlan(acceleration, v0, v0 / acceleration, v0 * v0 / (2 * acceleration))


def full_extension_plan(height: float, stroke: float, gravity: float = 9.8) -> PushPlan:
    """Plan that uses up the whole `stroke` (m): a = v0^2 / (2 stroke).

    With the leg straight at that moment and the body moving at v0, the joint speeds grow without bound towards the end.
    """
    _check_positive(height=height, stroke=stroke, gravity=gravity)
    return push_plan(height, gravity * height / stroke, gravity)


def remaining_stroke(leg: TwoLink, q: Array) -> float:
    """How far (m) the hip can still rise straight up over a foot that stays where it is at q (2,)."""
    x, z = planar_leg.foot_position(leg, q)
    reach = leg.first.length + leg.second.length
    return float(math.sqrt(max(reach * reach - x * x, 0.0)) + z)


def stroke_margin(leg: TwoLink, q: Array, plan: PushPlan) -> float:
    """Stroke left minus stroke needed (m); negative: no jump from this pose, whatever the torque."""
    return remaining_stroke(leg, q) - plan.stroke


def push_motion(leg: TwoLink, first_pose: Array, plan: PushPlan, times: Array) -> LegMotion:
    """Joint motion at `times` (k,) s of the push from `first_pose` (2,), by inverse kinematics and the Jacobian.

    The knee keeps its side: q2 <= 0. Raises ValueError when the stroke does not suffice, first_pose bends the other way,
    a time lies outside the push, or the leg is already straight then.
    """
    left = remaining_stroke(leg, first_pose)
    if left < plan.stroke * (1 - STROKE_SLACK):
        raise ValueError(
            f"leg is {plan.stroke - left:.3g} m short of the stroke of {plan.stroke:.3g} m: crouch deeper or accelerate harder"
        )
    if first_pose[1] > 0.0:
        raise ValueError(f"first pose has the knee angle {first_pose[1]:.3g} rad: give q2 <= 0, or mirror the leg")
    if np.min(times) < 0.0 or np.max(times) > plan.duration:
        raise ValueError(
            f"times reach from {np.min(times):g} to {np.max(times):g} s: the push lasts from 0 to {plan.duration:g} s"
        )
    if plan.acceleration * np.max(times) ** 2 / 2 >= left * (1 - STROKE_SLACK):
        raise ValueError(f"leg is straight at {np.max(times):g} s, where its joint speeds have no bound: give earlier times")
    foot = planar_leg.foot_position(leg, first_pose)
    up, a = np.array([0.0, 1.0]), plan.acceleration
    q = [planar_leg.joint_angles(leg, foot - up * (a * t * t / 2)) for t in times]
    qd = [planar_leg.joint_speeds(leg, q_t, -up * (a * t)) for q_t, t in zip(q, times, strict=True)]
    qdd = [planar_leg.joint_accelerations(leg, q_t, qd_t, -up * a) for q_t, qd_t in zip(q, qd, strict=True)]
    return LegMotion(times, np.array(q), np.array(qd), np.array(qdd))


def torque_by_formula(leg: TwoLink, motion: LegMotion, carried_mass: float, plan: PushPlan) -> Array:
    """M q'' + h + g - J^T F with F = m (a + g) straight up (k, 2), N m: the leg hangs from a hip that stands still.

    Leaves out that the leg's own mass is lifted and accelerated with the hip; `push_torque` has it.
    """
    force = np.array([0.0, carried_mass * (plan.acceleration + leg.gravity)])
    states = zip(motion.q, motion.qd, motion.qdd, strict=True)
    return np.array([planar_leg.inverse_dynamics(leg, q, qd, qdd, force) for q, qd, qdd in states])


def push_torque(leg: TwoLink, motion: LegMotion, carried_mass: float, plan: PushPlan) -> Array:
    """Joint torque of the push (k, 2), N m, exactly: hip accelerating by a, ground force that moves body and leg.

    Nothing but the ground pushes sideways; the body is held upright by others (its other legs).
    """
    falling = replace(leg, gravity=leg.gravity + plan.acceleration)
    states = zip(motion.q, motion.qd, motion.qdd, strict=True)
    return np.array(
        [
            planar_leg.inverse_dynamics(falling, q, qd, qdd, _ground_force(falling, q, qd, qdd, carried_mass))
            for q, qd, qdd in states
        ]
    )


def ground_force(leg: TwoLink, motion: LegMotion, carried_mass: float, plan: PushPlan) -> Array:
    """Force (k, 2) of the ground on the foot, forward and up, N, that moves body and leg as planned."""
    falling = replace(leg, gravity=leg.gravity + plan.acceleration)
    states = zip(motion.q, motion.qd, motion.qdd, strict=True)
    return np.array([_ground_force(falling, q, qd, qdd, carried_mass) for q, qd, qdd in states])


def push_torque_by_recursion(leg: TwoLink, motion: LegMotion, carried_mass: float, plan: PushPlan) -> Array:
    """`push_torque` (k, 2), N m, by the 3-vector Newton-Euler recursion, without a closed form.

    The hip slides forward and up on two rails. What these would have to push without a ground is the ground's force on the
    foot; with it, the rails carry nothing.
    """
    chain, gravity = hip_on_rails(leg, carried_mass), np.array([0.0, 0.0, -leg.gravity])
    at_foot = np.array([0.0, 0.0, -leg.second.length])
    torques = []
    for t, q, qd, qdd in zip(motion.times, motion.q, motion.qd, motion.qdd, strict=True):
        rise, speed = plan.acceleration * t * t / 2, plan.acceleration * t
        state = (np.array([0.0, rise, *q]), np.array([0.0, speed, *qd]), np.array([0.0, plan.acceleration, *qdd]))
        forward, up = newton_euler_in_link_frames(chain, *state, gravity).tau[:2]
        by_foot = TipWrench(at_foot, -np.array([forward, 0.0, up]), np.zeros(3))
        torques.append(newton_euler_in_link_frames(chain, *state, gravity, by_foot).tau[2:])
    return np.array(torques)


def hip_on_rails(leg: TwoLink, carried_mass: float) -> tuple[SerialLink, ...]:
    """The leg as a serial chain below a hip that slides along x and z and carries the body: 4 joints, axes x, z, -y, -y."""

    def link(type: JointType, axis: list[float], below: float, part: PlanarLink) -> SerialLink:
        at, com = np.array([0.0, 0.0, -below]), np.array([0.0, 0.0, -part.com])
        return SerialLink(type, np.array(axis), Transform(np.eye(3), at), part.mass, com, part.inertia * np.eye(3))

    body = PlanarLink(carried_mass, 0.0, 0.0, 0.0)
    return (
        link(JointType.PRISMATIC, [1.0, 0.0, 0.0], 0.0, PlanarLink(0.0, 0.0, 0.0, 0.0)),
        link(JointType.PRISMATIC, [0.0, 0.0, 1.0], 0.0, body),
        link(JointType.REVOLUTE, [0.0, -1.0, 0.0], 0.0, leg.first),
        link(JointType.REVOLUTE, [0.0, -1.0, 0.0], float(leg.first.length), leg.second),
    )


def com_rise(leg: TwoLink, q: Array, qd: Array, carried_mass: float, plan: PushPlan) -> float:
    """v^2 / (2 g) (m): how far the whole robot's com rises after taking off at q, qd (2,) with the body at v0."""
    total_mass = carried_mass + leg.first.mass + leg.second.mass
    speed = plan.take_off_speed
    for mass, link in _coms(leg):  # each link's com is slower than the hip
        speed += mass / total_mass * float(planar_leg.foot_jacobian(link, q)[1] @ qd)
    return speed * speed / (2 * float(leg.gravity))


def _ground_force(leg: TwoLink, q: Array, qd: Array, qdd: Array, carried_mass: float) -> Array:
    """Sum of m (acceleration - gravity) (2,), N, in the hip's frame, where `leg.gravity` holds the hip's acceleration too."""
    up = np.array([0.0, leg.gravity])
    force = carried_mass * up
    for mass, link in _coms(leg):
        force = force + mass * (up + planar_leg.foot_jacobian(link, q) @ qdd + planar_leg.foot_bias_acceleration(link, q, qd))
    return force


def _coms(leg: TwoLink) -> tuple[tuple[float, TwoLink], tuple[float, TwoLink]]:
    """For each link its mass and a leg whose foot is that link's com."""
    a, b = leg.first, leg.second
    return (
        (a.mass, replace(leg, first=replace(a, length=a.com), second=replace(b, length=0.0))),
        (b.mass, replace(leg, second=replace(b, length=b.com))),
    )


def _check_positive(**values: float) -> None:
    for name, value in values.items():
        if not (math.isfinite(value) and value > 0.0):
            raise ValueError(f"{name} is {value}: give a finite positive number")
