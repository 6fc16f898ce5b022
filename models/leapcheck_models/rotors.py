"""The same robot with its rotors written otherwise: as bodies of their own (exact), or as armature (the usual shortcut)."""

import dataclasses
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leapcheck_models.spec import (
    CONFIGURATION_SIZE,
    VELOCITY_SIZE,
    WORLD,
    Body,
    Inertia,
    Joint,
    JointType,
    Placement,
    Pose,
    Quaternion,
    RobotSpec,
    Rotor,
    Symmetric3,
)
from leapcheck_models.validation import is_realisable, nearest_realisable, realisability_deficit, rotational_matrix

INSIDE = 1e-9
"""How far inside the realisable set (relative to the trace) a nearest inertia is put: MuJoCo's compiler takes no less than 0."""


class RotorBodies(NamedTuple):
    """Robot with its rotors as bodies, and the constant `gear_matrix` G (nv_full, nv) of v_full = G v."""

    spec: RobotSpec
    gear_matrix: NDArray[np.float64]


@lru_cache(maxsize=64)
def with_rotor_bodies(spec: RobotSpec) -> RotorBodies:
    """The same robot with every rotor a revolute body on its joint's parent, and G with v_full = G v.

    A rotor's body has the rotor's name, its joint `<rotor name>_joint`; it stands after the driven joint's whole subtree, so
    that the order stays depth-first. Then M = G^T M_full G and h = G^T h_full: G is constant, so no term of Gdot arises.
    Poses are extended by the rotors' angles; contact points and actuators stay as they are.
    """
    bodies: list[Body] = []
    poses = [Pose(pose.name, tuple(map(float, with_rotor_coordinates(spec, pose.q)))) for pose in spec.poses]
    rows: list[NDArray[np.float64]] = []
    columns = _starts(spec, VELOCITY_SIZE)
    identity = np.eye(spec.nv)
    for index, rotor in _order(spec):
        body = spec.bodies[index]
        start = columns[index]
        if rotor is None:
            bodies.append(dataclasses.replace(body, rotor=None))
            rows.extend(identity[start : start + VELOCITY_SIZE[body.joint.type]])
        else:
            bodies.append(_rotor_body(rotor, body))
            rows.append(rotor.gear_ratio * identity[start])
    full = dataclasses.replace(spec, name=f"{spec.name}_rotor_bodies", bodies=tuple(bodies), poses=tuple(poses))
    gear_matrix = np.array(rows).reshape(full.nv, spec.nv)
    gear_matrix.flags.writeable = False
    return RotorBodies(full, gear_matrix)


def with_rotor_coordinates(spec: RobotSpec, q: ArrayLike) -> NDArray[np.float64]:
    """Configuration (..., nq_full) of `with_rotor_bodies(spec)` for q (..., nq): rotor angle = gear ratio x joint coordinate."""
    q = numbers(q)
    if q.ndim == 0 or q.shape[-1] != spec.nq:
        raise ValueError(f"robot '{spec.name}': q has the shape {q.shape}: give (..., {spec.nq})")
    return rotor_places(spec).coordinates(q)


class RotorPlaces(NamedTuple):
    """Where each coordinate with rotors as bodies comes from: `sources` (nq_full,) in q; `geared` ones times their `ratios`."""

    sources: NDArray[np.intp]
    geared: NDArray[np.intp]
    ratios: NDArray[np.float64]

    def coordinates(self, q: NDArray[Any]) -> NDArray[Any]:
        """Configuration (..., nq_full) for q (..., nq)."""
        full = q[..., self.sources]
        full[..., self.geared] *= self.ratios
        return full


def rotor_places(spec: RobotSpec) -> RotorPlaces:
    """The sources of `with_rotor_coordinates`, for those who ask often."""
    starts = _starts(spec, CONFIGURATION_SIZE)
    sources: list[int] = []
    geared: list[int] = []
    ratios: list[float] = []
    for index, rotor in _order(spec):
        size = CONFIGURATION_SIZE[spec.bodies[index].joint.type]
        if rotor is not None:
            geared += range(len(sources), len(sources) + size)
            ratios += [rotor.gear_ratio] * size
        sources += range(starts[index], starts[index] + size)
    return RotorPlaces(np.array(sources, dtype=np.intp), np.array(geared, dtype=np.intp), np.array(ratios))


def numbers(values: ArrayLike) -> NDArray[Any]:
    """The values as an array of doubles, or of objects where they are scalars of another kind."""
    array = np.asarray(values)
    return array if array.dtype == object else array.astype(float, copy=False)


