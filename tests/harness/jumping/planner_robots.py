"""Robots that the planner is tested with besides Mini Cheetah: the same in another size, with other legs, with less."""

from __future__ import annotations

import dataclasses

from leapcheck_models.spec import Body, Inertia, Placement, Pose, RobotSpec, Symmetric3, Vector3

ROBOTS = ("mini_cheetah", "mini_cheetah_armature")


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
