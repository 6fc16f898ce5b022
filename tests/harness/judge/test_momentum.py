"""Conventions of the centre of mass and of momentum, planted and named; the laws that tie them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from leapcheck.comparison.engine_set import make_engine_set
from leapcheck.coordinates.conventions import rotation_matrices
from leapcheck.engines.protocol import Answers
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.judge.diagnosis import diagnose
from leapcheck.judge.identities import identities
from leapcheck.quantities import quantity_names
from leapcheck.sampling import States, generated_states
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load

SPEC = load("random:30")  # one base, a rotor, armature
NAMES = quantity_names(("centroidal",))
STATES = generated_states(SPEC, 16, 1, 0)

Change = Callable[[States, Answers], Answers]


class Changed:
    """The reference with other conventions."""

    version = "0"
    route = "in this test"
    name = "changed"
    quantities = frozenset(NAMES)

    def __init__(self, change: Change) -> None:
        self._inside, self._change = ReferenceEngine(SPEC), change

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        changed = self._change(states, self._inside.evaluate(states, NAMES))
        return {name: changed[name] for name in quantities}


def six_rows(map_of: Callable[[States, Answers], Floats]) -> Change:
    """Momentum and all that goes with it under a linear map (n, 6, 6)."""

    def change(states: States, right: Answers) -> Answers:
        X = map_of(states, right)
        vectors = {name: np.einsum("nij,nj->ni", X, right[name]) for name in NAMES if right[name].shape[1:] == (6,)}
        A, I = X @ right["centroidal_momentum_matrix"], X @ right["centroidal_inertia"] @ X.swapaxes(1, 2)
        return right | vectors | {"centroidal_momentum_matrix": A, "centroidal_inertia": I}

    return change


def linear_first(states: States, _right: Answers) -> Floats:
    return np.broadcast_to(np.block([[np.zeros((3, 3)), np.eye(3)], [np.eye(3), np.zeros((3, 3))]]), (len(states), 6, 6))


def about_origin(_states: States, right: Answers) -> Floats:
    x, y, z = right["com_position"].T
    X = np.zeros((len(x), 6, 6)) + np.eye(6)
    X[:, 0, 4], X[:, 0, 5], X[:, 1, 3], X[:, 1, 5], X[:, 2, 3], X[:, 2, 4] = -z, y, z, -x, -y, x
    return X


def base_axes(states: States, _right: Answers) -> Floats:
    return np.kron(np.eye(2), np.swapaxes(rotation_matrices(states.q[:, 3:7]), 1, 2))


def with_gravity(_states: States, right: Answers) -> Answers:
    return right | {"com_bias_acceleration": right["com_bias_acceleration"] + np.array(SPEC.gravity)}


def from_base(states: States, right: Answers) -> Answers:
    return right | {"com_position": right["com_position"] - states.q[:, :3]}


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("momentum/linear-first", six_rows(linear_first)),
        ("momentum/about-origin", six_rows(about_origin)),
        ("momentum/base-axes", six_rows(base_axes)),
        ("momentum/about-origin+linear-first", six_rows(lambda s, r: linear_first(s, r) @ about_origin(s, r))),
        ("com/with-gravity:com_bias_acceleration", with_gravity),
        ("com/from-base", from_base),
    ],
)
def test_a_convention_is_named(name: str, change: Change) -> None:
    (diagnosis,) = diagnose(SPEC, Changed(change), STATES, NAMES)
    assert [cause.name for cause in diagnosis.causes] == [name]
    assert not diagnosis.unexplained


def test_a_wrong_mass_is_named_by_the_com_alone() -> None:
    heavier = replace(SPEC.bodies[2], inertia=replace(SPEC.bodies[2].inertia, mass=1.1 * SPEC.bodies[2].inertia.mass))
    other = ReferenceEngine(replace(SPEC, bodies=(*SPEC.bodies[:2], heavier, *SPEC.bodies[3:])))
    (diagnosis,) = diagnose(SPEC, other, STATES, ("com_position", "com_jacobian"))
    assert [cause.name for cause in diagnosis.causes] == [f"mass/{heavier.name}"]


@pytest.mark.parametrize(
    ("quantity", "laws"),
    [
        ("com_velocity", {"com velocity = J v of the com"}),
        ("centroidal_momentum", {"centroidal momentum = A v"}),
        ("com_jacobian", {"com velocity = J v of the com", "linear rows of A = mass times the com's J"}),
    ],
)
def test_answers_that_contradict_each_other_break_a_law(quantity: str, laws: set[str]) -> None:
    spoilt = Changed(lambda _states, right: right | {quantity: right[quantity] * (1.0 + 1e-8)})
    found = identities(make_engine_set(SPEC, ["reference", spoilt], NAMES, False), STATES).identities
    assert {row.law for row in found if not row.holds} == laws
    assert {row.engine for row in found if not row.holds} == {"changed"}
