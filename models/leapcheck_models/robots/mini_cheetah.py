"""MIT Mini Cheetah, with its rotors as geared bodies.

Figures of MIT's Cheetah-Software (MIT licence), commit c71c5a1 of 2019-11-21, `common/include/Dynamics/MiniCheetah.h`
and `Quadruped.cpp`. The hip link's inertia misses the triangle inequality (see `HIP`); it is kept as published.
"""

import dataclasses
import math

from leapcheck_models.rotors import with_lumped_rotors
from leapcheck_models.spec import (
    Actuator,
    Inertia,
    Joint,
    JointType,
    Motor,
    Placement,
    Pose,
    RobotSpec,
    Rotor,
    Shape,
    Symmetric3,
    Vector3,
    add_body,
    add_box_contact_points,
    add_contact_point,
)

SOURCE = "MIT Cheetah-Software c71c5a1, MiniCheetah.h"

TRUNK_SIZE = (0.38, 0.098, 0.10)
FOOT_RADIUS = 0.02  # Mini Cheetah's ball foot as simulated by Cheetah-Software's users; not part of its dynamics
LEGS = (("FR", 1, -1), ("FL", 1, 1), ("HR", -1, -1), ("HL", -1, 1))  # name, sign of x (front), sign of y (left)

STAND = (0.0, -0.8, 1.6)
FOLD = (0.0, -1.4, 2.7)
THIGH, SHANK = 0.209, 0.195  # lengths, m

TURNED = (0.0, 0.0, 0.0, 1.0)  # the hip frame is turned by pi about z relative to the abad frame

# Rotational inertias of left links about their com, link axes: matrix entries (xx, xy, xz, yy, yz, zz), kg m^2.
TRUNK = (11253e-6, 0.0, 0.0, 36203e-6, 0.0, 42673e-6)
ABAD = (381e-6, 58e-6, 0.45e-6, 560e-6, 0.95e-6, 444e-6)
HIP = (1983e-6, 245e-6, 13e-6, 2103e-6, 1.5e-6, 408e-6)
KNEE = (245e-6, 0.0, 0.0, 248e-6, 0.0, 6e-6)

# The nearest realisable inertia (Frobenius norm, rounded to 1e-8 kg m^2) for formats that refuse the published one.
HIP_NEAREST = (1.99065e-3, 2.1373e-4, 1.281e-5, 2.09535e-3, 1.25e-6, 4.4019e-4)
HIP_SOURCE = SOURCE + ": published so; its triangle inequality fails by 9.66e-5 kg m^2 (RobotLocomotion/drake#16058)"
ROTOR_MASS, ROTOR_ACROSS, ROTOR_AXIAL = 0.055, 33e-6, 63e-6

TORQUE_CONSTANT, RESISTANCE, VOLTAGE, MOTOR_TORQUE_LIMIT = 0.05, 0.173, 24.0, 3.0  # N m/A, ohm, V, N m at the motor
JOINTS = (  # name, gear ratio, no-load speed at the joint (rad/s), soft stops of Cheetah-Software (rad)
    ("abad", 6.0, 40.0, (-1.5, 1.5)),
    ("hip", 6.0, 40.0, (-5.0, 5.0)),
    ("knee", 9.33, 25.72, None),
)
JOINT_DAMPING, JOINT_FRICTION = 0.01, 0.2  # N m s/rad and N m, Cheetah-Software's ActuatorModel


def mini_cheetah() -> RobotSpec:
    """The robot with exact rotors: 13 links, 12 rotors, 18 dof, 16 contact points; legs FR, FL, HR, HL."""
    spec = RobotSpec("mini_cheetah", source=SOURCE, description="MIT Mini Cheetah, rotors as geared bodies")
    spec = add_body(
        spec,
        "trunk",
        joint=Joint("trunk_joint", JointType.FREE),
        inertia=Inertia(3.3, (0.0, 0.0, 0.0), TRUNK),
        shapes=(Shape("box", TRUNK_SIZE, collides=True),),
        source=SOURCE,
    )
    spec = add_box_contact_points(spec, "trunk", TRUNK_SIZE)
    for leg, front, left in LEGS:
        spec = _add_leg(spec, leg, front, left)
    return dataclasses.replace(spec, actuators=_actuators(), poses=_poses())


