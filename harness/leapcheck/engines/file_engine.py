"""A file as a foreign package loads it, behind the engine protocol: what the packages share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from leapcheck.coordinates import conventions
from leapcheck.coordinates.conventions import Convention, Place
from leapcheck.engines.errors import EngineError
from leapcheck.engines.projection import Projection
from leapcheck.engines.protocol import Answers
from leapcheck.sampling import States
from leapcheck_models.arrays import Floats
from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.spec import RobotSpec

NUMBERS = ("M", "h", "c", "g", "T_kin", "V_pot")
QUANTITIES = frozenset({"mass_matrix", "bias_force", "gravity_force", "coriolis_force", "kinetic_energy", "potential_energy"})

PART = 64
"""States at once: their mass matrices stay in the second-level cache."""


class FileNumbers(Protocol):
    """NUMBERS at q and u in the engine's coordinates; `left_out` are quantities that the engine is known to compute wrongly."""

    left_out: frozenset[str]

    def __call__(self, q: Floats, u: Floats) -> dict[str, Floats]:
        """The numbers of one state."""


class FileEngine:
    """A file as a foreign package loads it, behind the engine protocol."""

    def __init__(self, name: str, version: str, route: str, convention: Convention, numbers: FileNumbers) -> None:
        self.name, self.version, self.route = name, version, route
        self.quantities = QUANTITIES - numbers.left_out
        self._convention, self._numbers = convention, numbers

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """Each quantity as an array (n, *shape), canonical."""
        parts = [self._evaluate(states[first : first + PART], quantities) for first in range(0, len(states), PART)]
        return {name: np.concatenate([part[name] for part in parts]) for name in quantities}

    def _evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        T = conventions.velocity_map(self._convention, states.q)
        own_q, own_v = conventions.configuration(self._convention, states.q), conventions.product(T, states.v)
        rows = [self._numbers(q, u) for q, u in zip(own_q, own_v, strict=True)]
        own = {name: np.array([row[name] for row in rows]) for name in NUMBERS}
        projection = Projection(self._convention, states, T, own)
        return {name: projection.quantity(name) for name in quantities}


def convention_of(
    name: str,
    make: Callable[[RobotSpec, dict[str, Place]], Convention],
    spec: RobotSpec,
    places: dict[str, Place],
    nv: int,
) -> Convention:
    """The coordinates of the loaded model; EngineError where it has more dofs than the tree, or lacks a joint."""
    full = with_rotor_bodies(spec).spec
    if nv != full.nv:
        raise EngineError(
            f"{name}: the model loaded has {nv} degrees of freedom, the tree {full.nv}: see `leapcheck lint` on the file"
        )
    try:
        return make(spec, places)
    except ValueError as error:
        raise EngineError(f"{name}: the model loaded differs from the tree: {error}: ask `leapcheck lint` why") from error
