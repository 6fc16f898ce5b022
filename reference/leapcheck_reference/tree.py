"""A robot spec made ready for the algorithms: constants of every link, joint and rotor as arrays of one scalar type."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, wraps
from typing import Any, TypeVar

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_models.spec import (
    CONFIGURATION_SIZE,
    VELOCITY_SIZE,
    Body,
    Inertia,
    JointType,
    Placement,
    RobotSpec,
    Rotor,
    Vector3,
    control_laws,
)
from leapcheck_models.validation import rotational_matrix
from leapcheck_reference.links import JointPlaces, Link, Point, TreeCoupling, TreeLaw, TreeLoop, TreeRotor
from leapcheck_reference.regrouping import RegroupedInertias, regroup
from leapcheck_reference.rotation import quaternion_rotation, skew
from leapcheck_reference.scalar import Scalar, ScalarType, array_of, sqrt
from leapcheck_reference.spatial import RigidInertia, Transform


@dataclass(frozen=True, slots=True)
class Tree:
    """Kinematic tree in depth-first order; `parent` of a link is -1 for the world.

    `loops` and `couplings` constrain the tree; its own dynamics do not know them.

    `dof_parent` names for each dof the next dof towards the root (-1: none): MuJoCo's dof_parentid. `regrouped` holds
    the inertias that M and inverse dynamics are computed with; it follows from the links.
    """

    name: str
    links: tuple[Link, ...]
    points: tuple[Point, ...]
    gravity: Array
    nq: int
    nv: int
    dof_parent: tuple[int, ...]
    foot_indices: tuple[int, ...]
    loops: tuple[TreeLoop, ...] = ()
    couplings: tuple[TreeCoupling, ...] = ()
    laws: tuple[TreeLaw, ...] = ()
    regrouped: RegroupedInertias = field(init=False)

    def __post_init__(self) -> None:
        """Derives what follows from the links, also for a copy with other links."""
        object.__setattr__(self, "regrouped", regroup(self.links))


@dataclass(frozen=True, slots=True)
class TreeParts:
    """What a tree consists of; nothing is derived yet."""

    links: tuple[Link, ...]
    points: tuple[Point, ...]
    gravity: Array


def tree_parts(spec: RobotSpec, scalar: ScalarType = float) -> TreeParts:
    """Links, contact points and gravity of a spec, with every constant computed in `scalar`: a third of the work of a tree."""
    links: list[Link] = []
    q = v = 0
    for body in spec.bodies:
        kind = body.joint.type
        q_end, v_end = q + CONFIGURATION_SIZE[kind], v + VELOCITY_SIZE[kind]
        links.append(_link(spec, body, slice(q, q_end), slice(v, v_end), scalar))
        q, v = q_end, v_end
    computed = [p for p in spec.contact_points if p.computed]
    points = tuple(Point(p.name, spec.body_index(p.body), array_of(p.position, scalar)) for p in computed)
    return TreeParts(tuple(links), points, array_of(spec.gravity, scalar))


def build(spec: RobotSpec, scalar: ScalarType = float) -> Tree:
    """Tree of a spec, with every constant computed in `scalar`; ValueError for a robot without bodies.

    With an extended-precision scalar the constants (inertias about the origins, rotations of the placements) are exact
    to that precision: nothing is rounded to double on the way. The arrays of a tree of doubles are read-only: the same one is
    given for the same spec.
    """
    return _float_tree(spec) if scalar is float else _tree(spec, scalar)


@lru_cache(maxsize=16)  # what simulates or measures a jump asks again and again
def _float_tree(spec: RobotSpec) -> Tree:
    tree = _tree(spec, float)
    _make_read_only(tree)
    return tree


def _make_read_only(value: Any) -> None:
    """Makes the arrays in a record, or in a tuple of records, read-only."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    elif isinstance(value, tuple):
        for item in value:
            _make_read_only(item)
    else:
        for name in getattr(value, "__dataclass_fields__", ()):  # of many trees: `fields` takes longer than the rest
            _make_read_only(getattr(value, name))


def _tree(spec: RobotSpec, scalar: ScalarType) -> Tree:
    if not spec.bodies:
        raise ValueError(f"robot '{spec.name}' has no bodies: add one with add_body")
    parts = tree_parts(spec, scalar)
    feet = tuple(i for i, p in enumerate(p for p in spec.contact_points if p.computed) if p.is_foot)
    last = parts.links[-1]
    tree = Tree(
        spec.name,
        parts.links,
        parts.points,
        parts.gravity,
        last.q.stop,
        last.v.stop,
        _dof_parents(parts.links),
        feet,
        laws=_laws(parts.links, spec, scalar),
    )
    return _constrained(tree, spec, scalar) if spec.loops or spec.couplings else tree


def _constrained(tree: Tree, spec: RobotSpec, scalar: ScalarType) -> Tree:
    """The tree with the spec's loops and couplings."""
    loops = []
    for loop in spec.loops:
        ends = ((loop.body1, loop.point1), (loop.body2, loop.point2))
        names = (f"{loop.name} 1", f"{loop.name} 2")
        point1, point2 = (
            Point(name, spec.body_index(body), array_of(position, scalar))
            for name, (body, position) in zip(names, ends, strict=True)
        )
        loops.append(TreeLoop(loop.type, point1, point2))
    places = _places(tree.links, spec)
    couplings = [
        TreeCoupling(places[c.joint].v, places.get(c.leader), tuple(scalar(value) for value in c.coefficients))
        for c in spec.couplings
    ]
    return replace(tree, loops=tuple(loops), couplings=tuple(couplings))


