"""Rules on masses, coms and inertias."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leapcheck_models.joint_chains import between_joints
from leapcheck_models.least_inertia import LEAST
from leapcheck_models.lint.finding import Finding
from leapcheck_models.rotors import rotation_matrix
from leapcheck_models.spec import Body, Inertia, JointType, RobotSpec, Shape, Symmetric3, Vector3
from leapcheck_models.validation import is_realisable, nearest_realisable, realisability_deficit, rotational_matrix

# Bounds of what is plausible; crossing one gives a finding, nothing is computed with them.
LEAST_MASS = 1e-4  # kg
GYRATION = (1e-3, 2.0)  # largest radius of gyration of a link or rotor, m
NEAREST_EXCESS = 1.1  # how much farther than need be a declared nearest inertia may lie
COM_SLACK = (0.5, 0.05)  # how far outside the link's extent a com may lie: share of its diagonal, and m
COM_FAR = 2.0  # a com this far (m) from a link's origin is taken for mm or a wrong frame, whatever the link's shape


def realisability(spec: RobotSpec) -> Iterator[Finding]:
    """Rotational inertias that no physical body has, and declared nearest ones that lie too far from them."""
    for place, inertia in _inertias(spec):
        if is_realisable(inertia.rotational):
            continue
        deficit, nearest = realisability_deficit(inertia.rotational), nearest_realisable(inertia.rotational)
        if not is_realisable(nearest):  # shifting the moments does not help a negative one
            message = f"no physical body has this inertia: it fails by {deficit:.4g} kg m^2, and a principal moment is negative"
            yield Finding("realisability", "error", place, message, "correct the signs of its entries")
            continue
        message = f"no physical body has this inertia: the triangle inequality fails by {deficit:.4g} kg m^2"
        entries = f"({', '.join(f'{entry:.6g}' for entry in nearest)}) as xx, xy, xz, yy, yz, zz"
        yield Finding("realisability", "error", place, message, f"ask its source; the nearest realisable one is {entries}")
        least = NEAREST_EXCESS * _distance(nearest, inertia.rotational)
        if inertia.nearest and _distance(inertia.nearest, inertia.rotational) > least:
            message = "the inertia declared as the nearest realisable one is not the nearest"
            yield Finding("realisability", "warning", place, message, f"use {entries}")


def total_mass(spec: RobotSpec) -> Iterator[Finding]:
    """The mass, always said; rotors that outweigh the links."""
    links = math.fsum(b.inertia.mass for b in spec.bodies)
    rotors = math.fsum(b.rotor.inertia.mass for b in spec.bodies if b.rotor)
    place = f"robot '{spec.name}'"
    message = f"total mass {links + rotors:.6g} kg: links {links:.6g}, rotors {rotors:.6g}"
    yield Finding("total mass", "note", place, message, "compare it with the scales")
    if rotors > links:
        yield Finding("total mass", "warning", place, "the rotors weigh more than the links", "check the units of their masses")


def tiny_inertia(spec: RobotSpec) -> Iterator[Finding]:
    """Masses without extent, extent without mass, and sizes that suggest wrong units."""
    for place, inertia in _inertias(spec):
        largest = float(np.linalg.eigvalsh(rotational_matrix(inertia.rotational))[-1])
        if inertia.mass == 0.0:
            if largest > 0.0:
                yield Finding("tiny inertia", "warning", place, "it has a rotational inertia and no mass", "give it its mass")
            continue
        if inertia.mass < LEAST_MASS:
            yield Finding("tiny inertia", "warning", place, f"its mass is {inertia.mass:.3g} kg", "check the unit: kg, not t")
        radius = math.sqrt(max(largest, 0.0) / inertia.mass)
        if not GYRATION[0] <= radius <= GYRATION[1]:
            message = (
                f"its radius of gyration is {radius:.3g} m (largest moment {largest:.3g} kg m^2, mass {inertia.mass:.3g} kg)"
            )
            yield Finding("tiny inertia", "warning", place, message, "check the unit: kg m^2, about the com")


def massless_links(spec: RobotSpec) -> Iterator[Finding]:
    """Moving links without mass of their own or of links fixed to them: MuJoCo refuses them, and M may be singular."""
    rigid = {b.name: b.inertia.mass for b in spec.bodies}  # with the links fixed to it
    carried = dict(rigid)  # with all links behind it
    for body in reversed(spec.bodies):
        if body.parent in carried:
            carried[body.parent] += carried[body.name]
            rigid[body.parent] += rigid[body.name] if body.joint.type is JointType.FIXED else 0.0
    chained = between_joints(spec.bodies)
    for body in spec.bodies:
        place = f"body '{body.name}'"
        if body.joint.type is JointType.FIXED or rigid[body.name] > 0.0 or (body.name in chained and carried[body.name] > 0.0):
            continue
        if carried[body.name] > 0.0:
            message = f"it moves and has no mass: MuJoCo refuses it, so that files give it {LEAST:g} kg"
            yield Finding("massless links", "warning", place, message, "give it a mass, or make its joints those of one link")
        else:
            message = "it moves, and neither it nor any link behind it has mass: M is singular"
            yield Finding("massless links", "error", place, message, "give it a mass, or fix its joint")


def com_place(spec: RobotSpec) -> Iterator[Finding]:
    """Coms far from the link's origin; where a link has shapes, coms well outside the box around them, its points and joints."""
    on_body: dict[str, list[Vector3]] = {body.name: [] for body in spec.bodies}
    for child in spec.bodies:
        on_body.setdefault(child.parent, []).append(child.placement.p)
    for point in spec.contact_points:
        on_body[point.body].append(point.position)
    for body in (body for body in spec.bodies if body.inertia.mass):
        com = np.array(body.inertia.com)
        low, high = _extent(body, on_body[body.name])
        outside = float(np.linalg.norm(np.maximum(0.0, np.maximum(low - com, com - high))))
        allowed = max(COM_SLACK[0] * float(np.linalg.norm(high - low)), COM_SLACK[1])
        if np.linalg.norm(com) > COM_FAR or (body.shapes and outside > allowed):
            message = f"its com {body.inertia.com} m lies {outside:.3g} m outside the link's shapes, points and joints"
            yield Finding("com", "warning", f"body '{body.name}'", message, "check the unit (m) and the frame (link axes)")


