"""The quantities that are compared: what each needs, its shape, its scale and its unit.

A quantity is defined here, in one row, and by a function of the same name in `leapcheck_reference`. What its axes count
gives its shape, the names and units of its entries, and how it is converted between coordinates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from leapcheck_models.spec import LoopType, RobotSpec
from leapcheck_models.words import did_you_mean


class Scale(StrEnum):
    """By what an error is divided to make it scale-free."""

    DIAGONAL = "sqrt(M_ii M_jj)"
    LARGEST = "largest entry of that state"
    ABSOLUTE = "1 in its unit"


class QuantityGroup(StrEnum):
    """Quantities that are asked for, and computed, together."""

    CORE = "core"
    MUJOCO = "mujoco"
    DYNAMICS = "dynamics"
    DERIVATIVES = "derivatives"
    REGRESSORS = "regressors"
    KINEMATICS = "kinematics"
    CENTROIDAL = "centroidal"
    CONSTRAINTS = "constraints"
    JOINTS = "joints"


class Axis(StrEnum):
    """What an axis of an answer counts.

    Along `FORCE` and `MOTION` it has an entry for each dof, and is converted to other coordinates u = T v as a force is
    (f = T^T f_u: M, tau, columns of J) or as a velocity (v = T^-1 u: accelerations, M^-1). `WRENCH` is [moment; force].
    `CONSTRAINT` are the rows of closed loops and coupled joints. `FRAME` are the links, then the contact points, which have the
    axes of their links; `TWIST` is [angular; linear], `POSE` the columns of [R, p]. `PARAMETER` are ten of each link,
    then of each rotor: m, m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz about its origin.
    """

    FORCE = "force on a dof"
    MOTION = "motion of a dof"
    POINT = "contact point"
    POINT_ROW = "contact point and axis"
    SPACE = "axis of the world"
    WRENCH = "moment and force"
    CONSTRAINT = "row of a closed loop"
    FRAME = "frame of a link or contact point"
    TWIST = "angular and linear"
    POSE = "axes and origin"
    PARAMETER = "inertial parameter of a body"


ROWS = {LoopType.CONNECT: 3, LoopType.WELD: 6}
"""Rows of a loop's constraint."""

PARAMETER_COUNT = 10
"""Inertial parameters of a body."""

DOFS = (Axis.FORCE, Axis.MOTION)
"""Axes that have an entry for each dof."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Lengths that shape the canonical quantities of one robot: dof without rotors, and computed contact points.

    `constraints`: rows of its closed loops and coupled joints; `links`: all of them; `rotors`: those that its joints drive.
    """

    nv: int
    points: int
    constraints: int = 0
    links: int = 0
    rotors: int = 0

    def along(self, axis: Axis) -> int:
        """The number of entries along an axis."""
        counts = {
            Axis.FORCE: self.nv,
            Axis.MOTION: self.nv,
            Axis.POINT: self.points,
            Axis.POINT_ROW: 3 * self.points,
            Axis.SPACE: 3,
            Axis.WRENCH: 6,
            Axis.CONSTRAINT: self.constraints,
            Axis.FRAME: self.links + self.points,
            Axis.TWIST: 6,
            Axis.POSE: 4,
            Axis.PARAMETER: PARAMETER_COUNT * (self.links + self.rotors),
        }
        return counts[axis]


@dataclass(frozen=True, slots=True)
class Quantity:
    """One quantity: the name is also the name of the function in `leapcheck_reference` and in a user's engine.

    `arguments` are the parts of a state that it needs. `unit` lists the units of its entries: first where every dof turns and
    every row of a wrench is a moment, then with one that slides, or is a force, along a `FORCE` or `WRENCH` axis, and so on;
    from the back where they do along a `MOTION`, `TWIST` or `POSE` axis. `coefficient` names the quantity C of which it is the
    bias b, in C(q) vdot + b(q, v): other coordinates add C Tdot v to it. With the axes of C it is a rate, to which they add
    C Tdot. A quantity `in_mujoco_coordinates` is MuJoCo's own storage, has no `axes`, and is compared entry by entry in MuJoCo's
    coordinates (rotors as bodies); all others are canonical.
    """

    name: str
    label: str
    unit: str
    arguments: tuple[str, ...]
    scale: Scale
    axes: tuple[Axis, ...] | None
    group: QuantityGroup = QuantityGroup.CORE
    coefficient: str = ""

    @property
    def is_rate(self) -> bool:
        """Whether it is a matrix with the axes of its `coefficient`."""
        return bool(self.coefficient) and QUANTITIES[self.coefficient].axes == self.axes

    @property
    def in_mujoco_coordinates(self) -> bool:
        """Whether it is MuJoCo's own storage."""
        return self.group is QuantityGroup.MUJOCO

    @property
    def shape(self) -> Callable[[Sizes], tuple[int, ...]] | None:
        """What gives the shape of one state's answer; None for MuJoCo's own storage."""
        axes = self.axes
        return None if axes is None else lambda sizes: tuple(sizes.along(axis) for axis in axes)


