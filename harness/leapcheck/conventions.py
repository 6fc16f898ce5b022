"""How an engine's coordinates follow from the canonical ones: the only place that knows T, Tdot and quaternion orders.

Canonical: q = [p_WB, quaternion wxyz, joints], v = [w_WB_B, v_WB_B, qd]; a ball joint has a quaternion wxyz and its angular
velocity in the child's frame. An engine has its own configuration q_u and velocity u = T(q) v:

==========  ===============  =====================  =====================
engine      quaternion       base velocity          T
==========  ===============  =====================  =====================
MuJoCo      w, x, y, z       [v_WB_W; w_WB_B]       [[0, R_WB], [1, 0]]
Pinocchio   x, y, z, w       [v_WB_B; w_WB_B]       [[0, 1], [1, 0]]
==========  ===============  =====================  =====================

Joints are put in the engine's order by name. A robot with geared rotors is held by the engine with its rotors as bodies;
the constant gear matrix G is then a factor of T, which is no longer square: everything but the accelerations carries over.

Every function takes one state or a block of states: the leading dimensions `...` are those of q. They run on any scalar, so that
they can be traced into a kernel.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leapcheck_models.rotors import numbers, with_rotor_bodies, with_rotor_coordinates
from leapcheck_models.spec import CONFIGURATION_SIZE, VELOCITY_SIZE, Joint, JointType, RobotSpec

Floats = NDArray[np.float64]

QUATERNION_JOINTS = (JointType.FREE, JointType.BALL)


class Place(NamedTuple):
    """Where an engine keeps a joint: first index in its configuration and in its velocity.

    A `circular` joint is kept as (cos, sin) of its angle: Pinocchio's form of a revolute joint without limits.
    """

    q: int
    v: int
    circular: bool = False


class Layout(NamedTuple):
    """How an engine writes quaternions and the velocity of a floating base; by default body axes, linear part first."""

    scalar_last: bool = False
    linear_in_world: bool = False
    angular_in_world: bool = False
    angular_first: bool = False


class Base(NamedTuple):
    """Free joint whose velocity an engine gives in world axes, or a part of it: first indices of its quaternion, of the joint
    in v, and of that part in u.
    """

    quaternion: int
    v: int
    u: int


@dataclass(frozen=True, slots=True, eq=False)
class Convention:
    """One engine's coordinates of one robot.

    `columns` (nq_u,) names the coordinate behind each of the engine's, in the canonical order with rotors as bodies; in that
    order `quaternions` are the first places of quaternions; in the engine's, `circles` are the places of a cosine followed
    by its sine. `shuffle` (nv_u, nv) is T with R_WB = 1; `world_bases` are the free joints where R_WB stands instead in the
    linear velocity, `world_turns` those where it does in the angular one.
    """

    spec: RobotSpec
    columns: NDArray[np.intp]
    circles: tuple[int, ...]
    quaternions: tuple[int, ...]
    shuffle: Floats
    world_bases: tuple[Base, ...]
    world_turns: tuple[Base, ...] = ()

    @property
    def is_square(self) -> bool:
        """Whether T is square (no rotors), and hence orthogonal."""
        rows, columns = self.shuffle.shape
        return bool(rows == columns)


def mujoco_convention(spec: RobotSpec, places: Mapping[str, Place]) -> Convention:
    """MuJoCo's coordinates; `places` by joint name from `jnt_qposadr` and `jnt_dofadr`. ValueError names a missing joint."""
    return _convention(spec, places, Layout(linear_in_world=True))


def pinocchio_convention(spec: RobotSpec, places: Mapping[str, Place]) -> Convention:
    """Pinocchio's coordinates; `places` by joint name from `idx_qs` and `idx_vs`. ValueError names a missing joint."""
    return _convention(spec, places, Layout(scalar_last=True))


def declared_convention(spec: RobotSpec, joints: Sequence[str], layout: Layout) -> Convention:
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
    return _convention(plain, places, layout)


def moving_joints(spec: RobotSpec) -> tuple[Joint, ...]:
    """The joints that have coordinates, in the canonical order."""
    return tuple(joint for joint, _, _ in _joints(spec))


def has_rotors(spec: RobotSpec) -> bool:
    """Whether any joint drives a rotor, so that engines hold the robot with its rotors as bodies."""
    return any(body.rotor for body in spec.bodies)


