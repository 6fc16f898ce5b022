"""The push's joint torque by the tree dynamics, on the leg as a robot with a free body at its hip."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import leapcheck_reference as reference
from leapcheck_models.spec import Inertia, Joint, JointType, Placement, RobotSpec, add_body, add_contact_point
from leapcheck_reference.classical.leg_jump import LegMotion, PushPlan
from leapcheck_reference.classical.two_link import TwoLink
from leapcheck_reference.tree import build

Floats = NDArray[np.float64]

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