def _core() -> Iterator[Quantity]:
    """The equations of motion, contact points and energies."""
    F, A, P, X = Axis.FORCE, Axis.MOTION, Axis.POINT, Axis.SPACE
    Q, QV = ("q",), ("q", "v")
    yield Quantity("mass_matrix", "mass matrix M", "kg m^2, kg m, kg", Q, Scale.DIAGONAL, (F, F))
    yield Quantity("bias_force", "bias force h", "N m, N", QV, Scale.LARGEST, (F,), coefficient="mass_matrix")
    yield Quantity("gravity_force", "gravity force", "N m, N", Q, Scale.LARGEST, (F,))
    yield Quantity("coriolis_force", "Coriolis force", "N m, N", QV, Scale.LARGEST, (F,), coefficient="mass_matrix")
    yield Quantity("forward_dynamics", "forward dynamics", "rad/s^2, m/s^2", ("q", "v", "tau"), Scale.LARGEST, (A,))
    yield Quantity("contact_positions", "contact positions", "m", Q, Scale.LARGEST, (P, X))
    yield Quantity("contact_velocities", "contact velocities", "m/s", QV, Scale.LARGEST, (P, X))
    yield Quantity("contact_jacobians", "contact Jacobians J", "m, 1", Q, Scale.ABSOLUTE, (P, X, F))
    yield Quantity("contact_bias_accelerations", "Jdot v", "m/s^2", QV, Scale.LARGEST, (P, X), coefficient="contact_jacobians")
    yield Quantity("contact_inertia", "J M^-1 J^T", "1/kg", Q, Scale.LARGEST, (Axis.POINT_ROW, Axis.POINT_ROW))
    yield Quantity("kinetic_energy", "kinetic energy", "J", QV, Scale.LARGEST, ())
    yield Quantity("potential_energy", "potential energy", "J", Q, Scale.LARGEST, ())


def _mujoco() -> Iterator[Quantity]:
    """MuJoCo's own storage."""
    inertia, own = "kg m^2, kg m, kg", (Scale.LARGEST, None, QuantityGroup.MUJOCO)
    yield Quantity("qM", "M in MuJoCo's qM", inertia, ("q",), *own)
    yield Quantity("csr", "M in MuJoCo's CSR", inertia, ("q",), *own)
    yield Quantity("cinert", "MuJoCo's cinert", inertia, ("q",), *own)
    yield Quantity("crb", "MuJoCo's crb", inertia, ("q",), *own)
    yield Quantity("cdof", "MuJoCo's cdof", "1, m", ("q",), *own)


def _dynamics() -> Iterator[Quantity]:
    """What follows from the equations of motion."""
    F, A, own = Axis.FORCE, Axis.MOTION, QuantityGroup.DYNAMICS
    moving, name = ("q", "v", "vdot"), "inverse_dynamics_with_contacts"
    yield Quantity("inverse_dynamics", "inverse dynamics", "N m, N", moving, Scale.LARGEST, (F,), own)
    yield Quantity(name, "inverse dynamics, contacts", "N m, N", (*moving, "contact_forces"), Scale.LARGEST, (F,), own)
    inverse = "1/kg m^2, 1/kg, 1/kg m"
    yield Quantity("minverse", "M^-1", inverse, ("q",), Scale.LARGEST, (A, A), own)
    C, QV, M = "kg m^2/s, kg m/s, kg/s", ("q", "v"), "mass_matrix"
    yield Quantity("coriolis_matrix", "Coriolis matrix C", C, QV, Scale.LARGEST, (F, F), own, M)
    yield Quantity("christoffel_matrix", "Christoffel's C", C, QV, Scale.LARGEST, (F, F), own, M)
    T, name = Axis.TWIST, "operational_inertia_inverse"
    yield Quantity(name, "points' J M^-1 J^T", inverse, ("q",), Scale.LARGEST, (Axis.POINT, T, T), own)


