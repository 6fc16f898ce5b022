"""Two single rigid bodies with closed-form inertias: a box and a falling rod."""

from dataclasses import replace

from leapcheck_models.spec import (
    Inertia,
    Joint,
    JointType,
    Pose,
    RobotSpec,
    Shape,
    add_body,
    add_box_contact_points,
    add_contact_point,
)

SOURCE = "this project's choice: a homogeneous solid of round size and mass"

BOX_SIZE, BOX_MASS = (0.3, 0.2, 0.1), 3.0  # m, kg
ROD_LENGTH, ROD_RADIUS, ROD_MASS = 1.0, 0.02, 0.5  # m, m, kg


def box() -> RobotSpec:
    """Homogeneous free box, I = m/12 diag(b^2 + c^2, c^2 + a^2, a^2 + b^2), with its 8 corners as contact points."""
    a, b, c = BOX_SIZE
    k = BOX_MASS / 12
    inertia = Inertia(BOX_MASS, rotational=(k * (b * b + c * c), 0.0, 0.0, k * (c * c + a * a), 0.0, k * (a * a + b * b)))
    spec = RobotSpec("box", source=SOURCE, description="homogeneous free box with its 8 corners")
    shape = Shape("box", BOX_SIZE, collides=True)
    spec = add_body(spec, "box", joint=Joint("box_joint", JointType.FREE), inertia=inertia, shapes=(shape,), source=SOURCE)
    spec = add_box_contact_points(spec, "box", BOX_SIZE)
    return replace(spec, poses=(Pose("home", (0.0, 0.0, c / 2, 1.0, 0.0, 0.0, 0.0)),))


def falling_rod() -> RobotSpec:
    """Homogeneous free cylinder along z, m (3 r^2 + l^2)/12 across and m r^2/2 along, with its two end points.

    In pose home it stands upright on its lower end; in pose tilted it leans by 2 atan2(0.6, 0.8) = 73.7 deg about y.
    """
    axial = ROD_MASS * ROD_RADIUS * ROD_RADIUS / 2
    across = ROD_MASS * (3 * ROD_RADIUS * ROD_RADIUS + ROD_LENGTH * ROD_LENGTH) / 12
    inertia = Inertia(ROD_MASS, rotational=(across, 0.0, 0.0, across, 0.0, axial))
    spec = RobotSpec("falling_rod", source=SOURCE, description="homogeneous free thin rod with its two ends")
    shape = Shape("cylinder", (ROD_RADIUS, ROD_LENGTH), collides=True)
    spec = add_body(spec, "rod", joint=Joint("rod_joint", JointType.FREE), inertia=inertia, shapes=(shape,), source=SOURCE)
    for name, z in (("lower_end", -ROD_LENGTH / 2), ("upper_end", ROD_LENGTH / 2)):
        spec = add_contact_point(spec, name, "rod", (0.0, 0.0, z))
    home = (0.0, 0.0, ROD_LENGTH / 2, 1.0, 0.0, 0.0, 0.0)
    return replace(spec, poses=(Pose("home", home), Pose("tilted", (0.0, 0.0, 1.0, 0.8, 0.0, 0.6, 0.0))))
