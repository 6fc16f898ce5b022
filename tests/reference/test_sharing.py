"""Intermediate results are share while quantities are traced together, and never beyond."""

from __future__ import annotations

import numpy as np
import pytest

from leapcheck_reference.mass_matrix import mass_matrix
from leapcheck_reference.sharing import share, sharing
from leapcheck_reference.sparse import mujoco_mass_matrix
from tests.reference import generic_states

pytestmark = pytest.mark.quick

calls: list[tuple[object, ...]] = []


@share
def counted(*arguments: object) -> list[object]:
    calls.append(arguments)
    return list(arguments)


@pytest.fixture(autouse=True)
def no_calls() -> None:
    calls.clear()


def test_one_result_for_the_same_objects() -> None:
    a, b = np.zeros(2), np.zeros(2)
    with sharing():
        assert counted(a) is counted(a)
        assert counted(a) is not counted(b)  # equal, but another object, which may change on its own
        assert counted(a, b) is not counted(a)
    assert len(calls) == 3


def test_nothing_is_kept_outside() -> None:
    a = np.zeros(2)
    assert counted(a) is not counted(a)
    with sharing():
        first = counted(a)
    with sharing():
        assert counted(a) is not first
    assert counted(a) is not first


def test_an_objects_place_in_memory_taken_by_another_is_no_match() -> None:
    with sharing():
        results = [counted(np.full(1, float(k))) for k in range(100)]
    assert all(np.array_equal(result, [[k]]) for k, result in enumerate(results))


def test_a_shared_mass_matrix_is_left_as_it_is() -> None:
    at = generic_states.case("mini_cheetah_armature")
    with sharing():
        M = mass_matrix(at.tree, at.q)
        before = M.copy()
        mujoco_mass_matrix(at.tree, at.q)
        assert mass_matrix(at.tree, at.q) is M
        assert np.array_equal(M, before)