def _derivatives() -> Iterator[Quantity]:
    """Derivatives of dynamics and frames' motion: by q along each unit velocity, v, vdot and tau as they are."""
    F, A, own = Axis.FORCE, Axis.MOTION, QuantityGroup.DERIVATIVES
    Q, QV, forces = ("q",), ("q", "v"), "N m, N, N/m"
    yield Quantity("inverse_dynamics_derivative_q", "dID/dq", forces, (*QV, "vdot"), Scale.LARGEST, (F, F), own)
    yield Quantity("inverse_dynamics_derivative_v", "dID/dv", "N m s, N s, N s/m", QV, Scale.LARGEST, (F, F), own)
    unit = "1/s^2, 1/m s^2, m/s^2"
    yield Quantity("forward_dynamics_derivative_q", "dFD/dq", unit, (*QV, "tau"), Scale.LARGEST, (A, F), own)
    yield Quantity("forward_dynamics_derivative_v", "dFD/dv", "1/s, 1/m s, m/s", QV, Scale.LARGEST, (A, F), own)
    unit = "1/kg m^2, 1/kg, 1/kg m"
    yield Quantity("forward_dynamics_derivative_tau", "dFD/dtau", unit, Q, Scale.LARGEST, (A, A), own)
    frame, rate, name = (Axis.FRAME, Axis.TWIST, F), "1/s, 1/m s, m/s", "frame_acceleration_derivative_q"
    yield Quantity("frame_velocity_derivative_q", "frames' dV/dq", rate, QV, Scale.LARGEST, frame, own)
    yield Quantity(name, "frames' dA/dq", "1/s^2, 1/m s^2, m/s^2", (*QV, "vdot"), Scale.LARGEST, frame, own)
    yield Quantity("frame_acceleration_derivative_v", "frames' dA/dv", rate, QV, Scale.LARGEST, frame, own)


def _regressors() -> Iterator[Quantity]:
    """What is linear in the inertial parameters, armature left out."""
    F, P, own = Axis.FORCE, Axis.PARAMETER, QuantityGroup.REGRESSORS
    energy = "m^2/s^2, m/s^2, 1/s^2"
    torque = f"{energy}, 1/m s^2"
    yield Quantity("joint_torque_regressor", "torque regressor Y", torque, ("q", "v", "vdot"), Scale.LARGEST, (F, P), own)
    yield Quantity("kinetic_energy_regressor", "kinetic regressor", energy, ("q", "v"), Scale.LARGEST, (P,), own)
    yield Quantity("potential_energy_regressor", "potential regressor", energy, ("q",), Scale.LARGEST, (P,), own)


def _kinematics() -> Iterator[Quantity]:
    """Frames of links and contact points in the world: world axes, at each frame's origin, [angular; linear]."""
    N, X, T, own = Axis.FRAME, Axis.SPACE, Axis.TWIST, QuantityGroup.KINEMATICS
    Q, QV, J = ("q",), ("q", "v"), "frame_jacobians"
    yield Quantity("frame_placements", "frame placements", "1, m", Q, Scale.LARGEST, (N, X, Axis.POSE), own)
    yield Quantity("frame_velocities", "frame velocities", "rad/s, m/s", QV, Scale.LARGEST, (N, T), own)
    yield Quantity(J, "frame Jacobians", "1, 1/m, m", Q, Scale.ABSOLUTE, (N, T, Axis.FORCE), own)
    rates = "1/s, 1/m s, m/s"
    yield Quantity("frame_jacobian_rates", "frames' Jdot", rates, QV, Scale.LARGEST, (N, T, Axis.FORCE), own, J)
    yield Quantity("frame_bias_accelerations", "frames' Jdot v", "rad/s^2, m/s^2", QV, Scale.LARGEST, (N, T), own, J)


def _centroidal() -> Iterator[Quantity]:
    """The centre of mass and the momentum about it, rotors included; world axes, [angular; linear]."""
    F, X, W, own = Axis.FORCE, Axis.SPACE, Axis.WRENCH, QuantityGroup.CENTROIDAL
    Q, QV = ("q",), ("q", "v")
    yield Quantity("com_position", "com position", "m", Q, Scale.LARGEST, (X,), own)
    yield Quantity("com_velocity", "com velocity", "m/s", QV, Scale.LARGEST, (X,), own)
    yield Quantity("com_jacobian", "com Jacobian", "m, 1", Q, Scale.ABSOLUTE, (X, F), own)
    yield Quantity("com_bias_acceleration", "com's Jdot v", "m/s^2", QV, Scale.LARGEST, (X,), own, "com_jacobian")
    yield Quantity("centroidal_momentum", "centroidal momentum", "N m s, N s", QV, Scale.LARGEST, (W,), own)
    yield Quantity("centroidal_momentum_matrix", "centroidal A", "kg m^2, kg m, kg", Q, Scale.LARGEST, (W, F), own)
    yield Quantity(
        "centroidal_momentum_rate", "centroidal Adot v", "N m, N", QV, Scale.LARGEST, (W,), own, "centroidal_momentum_matrix"
    )
    yield Quantity("centroidal_inertia", "centroidal inertia", "kg m^2, kg m, kg", Q, Scale.LARGEST, (W, W), own)


