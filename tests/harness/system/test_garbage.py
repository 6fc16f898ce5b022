"""The collector's thresholds are the caller's again after the work, whatever came of it."""

from __future__ import annotations

import gc

import pytest

from leapcheck.system.garbage import rare_collection

pytestmark = pytest.mark.quick


def test_the_thresholds_are_put_back() -> None:
    before = gc.get_threshold()
    inside = []

    def work() -> None:
        with rare_collection(), rare_collection():
            inside.append(gc.get_threshold())
            raise KeyError

    with pytest.raises(KeyError):
        work()
    assert inside[0][0] > before[0]
    assert gc.get_threshold() == before
