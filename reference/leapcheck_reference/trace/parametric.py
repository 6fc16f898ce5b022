"""Quantities as functions of all numbers of a robot, and their rates when these numbers move: one record per topology.

Every mass, first moment, inertia, placement, axis, gear ratio, armature, contact point and gravity is an input of the
record, so that any number of robots of one topology, and their derivatives, are evaluated together in one batch. The points of
closed loops and the coefficients of coupled joints are none: they belong to the topology.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from leapcheck_models.arrays import Array, Floats
from leapcheck_models.spec import ONE_DOF, JointType
from leapcheck_reference.links import Link, TreeRotor
from leapcheck_reference.quantities import QUANTITIES, SIZES
from leapcheck_reference.regrouping import RegroupedInertias
from leapcheck_reference.scalar import as_objects
from leapcheck_reference.spatial import RigidInertia, Transform
from leapcheck_reference.trace.derivatives import derivative
from leapcheck_reference.trace.graph import Graph
from leapcheck_reference.trace.kernel import Program, program
from leapcheck_reference.trace.key import key_of
from leapcheck_reference.trace.symbol import Recorder
from leapcheck_reference.tree import Tree, TreeParts

ARGUMENTS = {
    name: QUANTITIES[name].arguments
    for name in (
        *("mass_matrix", "mujoco_mass_matrix", "bias_force", "kinetic_energy", "potential_energy", "cinert", "crb", "cdof"),
        *("coriolis_matrix", "christoffel_matrix", "contact_positions", "contact_jacobians", "contact_bias_accelerations"),
        *("frame_placements", "frame_velocities", "frame_jacobians", "frame_jacobian_rates", "frame_bias_accelerations"),
        *("com_position", "com_velocity", "com_jacobian", "com_bias_acceleration", "centroidal_inertia"),
        *("centroidal_momentum", "centroidal_momentum_matrix", "centroidal_momentum_rate"),
        *("inverse_dynamics_derivative_q", "inverse_dynamics_derivative_v", "frame_velocity_derivative_q"),
        *("frame_acceleration_derivative_q", "frame_acceleration_derivative_v"),
        *("joint_torque_regressor", "kinetic_energy_regressor", "potential_energy_regressor"),
        *("constraint_jacobian", "constraint_bias", "constrained_forward_dynamics"),
    )
}
"""The quantities that have a parametric record, and what each needs of a state; others follow from these."""

SIX = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
"""Entries of a rotational inertia in the order in which its six numbers stand."""

SHAPES = {"inertia": 10, "placement": 12, "axis": 3, "armature": 1, "gear": 1, "point": 3, "gravity": 3}
"""How many numbers each part of a robot is.

An inertia is mass, first moment and rotational inertia about the origin (`SIX`), a placement R row by row, then p.
"""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a tree that has numbers: kind (see `SHAPES`), link (or point, or 0 for gravity), whether it is its rotor's."""

    kind: str
    index: int
    rotor: bool = False


class LinkTopology(NamedTuple):
    """What a link is besides its numbers."""

    parent: int
    type: JointType
    dofs: int
    has_rotor: bool
    places: tuple[int, int, int, int]


class Topology(NamedTuple):
    """What a tree is besides its numbers: its links, and the link of each point."""

    links: tuple[LinkTopology, ...]
    points: tuple[int, ...]


def topology(tree: TreeParts | Tree) -> Topology:
    """Joints, parents, rotors and points of a tree: trees that share them differ in their `numbers` alone."""
    links = [
        LinkTopology(
            link.parent,
            link.type,
            link.S.shape[1],
            link.rotor is not None,
            (link.q.start, link.q.stop, link.v.start, link.v.stop),
        )
        for link in tree.links
    ]
    return Topology(tuple(links), tuple(point.link for point in tree.points))


def places(tree: TreeParts | Tree) -> Mapping[Part, slice]:
    """Where each part's numbers stand among all of a tree's; the placement of a free joint has none, for it is not used."""
    return _places(topology(tree))


