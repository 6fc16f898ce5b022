"""Where joints are in states, and dofs, bodies and contact points in answers."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from leapcheck.coordinates.conventions import QUATERNION_JOINTS
from leapcheck.quantities import DOFS, QUANTITIES, Axis, QuantityGroup
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import CONFIGURATION_SIZE, VELOCITY_SIZE, WORLD, Joint, JointType, RobotSpec

DOF_AXES = {
    **{
        name: tuple(i for i, axis in enumerate(row.axes, 1) if axis in DOFS)
        for name, row in QUANTITIES.items()
        if row.axes is not None and set(row.axes) & set(DOFS)
    },
    "qM": (1, 2),
    "csr": (1, 2),
    "cdof": (1,),
}
"""Axes of the answers (n, ...) of the dofs; M of MuJoCo's storage unpacked."""

BODY_QUANTITIES = ("cinert", "crb")
POINT_QUANTITIES = tuple(name for name, row in QUANTITIES.items() if row.axes and row.axes[0] is Axis.POINT)
FRAME_QUANTITIES = tuple(name for name, row in QUANTITIES.items() if row.axes and row.axes[0] is Axis.FRAME)
COM_QUANTITIES = tuple(name for name, row in QUANTITIES.items() if row.group is QuantityGroup.CENTROIDAL)
FORCES = ("bias_force", "coriolis_force", "gravity_force")
INVERSE_DYNAMICS = ("inverse_dynamics", "inverse_dynamics_with_contacts")


class JointPlace(NamedTuple):
    """A joint, the number of its body, and its places in q and in v."""

    body: int
    joint: Joint
    q: slice
    v: slice


def in_order(first: Sequence[str]) -> tuple[str, ...]:
    """These quantities, then all others."""
    return (*first, *(name for name in QUANTITIES if name not in first))


def places(spec: RobotSpec) -> Iterator[JointPlace]:
    """Every joint with its places, in the order of the bodies."""
    q = v = 0
    for i, body in enumerate(spec.bodies):
        q_end, v_end = q + CONFIGURATION_SIZE[body.joint.type], v + VELOCITY_SIZE[body.joint.type]
        yield JointPlace(i, body.joint, slice(q, q_end), slice(v, v_end))
        q, v = q_end, v_end


def free_joints(spec: RobotSpec) -> Iterator[tuple[int, int]]:
    """First place in q and in v of each free joint."""
    return ((place.q.start, place.v.start) for place in places(spec) if place.joint.type is JointType.FREE)


def quaternions(spec: RobotSpec) -> list[slice]:
    """Places of the quaternions in q."""
    return [slice(place.q.stop - 4, place.q.stop) for place in places(spec) if place.joint.type in QUATERNION_JOINTS]


def force_columns(points: Iterable[int]) -> list[int]:
    """Columns of some points in the contact forces of a state."""
    return [3 * int(point) + axis for point in points for axis in range(3)]


def neutral(spec: RobotSpec) -> Floats:
    """The configuration (nq,) with every joint at zero and every quaternion that of no turn."""
    q = np.zeros(spec.nq)
    q[[place.start for place in quaternions(spec)]] = 1.0
    return q


def scale_dofs(quantity: str, values: Floats, factors: Floats) -> Floats:
    """The values with each dof's entries multiplied by its factor (nv,), along every axis of dofs."""
    for axis in DOF_AXES.get(quantity, ()):
        values = values * factors.reshape(-1, *(1,) * (values.ndim - 1 - axis))
    return values


def along(matrix: Floats, values: Floats, axis: int) -> Floats:
    """A matrix (k, m), or one for each state (n, k, m), times values (n, ...) along an axis."""
    columns = np.moveaxis(values, axis, -1)
    rows = columns.reshape(len(values), -1, columns.shape[-1])
    turned = rows @ np.swapaxes(matrix, -1, -2)
    return np.moveaxis(turned.reshape(*columns.shape[:-1], matrix.shape[-2]), -1, axis)


def rigid_carriers(spec: RobotSpec) -> dict[str, str]:
    """For each link the first of those that are rigid with it."""
    carriers: dict[str, str] = {}
    for body in spec.bodies:
        fixed = body.joint.type is JointType.FIXED and body.parent != WORLD
        carriers[body.name] = carriers[body.parent] if fixed else body.name
    return carriers


class LimbPlace(NamedTuple):
    """How many links a link stands behind its root, and the number of the first link of its limb; a root's own number."""

    depth: int
    limb: int


def limb_places(parents: Iterable[int]) -> list[LimbPlace]:
    """The place of each link, from its parent's number; -1 for the world."""
    links: list[LimbPlace] = []
    for i, parent in enumerate(parents):
        before = links[parent] if parent >= 0 else None
        links.append(LimbPlace(before.depth + 1, before.limb if before.depth else i) if before else LimbPlace(0, i))
    return links


def link_groups(names: Sequence[str], parents: Iterable[int], chosen: Container[str]) -> list[frozenset[str]]:
    """Groups of the chosen links that a fault may stand in: each alone, those equally far from the root, each limb and each
    two limbs, such as a side; and all.
    """
    own = {name: place for name, place in zip(names, limb_places(parents), strict=True) if name in chosen}
    limbs = list(dict.fromkeys(place.limb for place in own.values()))
    few = [some for count in (1, 2) for some in combinations(limbs, count)]
    groups = [
        *({name} for name in own),
        *({name for name, place in own.items() if place.depth == depth} for depth in {p.depth: 0 for p in own.values()}),
        *({name for name, place in own.items() if place.limb in some} for some in few),
        set(own),
    ]
    return list(dict.fromkeys(frozenset(group) for group in groups if group))
