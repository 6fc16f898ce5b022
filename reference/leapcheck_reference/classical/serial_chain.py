"""Serial chain of revolute and prismatic links on a fixed base: what the 3-vector recursions work on."""

from dataclasses import dataclass

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_models.spec import ONE_DOF, JointType, RobotSpec
from leapcheck_models.validation import rotational_matrix
from leapcheck_reference.rotation import axis_rotation, quaternion_rotation
from leapcheck_reference.scalar import Scalar
from leapcheck_reference.spatial import Transform


@dataclass(frozen=True, slots=True, eq=False)
class SerialLink:
    """Link i with the joint that carries it; its frame stands at the joint, turned and moved with the link.

    `placement` is the frame's pose in link i-1 at joint zero, `axis` (3,) the unit joint axis, `com` (3,) (m) and
    `rotational` (3, 3) (kg m^2, about the com), all in the link's axes; `type` is revolute or prismatic.
    """

    type: JointType
    axis: Array
    placement: Transform
    mass: Scalar
    com: Array
    rotational: Array


@dataclass(frozen=True, slots=True, eq=False)
class TipWrench:
    """Force (3,) N and moment (3,) N m **by** the tip on its surroundings, in base axes; `position` (3,) m in the last link."""

    position: Array
    force: Array
    moment: Array


def pose_in_parent(link: SerialLink, q: Scalar) -> Transform:
    """Pose of link i's frame in link i-1's with the joint at q (rad or m)."""
    X = link.placement
    if link.type is JointType.REVOLUTE:
        return Transform(X.R @ axis_rotation(link.axis, q), X.p)
    return Transform(X.R, X.p + X.R @ (link.axis * q))


def serial_links(spec: RobotSpec) -> tuple[SerialLink, ...]:
    """The links of a robot spec that is one fixed-base chain of revolute and prismatic joints without rotors or armature.

    Raises ValueError naming the first body that does not fit.
    """
    links = []
    for i, body in enumerate(spec.bodies):
        joint, inertia = body.joint, body.inertia
        if spec.parent_index(body) != i - 1 or joint.type not in ONE_DOF or body.rotor is not None or joint.armature:
            raise ValueError(
                f"robot '{spec.name}', body '{body.name}': not part of a plain serial chain: use revolute and prismatic "
                "joints, each body on the one before, without rotors or armature"
            )
        placement = Transform(quaternion_rotation(np.array(body.placement.quaternion)), np.array(body.placement.p))
        rotational = rotational_matrix(inertia.rotational)
        links.append(SerialLink(joint.type, np.array(joint.axis), placement, inertia.mass, np.array(inertia.com), rotational))
    return tuple(links)
