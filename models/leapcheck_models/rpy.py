"""Roll, pitch and yaw, as URDF writes rotations."""

import math
from typing import TYPE_CHECKING

from leapcheck_models.spec import Quaternion, Vector3

if TYPE_CHECKING:
    from flint import arb

WORKING_BITS = 160
"""Precision in which angles are computed before they are rounded to 53 bits."""

USUAL: dict[Quaternion, Vector3] = {(1.0, 0.0, 0.0, 0.0): (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0): (0.0, 0.0, math.pi)}
"""Rotations of almost all links, known without python-flint, whose import takes longer than a model's file."""


def rpy(quaternion: Quaternion) -> Vector3:
    """Roll, pitch, yaw (rad) with R = Rz(yaw) Ry(pitch) Rx(roll) of a quaternion wxyz of any length, each correctly rounded.

    Ball arithmetic, so that every machine writes the same digits; zeros and quarter turns come out exact. At pitch +-pi/2 it
    chooses one of the many answers. Bernardes and Viollet 2022, https://doi.org/10.1371/journal.pone.0276302, for z-y'-x''.
    """
    return USUAL.get(quaternion) or _rounded_angles(quaternion)


def _rounded_angles(quaternion: Quaternion) -> Vector3:
    from flint import arb, ctx  # here: see USUAL

    with ctx.workprec(WORKING_BITS):
        w, x, y, z = map(arb, quaternion)
        half_sum = arb.atan2(x + z, w - y)
        half_difference = arb.atan2(z - x, w + y)
        steep, flat = (w + y) ** 2 + (z - x) ** 2, (w - y) ** 2 + (x + z) ** 2
        pitch = 2 * arb.atan2(steep.sqrt(), flat.sqrt()) - arb.pi() / 2
        return _angle(half_sum - half_difference), _angle(pitch), _angle(half_sum + half_difference)


def _angle(ball: "arb") -> float:
    """The angle within [-pi, pi] that a ball stands for."""
    pi = ball.pi()
    return float(ball - 2 * pi * ball.sgn() if abs(ball) > pi else ball)
