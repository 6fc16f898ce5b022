"""Planar arm with two revolute joints in a vertical plane: the example of the dynamics lesson (S3), after J. Craig.

Craig's angles are counted from the x axis, the second one relative to the first link, with gravity along -y. Here z is
up (REP-103), so the arm moves in the x-z plane: his y is our z, and the joint axes are -y, which turns x towards z. His
closed forms hold as printed in (q1, q2); the tip stands at (l1 c1 + l2 c12, 0, l1 s1 + l2 s12).
"""

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

SOURCE = "this project's choice: round figures of two slender links"

L1, L2 = 0.5, 0.4  # lengths, m
LG1, LG2 = 0.25, 0.2  # com from the own joint, m
M1, M2 = 2.0, 1.0  # masses, kg
I1, I2 = 0.04, 0.015  # about the com, across the link (round figures near m l^2 / 12), kg m^2
AXIAL = 4e-4  # about the link's own length, kg m^2: plays no part in the plane

AXIS = (0.0, -1.0, 0.0)
ALONG_X = (0.7071067811865476, 0.0, 0.7071067811865476, 0.0)  # turns z to x: shapes lie along z


def two_link_arm() -> RobotSpec:
    """Arm of 2 dof on a fixed base, the links along their own x axes, a contact point at the tip."""
    spec = RobotSpec("two_link_arm", source=SOURCE, description="planar two-link arm of the dynamics lesson (S3)")
    for name, joint, parent, place, mass, com, across, length in (
        ("upper_arm", "shoulder", "world", 0.0, M1, LG1, I1, L1),
        ("forearm", "elbow", "upper_arm", L1, M2, LG2, I2, L2),
    ):
        spec = add_body(
            spec,
            name,
            parent=parent,
            joint=Joint(joint, JointType.REVOLUTE, AXIS),
            placement=Placement((place, 0.0, 0.0)),
            inertia=Inertia(mass, (com, 0.0, 0.0), (AXIAL, 0.0, 0.0, across, 0.0, across), source=SOURCE),
            shapes=(Shape("capsule", (0.02, length), Placement((length / 2, 0.0, 0.0), ALONG_X)),),
            source=SOURCE,
        )
    spec = add_contact_point(spec, "tip", "forearm", (L2, 0.0, 0.0))
    return replace(spec, poses=(Pose("home", (0.5, 0.8)), Pose("zero", (0.0, 0.0))))
