"""What NumPy does slowly, done with the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from leapcheck_models.arrays import cross_products

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(("one", "other"), [((5, 7, 3), (5, 7, 3)), ((5, 7, 3), (7, 3)), ((3,), (4, 3)), ((0, 3), (0, 3))])
def test_cross_products_have_the_bits_of_numpy(one: tuple[int, ...], other: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=one), rng.normal(size=other)
    np.testing.assert_array_equal(cross_products(a, b), np.cross(a, b))
