"""A robot on the ground, ready to be stepped: its equations of motion and its contact spheres at one state, by a kernel."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from leapcheck_models.arrays import Array, Floats
from leapcheck_models.spec import ONE_DOF, RobotSpec
from leapcheck_reference.contact import contact_angular_jacobians, contact_jacobians, contact_positions
from leapcheck_reference.inverse_dynamics import inverse_dynamics
from leapcheck_reference.mass_matrix import mass_matrix
from leapcheck_reference.rotation import cross, quaternion_rotation
from leapcheck_reference.scalar import as_objects
from leapcheck_reference.simulate.coordinates import canonical_velocity, displace, has_free_base
from leapcheck_reference.simulate.terrain import LEVEL, Terrain, Touch, touch
from leapcheck_reference.trace import native
from leapcheck_reference.trace.compiled_program import CompiledProgram
from leapcheck_reference.trace.graph import Graph
from leapcheck_reference.trace.kernel import Program, program
from leapcheck_reference.trace.key import key_of
from leapcheck_reference.trace.runge_kutta import RungeKuttaStep
from leapcheck_reference.trace.symbol import Recorder
from leapcheck_reference.tree import Tree, build

SMALLEST_RADIUS = 1e-3
"""Radius (m) of a contact sphere where the robot's description gives none: a corner or a knee. MuJoCo has no point geoms."""


@dataclass(frozen=True, slots=True, eq=False)
class Equations:
    """What holds at one state (q, u): M udot + h = tau + J^T f. All arrays are the plant's own, overwritten by its next call.

    M (nv, nv), h (nv,) in the coordinates u; `centres` (points, 3) of the contact spheres in the world, m; J and J_w
    (points, 3, nv): world velocity of each centre and angular velocity of its link are J u and J_w u.
    """

    M: Floats
    h: Floats
    centres: Floats
    J: Floats
    J_w: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Joints:
    """Joints of one dof, in the order of the tree: names, places in q and u, limits (-inf, inf: none), passive losses.

    `damping` N m s/rad and `friction` N m are the joint's own; both are zero where the actuator's law has them instead.
    """

    names: tuple[str, ...]
    q: NDArray[np.intp]
    u: NDArray[np.intp]
    lower: Floats
    upper: Floats
    damping: Floats
    friction: Floats


FEWEST_LANES = 2
"""States in the narrowest vectors: one state at a time takes two thirds of what it takes in the widest, whose long lists of
intermediate results leave the first-level cache.
"""


@dataclass(frozen=True, slots=True)
class _Record:
    """What `make` gives, known by its key."""

    key: bytes
    make: Callable[[], Graph] = field(compare=False)


@lru_cache(maxsize=16)  # a study has a robot's simulators at several steps
def _program(record: _Record) -> Program:
    return program(record.key, record.make, FEWEST_LANES, level=native.QUICK)


class BoundProgram:
    """A record that is evaluated at one state after another; `answers` by name are the same arrays each time."""

    def __init__(self, key: bytes, make: Callable[[], Graph]) -> None:
        """The record that `make` gives, kept in the cache under `key`."""
        self._program = ready = _program(_Record(key, make))
        self._vectors = {name: np.ones((ready.lanes, *shape)) for name, shape in ready.inputs.items()}
        self._answers = ready.arrays(ready.lanes)
        self._evaluate = ready.bound(self._vectors, self._answers)
        self._inputs = [array[0] for array in self._vectors.values()]
        self.answers = {name: array[0] for name, array in self._answers.items()}

    def __call__(self, *inputs: Floats | float) -> Mapping[str, Floats]:
        """The answers at these inputs, in the record's order."""
        self.take(*inputs)
        self._evaluate()
        return self.answers

    def take(self, *inputs: Floats | float) -> None:
        """Writes the inputs, in the record's order, for what evaluates the record next."""
        for own, values in zip(self._inputs, inputs, strict=True):
            own[...] = values

    @cached_property
    def runge_kutta(self) -> RungeKuttaStep | None:
        """A whole step of a record of rates; None where the record is too long to be compiled."""
        if not isinstance(self._program, CompiledProgram):
            return None
        return RungeKuttaStep(self._program, self._vectors, self._answers)


