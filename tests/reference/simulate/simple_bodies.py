"""Bodies whose motion on the ground has a closed form, a ball, a box, a pendulum between stops; and legs that move in planes."""

from __future__ import annotations

import dataclasses

from leapcheck_models.robots import load
from leapcheck_models.spec import Actuator, Inertia, Joint, JointType, RobotSpec, add_body, add_contact_point

MASS, RADIUS = 2.0, 0.1
BALL_INERTIA = 0.4 * MASS * RADIUS**2
GRAVITY = 9.81


def ball() -> RobotSpec:
    """Homogeneous ball."""
    inertia = Inertia(MASS, rotational=(BALL_INERTIA, 0.0, 0.0, BALL_INERTIA, 0.0, BALL_INERTIA))
    spec = add_body(RobotSpec("ball"), "ball", joint=Joint("ball_joint", JointType.FREE), inertia=inertia)
    return add_contact_point(spec, "ball_centre", "ball", (0.0, 0.0, 0.0), radius=RADIUS)


def box() -> RobotSpec:
    """The box of `leapcheck_models.robots`."""
    return load("box")


def pendulum(
    limits: tuple[float, float] | None = None,
    damping: float = 0.0,
    friction: float = 0.0,
    gravity: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> RobotSpec:
    """A driven link on the world, about y: 1 kg at 0.5 m, without contact points; its inertia about the joint is 0.26 kg m^2."""
    joint = Joint("hinge", JointType.REVOLUTE, (0.0, 1.0, 0.0), limits, damping=damping, friction=friction)
    inertia = Inertia(1.0, (0.0, 0.0, -0.5), (0.01, 0.0, 0.0, 0.01, 0.0, 0.01))
    spec = add_body(RobotSpec("pendulum", gravity=gravity), "bob", joint=joint, inertia=inertia)
    return dataclasses.replace(spec, actuators=(Actuator("drive", "hinge", torque_limit=100.0),))


PENDULUM_INERTIA = 0.26


def with_planar_legs(spec: RobotSpec) -> RobotSpec:
    """A quadruped named like Mini Cheetah whose abductions turn about y as well: its legs move their feet in planes alone."""
    axes = {f"{leg}_abad": (0.0, 1.0, 0.0) for leg in ("FR", "FL", "HR", "HL")}
    joints = {body.name: dataclasses.replace(body.joint, axis=axes.get(body.name, body.joint.axis)) for body in spec.bodies}
    return dataclasses.replace(spec, bodies=tuple(dataclasses.replace(body, joint=joints[body.name]) for body in spec.bodies))