def configuration(convention: Convention, q: ArrayLike) -> Floats:
    """q_u (..., nq_u) of canonical q (..., nq); quaternions are normalised."""
    q = numbers(q).copy()
    full = with_rotor_coordinates(convention.spec, q) if has_rotors(convention.spec) else q
    for start in convention.quaternions:
        quaternion = full[..., start : start + 4]
        full[..., start : start + 4] = quaternion / np.sqrt(np.sum(quaternion * quaternion, axis=-1, keepdims=True))
    q_u = full[..., convention.columns]
    for i in convention.circles:
        q_u[..., i], q_u[..., i + 1] = np.cos(q_u[..., i]), np.sin(q_u[..., i])
    return q_u


def velocity_map(convention: Convention, q: ArrayLike) -> Floats:
    """T (..., nv_u, nv) with u = T v."""
    q = numbers(q)
    T = np.broadcast_to(convention.shuffle, (*q.shape[:-1], *convention.shuffle.shape)).astype(q.dtype)
    for base in convention.world_bases:
        T[..., base.u : base.u + 3, base.v + 3 : base.v + 6] = rotation_matrices(q[..., base.quaternion : base.quaternion + 4])
    for turn in convention.world_turns:
        T[..., turn.u : turn.u + 3, turn.v : turn.v + 3] = rotation_matrices(q[..., turn.quaternion : turn.quaternion + 4])
    return T


def velocity_map_rate(convention: Convention, q: ArrayLike, v: ArrayLike) -> Floats:
    """Tdot v (..., nv_u): R_WB (w x v_B) in the rows of a linear base velocity in world axes, zero elsewhere: w x w is zero."""
    q, v = numbers(q), numbers(v)
    rate = np.zeros((*v.shape[:-1], convention.shuffle.shape[0]), dtype=v.dtype)
    for base in convention.world_bases:
        R_WB = rotation_matrices(q[..., base.quaternion : base.quaternion + 4])
        w, v_B = v[..., base.v : base.v + 3], v[..., base.v + 3 : base.v + 6]
        rate[..., base.u : base.u + 3] = product(R_WB, np.cross(w, v_B))
    return rate


def mass_matrix(T: Floats, M_u: Floats) -> Floats:
    """M = T^T M_u T, shape (..., nv, nv): the kinetic energy is the same."""
    return transposed(T) @ M_u @ T


def force(T: Floats, f_u: Floats) -> Floats:
    """f = T^T f_u, shape (..., nv), of a force that does not depend on the velocity: the power is the same."""
    return product(transposed(T), f_u)


def bias_force(T: Floats, h_u: Floats, M_u: Floats, Tdot_v: Floats) -> Floats:
    """h = T^T (h_u + M_u Tdot v), shape (..., nv), from udot = T vdot + Tdot v; the same for the Coriolis force alone."""
    return force(T, h_u + product(M_u, Tdot_v))


def jacobians(T: Floats, J_u: Floats) -> Floats:
    """J = J_u T (..., points, 3, nv) of J_u (..., points, 3, nv_u): the point's velocity is the same."""
    *block, points, rows, nv_u = J_u.shape
    return (J_u.reshape(*block, points * rows, nv_u) @ T).reshape(*block, points, rows, T.shape[-1])


def bias_accelerations(a_u: Floats, J_u: Floats, Tdot_v: Floats) -> Floats:
    """Jdot v = Jdot_u u + J_u Tdot v, shape (..., points, 3)."""
    return a_u + product(J_u, Tdot_v[..., None, :])


def acceleration(T: Floats, udot: Floats, Tdot_v: Floats) -> Floats:
    """vdot = T^-1 (udot - Tdot v), shape (..., nv); T square, hence orthogonal: T^-1 = T^T."""
    return product(transposed(T), udot - Tdot_v)


def engine_force(T: Floats, tau: Floats) -> Floats:
    """tau_u = T^-T tau, shape (..., nv_u); T square, hence orthogonal: T^-T = T."""
    return product(T, tau)


def product(A: Floats, x: Floats) -> Floats:
    """A x for blocks of matrices (..., m, n) and of vectors (..., n), shape (..., m)."""
    y: Floats = np.matmul(A, x[..., None])[..., 0]
    return y