@lru_cache(maxsize=16)
def _places(of: Topology) -> Mapping[Part, slice]:
    slices, start = {}, 0
    for part in _parts(of):
        slices[part] = slice(start, start + SHAPES[part.kind])
        start += SHAPES[part.kind]
    return MappingProxyType(slices)


def _parts(of: Topology) -> Iterator[Part]:
    for i, link in enumerate(of.links):
        yield Part("inertia", i)
        if link.type is not JointType.FREE:
            yield Part("placement", i)
        if link.type in ONE_DOF:
            yield Part("axis", i)
        yield Part("armature", i)
        if link.has_rotor:
            yield from (Part(kind, i, rotor=True) for kind in ("inertia", "placement", "axis", "gear"))
    yield from (Part("point", k) for k in range(len(of.points)))
    yield Part("gravity", 0)


def numbers(tree: TreeParts | Tree) -> Floats:
    """All numbers of a tree in one row, as `places` has them."""
    return np.array([number for part in places(tree) for number in _part_numbers(tree, part)], dtype=float)


def _part_numbers(tree: TreeParts | Tree, part: Part) -> list[Any]:
    if part.kind == "gravity":
        return list(tree.gravity)
    if part.kind == "point":
        return list(tree.points[part.index].position)
    link = tree.links[part.index]
    body = link.rotor if part.rotor and link.rotor else link
    match part.kind:
        case "inertia":
            inertia = body.inertia
            I = inertia.I.tolist()
            return [inertia.mass, *inertia.mc.tolist(), *(I[i][j] for i, j in SIX)]
        case "placement":
            return [*body.placement.R.ravel().tolist(), *body.placement.p.tolist()]
        case "axis":
            return list(body.axis)
        case "gear" if link.rotor:
            return [link.rotor.gear_ratio]
    return [link.armature]


def with_numbers(tree: Tree, x: Array) -> Tree:
    """The tree with other numbers (N,), of floats or of any scalar; a rotor whose numbers are others counts as spinning."""
    slices = places(tree)
    links = []
    for i, link in enumerate(tree.links):
        placement = _placement(x[slices[Part("placement", i)]]) if Part("placement", i) in slices else link.placement
        axis = x[slices[Part("axis", i)]] if Part("axis", i) in slices else link.axis
        inertia = _inertia(x[slices[Part("inertia", i)]])
        rotor = _rotor(link.rotor, i, x, slices) if link.rotor else None
        S, armature = _subspace(link, axis), x[slices[Part("armature", i)]][0]
        moved = replace(link, placement=placement, axis=axis, S=S, inertia=inertia, armature=armature, rotor=rotor)
        links.append(moved)
    points = tuple(replace(point, position=x[slices[Part("point", k)]]) for k, point in enumerate(tree.points))
    return replace(tree, links=tuple(links), points=points, gravity=x[slices[Part("gravity", 0)]])


def _placement(x: Array) -> Transform:
    return Transform(x[:9].reshape(3, 3), x[9:])


def _inertia(x: Array) -> RigidInertia:
    I = np.empty((3, 3), dtype=x.dtype)
    for (i, j), entry in zip(SIX, x[4:], strict=True):
        I[i, j] = I[j, i] = entry
    return RigidInertia(x[0], x[1:4], I)


def _subspace(link: Link, axis: Array) -> Array:
    zero = np.zeros(3)
    match link.type:
        case JointType.REVOLUTE:
            return np.concatenate([axis, zero])[:, None]
        case JointType.PRISMATIC:
            return np.concatenate([zero, axis])[:, None]
    return link.S


def _rotor(rotor: TreeRotor, i: int, x: Array, slices: Mapping[Part, slice]) -> TreeRotor:
    taken = {kind: x[slices[Part(kind, i, rotor=True)]] for kind in ("inertia", "placement", "axis", "gear")}
    inertia, axis, ratio = _inertia(taken["inertia"]), taken["axis"], taken["gear"][0]
    S = np.concatenate([ratio * axis, np.zeros(3)])[:, None]
    same = x.dtype == float and np.array_equal(inertia.I, rotor.inertia.I) and np.array_equal(inertia.mc, rotor.inertia.mc)
    spins = rotor.spins or not (same and np.array_equal(axis, rotor.axis))
    placement = _placement(taken["placement"])
    return replace(rotor, gear_ratio=ratio, placement=placement, axis=axis, S=S, inertia=inertia, spins=spins)


