"""The codes behind the engine protocol: which of them answers what, as in four people's libraries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from leapcheck.engines.protocol import Answers
from leapcheck.sampling import States
from leapcheck_evidence.score.programs.mutation import Codes, edited_codes
from leapcheck_models.arrays import Array
from leapcheck_models.spec import RobotSpec

Answer = Callable[["Block", str], Any]

POINTS = ("contact_positions", "contact_velocities", "contact_jacobians", "contact_bias_accelerations")
ENERGIES = ("kinetic_energy", "potential_energy")
FORCES = ("bias_force", "coriolis_force", "gravity_force")
QUANTITIES = ("mass_matrix", *FORCES, "forward_dynamics", *POINTS, "contact_inertia", *ENERGIES)

ARGUMENTS = {
    "mass_matrix": "q",
    "gravity_force": "q",
    "contact_positions": "q",
    "contact_jacobians": "q",
    "potential_energy": "q",
}
"""What a function takes of a state, where that is not q and v."""


class Block:
    """The answers of one library at a block of states; M and h are worked out once."""

    def __init__(self, codes: Codes, library: str, spec: RobotSpec, states: States) -> None:
        self.codes, self.library, self.robot = codes, library, codes["links"].read(spec)
        self.q, self.v, self.tau = states.q, states.v, states.tau
        self._known: dict[str, Array] = {}

    def answer(self, name: str) -> Array:
        """A quantity (n, ...)."""
        if name not in self._known:
            self._known[name] = self._work_out(name)
        return self._known[name]

    def _work_out(self, name: str) -> Any:
        if name == "contact_inertia":
            return self.codes["points"].contact_inertia(self.answer("contact_jacobians"), self.answer("mass_matrix"))
        if name in POINTS:
            return self._call("points", name)
        if name in ENERGIES:
            return self._call("energies", name)
        return LIBRARIES[self.library](self, name)

    def newton_euler(self, name: str) -> Any:
        """Newton and Euler in link axes, composite bodies, Cholesky."""
        if name == "forward_dynamics":
            return self._solved()
        return self._call("composite" if name == "mass_matrix" else "newton_euler", name)

    def unit_accelerations(self, name: str) -> Any:
        """The same, but for M: one column of inverse dynamics for each unit acceleration."""
        if name != "mass_matrix":
            return self.newton_euler(name)
        zero, n, nv = np.zeros_like(self.v), len(self.v), self.robot.nv
        inverse_dynamics = self.codes["newton_euler"].inverse_dynamics
        columns = [inverse_dynamics(self.robot, self.q, zero, np.broadcast_to(unit, (n, nv)), np.zeros(3)) for unit in np.eye(nv)]
        M: Array = np.stack(columns, axis=2)
        return 0.5 * (M + np.swapaxes(M, 1, 2))

    def spatial(self, name: str) -> Any:
        """Six-vectors and articulated bodies."""
        if name == "forward_dynamics":
            return self.codes["spatial"].forward_dynamics(self.robot, self.q, self.v, self.tau)
        return self._call("spatial", name)

    def lagrange(self, name: str) -> Any:
        """Lagrange with Mdot v - 1/2 d(v^T M v)/dq."""
        return self._lagrange(name, "coriolis_by_momentum")

    def christoffel(self, name: str) -> Any:
        """Lagrange with Christoffel's symbols."""
        return self._lagrange(name, "coriolis_by_christoffel")

    def _lagrange(self, name: str, coriolis: str) -> Any:
        match name:
            case "forward_dynamics":
                return self._solved()
            case "bias_force":
                return self.answer("coriolis_force") + self.answer("gravity_force")
            case "coriolis_force":
                return self.codes["lagrange"].__dict__[coriolis](self.robot, self.q, self.v)
        return self._call("lagrange", name)

    def _solved(self) -> Any:
        return self.codes["composite"].forward_dynamics(self.answer("mass_matrix"), self.answer("bias_force"), self.tau)

    def _call(self, module: str, name: str) -> Any:
        arguments = (self.q,) if ARGUMENTS.get(name) == "q" else (self.q, self.v)
        return getattr(self.codes[module], name)(self.robot, *arguments)


LIBRARIES: Mapping[str, Answer] = {
    "newton_euler": Block.newton_euler,
    "unit_accelerations": Block.unit_accelerations,
    "spatial": Block.spatial,
    "lagrange": Block.lagrange,
    "christoffel": Block.christoffel,
}
"""Who answers M, forces and forward dynamics; points and energies are common to all."""


class ProgramEngine:
    """A library as an engine of one robot."""

    name = "program"
    version = "0"

    def __init__(self, spec: RobotSpec, library: str, codes: Codes | None = None) -> None:
        self._spec, self._library, self._codes = spec, library, codes or edited_codes(())
        self.route = f"the spec, read by the code '{library}'"
        points = any(point.computed for point in spec.contact_points)
        self.quantities = frozenset(QUANTITIES if points else (name for name in QUANTITIES if not name.startswith("contact")))

    def rebuild(self, spec: RobotSpec) -> ProgramEngine:
        """The same code on another robot."""
        return ProgramEngine(spec, self._library, self._codes)

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """Each quantity (n, ...)."""
        block = Block(self._codes, self._library, self._spec, states)
        return {name: np.asarray(block.answer(name), dtype=float) for name in quantities}
