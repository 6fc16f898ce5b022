"""Anderson's acceleration finds fixed points that repetition does not."""

import numpy as np
import pytest

from leapcheck.jumping.planning.fixed_point import DEPTH, next_point

pytestmark = pytest.mark.quick

EXACT = 1e-12  # relative; largest seen 4e-15


@pytest.mark.parametrize("slope", [0.7, -1.0, -3.0])
def test_a_linear_map_of_few_directions_is_solved_after_as_many_rounds(slope: float) -> None:
    rng = np.random.default_rng(0)
    A, b = slope * np.diag([1.0, 0.5, 0.0, 0.0]), rng.standard_normal(4)
    x = rng.standard_normal(4)
    points, images = [], []
    for _ in range(4):
        points.append(x)
        images.append(A @ x + b)
        x = next_point(points, images)
    assert np.abs(x - np.linalg.solve(np.eye(4) - A, b)).max() <= EXACT * np.abs(x).max()


def test_a_single_pair_is_repetition() -> None:
    x, g = np.ones(3), np.array([1.0, 2.0, 3.0])
    assert (next_point([x], [g]) == g).all()
    assert DEPTH >= 2