def values(
    tree: Tree,
    quantity: str,
    x: Floats,
    q: Floats,
    v: Floats | None = None,
    tau: Floats | None = None,
    vdot: Floats | None = None,
) -> Floats:
    """A quantity (n, ...) out of `ARGUMENTS` of n robots with the tree's topology and the numbers x (n, N), each at a state of
    its own: q (n, nq), v, tau and vdot (n, nv). ValueError where what it needs is missing.
    """
    inputs = _inputs(quantity, x, {"q": q, "v": v, "tau": tau, "vdot": vdot})
    return _program(_TreeOfTopology(tree), quantity, False)(inputs)["value"]


def values_and_rates(
    tree: Tree,
    quantity: str,
    x: Floats,
    rates: Floats,
    q: Floats,
    v: Floats | None = None,
    tau: Floats | None = None,
    vdot: Floats | None = None,
) -> tuple[Floats, Floats]:
    """The same, and how fast it changes when the numbers move at the `rates` (n, N)."""
    inputs = _inputs(quantity, x, {"q": q, "v": v, "tau": tau, "vdot": vdot})
    answers = _program(_TreeOfTopology(tree), quantity, True)({**inputs, "rates": rates})
    return answers["value"], answers["rate"]


def _inputs(quantity: str, x: Floats, given: Mapping[str, Floats | None]) -> dict[str, Floats]:
    states = {name: given[name] for name in ARGUMENTS[quantity]}
    if missing := [name for name, block in states.items() if block is None]:
        raise ValueError(f"{quantity} needs {missing[0]}: give an array (n, nv)")
    return {"numbers": x, **states}  # type: ignore[dict-item]


class _TreeOfTopology:
    """A tree that stands for all of its topology."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.key = (topology(tree), _constraints(tree))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _TreeOfTopology) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


def _constraints(tree: Tree) -> tuple[object, ...]:
    """What closes loops and couples joints, numbers and all."""
    ends = [(loop.type, *((p.link, *p.position.tolist()) for p in (loop.point1, loop.point2))) for loop in tree.loops]
    leaders = [(c.leader.q, c.leader.v) if c.leader else () for c in tree.couplings]
    return (*ends, *((c.dof, *leader, c.coefficients) for c, leader in zip(tree.couplings, leaders, strict=True)))


@lru_cache(maxsize=64)
def _program(one: _TreeOfTopology, quantity: str, with_rates: bool) -> Program:
    key = key_of("parametric", one.key, quantity, with_rates)
    return program(key, lambda: _record(one.tree, quantity, with_rates), compile_code=False)


def _record(tree: Tree, quantity: str, with_rates: bool) -> Graph:
    recorder = Recorder(float)
    x = recorder.input("numbers", *numbers(tree).shape)
    states = [recorder.input(name, SIZES[name](tree)) for name in ARGUMENTS[quantity]]
    outputs = {"value": np.asarray(QUANTITIES[quantity].function(_symbolic(tree, x), *states), dtype=object)}
    if with_rates:
        rates = recorder.input("rates", *x.shape)
        value = outputs["value"]
        outputs["rate"] = derivative(value, [(x, rates[:, None])])[..., 0] if prod(value.shape) else value
    return recorder.graph(outputs)


def _symbolic(tree: Tree, x: Array) -> Tree:
    """The tree over symbols; its inertias are left where they are, since moving them rootwards spares nothing here."""
    symbolic = as_objects(with_numbers(tree, x))
    links = [link.inertia for link in symbolic.links]
    rotors = [link.rotor.inertia if link.rotor else None for link in symbolic.links]
    object.__setattr__(symbolic, "regrouped", RegroupedInertias(tuple(links), tuple(rotors)))
    return symbolic
