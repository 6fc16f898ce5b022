"""A robot as its moving parts: links on fixed joints are fused into what carries them, as MuJoCo does with a URDF's."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

import numpy as np

from leapcheck_models.arrays import Floats
from leapcheck_models.importing.poses import declared_inertia, entries, product, rotate_inertia, vector3
from leapcheck_models.rotors import rotation_matrix
from leapcheck_models.spec import WORLD, Body, Inertia, JointType, Placement, Quaternion, RobotSpec, Shape, Vector3
from leapcheck_models.validation import rotational_matrix


@dataclass(frozen=True, slots=True)
class MovingParts:
    """The robot without fixed joints, for each of its bodies the links that it is made of, and where each link stands in it."""

    spec: RobotSpec
    members: dict[str, tuple[str, ...]]
    carriers: dict[str, tuple[str, Placement]]


def moving_parts(spec: RobotSpec, welded: Collection[str] = ()) -> MovingParts:
    """The robot with its fixed links, and those of the `welded` bodies (their joints at zero), fused; poses are left out.

    What is fixed to the world is left out too: it does not move.
    """
    carrier: dict[str, tuple[str, Placement]] = {WORLD: (WORLD, Placement())}  # the part, and where the link stands in it
    inertias: dict[str, list[tuple[Inertia, Placement]]] = {WORLD: []}
    shapes: dict[str, list[Shape]] = {WORLD: []}
    members: dict[str, tuple[str, ...]] = {WORLD: ()}
    parts: list[Body] = []
    for body in spec.bodies:
        part, parent = carrier[body.parent]
        placement = product(parent, body.placement)
        rotor = body.rotor and replace(body.rotor, placement=product(parent, body.rotor.placement))
        if body.joint.type is JointType.FIXED or body.name in welded:
            carrier[body.name] = part, placement
            if rotor:
                inertias[part].append((rotor.inertia, rotor.placement))
        else:
            parts.append(replace(body, parent=part, placement=placement, rotor=rotor))
            part, placement = body.name, Placement()
            carrier[body.name] = part, placement
            inertias[part], shapes[part], members[part] = [], [], ()
        inertias[part].append((body.inertia, placement))
        shapes[part] += [replace(shape, placement=product(placement, shape.placement)) for shape in body.shapes]
        members[part] += (body.name,)
    bodies = tuple(replace(b, inertia=sum_of_inertias(inertias[b.name]), shapes=tuple(shapes[b.name])) for b in parts)
    points = tuple(
        replace(point, body=part, position=in_frame(placement, point.position))
        for point in spec.contact_points
        for part, placement in [carrier[point.body]]
        if part != WORLD
    )
    joints = {body.joint.name for body in bodies}
    actuators = tuple(actuator for actuator in spec.actuators if actuator.joint in joints)
    fused = replace(spec, bodies=bodies, contact_points=points, actuators=actuators, poses=())
    return MovingParts(fused, members, carrier)


def sum_of_inertias(parts: Iterable[tuple[Inertia, Placement]]) -> Inertia:
    """Inertia of bodies that move as one, each given in a frame that stands at its placement; a lone one is not rounded."""
    heavy = [(inertia, placement) for inertia, placement in parts if inertia.mass or any(inertia.rotational)]
    if not heavy:
        return Inertia(0.0)
    if len(heavy) == 1:
        return moved_inertia(*heavy[0])
    moved = [moved_inertia(inertia, placement) for inertia, placement in heavy]
    mass = sum(inertia.mass for inertia in moved)
    com = sum((inertia.mass * np.array(inertia.com) for inertia in moved), np.zeros(3)) / mass if mass else np.zeros(3)
    total = np.zeros((3, 3))
    for inertia in moved:
        d = np.array(inertia.com) - com
        total += rotational_matrix(inertia.rotational) + inertia.mass * ((d @ d) * np.eye(3) - np.outer(d, d))
    return declared_inertia(mass, vector3(com), entries(total), "links fused")


def moved_inertia(inertia: Inertia, placement: Placement) -> Inertia:
    """An inertia given in a frame, in the frame that this one's placement is given in; the same where that is no move."""
    if placement == Placement():
        return inertia
    rotational = rotate_inertia(rotation_matrix(placement.quaternion), inertia.rotational)
    return declared_inertia(inertia.mass, in_frame(placement, inertia.com), rotational, inertia.source or "moved")


def in_frame(placement: Placement, position: Vector3) -> Vector3:
    """A point given in frame B, in frame A, for the pose of B in A."""
    if placement == Placement():
        return position
    return vector3(np.array(placement.p) + rotation_matrix(placement.quaternion) @ np.array(position))


def inverse(placement: Placement) -> Placement:
    """Pose X_BA of X_AB."""
    if placement == Placement():
        return placement
    w, x, y, z = placement.quaternion
    return Placement(vector3(-(rotation_matrix(placement.quaternion).T @ np.array(placement.p))), (w, -x, -y, -z))


def quaternion_of(R: Floats) -> Quaternion:
    """Unit quaternion wxyz of a rotation matrix (3, 3), from the eigenvector of Bar-Itzhack's matrix (2000)."""
    K = np.array(
        [
            [R[0, 0] + R[1, 1] + R[2, 2], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [R[2, 1] - R[1, 2], R[0, 0] - R[1, 1] - R[2, 2], R[1, 0] + R[0, 1], R[2, 0] + R[0, 2]],
            [R[0, 2] - R[2, 0], R[1, 0] + R[0, 1], R[1, 1] - R[0, 0] - R[2, 2], R[2, 1] + R[1, 2]],
            [R[1, 0] - R[0, 1], R[2, 0] + R[0, 2], R[2, 1] + R[1, 2], R[2, 2] - R[0, 0] - R[1, 1]],
        ]
    )
    q = np.linalg.eigh(K)[1][:, -1]
    w, x, y, z = (float(value) for value in (q if q[0] >= 0.0 else -q))
    return w, x, y, z


def rotation_angle(R: Floats) -> float:
    """Angle (rad, 0 to pi) of a rotation matrix (3, 3)."""
    vector = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    return float(np.arctan2(np.sqrt(vector @ vector), np.trace(R) - 1.0))


def reach(spec: RobotSpec) -> float:
    """Length (m) by which places on a robot are measured: the longest chain of placements, coms included; 1 if all is zero."""
    arms = {WORLD: 0.0}
    longest = 0.0
    for body in spec.bodies:
        arms[body.name] = arms[body.parent] + float(np.linalg.norm(body.placement.p))
        longest = max(longest, arms[body.name] + float(np.linalg.norm(body.inertia.com)))
    return longest or 1.0
