"""Inverse dynamics and M^-1 of users' engines: conventions, a wrong mass and contradictions, named by the judge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import leapcheck
import leapcheck_reference as reference
from leapcheck.comparison.engine_set import make_engine_set
from leapcheck.coordinates.conventions import rotation_matrices
from leapcheck.engines.outside.user import user_engine
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.judge.diagnosis import diagnose
from leapcheck.judge.identities import identities
from leapcheck.sampling import generated_states
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec

pytestmark = pytest.mark.quick

SPEC = load("random:30")  # one base, a rotor, armature
NAMES = ("mass_matrix", "bias_force", "inverse_dynamics", "minverse")
STATES = generated_states(SPEC, 16, 1, 0)
MIXED = {"base_velocity": "mixed", "order": "linear first"}


class MixedDynamics:
    """Dynamics for a base velocity as MuJoCo has it, [v_WB_W; w_WB_B], by the reference."""

    def __init__(self, spec: RobotSpec = SPEC) -> None:
        self._tree = reference.build(spec)

    def _state(self, q: Floats, u: Floats) -> tuple[Floats, Floats, Floats]:
        """T, v and T^-1 Tdot v with u = T v."""
        T, R_WB = np.eye(self._tree.nv), rotation_matrices(q[3:7])
        T[:6, :6] = np.block([[np.zeros((3, 3)), R_WB], [np.eye(3), np.zeros((3, 3))]])
        v, drift = T.T @ u, np.zeros(self._tree.nv)
        drift[3:6] = np.cross(v[:3], v[3:6])
        return T, v, drift

    def mass_matrix(self, q: Floats) -> Floats:
        T, *_ = self._state(q, np.zeros(self._tree.nv))
        return T @ reference.mass_matrix(self._tree, q) @ T.T

    def minverse(self, q: Floats) -> Floats:
        return np.linalg.inv(self.mass_matrix(q))

    def bias_force(self, q: Floats, u: Floats) -> Floats:
        return self.inverse_dynamics(q, u, np.zeros(self._tree.nv))

    def inverse_dynamics(self, q: Floats, u: Floats, udot: Floats) -> Floats:
        T, v, drift = self._state(q, u)
        return T @ reference.inverse_dynamics(self._tree, q, v, T.T @ udot - drift)


def causes(engine: object, names: tuple[str, ...] = NAMES) -> list[str]:
    made = user_engine(engine, SPEC)
    return [cause.name for diagnosis in diagnose(SPEC, made, STATES, names) for cause in diagnosis.causes]


def test_a_convention_that_is_declared_is_converted() -> None:
    dynamics = MixedDynamics()
    functions = {name: getattr(dynamics, name) for name in NAMES}
    assert causes(functions | {"conventions": MIXED}) == []


@pytest.mark.parametrize("names", [NAMES, ("inverse_dynamics", "minverse")])
def test_a_convention_that_is_not_declared_is_named(names: tuple[str, ...]) -> None:
    assert causes(MixedDynamics(), names) == ["base-velocity/both:v_W-w_B"]


def test_a_wrong_mass_is_named_by_inverse_dynamics_alone() -> None:
    body = SPEC.bodies[2]
    heavier = replace(body, inertia=replace(body.inertia, mass=1.1 * body.inertia.mass))
    other = ReferenceEngine(replace(SPEC, bodies=(*SPEC.bodies[:2], heavier, *SPEC.bodies[3:])))
    (diagnosis,) = diagnose(SPEC, other, STATES, ("inverse_dynamics",))
    assert [cause.name for cause in diagnosis.causes] == [f"mass/{heavier.name}"]


def test_gravity_left_out_is_named() -> None:
    weightless = reference.build(replace(SPEC, gravity=(0.0, 0.0, 0.0)))
    engine = SimpleNamespace(inverse_dynamics=lambda q, v, vdot: reference.inverse_dynamics(weightless, q, v, vdot))
    assert causes(engine, ("inverse_dynamics",)) == ["gravity/left-out"]


@pytest.mark.parametrize(
    ("quantity", "change", "law"),
    [
        ("inverse_dynamics", lambda tau: tau * (1.0 + 1e-9), "inverse dynamics = M vdot + h"),
        ("minverse", lambda inverse: inverse * (1.0 + 1e-7), "M^-1 M = 1"),
    ],
)
def test_answers_that_contradict_each_other_break_a_law(quantity: str, change: Callable[[Floats], Floats], law: str) -> None:
    tree = reference.build(SPEC)
    functions = {name: lambda *state, name=name: getattr(reference, name)(tree, *state) for name in NAMES}
    functions[quantity] = lambda *state: change(getattr(reference, quantity)(tree, *state))
    found = identities(make_engine_set(SPEC, ["reference", user_engine(functions, SPEC, "own")], NAMES, False), STATES).identities
    assert [(row.engine, row.law) for row in found if not row.holds] == [("own", law)]


def test_an_object_that_declares_a_convention_is_converted_once() -> None:
    class Declared(MixedDynamics):
        conventions = MIXED

    for engine in (Declared, Declared(SPEC)):
        run = leapcheck.compare("random:30", engine, engines=("reference",), states=16, quantities=("mass_matrix", "bias_force"))
        assert run.exit_status == 0
