"""How an engine's coordinates follow from the canonical ones: the only place that knows T, Tdot and quaternion orders.

Canonical: q = [p_WB, quaternion wxyz, joints], v = [w_WB_B, v_WB_B, qd]; a ball joint has a quaternion wxyz and its angular
velocity in the child's frame. An engine has its own configuration q_u and velocity u = T(q) v:

==========  ===============  =====================  =====================
engine      quaternion       base velocity          T
==========  ===============  =====================  =====================
MuJoCo      w, x, y, z       [v_WB_W; w_WB_B]       [[0, R_WB], [1, 0]]
Pinocchio   x, y, z, w       [v_WB_B; w_WB_B]       [[0, 1], [1, 0]]
Drake       w, x, y, z       [w_WB_W; v_WB_W]       [[R_WB, 0], [0, R_WB]]
==========  ===============  =====================  =====================

A user's engine declares its own `Layout`. Drake keeps a quaternion before its position. It has no ball joint with a
quaternion: one is held as a floating joint that is never moved along, u = [w_PB_P; 0], T = [R_PB; 0].

Joints are put in the engine's order by name. A robot with geared rotors is held by the engine with its rotors as bodies;
the constant gear matrix G is then a factor of T, which is no longer square: everything but the accelerations carries over.

Every function takes one state or a block of states: the leading dimensions `...` are those of q. They run on any scalar, so that
they can be traced into a kernel.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leapcheck.coordinates.frame_maps import CANONICAL_FRAMES, FrameConvention
from leapcheck.coordinates.joint_forms import DRAKE, MUJOCO, NOTHING, ONE_COORDINATE, PINOCCHIO, Form, Forms, Layout
from leapcheck_models.arrays import Floats
from leapcheck_models.rotors import RotorPlaces, numbers, rotor_places, with_rotor_bodies
from leapcheck_models.spec import CONFIGURATION_SIZE, VELOCITY_SIZE, Joint, JointType, RobotSpec

QUATERNION_JOINTS = (JointType.FREE, JointType.BALL)


class Place(NamedTuple):
    """Where an engine keeps a joint: first index in its configuration and in its velocity.

    A `circular` joint is kept as (cos, sin) of its angle: Pinocchio's form of a revolute joint without limits.
    """

    q: int
    v: int
    circular: bool = False


class RotatedVelocity(NamedTuple):
    """A velocity that an engine gives in the axes of the joint's parent, u = R_PB v: first indices of the quaternion in q, of the
    joint's angular velocity and of that velocity (which may be the same) in v, and of the engine's in u.
    """

    quaternion: int
    w: int
    v: int
    u: int


@dataclass(frozen=True, slots=True, eq=False)
class Convention:
    """One engine's coordinates of one robot.

    `places`: the canonical coordinate behind each of the engine's, times a rotor's gear ratio, or 0 for what is always zero.
    `quaternions` are their first places in q, `circles` the places of a cosine followed by its sine in q_u. `shuffle` (nv_u, nv)
    is T with R = 1, and `rotations` are the places where R stands. `frames`: the form of what the engine answers about frames.
    """

    spec: RobotSpec
    places: RotorPlaces
    circles: tuple[int, ...]
    quaternions: tuple[int, ...]
    shuffle: Floats
    rotations: tuple[RotatedVelocity, ...]
    frames: FrameConvention = CANONICAL_FRAMES

    @property
    def columns(self) -> NDArray[np.intp]:
        """Number (nq_u,) of the canonical coordinate behind each of the engine's."""
        return self.places.sources

    @property
    def is_square(self) -> bool:
        """Whether T is square (no rotors, no velocity that is always zero), and hence orthogonal."""
        rows, columns = self.shuffle.shape
        return bool(rows == columns)

    @property
    def has_rate(self) -> bool:
        """Whether Tdot v may be other than zero: linear velocities stand in the parent's axes."""
        return any(rotation.v != rotation.w for rotation in self.rotations)


def mujoco_convention(spec: RobotSpec, places: Mapping[str, Place]) -> Convention:
    """MuJoCo's coordinates; `places` by joint name from `jnt_qposadr` and `jnt_dofadr`. ValueError names a missing joint."""
    return _convention(spec, places, MUJOCO)


def pinocchio_convention(spec: RobotSpec, places: Mapping[str, Place]) -> Convention:
    """Pinocchio's coordinates; `places` by joint name from `idx_qs` and `idx_vs`. ValueError names a missing joint."""
    return _convention(spec, places, PINOCCHIO)


