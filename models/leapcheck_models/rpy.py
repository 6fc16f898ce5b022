"""Roll, pitch and yaw, as URDF writes rotations."""

from flint import arb, ctx

from leapcheck_models.spec import Quaternion, Vector3

WORKING_BITS = 160
"""Precision in which angles are computed before they are rounded to 53 bits."""


def rpy(quaternion: Quaternion) -> Vector3:
    """Roll, pitch, yaw (rad) with R = Rz(yaw) Ry(pitch) Rx(roll) of a quaternion wxyz of any length, each correctly rounded.

    Ball arithmetic, so that every machine writes the same digits; zeros and quarter turns come out exact. At pitch +-pi/2 it
    chooses one of the many answers. Bernardes and Viollet 2022, https://doi.org/10.1371/journal.pone.0276302, for z-y'-x''.
    """
    with ctx.workprec(WORKING_BITS):
        w, x, y, z = map(arb, quaternion)
        half_sum = arb.atan2(x + z, w - y)
        half_difference = arb.atan2(z - x, w + y)
        steep, flat = (w + y) ** 2 + (z - x) ** 2, (w - y) ** 2 + (x + z) ** 2
        pitch = 2 * arb.atan2(steep.sqrt(), flat.sqrt()) - arb.pi() / 2
        return _angle(half_sum - half_difference), _angle(pitch), _angle(half_sum + half_difference)


def _angle(ball: arb) -> float:
    """The angle within [-pi, pi] that a ball stands for."""
    return float(ball - 2 * arb.pi() * ball.sgn() if abs(ball) > arb.pi() else ball)
