"""Answers of the user's engine in a convention of its own, turned into canonical ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from leapcheck import conventions
from leapcheck.conventions import Convention, Floats
from leapcheck.engines.projection import OwnStates, own_states
from leapcheck.engines.protocol import Answers
from leapcheck.states import States

WITH_RATE = {
    "bias_force": "mass_matrix",
    "coriolis_force": "mass_matrix",
    "contact_bias_accelerations": "contact_jacobians",
}
"""What must be known besides where T changes with the state: M for Tdot in forces, J in accelerations."""


class Turning(NamedTuple):
    """T (n, nv, nv) and Tdot v (n, nv) at a block of states."""

    T: Floats
    Tdot_v: Floats


def needed(convention: Convention | None, quantities: Sequence[str]) -> tuple[str, ...]:
    """What the engine must be asked for so that the quantities are known in the canonical convention."""
    if convention is None or not convention.has_rate:
        return tuple(quantities)
    return tuple(dict.fromkeys([*quantities, *(WITH_RATE[name] for name in quantities if name in WITH_RATE)]))


def in_own_coordinates(convention: Convention | None, states: States) -> OwnStates:
    """The states as the engine wants them; those of the canonical convention unchanged."""
    if convention is None:
        return OwnStates(states.q, states.v, states.tau)
    return own_states(convention, conventions.velocity_map(convention, states.q), states)


def canonical(convention: Convention | None, states: States, own: Mapping[str, Floats], quantities: Sequence[str]) -> Answers:
    """The quantities in the canonical convention, of the engine's own answers at these states."""
    if convention is None:
        return {name: own[name] for name in quantities}
    at = Turning(conventions.velocity_map(convention, states.q), conventions.velocity_map_rate(convention, states.q, states.v))
    return {name: _turned(name, own, at) for name in quantities}


def _turned(name: str, own: Mapping[str, Floats], at: Turning) -> Floats:
    """One quantity; those that are the same in every convention unchanged. A mass matrix not needed counts as zero."""
    match name:
        case "mass_matrix":
            return conventions.mass_matrix(at.T, own[name])
        case "bias_force" | "coriolis_force":
            return conventions.bias_force(at.T, own[name], own.get("mass_matrix", np.zeros_like(at.T)), at.Tdot_v)
        case "gravity_force":
            return conventions.force(at.T, own[name])
        case "forward_dynamics":
            return conventions.acceleration(at.T, own[name], at.Tdot_v)
        case "contact_jacobians":
            return conventions.jacobians(at.T, own[name])
        case "contact_bias_accelerations":
            if "contact_jacobians" not in own:
                return own[name]
            return conventions.bias_accelerations(own[name], own["contact_jacobians"], at.Tdot_v)
        case _:
            return own[name]