def drake_convention(spec: RobotSpec, places: Mapping[str, Place]) -> Convention:
    """Drake's coordinates; `places` by joint name from `position_start`, `velocity_start`. ValueError names a missing joint."""
    return _convention(spec, places, DRAKE)


def declared_convention(
    spec: RobotSpec, joints: Sequence[str], layout: Layout, frames: FrameConvention = CANONICAL_FRAMES
) -> Convention:
    """Coordinates in that layout, of an engine that has no coordinates for rotors; `joints` names those that move in its order.

    What a joint takes in q and in v follows from its type. ValueError where a joint is missing.
    """
    plain = replace(spec, bodies=tuple(replace(body, rotor=None) for body in spec.bodies))
    kinds = {joint.name: joint.type for joint, _, _ in _joints(plain)}
    places: dict[str, Place] = {}
    q = v = 0
    for name in joints:
        places[name] = Place(q, v)
        q, v = q + CONFIGURATION_SIZE[kinds[name]], v + VELOCITY_SIZE[kinds[name]]
    return replace(_convention(plain, places, layout.forms), frames=frames)


def moving_joints(spec: RobotSpec) -> tuple[Joint, ...]:
    """The joints that have coordinates, in the canonical order."""
    return tuple(joint for joint, _, _ in _joints(spec))


def has_rotors(spec: RobotSpec) -> bool:
    """Whether any joint drives a rotor, so that engines hold the robot with its rotors as bodies."""
    return any(body.rotor for body in spec.bodies)


def configuration(convention: Convention, q: ArrayLike) -> Floats:
    """q_u (..., nq_u) of canonical q (..., nq); quaternions are normalised."""
    q = numbers(q).copy()
    for start in convention.quaternions:
        q[..., start : start + 4] = _unit_quaternion(q[..., start : start + 4])
    q_u: Floats = convention.places.coordinates(q)
    for i in convention.circles:
        q_u[..., i], q_u[..., i + 1] = np.cos(q_u[..., i]), np.sin(q_u[..., i])
    return q_u


def velocity_map(convention: Convention, q: ArrayLike) -> Floats:
    """T (..., nv_u, nv) with u = T v."""
    q = numbers(q)
    if q.ndim == 1:
        T = convention.shuffle.astype(q.dtype)
    else:  # matrix by matrix in memory: in NumPy's own order for such a copy their products take 30 times as long
        T = np.broadcast_to(convention.shuffle, (*q.shape[:-1], *convention.shuffle.shape)).astype(q.dtype, order="C")
    for rotation in convention.rotations:
        T[..., rotation.u : rotation.u + 3, rotation.v : rotation.v + 3] = rotation_matrices(
            q[..., rotation.quaternion : rotation.quaternion + 4]
        )
    return T


def velocity_map_rate(convention: Convention, q: ArrayLike, v: ArrayLike) -> Floats:
    """Tdot v (..., nv_u): R (w x v_B) in the rows of a linear velocity in the parent's axes, zero elsewhere, since w x w = 0."""
    q, v = numbers(q), numbers(v)
    rate = np.zeros((*v.shape[:-1], convention.shuffle.shape[0]), dtype=v.dtype)
    for rotation in (rotation for rotation in convention.rotations if rotation.v != rotation.w):
        R_PB = rotation_matrices(q[..., rotation.quaternion : rotation.quaternion + 4])
        w, v_B = v[..., rotation.w : rotation.w + 3], v[..., rotation.v : rotation.v + 3]
        rate[..., rotation.u : rotation.u + 3] = product(R_PB, np.cross(w, v_B))
    return rate


def velocity_map_rates(convention: Convention, q: ArrayLike, v: ArrayLike) -> Floats:
    """Tdot (..., nv_u, nv): R w~ where T has R, zero elsewhere."""
    q, v = numbers(q), numbers(v)
    rates = np.zeros((*v.shape[:-1], *convention.shuffle.shape), dtype=v.dtype)
    for rotation in convention.rotations:
        R_PB = rotation_matrices(q[..., rotation.quaternion : rotation.quaternion + 4])
        w = v[..., rotation.w : rotation.w + 3]
        turn = np.stack([np.cross(w, axis) for axis in np.eye(3)], axis=-1)  # w~, column by column
        rates[..., rotation.u : rotation.u + 3, rotation.v : rotation.v + 3] = R_PB @ turn
    return rates


