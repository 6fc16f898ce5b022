"""The in-house dynamics as an engine: the readable single-state algorithms, run on a block of states at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import leapcheck_reference as reference
from leapcheck.engines.protocol import Answers
from leapcheck.quantities import QUANTITIES
from leapcheck.states import Floats, States
from leapcheck_models.rotors import with_rotor_bodies, with_rotor_coordinates
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.batch import evaluated


class ReferenceEngine:
    """The reference on one robot; MuJoCo's own quantities are those of the same robot with its rotors as bodies."""

    name = "reference"
    version = "in-house"

    def __init__(self, spec: RobotSpec) -> None:
        self._spec = spec
        self._tree = reference.build(spec)
        self._full = reference.build(with_rotor_bodies(spec).spec)
        self._layout = reference.layout(self._full)

    @property
    def route(self) -> str:
        """How the robot came in."""
        rotors = sum(link.rotor is not None for link in self._tree.links)
        return f"the spec itself; {rotors} exact rotors" if rotors else "the spec itself"

    @property
    def quantities(self) -> frozenset[str]:
        """Every quantity."""
        return frozenset(QUANTITIES)

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """Each quantity over the block, by the function of the same name in `leapcheck_reference`."""
        return {name: self._one(name, states) for name in quantities}

    def _one(self, name: str, states: States) -> Floats:
        quantity = QUANTITIES[name]
        if not quantity.in_mujoco_coordinates:
            function: Callable[..., Any] = getattr(reference, name)
            return evaluated(function, self._tree, *(getattr(states, part) for part in quantity.arguments))
        q = with_rotor_coordinates(self._spec, states.q)
        if name in ("qM", "csr"):
            M = evaluated(reference.mujoco_mass_matrix, self._full, q)
            return self._packed(name, M)
        return evaluated(getattr(reference, name), self._full, q)

    def _packed(self, name: str, M: Floats) -> Floats:
        """Dense M (n, nv, nv) in MuJoCo's coordinates, packed as qM (n, nM) or as CSR (n, nC)."""
        at = self._layout
        if name == "csr":
            return M[:, np.repeat(np.arange(self._full.nv), at.rownnz), at.colind]
        return np.stack([reference.legacy_from_dense(M_i, at.parentid) for M_i in M])
