"""M in and out of MuJoCo's storage forms, and solving with M."""

from __future__ import annotations

import numpy as np

import leapcheck_reference as reference
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

FORMS = ("qM", "csr")


def unpack(spec: RobotSpec, stored: Floats, form: str) -> Floats:
    """Dense M (n, nv, nv) in MuJoCo's coordinates, of a robot without geared rotors, from qM (n, nM) or from CSR (n, nC)."""
    layout = reference.layout(reference.build(spec))
    if form == "qM":
        return np.stack([reference.dense_from_legacy(row, layout.Madr, layout.parentid) for row in stored])
    return np.stack([reference.dense_from_csr(row, layout.rowadr, layout.rownnz, layout.colind) for row in stored])


def pack(spec: RobotSpec, M: Floats, form: str) -> Floats:
    """qM (n, nM) or CSR (n, nC) of dense M (n, nv, nv) in MuJoCo's coordinates."""
    layout = reference.layout(reference.build(spec))
    if form == "qM":
        return np.stack([reference.legacy_from_dense(dense, layout.parentid) for dense in M])
    return np.asarray(M[:, np.repeat(np.arange(spec.nv), layout.rownnz), layout.colind])


def solve(M: Floats, columns: Floats) -> Floats:
    """M^-1 columns (n, nv, k); all NaN where a hypothetical robot's M is singular."""
    try:
        return np.asarray(np.linalg.solve(M, columns), dtype=float)
    except np.linalg.LinAlgError:
        return np.full(columns.shape, np.nan)