def with_lumped_rotors(spec: RobotSpec, name: str | None = None) -> RobotSpec:
    """The armature approximation: rotors rigid on their parents, gear_ratio^2 x axial inertia as armature of the joint.

    It drops the coupling gear_ratio x axial inertia to the ancestors' dofs and the gyroscopic bias of the spinning rotors.
    A rotor on the world leaves only its armature. One whose com is off its axis is lumped as it stands at angle zero (no
    constant inertia represents it), with the axial inertia about its axis. Where the sum is no inertia of a physical body,
    it says so, names its source and carries the nearest realisable one.
    """
    bodies = []
    for body in spec.bodies:
        rotors = [b.rotor for b in spec.bodies if b.rotor and b.parent == body.name]
        joint = body.joint
        if body.rotor:
            armature = joint.armature + body.rotor.gear_ratio**2 * axial_inertia(body.rotor)
            joint = dataclasses.replace(joint, armature=armature)
        inertia = _lumped_inertia(body.inertia, rotors) if rotors else body.inertia
        bodies.append(dataclasses.replace(body, joint=joint, inertia=inertia, rotor=None))
    description = f"{spec.description or spec.name}, lumped into the links and counted as armature"
    return dataclasses.replace(spec, name=name or f"{spec.name}_armature", bodies=tuple(bodies), description=description)


def axial_inertia(rotor: Rotor) -> float:
    """Moment of inertia (kg m^2) of a rotor about its own axis, the line through its frame's origin."""
    axis = np.array(rotor.axis)
    arm = np.cross(axis, rotor.inertia.com)
    return float(axis @ rotational_matrix(rotor.inertia.rotational) @ axis + rotor.inertia.mass * (arm @ arm))


def rotation_matrix(quaternion: Quaternion) -> NDArray[np.float64]:
    """R_AB (3, 3) of a unit quaternion wxyz (B to A), normalised here against rounding."""
    w, x, y, z = np.array(quaternion) / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def inside_realisable(entries: Symmetric3) -> Symmetric3:
    """The nearest realisable inertia, drawn inside by `INSIDE` times the trace, so that compilers accept it."""
    xx, xy, xz, yy, yz, zz = nearest_realisable(entries)
    hair = INSIDE * (xx + yy + zz)  # the same on every moment: I1 + I2 - I3 grows by it
    return (xx + hair, xy, xz, yy + hair, yz, zz + hair)


def _order(spec: RobotSpec) -> Iterator[tuple[int, Rotor | None]]:
    """Bodies and rotors in depth-first order: (index, None) for a body, (index of its joint's body, rotor) for a rotor.

    A body is closed when its subtree is complete, that is when the next body hangs on one of its ancestors.
    """
    open_chain: list[int] = []
    for index, body in enumerate(spec.bodies):
        yield from _close(spec, open_chain, body.parent)
        yield index, None
        open_chain.append(index)
    yield from _close(spec, open_chain, WORLD)


def _close(spec: RobotSpec, open_chain: list[int], parent: str) -> Iterator[tuple[int, Rotor]]:
    """Closes the open bodies below `parent`, innermost first, and yields their rotors."""
    while open_chain and spec.bodies[open_chain[-1]].name != parent:
        index = open_chain.pop()
        rotor = spec.bodies[index].rotor
        if rotor is not None:
            yield index, rotor


def _starts(spec: RobotSpec, sizes: dict[JointType, int]) -> list[int]:
    """Place of each body's joint in q or in v."""
    return [0, *np.cumsum([sizes[body.joint.type] for body in spec.bodies]).tolist()]


def _rotor_body(rotor: Rotor, driven: Body) -> Body:
    joint = Joint(f"{rotor.name}_joint", JointType.REVOLUTE, rotor.axis)
    return Body(rotor.name, joint, rotor.inertia, driven.parent, rotor.placement, source=driven.source)


def _lumped_inertia(inertia: Inertia, rotors: list[Rotor]) -> Inertia:
    """Inertia of a link with rotors rigid on it: common com, parallel axes."""
    parts = [(inertia.mass, np.array(inertia.com), rotational_matrix(inertia.rotational))]
    parts += [_in_parent(rotor.inertia, rotor.placement) for rotor in rotors]
    mass, first_moment, total = 0.0, np.zeros(3), np.zeros((3, 3))
    for m, c, _ in parts:  # loops, neither sum() nor @: the same bits in every Python and on every machine
        mass += m
        first_moment += m * c
    com = first_moment / mass if mass > 0.0 else parts[0][1]
    for m, c, rotational in parts:
        d = c - com
        total += rotational + m * ((d * d).sum() * np.eye(3) - np.outer(d, d))
    entries: Symmetric3 = (
        float(total[0, 0]), float(total[0, 1]), float(total[0, 2]), float(total[1, 1]), float(total[1, 2]), float(total[2, 2])
    )  # fmt: skip
    lumped = Inertia(mass, (float(com[0]), float(com[1]), float(com[2])), entries, realisable=is_realisable(entries))
    source = f"{inertia.source}; rotors lumped" if inertia.source else "rotors lumped into the link"
    if lumped.realisable:
        return dataclasses.replace(lumped, source=source)
    source += f": misses the triangle inequality by {realisability_deficit(entries):.4g} kg m^2"
    return dataclasses.replace(lumped, nearest=inside_realisable(entries), source=source)


def _in_parent(inertia: Inertia, placement: Placement) -> tuple[float, NDArray[Any], NDArray[Any]]:
    """Mass, com and rotational inertia about the com in the axes of the frame that the placement stands in."""
    R = rotation_matrix(placement.quaternion)
    return inertia.mass, np.array(placement.p) + R @ inertia.com, R @ rotational_matrix(inertia.rotational) @ R.T
