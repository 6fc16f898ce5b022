"""Faults of whole answers and whole models: rows never filled in, rows in another order, every inertia read wrongly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from leapcheck.engines.reference import ReferenceEngine
from leapcheck.judge.diagnosis import diagnose
from leapcheck.sampling import generated_states
from leapcheck_models.arrays import Array
from leapcheck_models.spec import Inertia, RobotSpec
from leapcheck_models.validation import is_realisable
from tests.harness.judge.few_legs import robot_of
from tests.harness.judge.planted_faults import Fault, Planted, with_inertia
from tests.harness.judge.planted_parameters import UNREAL

ROBOT = "FR+FL mini_cheetah_armature"  # the same in less time
QUANTITIES = ("mass_matrix", "bias_force", "gravity_force", "contact_positions", "contact_jacobians")
OTHER_LEG_FIRST = np.r_[:6, 9:12, 6:9]

Change = Callable[[str, Array], Array]


def answering(change: Change) -> Fault:
    return lambda spec: Planted(spec, outputs=lambda name, values, _states: change(name, values))


def without_base(name: str, values: Array) -> Array:
    """Only the joints' rows are filled in."""
    if name == "mass_matrix":
        values[:, :6] = values[:, :, :6] = 0.0
    if name in ("bias_force", "gravity_force"):
        values[:, :6] = 0.0
    return values


def feet_without_base(name: str, values: Array) -> Array:
    if name == "contact_jacobians":
        values[..., :6] = 0.0
    return values


def columns_of_legs(name: str, values: Array) -> Array:
    return values[..., OTHER_LEG_FIRST] if name == "contact_jacobians" else values


def points_of_positions(name: str, values: Array) -> Array:
    return values[:, ::-1] if name == "contact_positions" else values


def inertia(change: Callable[[Array, float, Array], Array]) -> Fault:
    """Every rotational inertia about the com changed: `change` of its matrix, mass and com."""

    def changed(own: Inertia) -> Inertia:
        xx, xy, xz, yy, yz, zz = own.rotational
        I = change(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), own.mass, np.array(own.com))
        entries = tuple(float(I[i, j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))
        return replace(own, rotational=entries, **({"realisable": True, "nearest": None} if is_realisable(entries) else UNREAL))

    return with_inertia(changed)


def parallel_axis(mass: float, c: Array) -> Array:
    return mass * (c @ c * np.eye(3) - np.outer(c, c))


CASES: dict[str, tuple[Fault, str]] = {
    "zero rows of the base": (
        answering(without_base),
        "the rows of the base trunk in gravity force, mass matrix M, bias force h are missing",
    ),
    "zero columns of the base": (answering(feet_without_base), "the columns of the base trunk in"),
    "columns of J by legs": (answering(columns_of_legs), "the dofs of contact Jacobians J alone are in another order"),
    "points of one quantity": (answering(points_of_positions), "the contact points of contact positions alone"),
    "products of the other sign": (inertia(lambda I, _m, _c: 2.0 * np.diag(np.diag(I)) - I), "all links have the opposite sign"),
    "no products": (inertia(lambda I, _m, _c: np.diag(np.diag(I))), "products of inertia of all links are left out"),
    "no parallel axis": (inertia(lambda I, m, c: I - parallel_axis(m, c)), "the parallel-axis term is missing"),
    "parallel axis twice": (inertia(lambda I, m, c: I + parallel_axis(m, c)), "is counted twice"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_fault_of_a_whole_answer_or_model_is_named(case: str) -> None:
    fault, words = CASES[case]
    spec: RobotSpec = robot_of(ROBOT)
    (diagnosis,) = diagnose(spec, fault(spec), generated_states(spec, 24, 2, 0), QUANTITIES)
    assert not diagnosis.unexplained
    (cause,) = diagnosis.causes
    assert words in cause.words, cause.words


def test_right_answers_with_zeros_in_them_are_right() -> None:
    spec = robot_of(ROBOT)
    assert diagnose(spec, ReferenceEngine(spec), generated_states(spec, 24, 2, 0), QUANTITIES) == ()