class Plant:
    """A robot over the ground; owns the compiled equations and the arrays that they are written to.

    With `passive` the joints keep the damping and dry friction of the description; by default these belong to the actuators
    (`simulate.actuator`), so that every simulator sees the same torque. Raises ValueError where the robot has a joint that
    cannot be simulated, naming it.
    """

    def __init__(
        self, spec: RobotSpec, passive: bool = False, smallest_radius: float = SMALLEST_RADIUS, terrain: Terrain = LEVEL
    ) -> None:
        self.spec, self.tree, self.terrain = spec, build(spec), terrain
        self.free_base = has_free_base(self.tree)
        points = [point for point in spec.contact_points if point.computed]
        self.point_names = tuple(point.name for point in points)
        self.radii = np.array([max(point.radius, smallest_radius) for point in points])
        self.pair_points = np.tile(np.arange(len(points)), terrain.surfaces)
        self.joints = _joints(spec, self.tree, passive)
        driven = [actuator.joint for actuator in spec.actuators]
        place = {name: i for i, name in enumerate(self.joints.names)}
        self.driven_u = self.joints.u[[place[name] for name in driven]]
        self._evaluate = BoundProgram(b"plant " + key_of(self.tree), self._graph)
        self._equations = Equations(**self._evaluate.answers)

    def at(self, q: Floats, u: Floats) -> Equations:
        """The equations at q (nq,), u (nv,); the same arrays each time."""
        self._evaluate(q, u)
        return self._equations

    @cached_property
    def displacement(self) -> BoundProgram:
        """`displace` with the canonical velocity after it, compiled: "q", "v" of q (nq,), displacement (nv,), u (nv,)."""
        return BoundProgram(b"displaced " + key_of(self.tree.nq, self.tree.nv, self.free_base), self._displacement_graph)

    def touch(self, equations: Equations) -> Touch:
        """The contact spheres beside the ground's solids, a pair for each of both: `pair_points` are the spheres."""
        return touch(self.terrain, equations.centres, self.radii)

    def generalised_force(self, torque: Floats) -> Floats:
        """Force (nv,) in the coordinates u of the actuators' torques (actuators,)."""
        force = np.zeros(self.tree.nv)
        force[self.driven_u] = torque
        return force

    def _graph(self) -> Graph:
        recorder = Recorder(float)
        q, u = recorder.input("q", self.tree.nq), recorder.input("v", self.tree.nv)
        return recorder.graph(equations_of_motion(as_objects(self.tree), q, u, self.free_base))

    def _displacement_graph(self) -> Graph:
        recorder, tree = Recorder(float), self.tree
        q, displacement, u = recorder.input("q", tree.nq), recorder.input("displacement", tree.nv), recorder.input("u", tree.nv)
        there = displace(self.free_base, q, displacement)
        return recorder.graph({"q": there, "v": canonical_velocity(self.free_base, there, u)})


def equations_of_motion(tree: Tree, q: Array, u: Array, free_base: bool) -> dict[str, Array]:
    """The fields of `Equations` over any scalar.

    With v = T^T u, T orthogonal: M_u = T M T^T, J_u = J T^T, and h_u = T id(q, v, Tdot^T u), inverse dynamics at udot = 0,
    where Tdot^T u = [0; -w x v_B; 0].
    """
    T = np.zeros((tree.nv, tree.nv), dtype=q.dtype) + np.eye(tree.nv)
    vdot = np.zeros(tree.nv, dtype=q.dtype)
    if free_base:
        T[:6, :6] = 0.0
        T[:3, 3:6], T[3:6, :3] = quaternion_rotation(q[3:7]), np.eye(3)
    v = T.T @ u
    if free_base:
        vdot[3:6] = -cross(v[:3], v[3:6])
    return {
        "M": T @ mass_matrix(tree, q) @ T.T,
        "h": T @ inverse_dynamics(tree, q, v, vdot),
        "centres": contact_positions(tree, q),
        "J": contact_jacobians(tree, q) @ T.T,
        "J_w": contact_angular_jacobians(tree, q) @ T.T,
    }


def _joints(spec: RobotSpec, tree: Tree, passive: bool) -> Joints:
    movable = [(body.joint, link) for body, link in zip(spec.bodies, tree.links, strict=True) if body.joint.type in ONE_DOF]
    limits = np.array([joint.limits or (-np.inf, np.inf) for joint, _ in movable]).reshape(-1, 2)
    losses = np.array([(joint.damping, joint.friction) if passive else (0.0, 0.0) for joint, _ in movable]).reshape(-1, 2)
    return Joints(
        names=tuple(joint.name for joint, _ in movable),
        q=np.array([link.q.start for _, link in movable], dtype=np.intp),
        u=np.array([link.v.start for _, link in movable], dtype=np.intp),
        lower=limits[:, 0],
        upper=limits[:, 1],
        damping=losses[:, 0],
        friction=losses[:, 1],
    )
