"""One implicit step of velocities under constraint impulses: what rigid and compliant contact have in common.

    (M + dt D) (u' - u) = dt (tau - h - D u) + J^T p,     v = J u' - wanted + compliance p,     p and v by `ncp`

`compliance` 0 and `wanted` the velocity that closes the gap is rigid contact; a spring and damper taken at the end of the step
is the same problem with compliance 1 / (dt (K dt + D)).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from leapcheck_reference.simulate.ncp import impulses
from leapcheck_reference.simulate.ncp_problem import ConeProblem
from leapcheck_reference.simulate.plant import Equations, Plant

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Constraints:
    """Rows that may carry an impulse: J (n, nv), `wanted` and `compliance` (n,), cones and bounds as in `ConeProblem`;
    `inconsistency`: see `impulses`."""

    J: Floats
    wanted: Floats
    compliance: Floats
    friction: Floats
    lower: Floats
    upper: Floats
    inconsistency: float = 0.0


class Unconstrained:
    """The step before any impulse: velocity `u` (nv,), and the factor of the mass matrix for what impulses change."""

    def __init__(self, M: Floats, u: Floats, momentum: Floats) -> None:
        """M (nv, nv), u (nv,) at the step's beginning, `momentum` (nv,) that forces give in it.

        Raises ArithmeticError where M is not positive definite or something is not finite.
        """
        self._L, info = lapack.dpotrf(M, lower=1)
        if info != 0 or not np.isfinite(momentum).all():
            raise ArithmeticError("the mass matrix or a force is not finite: lower the gains or the time step")
        self.u: Floats = u + lapack.dpotrs(self._L, momentum, lower=1)[0]

    def constrained(self, at: Constraints, start: Floats) -> tuple[Floats, Floats]:
        """(u' (nv,), p (n,)) with the constraints' impulses, sought from `start` (n,)."""
        if not len(at.J):
            return self.u, start
        MinvJT = lapack.dpotrs(self._L, at.J.T, lower=1)[0]  # not dtrtrs, which waits for a second thread even where it is small
        G = at.J @ MinvJT
        G = 0.5 * (G + G.T)
        G.flat[:: len(G) + 1] += at.compliance
        p = impulses(ConeProblem(G, at.J @ self.u - at.wanted, at.friction, at.lower, at.upper), start, at.inconsistency)
        changed: Floats = self.u + MinvJT @ p
        return changed, p


def unconstrained(plant: Plant, at: Equations, u: Floats, torque: Floats, dt: float) -> Unconstrained:
    """The step under drive torques (actuators,) N m, gravity and joint damping; damping is taken at the step's end."""
    force = plant.generalised(torque) - at.h
    damping = plant.joints.damping
    if not damping.any():
        return Unconstrained(at.M, u, dt * force)
    M, joints = at.M.copy(), plant.joints.u
    force[joints] -= damping * u[joints]
    M[joints, joints] += dt * damping
    return Unconstrained(M, u, dt * force)
