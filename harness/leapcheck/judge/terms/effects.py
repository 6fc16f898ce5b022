"""What a change of terms adds to the quantities, and what follows from those for what an engine solves for with them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from leapcheck.judge.terms.articulated import ArticulatedForm
from leapcheck.judge.terms.catalogue import Formulation
from leapcheck.judge.terms.changes import UNCHANGED, Change, Changes, Place
from leapcheck.judge.terms.composite import CompositeForm
from leapcheck.judge.terms.jacobian import JacobianForm
from leapcheck.judge.terms.lagrange import LagrangeForm
from leapcheck.judge.terms.newton_euler import VectorForm
from leapcheck.judge.terms.spatial import SpatialForm
from leapcheck.sampling import States, tile
from leapcheck_models.arrays import Floats
from leapcheck_reference.tree import Tree

QUANTITIES_OF = {
    Formulation.VECTOR: frozenset(
        {
            *("bias_force", "coriolis_force", "gravity_force", "contact_velocities", "contact_bias_accelerations"),
            *("kinetic_energy", "potential_energy", "mass_matrix"),
        }
    ),
    Formulation.SPATIAL: frozenset({"bias_force", "coriolis_force", "gravity_force"}),
    Formulation.COMPOSITE: frozenset({"mass_matrix"}),
    Formulation.LAGRANGE: frozenset({"bias_force", "coriolis_force", "mass_matrix"}),
    Formulation.JACOBIAN: frozenset({"contact_jacobians", "contact_velocities"}),
    Formulation.ARTICULATED: frozenset({"forward_dynamics"}),
}
"""What each form gives."""

MOST_DOFS = {Formulation.LAGRANGE: 40}
"""Degrees of freedom up to which a form's terms are tried: the cost of Lagrange's grows with their third power."""

MOST_ROWS = 20_000
"""Changes times states that are evaluated at once."""


def affordable_forms(tree: Tree) -> tuple[Formulation, ...]:
    """The forms whose terms are tried for a robot of this size."""
    return tuple(form for form in Formulation if tree.nv <= MOST_DOFS.get(form, tree.nv))


def effects(
    tree: Tree, form: Formulation, states: States, changes: Sequence[Change], quantities: Iterable[str]
) -> dict[str, Floats]:
    """What each change adds to each of the form's quantities at each state: (changes, n, ...)."""
    wanted = frozenset(quantities) & QUANTITIES_OF[form]
    plain = _answers(tree, form, states, UNCHANGED, wanted)
    step = max(1, MOST_ROWS // max(1, len(states)))
    parts = [_changed(tree, form, states, changes[i : i + step], wanted) for i in range(0, len(changes), step)]
    return {name: np.concatenate([part[name] for part in parts]) - plain[name] for name in wanted}


def _changed(
    tree: Tree, form: Formulation, states: States, changes: Sequence[Change], wanted: frozenset[str]
) -> dict[str, Floats]:
    k, n = len(changes), len(states)
    amounts: dict[Place, Floats] = {}
    for row, change in enumerate(changes):
        for place, amount in change.items():
            amounts.setdefault(place, np.zeros(k))[row] = amount
    tiled = tile(states, k)
    repeated = Changes({place: np.repeat(row, n) for place, row in amounts.items()})
    answers = _answers(tree, form, tiled, repeated, wanted)
    return {name: values.reshape(k, n, *values.shape[1:]) for name, values in answers.items()}


def _answers(tree: Tree, form: Formulation, states: States, changes: Changes, wanted: frozenset[str]) -> dict[str, Floats]:
    match form:
        case Formulation.VECTOR:
            return VectorForm(tree, states.q, states.v, changes).answers(wanted)
        case Formulation.JACOBIAN:
            J = JacobianForm(tree, states.q, changes).jacobians()
            own = {"contact_jacobians": J, "contact_velocities": np.einsum("npij,nj->npi", J, states.v)}
            return {name: own[name] for name in wanted}
        case Formulation.ARTICULATED:
            form_of = ArticulatedForm(tree, states.q, states.v, states.tau, changes)
            return {"forward_dynamics": form_of.accelerations()} if wanted else {}
        case Formulation.SPATIAL:
            return SpatialForm(tree, states.q, states.v, changes).answers(wanted)
        case Formulation.LAGRANGE:
            return LagrangeForm(tree, states.q, states.v, changes).answers(wanted)
        case Formulation.COMPOSITE:
            return {"mass_matrix": CompositeForm(tree, states.q, changes).mass_matrix()} if wanted else {}