def _inertias(spec: RobotSpec) -> Iterator[tuple[str, Inertia]]:
    """Inertia of every link and rotor, with its place in words."""
    for body in spec.bodies:
        yield f"body '{body.name}'", body.inertia
        if body.rotor:
            yield f"rotor '{body.rotor.name}'", body.rotor.inertia


def _distance(a: Symmetric3, b: Symmetric3) -> float:
    return float(np.linalg.norm(rotational_matrix(a) - rotational_matrix(b)))


def _extent(body: Body, places: list[Vector3]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Lower and upper corner (link axes, m) of the box around the origin, those places (children's joints, points) and shapes."""
    corners = [np.zeros(3), *map(np.array, places)]
    for shape in body.shapes:
        half = np.abs(rotation_matrix(shape.placement.quaternion)) @ _half_lengths(shape)
        corners += [np.array(shape.placement.p) - half, np.array(shape.placement.p) + half]
    return np.min(corners, axis=0), np.max(corners, axis=0)


def _half_lengths(shape: Shape) -> NDArray[Any]:
    """Half the box around a shape, in the shape's own axes (m)."""
    if shape.kind == "box":
        return np.array(shape.size) / 2
    radius = shape.size[0]
    if shape.kind == "sphere":
        return np.full(3, radius)
    return np.array([radius, radius, shape.size[1] / 2 + (radius if shape.kind == "capsule" else 0.0)])
