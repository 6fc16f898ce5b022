"""The elements of a robot as frozen records: joints, inertias, links, rotors, contact points, actuators, poses.

Units are SI. Frames: every link has a frame at its joint; `Placement` says where that frame stands in the parent's
frame when the joint is at zero; joint axes, coms and inertias are in link axes.
"""

from dataclasses import dataclass
from enum import StrEnum

Vector3 = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Symmetric3 = tuple[float, float, float, float, float, float]

WORLD = "world"


class JointType(StrEnum):
    """Kinds of joint; the canonical coordinates of each are listed in `CONFIGURATION_SIZE` and `VELOCITY_SIZE`."""

    FREE = "free"
    REVOLUTE = "revolute"
    PRISMATIC = "prismatic"
    BALL = "ball"
    FIXED = "fixed"


CONFIGURATION_SIZE = {
    JointType.FREE: 7,
    JointType.REVOLUTE: 1,
    JointType.PRISMATIC: 1,
    JointType.BALL: 4,
    JointType.FIXED: 0,
}
VELOCITY_SIZE = {
    JointType.FREE: 6,
    JointType.REVOLUTE: 1,
    JointType.PRISMATIC: 1,
    JointType.BALL: 3,
    JointType.FIXED: 0,
}
ONE_DOF = (JointType.REVOLUTE, JointType.PRISMATIC)


@dataclass(frozen=True, slots=True)
class Placement:
    """Pose of frame B in frame A: origin `p_AB` (m) and unit quaternion wxyz of `R_AB` (B to A)."""

    p: Vector3 = (0.0, 0.0, 0.0)
    quaternion: Quaternion = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Inertia:
    """Mass (kg), com (m) and rotational inertia about the com (kg m^2), all in the link's axes.

    `rotational` holds matrix entries (xx, xy, xz, yy, yz, zz): off-diagonals are not negated products of inertia.
    An inertia that no physical body has (triangle inequality) must say so with `realisable=False`, give its `source`,
    and carry the `nearest` realisable one, as literals, for file formats that refuse the true one.
    """

    mass: float
    com: Vector3 = (0.0, 0.0, 0.0)
    rotational: Symmetric3 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    realisable: bool = True
    nearest: Symmetric3 | None = None
    source: str = ""


@dataclass(frozen=True, slots=True)
class Joint:
    """Joint between a body and its parent; `axis` is a unit vector in link axes (revolute and prismatic only).

    `armature` is a reflected rotor inertia added to the joint's diagonal of M (kg m^2, or kg for prismatic); a ball joint's
    acts on its angular velocity, a free joint's, as in MuJoCo, on that and on the linear velocity in world axes. `damping`
    (N m s/rad), `friction` (N m) and `stiffness` (N m/rad) are passive: -damping v, dry friction of at most so much, and a spring
    -stiffness (q - springref), `springref` in rad; of slides N s/m, N, N/m and m. They are no part of M or of the bias force.
    """

    name: str
    type: JointType
    axis: Vector3 | None = None
    limits: tuple[float, float] | None = None
    armature: float = 0.0
    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    springref: float = 0.0


@dataclass(frozen=True, slots=True)
class Rotor:
    """Geared rotor of a joint: a body on the joint's *parent* link, turned by `gear_ratio` times the joint coordinate.

    `placement` is the rotor frame (at angle zero) in the parent's frame, `axis` the unit spin axis in rotor axes.
    The gear ratio is in rad/rad for a revolute joint and rad/m for a prismatic one.
    """

    name: str
    gear_ratio: float
    inertia: Inertia
    placement: Placement = Placement()
    axis: Vector3 = (0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Shape:
    """Geometry for pictures and contact, in link axes.

    `size` in m: box (full lengths x, y, z); sphere (radius,); capsule and cylinder (radius, length) along z.
    """

    kind: str
    size: tuple[float, ...]
    placement: Placement = Placement()
    collides: bool = False


@dataclass(frozen=True, slots=True)
class Body:
    """Link with the joint that carries it, its inertia and, where geared, the rotor of that joint."""

    name: str
    joint: Joint
    inertia: Inertia
    parent: str = WORLD
    placement: Placement = Placement()
    rotor: Rotor | None = None
    shapes: tuple[Shape, ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True)
class ContactPoint:
    """Point fixed on a body at `position` (m, link axes); `radius` > 0 where a sphere foot stands there.

    Points with `computed=False` are kept in the spec but left out of contact quantities.
    """

    name: str
    body: str
    position: Vector3
    is_foot: bool = False
    computed: bool = True
    radius: float = 0.0


@dataclass(frozen=True, slots=True)
class Motor:
    """Electric motor behind a gear: figures at the rotor (SI), per Cheetah-Software's actuator model."""

    gear_ratio: float
    torque_constant: float
    resistance: float
    voltage: float
    torque_limit: float


@dataclass(frozen=True, slots=True)
class Actuator:
    """Drive of one joint: largest torque (N m, or N) and no-load speed (rad/s, or m/s), both at the joint."""

    name: str
    joint: str
    torque_limit: float
    speed_limit: float | None = None
    motor: Motor | None = None
    source: str = ""


@dataclass(frozen=True, slots=True)
class ControlLaw:
    """From a command u, which has whatever unit the file gives it, to the force of a joint: gear f, N m or N, at the joint, with

        f = clip(gain clip(u, control_limits) + b_0 + b_1 gear q + b_2 gear qd, force_limits), (b_0, b_1, b_2) = bias.

    A motor has gain 1, a position servo bias (0, -kp, -kv), a DC motor on a voltage gain K/R and b_2 = -K^2/R. None: no limits.
    """

    name: str
    joint: str
    gear: float = 1.0
    gain: float = 1.0
    bias: Vector3 = (0.0, 0.0, 0.0)
    control_limits: tuple[float, float] | None = None
    force_limits: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Pose:
    """Named configuration q in the canonical convention."""

    name: str
    q: tuple[float, ...]


class LoopType(StrEnum):
    """Kinds of closed loops: two points that coincide, or two bodies that are rigid with each other there."""

    CONNECT = "connect"
    WELD = "weld"


@dataclass(frozen=True, slots=True)
class Loop:
    """What closes a kinematic loop: a point of `body1` and one of `body2` (m, link axes) that coincide when it is closed.

    Either body may be the world. A weld keeps the bodies' relative orientation too, whatever it is. The tree does not know it:
    M and h are those of the open tree, and states need not close the loop.
    """

    name: str
    type: LoopType
    body1: str
    point1: Vector3
    body2: str
    point2: Vector3


@dataclass(frozen=True, slots=True)
class Coupling:
    """Constraint between two joints of one degree of freedom: q of `joint` = c_0 + c_1 x + c_2 x^2 + ..., x = q of `leader`.

    Without a leader ("") the joint is held at c_0.
    """

    name: str
    joint: str
    leader: str
    coefficients: tuple[float, ...]
