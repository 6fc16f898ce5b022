"""MuJoCo's finite differences are as precise as differences can be."""

from __future__ import annotations

import numpy as np
import pytest

from leapcheck_evidence.finite_differences import precisions

pytestmark = pytest.mark.quick

EPS = float(np.finfo(float).eps)


def test_errors_are_those_of_differences() -> None:
    best = {(row.route, row.quantity.rpartition("_")[2]): row.best for row in precisions("two_link_arm")}
    for route in ("mjd_inverseFD", "mjd_transitionFD, forward"):
        assert all(EPS < best[route, by] < 100.0 * EPS**0.5 for by in "qv"), best
    assert best["mjd_transitionFD, centred", "q"] < 100.0 * EPS ** (2.0 / 3.0), best
    assert best["mjd_transitionFD, centred", "v"] < 1e-10, best  # exact but for rounding: of degree two in v
