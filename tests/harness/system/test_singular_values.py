"""The singular value decomposition where LAPACK's fast routine gives up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from leapcheck.system.singular_values import singular_values

ROUNDING = 1e-13
"""Largest 3e-15 of entries of size 1."""


def give_up(*_: Any, **__: Any) -> None:
    raise np.linalg.LinAlgError("SVD did not converge")


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("fast", [True, False])
def test_the_factors_give_the_matrix(fast: bool, full: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    A = rng.normal(size=(12, 3)) @ rng.normal(size=(3, 7))
    expected = np.sqrt(np.linalg.eigvalsh(A.T @ A)[::-1][:3])
    if not fast:
        monkeypatch.setattr(np.linalg, "svd", give_up)
    U, sigma, V = singular_values(A, full=full)
    assert (U.shape, V.shape) == (((12, 12), (7, 7)) if full else ((12, 7), (7, 7)))
    assert np.allclose(U[:, :7] * sigma @ V, A, rtol=0.0, atol=ROUNDING)
    assert np.allclose(sigma[:3], expected, rtol=ROUNDING)


def test_what_is_not_finite_has_none() -> None:
    with pytest.raises(np.linalg.LinAlgError):
        singular_values(np.full((3, 2), np.nan))