def _laws(links: Sequence[Link], spec: RobotSpec, scalar: ScalarType) -> tuple[TreeLaw, ...]:
    places = _places(links, spec)

    def limits(pair: tuple[float, float] | None) -> tuple[Scalar, Scalar] | None:
        return pair and (scalar(pair[0]), scalar(pair[1]))

    return tuple(
        TreeLaw(
            places[law.joint],
            scalar(law.gear),
            scalar(law.gain),
            (scalar(law.bias[0]), scalar(law.bias[1]), scalar(law.bias[2])),
            limits(law.control_limits),
            limits(law.force_limits),
        )
        for law in control_laws(spec)
    )


def _places(links: Sequence[Link], spec: RobotSpec) -> dict[str, JointPlaces]:
    """Where each joint stands, by its name."""
    return {b.joint.name: JointPlaces(l.q.start, l.v.start) for b, l in zip(spec.bodies, links, strict=True)}


def _link(spec: RobotSpec, body: Body, q: slice, v: slice, scalar: ScalarType) -> Link:
    joint = body.joint
    axis = _unit(joint.axis or (0.0, 0.0, 0.0), scalar)
    return Link(
        name=body.name,
        parent=spec.parent_index(body),
        type=joint.type,
        placement=_transform(body.placement, scalar),
        axis=axis,
        S=_motion_subspace(joint.type, axis, scalar),
        inertia=_inertia(body.inertia, scalar),
        q=q,
        v=v,
        armature=scalar(joint.armature),
        rotor=_rotor(body.rotor, scalar) if body.rotor else None,
        damping=scalar(joint.damping),
        friction=scalar(joint.friction),
        stiffness=scalar(joint.stiffness),
        springref=scalar(joint.springref),
    )


def _motion_subspace(kind: JointType, axis: Array, scalar: ScalarType) -> Array:
    """S (6, k): columns of the joint's velocity in link axes (Featherstone table 4.1)."""
    zero = array_of(np.zeros(3), scalar)
    if kind is JointType.REVOLUTE:
        return np.concatenate([axis, zero])[:, None]
    if kind is JointType.PRISMATIC:
        return np.concatenate([zero, axis])[:, None]
    return array_of(np.eye(6)[:, : VELOCITY_SIZE[kind]], scalar)


Record = TypeVar("Record", Placement, Inertia, Rotor)
Made = TypeVar("Made")


def _kept_of_doubles(make: Callable[[Record, ScalarType], Made]) -> Callable[[Record, ScalarType], Made]:
    """`make`, with what it made of doubles given again: robots that differ in one body are made by hundreds."""

    @lru_cache(maxsize=1024)
    def of_doubles(record: Record) -> Made:
        made = make(record, float)
        _make_read_only(made)
        return made

    return wraps(make)(lambda record, scalar: of_doubles(record) if scalar is float else make(record, scalar))


@_kept_of_doubles
def _transform(placement: Placement, scalar: ScalarType) -> Transform:
    return Transform(quaternion_rotation(array_of(placement.quaternion, scalar)), array_of(placement.p, scalar))


@_kept_of_doubles
def _inertia(inertia: Inertia, scalar: ScalarType) -> RigidInertia:
    """The triple about the link's origin: I_c + m c~ c~^T by the parallel-axis theorem."""
    mass, c = scalar(inertia.mass), array_of(inertia.com, scalar)
    C = skew(c)
    I_c = array_of(rotational_matrix(inertia.rotational), scalar)
    return RigidInertia(mass, mass * c, I_c + mass * (C @ C.T))


@_kept_of_doubles
def _rotor(rotor: Rotor, scalar: ScalarType) -> TreeRotor:
    axis = _unit(rotor.axis, scalar)
    ratio = scalar(rotor.gear_ratio)
    S = np.concatenate([ratio * axis, array_of(np.zeros(3), scalar)])[:, None]
    placement, inertia = _transform(rotor.placement, scalar), _inertia(rotor.inertia, scalar)
    return TreeRotor(rotor.name, ratio, placement, axis, S, inertia, not _is_symmetric(rotor))


def _is_symmetric(rotor: Rotor) -> bool:
    """Whether the rotor's inertia is exactly unchanged by turning it about its axis: a~ c = 0 and a~ I = I a~."""
    A = skew(np.array(rotor.axis))
    I = rotational_matrix(rotor.inertia.rotational)
    return not np.any(A @ np.array(rotor.inertia.com)) and not np.any(A @ I - I @ A)


def _unit(axis: Vector3, scalar: ScalarType) -> Array:
    """The axis divided by its norm, in the scalar's precision; an axis of exact unit norm (or zero) is left alone."""
    a = array_of(axis, scalar)
    square = a[0] * a[0] + a[1] * a[1] + a[2] * a[2]
    if square == 1.0 or square == 0.0:
        return a
    unit: Array = a / sqrt(square)
    return unit


def _dof_parents(links: Sequence[Link]) -> tuple[int, ...]:
    """For each dof the dof before it on the way to the root; the dofs of one joint form a chain."""
    last_dof: list[int] = []
    parents: list[int] = []
    for link in links:
        last = last_dof[link.parent] if link.parent >= 0 else -1
        for dof in range(link.v.start, link.v.stop):
            parents.append(last)
            last = dof
        last_dof.append(last)
    return tuple(parents)
