"""Rotations over any scalar: from a quaternion, from an axis and an angle.

Entries are taken out of arrays by `tolist`: Python's floats add and multiply with the same bits as NumPy's in half the time.
"""

from collections.abc import Sequence

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_reference.scalar import Scalar, sin_cos, stack


def skew(a: Array) -> Array:
    """Matrix a~ with a~ b = a x b, shape (3, 3)."""
    x, y, z = a.tolist()
    entries = [0.0, -z, y, z, 0.0, -x, -y, x, 0.0]
    return stack(entries, 3, 3, like=a) if a.dtype.hasobject else np.array(entries).reshape(3, 3)


def cross(a: Array, b: Array) -> Array:
    """a x b, shape (3,); of columns b (3, k) a x each."""
    if b.ndim == 2:
        return cross(a, b[:, 0])[:, None] if b.shape[1] == 1 else skew(a).dot(b)
    ax, ay, az = a.tolist()
    bx, by, bz = b.tolist()
    return stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], 3, like=a)


def acceleration_matrix(w: Array, alpha: Array) -> Array:
    """alpha~ + w~ w~, shape (3, 3): times a vector that turns with w and alpha it is the vector's second rate."""
    (x, y, z), (u, v, s) = w.tolist(), alpha.tolist()
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    return stack([-(zz + yy), xy - s, xz + v, xy + s, -(zz + xx), yz - u, xz - v, yz + u, -(yy + xx)], 3, 3, like=w)


def symmetric(lower: Sequence[Scalar], like: Array | None = None) -> Array:
    """Symmetric matrix (3, 3) of its lower triangle xx, yx, yy, zx, zy, zz; `like`: see `stack`."""
    xx, yx, yy, zx, zy, zz = lower
    return stack([xx, yx, zx, yx, yy, zy, zx, zy, zz], 3, 3, like=like)


def rotate_tensor(R: Array, I: Array) -> Array:
    """R I R^T of a symmetric matrix, of which one triangle is computed; where R keeps an axis, it turns in a plane."""
    for k in range(3):
        if R[k - 1, k] == 0.0 and R[k - 2, k] == 0.0:
            return _rotate_in_plane(R, I, k)
    RI = R @ I
    return symmetric([RI[i] @ R[j] for i in range(3) for j in range(i + 1)], like=RI)


def _rotate_in_plane(R: Array, I: Array, k: int) -> Array:
    """R I R^T where R keeps axis k or turns it round: one Jacobi rotation (Golub and Van Loan, 4th ed., section 8.5)."""
    i, j = (k + 1) % 3, (k + 2) % 3
    u = R[i, i] * (2.0 * I[i, j]) - R[i, j] * (I[i, i] - I[j, j])
    J = np.empty((3, 3), dtype=np.result_type(R, I))
    J[:, k] = J[k, :] = R[k, k] * (R @ I[:, k])
    J[i, i], J[j, j] = I[i, i] + R[i, j] * u, I[j, j] - R[i, j] * u
    J[i, j] = J[j, i] = R[k, k] * (R[i, i] * u - I[i, j])
    return J


def quaternion_rotation(quaternion: Array) -> Array:
    """R_AB (3, 3) of a quaternion wxyz that takes B to A; divided by its square norm, so exact for any norm.

    Dividing the homogeneous form by |q|^2 needs no square root: an exact rational stays one.
    """
    w, x, y, z = quaternion.tolist()
    s = 2.0 / (w * w + x * x + y * y + z * z)
    return stack(
        [
            1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),
            s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x),
            s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y),
        ],
        3, 3, like=quaternion,
    )  # fmt: skip


def axis_rotation(axis: Array, angle: Scalar) -> Array:
    """R_AB (3, 3) of a turn of B by `angle` (rad) about the unit `axis`: 1 + sin a~ + (1 - cos) a~ a~ (Rodrigues).

    Written as cos 1 + sin a~ + (1 - cos) a a^T, so that a coordinate axis leaves exact zeros and ones.
    """
    x, y, z = axis.tolist()
    s, c = sin_cos(angle)
    d = 1.0 - c
    return stack(
        [
            _square(x, c, d), d * (x * y) - s * z, d * (x * z) + s * y,
            d * (x * y) + s * z, _square(y, c, d), d * (y * z) - s * x,
            d * (x * z) - s * y, d * (y * z) + s * x, _square(z, c, d),
        ],
        3, 3, like=axis,
    )  # fmt: skip


def _square(a: Scalar, c: Scalar, d: Scalar) -> Scalar:
    """c + d a^2, exactly 1 for a = +-1, where c + (1 - c) would round."""
    return 1.0 if a * a == 1.0 else c + d * (a * a)
