"""The elements of a tree: links with their joints, geared rotors and contact points, as arrays of one scalar type."""

from dataclasses import dataclass

from leapcheck_models.arrays import Array
from leapcheck_models.spec import JointType, LoopType
from leapcheck_reference.scalar import Scalar
from leapcheck_reference.spatial import RigidInertia, Transform


@dataclass(frozen=True, slots=True)
class TreeRotor:
    """Geared rotor on the parent of its joint: `S` (6, 1) = gear ratio x spin axis, so that its velocity is X V_parent + S qd.

    `spins` is False for a rotor that looks the same at every angle (symmetric about its axis, com on it): then its frame
    may stay unturned, and nothing depends on the angle.
    """

    name: str
    gear_ratio: Scalar
    placement: Transform
    axis: Array
    S: Array
    inertia: RigidInertia
    spins: bool


@dataclass(frozen=True, slots=True)
class Link:
    """Link and the joint that carries it. `S` (6, k) is the constant motion subspace in link axes.

    From `damping` on the joint's passive forces: as in the spec.
    """

    name: str
    parent: int
    type: JointType
    placement: Transform
    axis: Array
    S: Array
    inertia: RigidInertia
    q: slice
    v: slice
    armature: Scalar
    rotor: TreeRotor | None
    damping: Scalar
    friction: Scalar
    stiffness: Scalar
    springref: Scalar


@dataclass(frozen=True, slots=True)
class Point:
    """Contact point at `position` (3,) on link number `link`, link axes."""

    name: str
    link: int
    position: Array


@dataclass(frozen=True, slots=True)
class TreeLoop:
    """A point of one link and one of another, link -1 for the world, that coincide when the loop is closed."""

    type: LoopType
    point1: Point
    point2: Point


@dataclass(frozen=True, slots=True)
class JointPlaces:
    """Where a joint of one degree of freedom stands in q and in v."""

    q: int
    v: int


@dataclass(frozen=True, slots=True)
class TreeLaw:
    """A control law at a joint: as in the spec."""

    joint: JointPlaces
    gear: Scalar
    gain: Scalar
    bias: tuple[Scalar, Scalar, Scalar]
    control_limits: tuple[Scalar, Scalar] | None
    force_limits: tuple[Scalar, Scalar] | None


@dataclass(frozen=True, slots=True)
class TreeCoupling:
    """q of the joint with this dof is a polynomial of that of its leader; without a leader it is constant."""

    dof: int
    leader: JointPlaces | None
    coefficients: tuple[Scalar, ...]
