"""Fixed points x = g(x) by Anderson's acceleration (D. G. Anderson, Journal of the ACM 12 (1965) 547)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from leapcheck_models.arrays import Floats

DEPTH = 4
"""Pairs that are mixed at most."""


def next_point(points: Sequence[Floats], images: Sequence[Floats]) -> Floats:
    """sum a_i g(x_i), sum a_i = 1, with the least |sum a_i (g(x_i) - x_i)| over the last pairs of x_i (n,) and g(x_i).

    With one pair this is g(x). Where g is linear it is exact after n + 1 pairs, whether or not g contracts.
    """
    x, g = np.array(points[-DEPTH:]), np.array(images[-DEPTH:])
    left = g - x
    weights = np.linalg.lstsq((left[:-1] - left[-1]).T, -left[-1], rcond=None)[0]
    mixed: Floats = g[-1] + weights @ (g[:-1] - g[-1])
    return mixed
