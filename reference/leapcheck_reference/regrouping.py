"""Inertia moved rootwards: what a joint's motion leaves unchanged may as well belong to the parent.

The equations of motion do not notice, and the algorithms meet zeros instead of numbers: a link on a revolute joint is
left without mass and without a first moment along its axis. These are the base inertial parameters of robot
identification (Gautier and Khalil, Direct calculation of minimum set of inertial parameters of serial robots, 1990;
Khalil and Dombre, Modeling, Identification and Control of Robots, section 9.4).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_models.spec import JointType
from leapcheck_reference.links import Link
from leapcheck_reference.rotation import cross, skew
from leapcheck_reference.spatial import RigidInertia, inertia_to_parent


@dataclass(frozen=True, slots=True)
class RegroupedInertias:
    """What is left to each link and rotor (None where a joint has none), in its own axes, after all was moved rootwards.

    They are no bodies: their masses may be zero and their rotational inertias indefinite.
    """

    links: tuple[RigidInertia, ...]
    rotors: tuple[RigidInertia | None, ...]


def regroup(links: Sequence[Link]) -> RegroupedInertias:
    """The inertias of a tree with the same M, h and inverse dynamics and the fewest numbers that are not zero.

    Those of doubles are summed in long double (where that is more) and rounded once, so that the move costs no accuracy.
    """
    left = [_wide(link.inertia) for link in links]
    rotors: list[RigidInertia | None] = [None] * len(links)
    for i in reversed(range(len(links))):
        link, rotor = links[i], links[i].rotor
        moved = _unmoved_by(link.type, link.axis, left[i])
        left[i] = left[i] - moved
        on_parent = inertia_to_parent(link.placement, moved)
        if rotor:
            inertia = _wide(rotor.inertia)
            spun = _unmoved_by(JointType.REVOLUTE, rotor.axis, inertia)
            rotors[i] = _round_like(inertia - spun, rotor.inertia)
            on_parent += inertia_to_parent(rotor.placement, spun)
        if link.parent >= 0:
            left[link.parent] += on_parent
    return RegroupedInertias(
        tuple(_round_like(sum_, link.inertia) for sum_, link in zip(left, links, strict=True)), tuple(rotors)
    )


def _unmoved_by(kind: JointType, axis: Array, inertia: RigidInertia) -> RigidInertia:
    """The part of an inertia that no motion of the joint changes (X^T I X = I) and that has no momentum by it (I S = 0)."""
    zero = 0.0 * inertia.mc
    match kind:
        case JointType.FREE:
            return RigidInertia(0.0 * inertia.mass, zero, 0.0 * inertia.I)
        case JointType.REVOLUTE:  # mass on the axis, and inertia that is the same about every direction across the axis
            known = axis.dtype == np.float64 and zero.dtype == np.longdouble
            a, across, b = _wide_directions(axis.tobytes()) if known else _directions(axis + zero)
            moment = (b @ inertia.I @ b) / (b @ b)
            return RigidInertia(inertia.mass, (a @ inertia.mc) * a / (a @ a), moment * across)
        case JointType.PRISMATIC:
            return RigidInertia(0.0 * inertia.mass, zero, inertia.I)
        case JointType.BALL:
            return RigidInertia(inertia.mass, zero, 0.0 * inertia.I)
        case JointType.FIXED:
            return inertia


def _directions(a: Array) -> tuple[Array, Array, Array]:
    """(a, projection across a (3, 3), a direction across it): for a coordinate axis another one, and a single entry of I."""
    zero = int(np.argmax([bool(component == 0.0) for component in a]))
    return a, skew(a) @ skew(a).T / (a @ a), cross(a, np.eye(3)[zero])


@lru_cache(maxsize=256)  # a robot's joints have few axes, and a search builds thousands of robots
def _wide_directions(axis: bytes) -> tuple[Array, Array, Array]:
    """The same of an axis of doubles, in long double."""
    return _directions(np.frombuffer(axis).astype(np.longdouble))


def _wide(inertia: RigidInertia) -> RigidInertia:
    """The same in long double, where it is in double."""
    if inertia.I.dtype != np.float64:
        return inertia
    return RigidInertia(np.longdouble(inertia.mass), inertia.mc.astype(np.longdouble), inertia.I.astype(np.longdouble))


def _round_like(inertia: RigidInertia, like: RigidInertia) -> RigidInertia:
    """The inertia in the scalar of another one."""
    if like.I.dtype != np.float64:
        return inertia
    return RigidInertia(float(inertia.mass), inertia.mc.astype(float), inertia.I.astype(float))
