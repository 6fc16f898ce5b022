"""Differences made scale-free: each quantity divided by the scale that its registry entry names."""

from __future__ import annotations

import numpy as np

from leapcheck.quantities import QUANTITIES, Scale
from leapcheck.states import Floats


def scales(quantity: str, values: Floats) -> Floats:
    """What errors of a quantity are divided by at each state: broadcastable to the shape of `values` (n, ...).

    `values` are the in-house answers. A state whose entries are all zero has scale 1: its error is absolute.
    """
    n = len(values)
    scale: Floats = np.ones((n, *(1,) * (values.ndim - 1)))
    match QUANTITIES[quantity].scale:
        case Scale.DIAGONAL:
            diagonal = np.sqrt(np.diagonal(values, axis1=1, axis2=2))
            scale = diagonal[:, :, None] * diagonal[:, None, :]
        case Scale.LARGEST:
            largest = np.abs(values).reshape(n, -1).max(axis=1, initial=0.0)
            scale = np.where(largest == 0.0, 1.0, largest).reshape(scale.shape)
    return scale


def scale_free(difference: Floats, scale: Floats) -> Floats:
    """|difference| / scale; an entry that is not a number counts as infinitely wrong."""
    error = np.abs(difference) / scale
    return np.where(np.isnan(error), np.inf, error)
