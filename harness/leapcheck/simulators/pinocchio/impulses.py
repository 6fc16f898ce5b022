"""Pinocchio's constraint solvers: impulses of contacts and joint stops, checked here."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pinocchio as pin

from leapcheck_models.arrays import Floats
from leapcheck_reference.simulate.errors import ContactSolverError
from leapcheck_reference.simulate.ncp_problem import ConeProblem, residual

SolverName = Literal["admm", "pgs"]

TOLERANCE = 1e-13
"""Absolute and relative tolerance asked of Pinocchio's solvers."""

MOST_ITERATIONS = {"admm": 10_000, "pgs": 20_000}

VARIANTS: dict[str, tuple[dict[str, Any], ...]] = {
    "admm": tuple({"admm_update_rule": pin.ADMMUpdateRule.names[rule]} for rule in ("LINEAR", "SPECTRAL", "OSQP", "CONSTANT")),
    "pgs": ({"over_relaxation": 1.0}, {"over_relaxation": 0.5}, {"over_relaxation": 0.1}),
}
"""Settings tried in turn. With its usual rule OSQP, ADMM comes no nearer than 1e-5 m/s to the solution of some problems; without
relaxation, PGS swings for ever between two wrong answers of some well-posed ones."""

GOOD_RESIDUAL, LARGEST_RESIDUAL = 1e-10, 1e-6
"""Violation (m/s) of the laws of contact and friction below which no other settings are tried, and above which impulses are
wrong, whatever the solver says."""


class PinocchioImpulses:
    """Pinocchio's ADMM or PGS; `worst_residual` m/s is the largest violation of contact and friction laws so far."""

    def __init__(self, name: SolverName) -> None:
        """ValueError for an unknown name."""
        if name not in MOST_ITERATIONS:
            raise ValueError(f"Pinocchio has no constraint solver {name!r}: use one of {', '.join(MOST_ITERATIONS)}")
        self._name, self.worst_residual = name, 0.0
        self._settings = pin.ADMMSolverSettings() if name == "admm" else pin.PGSSolverSettings()
        for tolerance in ("absolute_feasibility", "relative_feasibility", "absolute_complementarity", "relative_complementarity"):
            setattr(self._settings, f"{tolerance}_tol", TOLERANCE)
        self._settings.max_iterations = MOST_ITERATIONS[name]

    def __call__(self, models: pin.StdVec_ConstraintModel, datas: pin.StdVec_ConstraintData, problem: ConeProblem) -> Floats:
        """Impulses p (n,) for v = G p + g of the constraints: contacts first, then stops.

        Raises ContactSolverError where they violate the laws: PGS calls some converged that do (at low friction).
        """
        error, converged, p = np.inf, False, np.zeros_like(problem.g)
        for variant in VARIANTS[self._name]:
            trial, said_so = self._solve(models, datas, problem, variant)
            if (left := residual(problem, trial)) < error:
                error, converged, p = left, said_so, trial
            if error <= GOOD_RESIDUAL:
                break
        self.worst_residual = max(self.worst_residual, error)
        if not error <= LARGEST_RESIDUAL:
            said = "calls converged" if converged else "gave up on"
            raise ContactSolverError(
                f"Pinocchio's {self._name.upper()} {said} impulses that break the laws of contact by {error:.1e} m/s: "
                f"{'use its ADMM' if self._name == 'pgs' else 'take a smaller time step'}"
            )
        return p

    def _solve(
        self, models: pin.StdVec_ConstraintModel, datas: pin.StdVec_ConstraintData, problem: ConeProblem, variant: dict[str, Any]
    ) -> tuple[Floats, bool]:
        """(impulses, whether Pinocchio calls them converged)."""
        for name, value in variant.items():
            setattr(self._settings, name, value)
        if self._name == "pgs":
            solver, result = pin.PGSConstraintSolver(), pin.PGSSolverResult()
        else:
            solver, result = pin.ADMMConstraintSolver(), pin.ADMMSolverResult()
        delassus = pin.DelassusOperatorDense(np.asfortranarray(problem.G))
        converged = solver.solve(delassus, problem.g, models, datas, self._settings, result)
        return np.array(result.retrieveConstraintImpulses(), dtype=float).ravel(), bool(converged)
