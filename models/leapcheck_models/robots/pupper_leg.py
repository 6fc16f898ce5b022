"""The three-joint leg of the jump text (S1): roll, pitch, pitch; the front right one, its base held fast.

Lengths, masses, com and moment of inertia are those of the author's program, in SI units (the program computes in kg, mm
and N, which is why its times are wrong). The world frame is the robot's body frame: x forward, y left, z up.
"""

import math
from dataclasses import replace

from leapcheck_models.spec import (
    Inertia,
    Joint,
    JointType,
    Placement,
    Pose,
    RobotSpec,
    Shape,
    add_body,
    add_contact_point,
)

SOURCE = "author's program of the jump text (S1)"

GRAVITY = (0.0, 0.0, -9.8)  # m/s^2, the program's figure
HIP_ORIGIN = (0.05475, -0.03625, 0.0)  # roll joint in the body frame, m
HIP_OFFSET = (0.0, -0.039, 0.0)  # first pitch joint in the roll link, m
LENGTH = 0.06  # of thigh and shank, m
LINK_MASS = 0.05  # kg
LINK_COM = (0.0, 0.0, -0.03)  # m
ACROSS = 1.5e-5  # m l^2 / 12 of a thin rod, kg m^2

# Not in the program, which moves in the plane of the leg: this project's choice, so that every link has an inertia.
RADIUS = 0.005  # of the rods: their axial moment is m r^2 / 2
AXIAL = 6.25e-7  # kg m^2
ROLL_COM = (0.0, -0.0195, 0.0)  # the roll link is a rod of the same mass along the hip offset
ROLL_ACROSS = 6.3375e-6  # m l^2 / 12 with l = 0.039 m, kg m^2
ROLL_SOURCE = "this project's choice: a rod of a link's mass along the hip offset; the author's program gives it none"

FIRST_POSE = (0.0, math.radians(75.0), math.radians(-150.0))


def pupper_leg() -> RobotSpec:
    """Leg of 3 dof on a fixed base: roll about x, two pitches about y, foot 60 mm below the second.

    At q = 0 the leg hangs straight down; a positive pitch swings the foot backward (rotation about +y).
    No actuators: the ratings of the servo (KRS-3302 class) are the user's input.
    """
    x, y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    spec = RobotSpec(
        "pupper_leg", gravity=GRAVITY, source=SOURCE, description="three-joint leg of the jump text (S1), base fixed"
    )
    spec = add_body(
        spec,
        "hip",
        joint=Joint("roll", JointType.REVOLUTE, x),
        placement=Placement(HIP_ORIGIN),
        inertia=Inertia(LINK_MASS, ROLL_COM, (ROLL_ACROSS, 0.0, 0.0, AXIAL, 0.0, ROLL_ACROSS), source=ROLL_SOURCE),
        source=SOURCE,
    )
    rod = Inertia(LINK_MASS, LINK_COM, (ACROSS, 0.0, 0.0, ACROSS, 0.0, AXIAL), source=SOURCE)
    shape = Shape("capsule", (RADIUS, LENGTH), Placement(LINK_COM))
    for name, joint, parent, place in (
        ("thigh", "pitch_1", "hip", HIP_OFFSET),
        ("shank", "pitch_2", "thigh", (0.0, 0.0, -LENGTH)),
    ):
        spec = add_body(
            spec,
            name,
            parent=parent,
            joint=Joint(joint, JointType.REVOLUTE, y),
            placement=Placement(place),
            inertia=rod,
            shapes=(shape,),
            source=SOURCE,
        )
    spec = add_contact_point(spec, "foot", "shank", (0.0, 0.0, -LENGTH), is_foot=True)
    return replace(spec, poses=(Pose("home", FIRST_POSE), Pose("zero", (0.0, 0.0, 0.0))))
