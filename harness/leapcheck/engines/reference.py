"""The in-house dynamics as an engine: the readable single-state algorithms, run on a block of states at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import leapcheck_reference as reference
from leapcheck.engines.protocol import Answers
from leapcheck.quantities import QUANTITIES
from leapcheck.sampling import States, with_contact_forces
from leapcheck_models.arrays import Floats
from leapcheck_models.rotors import with_rotor_bodies, with_rotor_coordinates
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.batch import evaluate_batch
from leapcheck_reference.quantities import quantity as reference_quantity
from leapcheck_reference.sharing import share, sharing

_coordinates_with_rotors = share(with_rotor_coordinates)


class ReferenceEngine:
    """The reference on one robot; MuJoCo's own quantities are those of the same robot with its rotors as bodies."""

    name = "reference"
    version = "in-house"
    quantities = frozenset(QUANTITIES)

    def __init__(self, spec: RobotSpec) -> None:
        self._spec = spec
        self._tree = reference.build(spec)
        self._full = reference.build(with_rotor_bodies(spec).spec)
        self._layout = reference.layout(self._full)
        rotors = sum(link.rotor is not None for link in self._tree.links)
        self.route = f"the spec itself; {rotors} exact rotors" if rotors else "the spec itself"

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """Each quantity over the block, by the function of the same name in `leapcheck_reference`."""
        states = with_contact_forces(self._spec, states)
        with sharing():
            return {name: self._answer(name, states) for name in quantities}

    def _answer(self, name: str, states: States) -> Floats:
        quantity = QUANTITIES[name]
        if not quantity.in_mujoco_coordinates:
            return evaluate_batch(
                reference_quantity(name).function, self._tree, *(getattr(states, part) for part in quantity.arguments)
            )
        q = _coordinates_with_rotors(self._spec, states.q)
        if name in ("qM", "csr"):
            M = evaluate_batch(reference.mujoco_mass_matrix, self._full, q)
            return self._pack(name, M)
        return evaluate_batch(reference_quantity(name).function, self._full, q)

    def _pack(self, name: str, M: Floats) -> Floats:
        """Dense M (n, nv, nv) in MuJoCo's coordinates, packed as qM (n, nM) or as CSR (n, nC)."""
        layout = self._layout
        if name == "csr":
            return M[:, np.repeat(np.arange(self._full.nv), layout.rownnz), layout.colind]
        return np.stack([reference.legacy_from_dense(M_i, layout.parentid) for M_i in M])