def _add_leg(spec: RobotSpec, leg: str, front: int, left: int) -> RobotSpec:
    """The spec with one leg more: abad, hip, knee, and the contact points at the knee and at the foot."""
    abad, hip, knee = f"{leg}_abad", f"{leg}_hip", f"{leg}_knee"
    x, y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    spec = add_body(
        spec,
        abad,
        parent="trunk",
        joint=_joint(leg, 0, x),
        placement=Placement((front * 0.19, left * 0.049, 0.0)),
        inertia=_mirror(Inertia(0.54, (0.0, 0.036, 0.0), ABAD), left),
        rotor=_rotor(leg, 0, x, Placement((front * 0.125, left * 0.049, 0.0))),
        source=SOURCE,
    )
    spec = add_body(
        spec,
        hip,
        parent=abad,
        joint=_joint(leg, 1, y),
        placement=Placement((0.0, left * 0.062, 0.0), TURNED),
        inertia=_mirror(Inertia(0.634, (0.0, 0.016, -0.02), HIP, realisable=False, nearest=HIP_NEAREST, source=HIP_SOURCE), left),
        rotor=_rotor(leg, 1, y, Placement((0.0, left * 0.04, 0.0), TURNED)),
        shapes=(Shape("capsule", (0.015, THIGH), Placement((0.0, 0.0, -THIGH / 2))),),
        source=SOURCE,
    )
    spec = add_body(
        spec,
        knee,
        parent=hip,
        joint=_joint(leg, 2, y),
        placement=Placement((0.0, 0.0, -THIGH)),
        inertia=_mirror(Inertia(0.064, (0.0, 0.0, -0.061), KNEE), left),
        rotor=_rotor(leg, 2, y, Placement()),
        shapes=(Shape("capsule", (0.01, SHANK), Placement((0.0, 0.0, -SHANK / 2))),),
        source=SOURCE,
    )
    spec = add_contact_point(spec, f"{leg}_knee_point", hip, (0.0, 0.0, -THIGH))
    foot = (0.0, -0.004 * left, -SHANK)
    return add_contact_point(spec, f"{leg}_foot", knee, foot, is_foot=True, radius=FOOT_RADIUS)


def _joint(leg: str, place: int, axis: Vector3) -> Joint:
    name, _, _, limits = JOINTS[place]
    joint = f"{leg}_{name}_joint"
    return Joint(joint, JointType.REVOLUTE, axis, limits, damping=JOINT_DAMPING, friction=JOINT_FRICTION)


def _rotor(leg: str, place: int, axis: Vector3, placement: Placement) -> Rotor:
    """Rotor on the joint's parent, symmetric about its spin axis, its com on the axis."""
    name, gear_ratio, _, _ = JOINTS[place]
    xx, yy, zz = (ROTOR_AXIAL if along else ROTOR_ACROSS for along in axis)
    inertia = Inertia(ROTOR_MASS, (0.0, 0.0, 0.0), (xx, 0.0, 0.0, yy, 0.0, zz))
    return Rotor(f"{leg}_{name}_rotor", gear_ratio, inertia, placement, axis)


def _mirror(inertia: Inertia, left: int) -> Inertia:
    """The published inertia for a left leg, mirrored across the link's own x-z plane for a right one."""
    if left > 0:
        return inertia
    x, y, z = inertia.com
    nearest = None if inertia.nearest is None else mirrored_entries(inertia.nearest)
    return dataclasses.replace(inertia, com=(x, -y, z), rotational=mirrored_entries(inertia.rotational), nearest=nearest)


def mirrored_entries(entries: Symmetric3) -> Symmetric3:
    """Rotational inertia (xx, xy, xz, yy, yz, zz) mirrored across the x-z plane: xy and yz change sign."""
    xx, xy, xz, yy, yz, zz = entries
    return (xx, -xy, xz, yy, -yz, zz)


def _actuators() -> tuple[Actuator, ...]:
    return tuple(
        Actuator(
            f"{leg}_{name}",
            f"{leg}_{name}_joint",
            torque_limit=gear_ratio * MOTOR_TORQUE_LIMIT,
            speed_limit=speed,
            motor=Motor(gear_ratio, TORQUE_CONSTANT, RESISTANCE, VOLTAGE, MOTOR_TORQUE_LIMIT),
            source="MIT Cheetah-Software c71c5a1, ActuatorModel.h and MiniCheetah.h",
        )
        for leg, _, _ in LEGS
        for name, gear_ratio, speed, _ in JOINTS
    )


def _poses() -> tuple[Pose, ...]:
    """home (stand) and fold with the feet on the ground, and all joints at zero."""
    return tuple(
        Pose(name, (0.0, 0.0, _foot_depth(leg) + FOOT_RADIUS, 1.0, 0.0, 0.0, 0.0, *leg, *leg, *leg, *leg))
        for name, leg in (("home", STAND), ("fold", FOLD), ("zero", (0.0, 0.0, 0.0)))
    )


def _foot_depth(leg: Vector3) -> float:
    """Depth of the foot's centre below the trunk's origin (m) with the abad at zero."""
    _, hip, knee = leg
    return THIGH * math.cos(hip) + SHANK * math.cos(hip + knee)


# The nearest realisable inertia (Frobenius norm, rounded to 1e-8 kg m^2) of a left hip link with the
# knee's rotor rigid on it: the sum of the published figures misses the triangle inequality by 5.535e-5 kg m^2.
LUMPED_HIP_NEAREST = (2.05417e-3, 2.2723e-4, 1.274e-5, 2.18128e-3, 1.736e-5, 4.7240e-4)


def mini_cheetah_armature() -> RobotSpec:
    """The armature approximation of `mini_cheetah()`: 13 links, 18 dof, armature gear_ratio^2 x 63e-6 kg m^2."""
    spec = with_lumped_rotors(mini_cheetah(), "mini_cheetah_armature")
    nearest = {f"{leg}_hip": LUMPED_HIP_NEAREST if left > 0 else mirrored_entries(LUMPED_HIP_NEAREST) for leg, _, left in LEGS}
    bodies = tuple(
        dataclasses.replace(b, inertia=dataclasses.replace(b.inertia, nearest=nearest[b.name])) if b.name in nearest else b
        for b in spec.bodies
    )
    description = "MIT Mini Cheetah, rotors lumped into the links and their spin as armature"
    return dataclasses.replace(spec, bodies=bodies, description=description)