def transposed(A: Floats) -> Floats:
    """A^T of a block of matrices."""
    return np.swapaxes(A, -1, -2)


def rotation_matrices(quaternion: Floats) -> Floats:
    """R_AB (..., 3, 3) of quaternions wxyz (..., 4) that take B to A; divided by the square norm, so unit norm is no need."""
    w, x, y, z = np.moveaxis(quaternion, -1, 0)
    s = 2.0 / (w * w + x * x + y * y + z * z)
    entries = [
        1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),
        s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x),
        s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y),
    ]  # fmt: skip
    return np.stack(entries, axis=-1).reshape(*quaternion.shape[:-1], 3, 3)


def configuration_back(convention: Convention, q_u: ArrayLike) -> Floats:
    """Canonical q (..., nq) of q_u (..., nq_u), for an engine without circles and without coordinates for rotors."""
    q_u = numbers(q_u)
    q = np.empty_like(q_u)
    q[..., convention.columns] = q_u
    return q


def _convention(spec: RobotSpec, places: Mapping[str, Place], layout: Layout) -> Convention:
    """The engine's order of coordinates, joint by joint, over the robot with its rotors as bodies."""
    full, gear_matrix = with_rotor_bodies(spec) if has_rotors(spec) else (spec, np.eye(spec.nv))
    joints = [(joint, q, v, _place(spec, places, joint.name)) for joint, q, v in _joints(full)]
    columns = np.zeros(full.nq + sum(place.circular for *_, place in joints), dtype=np.intp)
    permutation = np.zeros((full.nv, full.nv))
    for joint, q, v, place in joints:
        coordinates = _coordinates(joint.type, layout.scalar_last, place.circular)
        velocities = _velocities(joint.type, layout.angular_first)
        columns[place.q : place.q + len(coordinates)] = q + coordinates
        permutation[place.v + np.arange(len(velocities)), v + velocities] = 1.0
    shuffle = permutation @ gear_matrix
    columns.flags.writeable = shuffle.flags.writeable = False
    free = [(q, v, places[joint.name]) for joint, q, v in _joints(spec) if joint.type is JointType.FREE]
    linear, angular = (3, 0) if layout.angular_first else (0, 3)
    return Convention(
        spec,
        columns,
        circles=tuple(place.q for *_, place in joints if place.circular),
        quaternions=tuple(q + CONFIGURATION_SIZE[j.type] - 4 for j, q, *_ in joints if j.type in QUATERNION_JOINTS),
        shuffle=shuffle,
        world_bases=tuple(Base(q + 3, v, place.v + linear) for q, v, place in free) if layout.linear_in_world else (),
        world_turns=tuple(Base(q + 3, v, place.v + angular) for q, v, place in free) if layout.angular_in_world else (),
    )


def _joints(spec: RobotSpec) -> Iterator[tuple[Joint, int, int]]:
    """The joints that move, each with the first index of its coordinates in q and in v."""
    q = v = 0
    for joint in (body.joint for body in spec.bodies):
        if joint.type is not JointType.FIXED:
            yield joint, q, v
        q, v = q + CONFIGURATION_SIZE[joint.type], v + VELOCITY_SIZE[joint.type]


def _velocities(kind: JointType, angular_first: bool) -> NDArray[np.intp]:
    """For each of the engine's velocities of a joint, the canonical one behind it."""
    linear_first = kind is JointType.FREE and not angular_first
    return np.array([3, 4, 5, 0, 1, 2]) if linear_first else np.arange(VELOCITY_SIZE[kind])


def _place(spec: RobotSpec, places: Mapping[str, Place], joint: str) -> Place:
    if joint not in places:
        raise ValueError(f"robot '{spec.name}': the engine has no joint '{joint}', it has {', '.join(places)}: name it so")
    return places[joint]


def _coordinates(kind: JointType, scalar_last: bool, circular: bool) -> NDArray[np.intp]:
    """For each of the engine's coordinates of a joint, the canonical one behind it."""
    if circular:
        return np.array([0, 0])
    quaternion = [1, 2, 3, 0] if scalar_last else [0, 1, 2, 3]
    if kind is JointType.BALL:
        return np.array(quaternion)
    if kind is JointType.FREE:
        return np.array([0, 1, 2, *(3 + i for i in quaternion)])
    return np.array([0])
