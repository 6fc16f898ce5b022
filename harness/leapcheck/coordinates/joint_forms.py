"""How engines write the coordinates of a single joint: orders, axes, and what a user's engine declares of them.

What follows from that for a whole robot stands in `conventions`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from leapcheck_models.spec import JointType


class Form(NamedTuple):
    """How an engine writes a joint with a quaternion: behind each of its coordinates and velocities the joint's canonical one, or
    NOTHING where it is always zero; `in_parent_axes` are the first of those velocities that it gives in the parent's axes.
    """

    q: tuple[int, ...]
    v: tuple[int, ...]
    in_parent_axes: tuple[int, ...] = ()


NOTHING = -1

Forms = Mapping[JointType, Form]

MUJOCO: Forms = {
    JointType.FREE: Form((0, 1, 2, 3, 4, 5, 6), (3, 4, 5, 0, 1, 2), in_parent_axes=(0,)),
    JointType.BALL: Form((0, 1, 2, 3), (0, 1, 2)),
}
PINOCCHIO: Forms = {
    JointType.FREE: Form((0, 1, 2, 4, 5, 6, 3), (3, 4, 5, 0, 1, 2)),
    JointType.BALL: Form((1, 2, 3, 0), (0, 1, 2)),
}
DRAKE: Forms = {
    JointType.FREE: Form((3, 4, 5, 6, 0, 1, 2), (0, 1, 2, 3, 4, 5), in_parent_axes=(0, 3)),
    JointType.BALL: Form((0, 1, 2, 3, *(NOTHING,) * 3), (0, 1, 2, *(NOTHING,) * 3), in_parent_axes=(0,)),
}
ONE_COORDINATE = Form((0,), (0,))


class Layout(NamedTuple):
    """How an engine writes quaternions and the velocity of a floating base; by default body axes, linear part first."""

    scalar_last: bool = False
    linear_in_world: bool = False
    angular_in_world: bool = False
    angular_first: bool = False

    @property
    def forms(self) -> Forms:
        """The layout joint by joint; ball joints have their angular velocity in the child's axes."""
        quaternion = (1, 2, 3, 0) if self.scalar_last else (0, 1, 2, 3)
        linear, angular = (3, 0) if self.angular_first else (0, 3)
        in_world = ((linear, self.linear_in_world), (angular, self.angular_in_world))
        free = Form(
            (0, 1, 2, *(3 + i for i in quaternion)),
            (0, 1, 2, 3, 4, 5) if self.angular_first else (3, 4, 5, 0, 1, 2),
            in_parent_axes=tuple(row for row, is_in_world in in_world if is_in_world),
        )
        return {JointType.FREE: free, JointType.BALL: Form(quaternion, (0, 1, 2))}
