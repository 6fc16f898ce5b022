"""Checks of q and v at the door of the public functions."""

from typing import Any

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_models.spec import JointType
from leapcheck_reference.tree import Tree

QUATERNION_TOLERANCE = 1e-9
"""How far from 1 the norm of a quaternion may lie; what is left is normalised away."""


def configuration(tree: Tree, q: Any) -> Array:
    """q as an array (nq,) of its scalar; ValueError for a wrong shape, NaN or infinity, or a quaternion off unit norm."""
    array = vector(f"q of '{tree.name}'", q, tree.nq)
    for link in tree.links:
        if link.type in (JointType.FREE, JointType.BALL):
            norm = _norm(array[link.q.stop - 4 : link.q.stop])
            if norm is not None and not abs(norm - 1.0) <= QUATERNION_TOLERANCE:
                raise ValueError(
                    f"q of '{tree.name}': the quaternion of body '{link.name}' has norm {norm:.12g}: "
                    "divide it by its norm (order w, x, y, z)"
                )
    return array


def vector(name: str, values: Any, length: int) -> Array:
    """`values` as an array (length,) of its scalar; ValueError for another shape, NaN or infinity."""
    array = np.asarray(values)
    if array.dtype.kind in "iufc":
        array = array.astype(np.result_type(array, float), copy=False)  # integers and single precision, in double
    if array.shape != (length,):
        raise ValueError(f"{name} has shape {array.shape}: give ({length},)")
    if array.dtype.kind not in "fcO":
        raise ValueError(f"{name} holds {array.dtype}: give numbers")
    if array.dtype.kind in "fc":
        finite = np.isfinite(array)
    else:
        finite = np.array([not isinstance(x, float | complex | np.inexact) or np.isfinite(x) for x in array], dtype=bool)
    if not finite.all():
        raise ValueError(f"{name} holds NaN or infinity at {int(np.argmin(finite))}: give finite numbers")
    return array


def _norm(quaternion: Array) -> float | None:
    """Norm of a quaternion of numbers; None for scalars that have no one value (traced symbols, batches)."""
    try:
        return float(np.linalg.norm([float(getattr(x, "real", x)) for x in quaternion]))
    except TypeError:
        return None
