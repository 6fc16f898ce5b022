"""The misprints of the source texts, plugged in as engines (tests/examples/printed_forms.py): found, and named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import leapcheck_reference as reference
from leapcheck.engines.outside.user import load_user_engine, user_engine
from leapcheck_models.arrays import Array
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec
from tests.real_defects.full_diagnosis import FullDiagnosis, assert_named, diagnose_all

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture(autouse=True)
def _examples_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))


def judgement(printed: str, spec: RobotSpec) -> FullDiagnosis:
    return diagnose_all(spec, load_user_engine(f"printed_forms:{printed}", spec))


def test_s1_second_rotational_energy_with_i1() -> None:
    """The kinetic energy, and the mass matrix that follows from it; no force does."""
    found = judgement("TwiceI1", load("two_link_arm"))
    assert_named(found, ("inertia-of/forearm:upper_arm",), "link forearm has the rotational inertia of link upper_arm")
    assert found.deviating == {"kinetic_energy", "mass_matrix", "forward_dynamics"}


def test_s1_equal_links_hide_it() -> None:
    """As the author's do."""
    spec = load("two_link_arm")
    first, second = spec.bodies
    equal = replace(second, inertia=replace(second.inertia, rotational=first.inertia.rotational))
    assert not judgement("TwiceI1", replace(spec, bodies=(first, equal))).deviating


@pytest.mark.parametrize("robot", ["two_link_arm", "pupper_leg"])
def test_s1_kilograms_millimetres_and_newtons(robot: str) -> None:
    found = judgement("Millimetres", load(robot))
    assert_named(found, ("unit/length-mm",), "lengths of the model are 1000 times too long: mm read as m")
    assert found.deviating == {"mass_matrix", "bias_force", "gravity_force", "forward_dynamics"}


def test_s3_surplus_in_m11() -> None:
    """2 m2 l1 lg2 = 2 x 1 x 0.5 x 0.2; as a number alone it might be an armature, which is told too."""
    found = judgement("SurplusM11", load("two_link_arm"))
    assert_named(
        found, ("surplus/M11",), "M11 is too large by the constant 0.2: the term 2 m l lg of forearm", "without its cosine"
    )
    assert ("armature/shoulder",) in found.alternatives


def test_s3_surplus_elsewhere() -> None:
    """The same slip for the knee of the leg: 2 m l lg of the shank in the thigh's entry of M, all else right."""
    spec = load("pupper_leg")
    tree, knee = reference.build(spec), 2.0 * 0.05 * 0.06 * 0.03

    def mass_matrix(q: Array) -> Array:
        M = np.array(reference.mass_matrix(tree, q))
        M[1, 1] += knee
        return M

    def bias_force(q: Array, v: Array) -> Array:
        return reference.bias_force(tree, q, v)

    found = diagnose_all(spec, user_engine({"mass_matrix": mass_matrix, "bias_force": bias_force}, spec))
    assert_named(found, ("surplus/M22",), "M22 is too large by the constant 0.00018: the term 2 m l lg of shank")


def test_s3_another_constant_is_no_printed_term() -> None:
    """The planted surplus is off by a thousandth: no product of the robot's numbers, so an armature or the like."""
    spec = load("two_link_arm")
    tree = reference.build(spec)

    def mass_matrix(q: Array) -> Array:
        M = np.array(reference.mass_matrix(tree, q))
        M[0, 0] += 0.2002
        return M

    found = diagnose_all(spec, user_engine({"mass_matrix": mass_matrix}, spec))
    sets = (found.names, *found.alternatives)
    assert ("armature/shoulder",) in sets, found
    assert not any(name.startswith("surplus") for names in sets for name in names)


@pytest.mark.parametrize("robot", ["two_link_arm", "tree4_7", pytest.param("mini_cheetah", marks=pytest.mark.slow)])
def test_s2_velocity_product_in_the_wrong_order(robot: str) -> None:
    found = judgement("WrongVelocityProduct", load(robot))
    assert_named(found, ("velocity-product/sign",), "v_J x v for v x v_J")
    assert found.deviating == {"bias_force", "contact_bias_accelerations"}


def test_s2_in_the_right_order_nothing_is_off() -> None:
    """The engine differs from a right one in the order alone."""
    from tests.examples import printed_forms

    class Right(printed_forms.WrongVelocityProduct):
        def velocity_product(self, V_joint: Array, V: Array) -> Array:
            return -super().velocity_product(V_joint, V)

    spec = load("tree4_7")
    assert not diagnose_all(spec, user_engine(Right(spec), spec)).deviating
