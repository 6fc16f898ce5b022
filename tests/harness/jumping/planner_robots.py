"""Robots that the planner is tested with besides Mini Cheetah: the same in another size, with other legs, with less."""

from __future__ import annotations

import dataclasses

import numpy as np

from leapcheck.jumping.planning.legged import Legged
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import Body, Inertia, Joint, JointType, Placement, Pose, RobotSpec, Symmetric3, Vector3

ROBOTS = ("mini_cheetah", "mini_cheetah_armature")


def contact_point_jacobians(robot: Legged, q: Floats) -> Floats:
    """(n, feet, 3, nv): world velocity of the point of each foot that touches the ground, at q (n, nq)."""
    terms = robot.geometry(q)
    below = np.zeros((len(robot.feet), 1, 3))
    below[:, 0, 2] = -robot.radii
    turning = np.cross(np.swapaxes(terms["contact_angular_jacobians"], -1, -2), below)
    return np.asarray(terms["contact_jacobians"] + np.swapaxes(turning, -1, -2))


def scaled(spec: RobotSpec, factor: float) -> RobotSpec:
    """The robot with all lengths times `factor`, of the same material: masses by factor^3, inertias and armatures by factor^5."""
    bodies = tuple(_scaled_body(body, factor) for body in spec.bodies)
    points = tuple(
        dataclasses.replace(point, position=_times(point.position, factor), radius=factor * point.radius)
        for point in spec.contact_points
    )
    poses = tuple(Pose(pose.name, (*_times(pose.q[:3], factor), *pose.q[3:])) for pose in spec.poses)
    return dataclasses.replace(spec, name=f"{spec.name} x {factor:g}", bodies=bodies, contact_points=points, poses=poses)


def with_feet(spec: RobotSpec, radius: float) -> RobotSpec:
    """The robot on feet of another radius (m)."""
    points = tuple(dataclasses.replace(p, radius=radius if p.is_foot else p.radius) for p in spec.contact_points)
    return dataclasses.replace(spec, contact_points=points)


def with_thigh(spec: RobotSpec, length: float, legs: str) -> RobotSpec:
    """The robot whose thighs, of legs that begin with `legs`, are `length` m long."""
    bodies = tuple(
        dataclasses.replace(body, placement=Placement((0.0, 0.0, -length)))
        if body.name.startswith(legs) and body.name.endswith("_knee")
        else body
        for body in spec.bodies
    )
    return dataclasses.replace(spec, name=f"{spec.name} with other thighs", bodies=bodies)


def with_legs(spec: RobotSpec, legs: tuple[str, ...]) -> RobotSpec:
    """The robot with these of its legs alone."""
    kept = [k for k, body in enumerate(spec.bodies) if k == 0 or body.name[:2] in legs]
    bodies = tuple(spec.bodies[k] for k in kept)
    joints, names = {body.joint.name for body in bodies}, {body.name for body in bodies}
    q = spec.poses[0].q
    return dataclasses.replace(
        spec,
        name=f"{spec.name} on {' '.join(legs)}",
        bodies=bodies,
        actuators=tuple(actuator for actuator in spec.actuators if actuator.joint in joints),
        contact_points=tuple(point for point in spec.contact_points if point.body in names),
        poses=(Pose("home", (*q[:7], *(q[6 + k] for k in kept[1:]))),),
    )


def with_sliding_shanks(spec: RobotSpec) -> RobotSpec:
    """The robot with prismatic joints for knees: shanks that slide along straight thighs."""

    def slides(joint: str) -> bool:
        return joint.endswith("_knee_joint")

    def shank(body: Body) -> Body:
        slide = Joint(body.joint.name, JointType.PRISMATIC, (0.0, 0.0, 1.0), (-0.05, 0.14), damping=1.0, friction=1.0)
        return dataclasses.replace(body, joint=slide, rotor=None) if slides(body.joint.name) else body

    actuators = tuple(
        dataclasses.replace(a, motor=None, torque_limit=250.0, speed_limit=6.0) if slides(a.joint) else a for a in spec.actuators
    )
    poses = (Pose("home", (*spec.poses[0].q[:7], *4 * (0.0, 0.0, 0.05))),)
    return dataclasses.replace(
        spec, name=f"{spec.name} on slides", bodies=tuple(map(shank, spec.bodies)), actuators=actuators, poses=poses
    )


def _scaled_body(body: Body, factor: float) -> Body:
    rotor = body.rotor and dataclasses.replace(
        body.rotor, inertia=_scaled_inertia(body.rotor.inertia, factor), placement=_moved(body.rotor.placement, factor)
    )
    return dataclasses.replace(
        body,
        inertia=_scaled_inertia(body.inertia, factor),
        placement=_moved(body.placement, factor),
        joint=dataclasses.replace(body.joint, armature=factor**5 * body.joint.armature),
        rotor=rotor,
        shapes=(),
    )


def _scaled_inertia(inertia: Inertia, factor: float) -> Inertia:
    nearest = inertia.nearest and _entries(inertia.nearest, factor**5)
    return dataclasses.replace(
        inertia,
        mass=factor**3 * inertia.mass,
        com=_times(inertia.com, factor),
        rotational=_entries(inertia.rotational, factor**5),
        nearest=nearest,
    )


def _moved(placement: Placement, factor: float) -> Placement:
    return dataclasses.replace(placement, p=_times(placement.p, factor))


def _times(vector: tuple[float, ...], factor: float) -> Vector3:
    x, y, z = (factor * component for component in vector)
    return x, y, z


def _entries(entries: Symmetric3, factor: float) -> Symmetric3:
    xx, xy, xz, yy, yz, zz = (factor * entry for entry in entries)
    return xx, xy, xz, yy, yz, zz