def mass_matrix(T: Floats, M_u: Floats) -> Floats:
    """M = T^T M_u T, shape (..., nv, nv): the kinetic energy is the same."""
    return transpose(T) @ M_u @ T


def force(T: Floats, f_u: Floats) -> Floats:
    """f = T^T f_u, shape (..., nv), of a force that does not depend on the velocity: the power is the same."""
    return product(transpose(T), f_u)


def bias_force(T: Floats, h_u: Floats, M_u: Floats, Tdot_v: Floats) -> Floats:
    """h = T^T (h_u + M_u Tdot v), shape (..., nv), from udot = T vdot + Tdot v; the same for the Coriolis force alone."""
    return force(T, h_u + product(M_u, Tdot_v))


def jacobians(T: Floats, J_u: Floats) -> Floats:
    """J = J_u T (..., *rows, nv) of J_u (..., *rows, nv_u): the velocity is the same."""
    *block, nv_u, nv = T.shape
    rows = J_u.shape[len(block) : -1]
    return (J_u.reshape(*block, math.prod(rows), nv_u) @ T).reshape(*block, *rows, nv)


def jacobian_rates(T: Floats, Tdot: Floats, Jdot_u: Floats, J_u: Floats) -> Floats:
    """Jdot = Jdot_u T + J_u Tdot (..., *rows, nv)."""
    return jacobians(T, Jdot_u) + jacobians(Tdot, J_u)


def bias_accelerations(a_u: Floats, J_u: Floats, Tdot_v: Floats) -> Floats:
    """Jdot v = Jdot_u u + J_u Tdot v, shape (..., *rows)."""
    *block, nv_u = Tdot_v.shape
    return a_u + product(J_u, Tdot_v.reshape(*block, *(1,) * (a_u.ndim - Tdot_v.ndim), nv_u))


def canonical(T: Floats, values: Floats, first: bool, last: bool) -> Floats:
    """Values (..., *shape) whose first or last axis, or both, counts an engine's dofs, with canonical ones there: T^T along it.

    So forces, M, J; where T is square, hence orthogonal, also accelerations and M^-1, which take T^-1.
    """
    if first and last and values.ndim == T.ndim - 1:
        return force(T, values)
    values = transpose(T) @ values if first else values
    return jacobians(T, values) if last else values


def acceleration(T: Floats, udot: Floats, Tdot_v: Floats) -> Floats:
    """vdot = T^-1 (udot - Tdot v), shape (..., nv); T square, hence orthogonal: T^-1 = T^T."""
    return product(transpose(T), udot - Tdot_v)


def engine_acceleration(T: Floats, vdot: Floats, Tdot_v: Floats) -> Floats:
    """udot = T vdot + Tdot v, shape (..., nv_u)."""
    return product(T, vdot) + Tdot_v


def engine_force(T: Floats, tau: Floats) -> Floats:
    """tau_u = T^-T tau, shape (..., nv_u); T square, hence orthogonal: T^-T = T."""
    return product(T, tau)


def product(A: Floats, x: Floats) -> Floats:
    """A x for blocks of matrices (..., m, n) and of vectors (..., n), shape (..., m)."""
    y: Floats = np.matmul(A, x[..., None])[..., 0]
    return y


def transpose(A: Floats) -> Floats:
    """A^T of a block of matrices."""
    return np.swapaxes(A, -1, -2)


def rotation_matrices(quaternion: Floats) -> Floats:
    """R_AB (..., 3, 3) of quaternions wxyz (..., 4) that take B to A; divided by the square norm, so unit norm is no need."""
    # one alone as plain numbers, for inner loops: the same bits in a tenth of the time
    w, x, y, z = quaternion.tolist() if quaternion.ndim == 1 else np.moveaxis(quaternion, -1, 0)
    s = 2.0 / (w * w + x * x + y * y + z * z)
    entries = [
        1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),
        s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x),
        s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y),
    ]  # fmt: skip
    if quaternion.ndim == 1:
        return np.array(entries, dtype=quaternion.dtype).reshape(3, 3)
    return np.stack(entries, axis=-1).reshape(*quaternion.shape[:-1], 3, 3)


