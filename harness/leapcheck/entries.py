"""Names and units of the entries of a quantity: what a row of a table calls them."""

from __future__ import annotations

from leapcheck.quantities import QUANTITIES, Axis
from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.spec import JointType, LoopType, RobotSpec
from leapcheck_reference.regressors import PARAMETERS

AXES = ("x", "y", "z")
PARAMETER_ORDERS = (0, 1, 1, 1, 2, 2, 2, 2, 2, 2)
"""Powers of length in each of a body's inertial parameters."""
TEN = ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz", "m dx", "m dy", "m dz", "m")


def dof_names(spec: RobotSpec, base: tuple[str, str] = ("w", "v")) -> tuple[str, ...]:
    """Name of each dof: the joint's, and for a base or ball the axis, as in "trunk w_x".

    `base` is the order of a base's angular and linear part: canonical ("w", "v"), MuJoCo's ("v", "w").
    """
    names: list[str] = []
    for body in spec.bodies:
        match body.joint.type:
            case JointType.FREE:
                names += [f"{body.name} {part}_{axis}" for part in base for axis in AXES]
            case JointType.BALL:
                names += [f"{body.joint.name} w_{axis}" for axis in AXES]
            case JointType.REVOLUTE | JointType.PRISMATIC:
                names.append(body.joint.name)
    return tuple(names)


def mujoco_dof_names(spec: RobotSpec) -> tuple[str, ...]:
    """Name of each dof in MuJoCo's coordinates, rotors as bodies."""
    return dof_names(with_rotor_bodies(spec).spec, base=("v", "w"))


def entry_name(spec: RobotSpec, quantity: str, place: tuple[int, ...]) -> str:
    """Words for one entry of a quantity, e.g. "FR_hip_joint, trunk w_x" for an entry of M."""
    axes = QUANTITIES[quantity].axes
    if axes is None:
        return _storage_entry_name(spec, quantity, place)
    words: list[str] = []
    for i, (axis, number) in enumerate(zip(axes, place, strict=True)):
        word = axis_names(spec, axis)[number]
        if i and axis is Axis.SPACE:  # a component of what stands before it
            words[-1] += f" {word}"
        else:
            words.append(word)
    return ", ".join(words) or quantity


def axis_names(spec: RobotSpec, axis: Axis) -> tuple[str, ...]:
    """Names of the entries along an axis."""
    match axis:
        case Axis.FORCE | Axis.MOTION:
            return dof_names(spec)
        case Axis.POINT:
            return _points(spec)
        case Axis.POINT_ROW:
            return tuple(f"{point} {letter}" for point in _points(spec) for letter in AXES)
        case Axis.SPACE:
            return AXES
        case Axis.WRENCH | Axis.TWIST:
            return tuple(f"{part} {letter}" for part in ("angular", "linear") for letter in AXES)
        case Axis.CONSTRAINT:
            return constraint_names(spec)
        case Axis.FRAME:
            return (*(body.name for body in spec.bodies), *(f"point {name}" for name in _points(spec)))
        case Axis.PARAMETER:
            rotors = (body.rotor.name for body in spec.bodies if body.rotor)
            return tuple(f"{body} {name}" for body in (*(body.name for body in spec.bodies), *rotors) for name in PARAMETERS)
        case Axis.POSE:
            return (*(f"of its {letter} axis" for letter in AXES), "of its origin")


def constraint_names(spec: RobotSpec) -> tuple[str, ...]:
    """Name of each row of the closed loops and coupled joints: the loop's and the axis, as in "left_rod x"."""
    names: list[str] = []
    for loop in spec.loops:
        names += [f"{loop.name} w_{axis}" for axis in AXES] if loop.type is LoopType.WELD else []
        names += [f"{loop.name} {axis}" for axis in AXES]
    return (*names, *(coupling.name for coupling in spec.couplings))


def _angular_rows(spec: RobotSpec) -> list[bool]:
    """Whether each of these rows is an angular velocity."""
    turning = {b.joint.name for b in spec.bodies if b.joint.type is JointType.REVOLUTE}
    welds = [loop.type is LoopType.WELD for loop in spec.loops]
    rows = [angular for weld in welds for angular in ([True] * 3 if weld else []) + [False] * 3]
    return rows + [coupling.joint in turning for coupling in spec.couplings]


def _points(spec: RobotSpec) -> tuple[str, ...]:
    return tuple(point.name for point in spec.contact_points if point.computed)


def _storage_entry_name(spec: RobotSpec, quantity: str, place: tuple[int, ...]) -> str:
    """Words for one entry of MuJoCo's own storage."""
    match quantity:
        case "cinert" | "crb":
            return f"{with_rotor_bodies(spec).spec.bodies[place[0]].name} {TEN[place[1]]}"
        case "cdof":
            part, axis = divmod(place[1], 3)
            return f"{mujoco_dof_names(spec)[place[0]]}, {('rotation', 'translation')[part]} {AXES[axis]}"
    return f"{quantity}[{place[0]}]"


def entry_unit(spec: RobotSpec, quantity: str, place: tuple[int, ...]) -> str:
    """SI unit of one entry: which of the quantity's depends on the dofs that slide and the rows that are forces.

    MuJoCo's own storage has all of its units.
    """
    row = QUANTITIES[quantity]
    if row.axes is None:
        return row.unit
    units, number = row.unit.split(", "), 0
    for axis, i in zip(row.axes, place, strict=True):
        match axis:
            case Axis.FORCE:
                number += not _turning(spec)[i]
            case Axis.MOTION:
                number -= not _turning(spec)[i]
            case Axis.WRENCH:
                number += i >= 3
            case Axis.TWIST | Axis.POSE:
                number -= i >= 3
            case Axis.PARAMETER:
                number += PARAMETER_ORDERS[i % len(PARAMETER_ORDERS)]
            case Axis.CONSTRAINT:
                number += _angular_rows(spec)[i]
    return units[number]


def _turning(spec: RobotSpec) -> list[bool]:
    turning: list[bool] = []
    for body in spec.bodies:
        match body.joint.type:
            case JointType.FREE:
                turning += [True] * 3 + [False] * 3
            case JointType.BALL:
                turning += [True] * 3
            case JointType.REVOLUTE:
                turning.append(True)
            case JointType.PRISMATIC:
                turning.append(False)
    return turning
