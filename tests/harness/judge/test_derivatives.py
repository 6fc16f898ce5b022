"""Derivatives of users' engines: what else they may be by, and parts left out, named; contradictions break laws."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import leapcheck_reference as reference
from leapcheck.comparison.engine_set import make_engine_set
from leapcheck.coordinates.conventions import rotation_matrices
from leapcheck.engines.outside.user import user_engine
from leapcheck.judge.diagnosis import diagnose
from leapcheck.judge.identities import identities
from leapcheck.quantities import quantity_names
from leapcheck.sampling import generated_states
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load

SPEC = load("random:30")  # one base, a rotor, armature
TREE = reference.build(SPEC)
STATES = generated_states(SPEC, 12, 1, 0)
NAMES = quantity_names(("derivatives",))
ID_Q, ID_V, FD_Q, FD_V, _ = NAMES[:5]


def right(quantity: str, *state: Floats) -> Any:
    return getattr(reference, quantity)(TREE, *state)


def causes(quantity: str, function: Any) -> list[str]:
    engine = user_engine(SimpleNamespace(**{quantity: function}), SPEC)
    diagnoses = diagnose(SPEC, engine, STATES, (quantity,))
    assert not any(diagnosis.unexplained for diagnosis in diagnoses)
    return [cause.name for diagnosis in diagnoses for cause in diagnosis.causes]


def in_world(columns: Floats, q: Floats) -> Floats:
    return np.concatenate([columns[:, :3] @ rotation_matrices(q[3:7]).T, columns[:, 3:]], axis=1)


def held_in_world(q: Floats, v: Floats, vdot: Floats) -> Floats:
    """The derivative with the base's linear velocity and acceleration held in the world's axes: in its own they turn back."""
    columns = []
    for unit in np.eye(SPEC.nv):
        turn = np.cross(unit[:3], np.eye(3)).T  # dR = R turn
        moved = right(ID_Q, q, v, vdot) @ unit
        dv, da = np.zeros(SPEC.nv), np.zeros(SPEC.nv)
        dv[3:6], da[3:6] = -turn @ v[3:6], -turn @ vdot[3:6]
        columns.append(moved + right(ID_V, q, v) @ dv + right("mass_matrix", q) @ da)
    return np.stack(columns, axis=-1)


@pytest.mark.parametrize(
    ("quantity", "function", "name"),
    [
        (FD_Q, lambda q, v, tau: in_world(right(FD_Q, q, v, tau), q), "rotation-in-world"),
        (ID_Q, lambda q, v, vdot: right(ID_Q, q, v, vdot).T, "transposed"),
        (ID_Q, held_in_world, "held-in-world"),
        (ID_Q, lambda q, v, _: right(ID_Q, q, v, 0.0 * v), "no-acceleration"),
        (FD_Q, lambda q, v, _: -np.linalg.solve(right("mass_matrix", q), right(ID_Q, q, v, 0.0 * v)), "no-inverse"),
        (ID_V, lambda q, v: right("christoffel_matrix", q, v), "coriolis"),
        (FD_V, lambda q, v: -right(FD_V, q, v), "sign"),
    ],
)
def test_what_it_is_by_or_lacks_is_named(quantity: str, function: Any, name: str) -> None:
    assert causes(quantity, function) == [f"derivative/{name}:{quantity}"]


@pytest.mark.parametrize(
    ("quantity", "law"),
    [
        (ID_V, "dID/dv v = 2 Coriolis force"),
        (FD_V, "M dFD/dv = -dID/dv"),
        (ID_Q, "dID/dq v = rate of inverse dynamics"),
        (FD_Q, "dFD/dq v = rate of forward dynamics"),
    ],
)
def test_laws(quantity: str, law: str) -> None:
    names = (*NAMES, "inverse_dynamics", "forward_dynamics", "mass_matrix", "coriolis_force")
    functions = {name: lambda *state, name=name: right(name, *state) for name in names}
    functions[quantity] = lambda *state: (1.0 + 1e-5) * right(quantity, *state)
    found = identities(make_engine_set(SPEC, ["reference", user_engine(functions, SPEC, "own")], names, False), STATES).identities
    broken = [(row.engine, row.law) for row in found if not row.holds]
    assert ("own", law) in broken
    assert all(engine == "own" for engine, _ in broken)
