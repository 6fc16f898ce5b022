"""Answers of the user's engine in a convention of its own, turned into canonical ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from leapcheck.coordinates import conventions
from leapcheck.coordinates.conventions import Convention
from leapcheck.engines.projection import OwnStates, Projection, own_states
from leapcheck.engines.protocol import Answers
from leapcheck.sampling import States
from leapcheck_models.arrays import Floats

OWN_NUMBERS = {
    "mass_matrix": "M",
    "bias_force": "h",
    "coriolis_force": "c",
    "gravity_force": "g",
    "forward_dynamics": "udot",
    "contact_jacobians": "J",
    "contact_bias_accelerations": "a",
}
"""Quantities that depend on the convention, and their names in `projection`."""

WITH_RATE = {
    "bias_force": "mass_matrix",
    "coriolis_force": "mass_matrix",
    "contact_bias_accelerations": "contact_jacobians",
}
"""What must be known besides where T changes with the state: M for Tdot in forces, J in accelerations."""


def prerequisites(convention: Convention | None, quantities: Sequence[str]) -> tuple[str, ...]:
    """What the engine must be asked for so that the quantities are known in the canonical convention."""
    if convention is None or not convention.has_rate:
        return tuple(quantities)
    return tuple(dict.fromkeys([*quantities, *(WITH_RATE[name] for name in quantities if name in WITH_RATE)]))


def check_convertible(convention: Convention | None, quantities: Collection[str], verb: str) -> None:
    """ValueError for a quantity whose prerequisites the engine does not answer; `verb` says how it would."""
    for name in sorted(quantities):
        for missing in (other for other in prerequisites(convention, [name]) if other not in quantities):
            raise ValueError(f"{name} in a base velocity in world axes cannot be converted without {missing}: {verb} that too")


def states_in(convention: Convention | None, states: States) -> OwnStates:
    """The states in the engine's convention; those of the canonical convention unchanged."""
    if convention is None:
        return OwnStates(states.q, states.v, states.tau)
    return own_states(convention, conventions.velocity_map(convention, states.q), states)


def answers_from(convention: Convention | None, states: States, own: Mapping[str, Floats], quantities: Sequence[str]) -> Answers:
    """The quantities in the canonical convention, out of the engine's own answers at these states.

    An M that is not needed counts as zero; without J, accelerations are the same in both conventions.
    """
    if convention is None:
        return {name: own[name] for name in quantities}
    T = conventions.velocity_map(convention, states.q)
    numbers = {"M": np.zeros_like(T)} | {OWN_NUMBERS[name]: values for name, values in own.items() if name in OWN_NUMBERS}
    projection = Projection(convention, states, T, numbers)
    converted = OWN_NUMBERS.keys() - ({"contact_bias_accelerations"} if "J" not in numbers else set())
    return {name: projection.quantity(name) if name in converted else own[name] for name in quantities}
