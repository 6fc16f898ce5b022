"""Regressors of users' engines: columns of other parameters named, laws broken, and how many parameters torques show."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import leapcheck_reference as reference
from leapcheck.comparison.engine_set import make_engine_set
from leapcheck.comparison.identifiability import identifiability
from leapcheck.engines.outside.user import user_engine
from leapcheck.judge.diagnosis import diagnose
from leapcheck.judge.identities import identities
from leapcheck.quantities import quantity_names
from leapcheck.sampling import generated_states
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec

SPEC = load("random:30")  # one base, a rotor, armature
TREE = reference.build(SPEC)
WEIGHTLESS = reference.build(replace(SPEC, gravity=(0.0, 0.0, 0.0)))
STATES = generated_states(SPEC, 12, 1, 0)
NAMES = quantity_names(("regressors",))
TORQUE, KINETIC, POTENTIAL = NAMES


def columns(values: Floats, order: list[int]) -> Any:
    return values.reshape(*values.shape[:-1], -1, 10)[..., order].reshape(values.shape)


def causes(spec: RobotSpec = SPEC, **functions: Any) -> list[str]:
    states = generated_states(spec, 12, 1, 0)
    diagnoses = diagnose(spec, user_engine(SimpleNamespace(**functions), spec), states, tuple(functions))
    assert not any(diagnosis.unexplained for diagnosis in diagnoses)
    return [cause.name for diagnosis in diagnoses for cause in diagnosis.causes]


@pytest.mark.parametrize(
    ("order", "name"),
    [([0, 1, 2, 3, 4, 6, 9, 5, 7, 8], "diagonal-first"), ([4, 5, 7, 6, 8, 9, 1, 2, 3, 0], "inertia-first")],
)
def test_another_order_in_all_of_them_is_named(order: list[int], name: str) -> None:
    functions = {
        TORQUE: lambda q, v, vdot: columns(reference.joint_torque_regressor(TREE, q, v, vdot), order),
        KINETIC: lambda q, v: columns(reference.kinetic_energy_regressor(TREE, q, v), order),
    }
    assert causes(**functions) == [f"regressor/{name}"]


def test_signs_bodies_and_gravity_are_named() -> None:
    signs = np.tile([1.0, 1.0, 1.0, 1.0, 1.0, -1.0, 1.0, -1.0, -1.0, 1.0], len(SPEC.bodies) + 1)
    assert causes(**{TORQUE: lambda q, v, vdot: signs * reference.joint_torque_regressor(TREE, q, v, vdot)}) == [
        "regressor/products-sign"
    ]
    weightless = {TORQUE: lambda q, v, vdot: reference.joint_torque_regressor(WEIGHTLESS, q, v, vdot)}
    assert causes(**weightless) == ["regressor/without-gravity"]


def test_rotors_behind_their_links_are_named() -> None:
    spec = load("mini_cheetah")
    tree, links = reference.build(spec), len(spec.bodies)
    order = [0, *(body for i in range(1, links) for body in (i, links + i - 1))]  # every leg's link has a rotor

    def between(q: Floats) -> Floats:
        return np.asarray(reference.potential_energy_regressor(tree, q).reshape(-1, 10)[order].ravel())

    assert causes(spec, **{POTENTIAL: between}) == ["regressor/rotors-between"]


def test_links_in_the_order_of_urdf_parsers_are_named() -> None:
    spec = load("mini_cheetah_armature")
    tree = reference.build(spec)
    legs = [[1 + 3 * leg + k for k in range(3)] for leg in range(4)]
    by_name = sorted(legs, key=lambda leg: spec.bodies[leg[0]].name)
    assert by_name != legs
    order = [0, *(i for leg in by_name for i in leg)]

    def kinetic(q: Floats, v: Floats) -> Floats:
        return np.asarray(reference.kinetic_energy_regressor(tree, q, v).reshape(-1, 10)[order].ravel())

    assert causes(spec, **{KINETIC: kinetic}) == ["regressor/alphabetical"]


@pytest.mark.parametrize(
    ("quantity", "of"), [(TORQUE, "inverse_dynamics"), (KINETIC, "kinetic_energy"), (POTENTIAL, "potential_energy")]
)
def test_laws(quantity: str, of: str) -> None:
    functions = {name: lambda *state, name=name: getattr(reference, name)(TREE, *state) for name in (quantity, of)}
    right = functions[quantity]
    functions[quantity] = lambda *state: (1.0 + 1e-9) * right(*state)
    names = (quantity, of)
    found = identities(make_engine_set(SPEC, ["reference", user_engine(functions, SPEC, "own")], names, False), STATES).identities
    laws = [(row.engine, row.holds) for row in found if quantity in row.quantities]
    assert laws == [("reference", True), ("own", False)]


@pytest.mark.parametrize(
    ("robot", "parameters", "base_parameters"),
    [("box", 10, 10), ("two_link_arm", 20, 6), ("mini_cheetah_armature", 130, 94), ("mini_cheetah", 250, 178)],
)
def test_base_parameters(robot: str, parameters: int, base_parameters: int) -> None:
    found = identifiability(load(robot))
    assert (found.parameters, found.base_parameters) == (parameters, base_parameters)
    assert f"of {parameters} inertial parameters torques show {base_parameters} combinations" in str(found)
