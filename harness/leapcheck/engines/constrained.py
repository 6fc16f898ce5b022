"""The equations of motion under constraints, solved by leapcheck for engines that have no rigid solver of their own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.closed_loops import constraint_part, independent_constraints, row_groups


def constrained_accelerations(spec: RobotSpec, M: Floats, force: Floats, J: Floats, bias: Floats) -> Floats:
    """vdot (n, nv) with M vdot = force + J^T lambda and J vdot = -bias, dependent rows left out as in-house.

    M (n, nv, nv), force (n, nv), J (n, rows, nv), bias (n, rows), rows as those of the spec.
    """
    groups = row_groups([loop.type for loop in spec.loops], len(spec.couplings))
    return np.array([_acceleration(groups, *state) for state in zip(M, force, J, bias, strict=True)]).reshape(force.shape)


def _acceleration(groups: Sequence[int], M: Floats, force: Floats, J: Floats, bias: Floats) -> Floats:
    from scipy.linalg import solve_triangular  # here: few robots have constraints, and every engine's process would import it

    U, c, share = independent_constraints(J, bias, groups, 1.0 / np.diagonal(M))
    L = np.linalg.cholesky(M)
    free = solve_triangular(L, solve_triangular(L, force, lower=True), lower=True, trans=1)
    z = constraint_part(solve_triangular(L, U.T, lower=True), np.ones(len(L)), c - U @ free, share)
    vdot: Floats = free + solve_triangular(L, z, lower=True, trans=1)
    return vdot
