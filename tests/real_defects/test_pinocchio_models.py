"""Pinocchio models that are silently wrong: joints not depth-first, a Coriolis matrix with mimic joints, rotors as fields."""

from __future__ import annotations

import pytest

from leapcheck_models.robots import load
from tests.real_defects.full_diagnosis import assert_named, diagnose_all
from tests.real_defects.pinocchio_models import BreadthFirst, MimicRotors, with_rotor_fields


def test_joints_that_are_not_depth_first() -> None:
    """stack-of-tasks/pinocchio#1897: crba loses couplings, rnea and aba do not."""
    spec = load("tree4_7")  # link 1 carries 2 and 4, link 2 carries 3
    found = diagnose_all(spec, BreadthFirst(spec))
    assert_named(found, ("engine/depth-first",), "depth-first", "inverse and forward dynamics")
    assert found.deviating == {"mass_matrix"}


def test_in_a_chain_breadth_first_is_depth_first() -> None:
    spec = load("tree4_9")
    assert not diagnose_all(spec, BreadthFirst(spec)).deviating


@pytest.mark.parametrize("robot", ["random:111", pytest.param("mini_cheetah", marks=pytest.mark.slow)])
def test_coriolis_matrix_with_mimic_joints(robot: str) -> None:
    """M and gravity are exact with mimic joints (stack-of-tasks/pinocchio#2710 is mended), h = C v + g is not."""
    spec = load(robot)
    found = diagnose_all(spec, MimicRotors(spec))
    assert_named(found, ("engine/mimic-coriolis",), "computeCoriolisMatrix", "mimic joints")
    assert found.deviating == {"bias_force"}


@pytest.mark.slow
def test_rotor_inertia_and_gear_ratio_alone_do_nothing() -> None:
    """stack-of-tasks/pinocchio#671."""
    spec = load("mini_cheetah")
    assert_named(diagnose_all(spec, with_rotor_fields(spec)), ("rotor/left-out",), "the rotors are left out altogether")