def _constraints() -> Iterator[Quantity]:
    """Closed loops and coupled joints, of robots that have some; rows as in `leapcheck_reference.closed_loops`."""
    R, F, own = Axis.CONSTRAINT, Axis.FORCE, QuantityGroup.CONSTRAINTS
    Q, QV, unit = ("q",), ("q", "v"), "rad/s^2, m/s^2"
    yield Quantity("constraint_jacobian", "loop Jacobian", "m, 1, 1/m", Q, Scale.ABSOLUTE, (R, F), own)
    yield Quantity("constraint_bias", "loop Jdot v", "m/s^2, rad/s^2", QV, Scale.LARGEST, (R,), own, "constraint_jacobian")
    yield Quantity("constrained_forward_dynamics", "loop dynamics", unit, (*QV, "tau"), Scale.LARGEST, (Axis.MOTION,), own)


def _joints() -> Iterator[Quantity]:
    """Forces in the joints, which are no part of the equations of motion."""
    F, own, unit = Axis.FORCE, QuantityGroup.JOINTS, "N m, N"
    yield Quantity("passive_forces", "springs and dampers", unit, ("q", "v"), Scale.LARGEST, (F,), own)
    yield Quantity("actuator_torques", "actuator torques", unit, ("q", "v", "tau"), Scale.LARGEST, (F,), own)
    yield Quantity("dry_friction", "dry friction", unit, ("v",), Scale.LARGEST, (F,), own)


GROUPS = (
    *(_core(), _mujoco(), _dynamics(), _derivatives(), _regressors(), _kinematics(), _centroidal(), _constraints()),
    _joints(),
)

QUANTITIES: dict[str, Quantity] = {quantity.name: quantity for rows in GROUPS for quantity in rows}

CANONICAL = tuple(name for name, quantity in QUANTITIES.items() if not quantity.in_mujoco_coordinates)
"""The quantities that any engine may answer: all but MuJoCo's own storage."""

CORE = tuple(name for name, quantity in QUANTITIES.items() if quantity.group is QuantityGroup.CORE)
"""What every engine answers unless it says otherwise."""

DEFAULT = (
    *(name for name, quantity in QUANTITIES.items() if quantity.group in (QuantityGroup.CORE, QuantityGroup.MUJOCO)),
    "inverse_dynamics",
)
"""The quantities of a comparison that names none."""

ALL = "all"
"""The word for every quantity."""


def quantity_names(words: Sequence[str]) -> tuple[str, ...]:
    """The quantities that some words stand for: their names, groups of them, or `ALL`; `DEFAULT` without words.

    ValueError for an unknown word.
    """
    if unknown := [word for word in words if word not in (*QUANTITIES, *QuantityGroup, ALL)]:
        known = (*QuantityGroup, ALL)
        meant = did_you_mean(unknown[0], (*QUANTITIES, *known))
        raise ValueError(f"unknown quantity '{unknown[0]}'{meant}: use one of {', '.join(QUANTITIES)}, or {', '.join(known)}")
    if not words:
        return DEFAULT
    chosen = [row.name for word in words for row in QUANTITIES.values() if word in (row.name, row.group, ALL)]
    return tuple(dict.fromkeys(chosen))


def takes_part(names: Iterable[str], part: str) -> bool:
    """Whether one of the quantities depends on a part of a state."""
    return any(part in QUANTITIES[name].arguments for name in names)


def names_of_group(group: QuantityGroup) -> tuple[str, ...]:
    """The quantities of a group."""
    return tuple(name for name, quantity in QUANTITIES.items() if quantity.group is group)


def default_quantities(spec: RobotSpec) -> tuple[str, ...]:
    """The quantities of a comparison of this robot that names none: with closed loops or coupled joints, theirs too."""
    return (*DEFAULT, *(names_of_group(QuantityGroup.CONSTRAINTS) if spec.loops or spec.couplings else ()))


def answer_shape(name: str, spec: RobotSpec) -> tuple[int, ...]:
    """Shape of a canonical quantity of one state."""
    shape = QUANTITIES[name].shape
    return shape(sizes(spec)) if shape else ()


def sizes(spec: RobotSpec) -> Sizes:
    """Sizes of one robot: dof (rotors not counted), computed contact points, and rows of its closed loops and coupled joints."""
    points = sum(p.computed for p in spec.contact_points)
    constraints = sum(ROWS[loop.type] for loop in spec.loops) + len(spec.couplings)
    return Sizes(spec.nv, points, constraints, len(spec.bodies), sum(body.rotor is not None for body in spec.bodies))
