"""Coriolis matrices of users' engines: any with the right C v and C + C^T agrees, others are told what they are."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import leapcheck_reference as reference
from leapcheck.coordinates.conventions import rotation_matrices
from leapcheck.engines.outside.user import user_engine
from leapcheck.judge.diagnosis import diagnose
from leapcheck.sampling import generated_states
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from leapcheck_reference.coriolis import momentum_cross_matrix, newton_euler_matrix

SPEC = load("random:30")  # one base, a rotor, armature
TREE = reference.build(SPEC)
STATES = generated_states(SPEC, 16, 1, 0)
NAMES = ("coriolis_matrix", "christoffel_matrix")

Matrix = Callable[[Floats, Floats], Any]


def causes(names: tuple[str, ...] = NAMES, **functions: Any) -> list[str]:
    engine = user_engine(SimpleNamespace(**functions), SPEC)
    diagnoses = diagnose(SPEC, engine, STATES, names)
    assert not any(diagnosis.unexplained for diagnosis in diagnoses)
    return [cause.name for diagnosis in diagnoses for cause in diagnosis.causes]


@pytest.mark.parametrize("matrix", [reference.christoffel_matrix, momentum_cross_matrix, reference.coriolis_matrix])
def test_any_coriolis_matrix_is_right(matrix: Any) -> None:
    assert causes(("coriolis_matrix",), coriolis_matrix=lambda q, v: matrix(TREE, q, v)) == []


@pytest.mark.parametrize(
    ("quantity", "matrix", "name"),
    [
        ("coriolis_matrix", lambda q, v: newton_euler_matrix(TREE, q, v), "coriolis/newton-euler:coriolis_matrix"),
        ("coriolis_matrix", lambda q, v: reference.christoffel_matrix(TREE, q, v).T, "coriolis/transposed:coriolis_matrix"),
        ("christoffel_matrix", lambda q, v: momentum_cross_matrix(TREE, q, v), "coriolis/momentum-cross:christoffel_matrix"),
    ],
)
def test_other_matrices_are_named(quantity: str, matrix: Matrix, name: str) -> None:
    assert causes((quantity,), **{quantity: matrix}) == [name]


class Mixed:
    """C for a base velocity as MuJoCo has it, [v_WB_W; w_WB_B]."""

    def mass_matrix(self, q: Floats) -> Floats:
        T, _, _ = self._state(q, np.zeros(SPEC.nv))
        return np.asarray(T @ reference.mass_matrix(TREE, q) @ T.T)

    def coriolis_matrix(self, q: Floats, u: Floats) -> Floats:
        T, Tdot, v = self._state(q, u)
        C = reference.christoffel_matrix(TREE, q, v)
        return np.asarray(T @ (C @ T.T + reference.mass_matrix(TREE, q) @ Tdot.T))

    def _state(self, q: Floats, u: Floats) -> tuple[Floats, Floats, Floats]:
        T, Tdot, R_WB = np.eye(SPEC.nv), np.zeros((SPEC.nv, SPEC.nv)), rotation_matrices(q[3:7])
        T[:6, :6] = np.block([[np.zeros((3, 3)), R_WB], [np.eye(3), np.zeros((3, 3))]])
        v = T.T @ u
        Tdot[:3, 3:6] = R_WB @ np.cross(np.eye(3), v[:3])
        return T, Tdot, v


@pytest.mark.parametrize(("declared", "found"), [(True, []), (False, ["base-velocity/both:v_W-w_B"])])
def test_a_base_velocity_in_world_axes(declared: bool, found: list[str]) -> None:
    mixed = Mixed()
    functions = {name: getattr(mixed, name) for name in ("mass_matrix", "coriolis_matrix")}
    words = {"conventions": {"base_velocity": "mixed", "order": "linear first"}} if declared else {}
    assert causes(("mass_matrix", "coriolis_matrix"), **functions, **words) == found
