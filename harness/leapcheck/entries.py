"""Names and units of the entries of a quantity: what a row of a table calls them."""

from __future__ import annotations

from leapcheck.quantities import QUANTITIES
from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.spec import JointType, RobotSpec

AXES = ("x", "y", "z")
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
    dofs = dof_names(spec)
    points = [point.name for point in spec.contact_points if point.computed]
    match quantity:
        case "mass_matrix":
            return f"{dofs[place[0]]}, {dofs[place[1]]}"
        case "bias_force" | "gravity_force" | "coriolis_force" | "forward_dynamics":
            return dofs[place[0]]
        case "contact_positions" | "contact_velocities" | "contact_bias_accelerations":
            return f"{points[place[0]]} {AXES[place[1]]}"
        case "contact_jacobians":
            return f"{points[place[0]]} {AXES[place[1]]}, {dofs[place[2]]}"
        case "contact_inertia":
            (i, a), (j, b) = divmod(place[0], 3), divmod(place[1], 3)
            return f"{points[i]} {AXES[a]}, {points[j]} {AXES[b]}"
        case "cinert" | "crb":
            return f"{with_rotor_bodies(spec).spec.bodies[place[0]].name} {TEN[place[1]]}"
        case "cdof":
            part, axis = divmod(place[1], 3)
            return f"{mujoco_dof_names(spec)[place[0]]}, {('rotation', 'translation')[part]} {AXES[axis]}"
        case "qM" | "csr":
            return f"{quantity}[{place[0]}]"
    return quantity


def entry_unit(spec: RobotSpec, quantity: str, place: tuple[int, ...]) -> str:
    """SI unit of one entry; for entries of M, forces and accelerations it depends on whether a dof turns or slides."""
    turns = _turning(spec)
    match quantity:
        case "mass_matrix":
            return ("kg", "kg m", "kg m^2")[turns[place[0]] + turns[place[1]]]
        case "bias_force" | "gravity_force" | "coriolis_force":
            return ("N", "N m")[turns[place[0]]]
        case "forward_dynamics":
            return ("m/s^2", "rad/s^2")[turns[place[0]]]
        case "contact_jacobians":
            return ("1", "m")[turns[place[2]]]
    return QUANTITIES[quantity].unit


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
