"""Accelerations of robots as they might be held, whose M may be singular."""

from __future__ import annotations

import numpy as np

from leapcheck.states import Floats


def solved(M: Floats, columns: Floats) -> Floats:
    """M^-1 times columns (n, nv, k); NaN at all states where a robot as it might be held has a singular M."""
    try:
        return np.asarray(np.linalg.solve(M, columns), dtype=float)
    except np.linalg.LinAlgError:
        return np.full(columns.shape, np.nan)