def _unit_quaternion(quaternion: Floats) -> Floats:
    """Quaternions (..., 4) over their lengths."""
    if quaternion.ndim == 1 and quaternion.dtype == float:  # one alone as plain numbers, as in `rotation_matrices`
        w, x, y, z = quaternion.tolist()
        return quaternion / math.sqrt(w * w + x * x + y * y + z * z)
    length: Floats = np.sqrt(np.sum(quaternion * quaternion, axis=-1, keepdims=True))
    return quaternion / length


def configuration_back(convention: Convention, q_u: ArrayLike) -> Floats:
    """Canonical q (..., nq) of q_u (..., nq_u), for an engine without circles and without coordinates for rotors."""
    q_u = numbers(q_u)
    q = np.empty_like(q_u)
    q[..., convention.columns] = q_u
    return q


def _convention(spec: RobotSpec, places: Mapping[str, Place], forms: Forms) -> Convention:
    """The engine's order of coordinates, joint by joint, over the robot with its rotors as bodies."""
    full, gear_matrix = with_rotor_bodies(spec) if has_rotors(spec) else (spec, np.eye(spec.nv))
    joints = [
        (_form(joint.type, forms, place), q, v, place)
        for joint, q, v in _joints(full)
        for place in [_place(spec, places, joint.name)]
    ]
    columns = np.full(sum(len(form.q) for form, *_ in joints), NOTHING, dtype=np.intp)
    permutation = np.zeros((sum(len(form.v) for form, *_ in joints), full.nv))
    for form, q, v, place in joints:
        columns[place.q : place.q + len(form.q)] = [NOTHING if i == NOTHING else q + i for i in form.q]
        for row, i in enumerate(form.v):
            if i != NOTHING:
                permutation[place.v + row, v + i] = 1.0
    shuffle = permutation @ gear_matrix
    shuffle.flags.writeable = False
    return Convention(
        spec,
        places=_rotor_places(spec, columns),
        circles=tuple(place.q for *_, place in joints if place.circular),
        quaternions=tuple(q + CONFIGURATION_SIZE[j.type] - 4 for j, q, _ in _joints(spec) if j.type in QUATERNION_JOINTS),
        shuffle=shuffle,
        rotations=tuple(_rotations(spec, places, forms)),
    )


def _rotor_places(spec: RobotSpec, columns: NDArray[np.intp]) -> RotorPlaces:
    """Where the engine's coordinates come from: `columns` (nq_u,) are their places with rotors as bodies, NOTHING for a zero."""
    rotors, nothing = rotor_places(spec), columns == NOTHING
    factors = np.ones(len(rotors.sources))
    factors[rotors.geared] = rotors.ratios
    sources, ratios = np.where(nothing, 0, rotors.sources[columns]), np.where(nothing, 0.0, factors[columns])
    sources.flags.writeable = False
    geared = np.flatnonzero(ratios != 1.0)
    return RotorPlaces(sources, geared, ratios[geared])


def _rotations(spec: RobotSpec, places: Mapping[str, Place], forms: Forms) -> Iterator[RotatedVelocity]:
    """The velocities in the parent's axes; the canonical angular velocity of a joint comes first."""
    for joint, q, v in _joints(spec):
        if joint.type in QUATERNION_JOINTS:
            form, quaternion = forms[joint.type], q + CONFIGURATION_SIZE[joint.type] - 4
            for row in form.in_parent_axes:
                yield RotatedVelocity(quaternion, v, v + form.v[row], places[joint.name].v + row)


def _form(kind: JointType, forms: Forms, place: Place) -> Form:
    """How the engine writes a joint of that kind; a circular one has its only coordinate twice."""
    if kind in QUATERNION_JOINTS:
        return forms[kind]
    return Form((0, 0), (0,)) if place.circular else ONE_COORDINATE


def _joints(spec: RobotSpec) -> Iterator[tuple[Joint, int, int]]:
    """The joints that move, each with the first index of its coordinates in q and in v."""
    q = v = 0
    for joint in (body.joint for body in spec.bodies):
        if joint.type is not JointType.FIXED:
            yield joint, q, v
        q, v = q + CONFIGURATION_SIZE[joint.type], v + VELOCITY_SIZE[joint.type]


def _place(spec: RobotSpec, places: Mapping[str, Place], joint: str) -> Place:
    if joint not in places:
        raise ValueError(f"robot '{spec.name}': the engine has no joint '{joint}', it has {', '.join(places)}: name it so")
    return places[joint]
