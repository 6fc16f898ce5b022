"""M out of MuJoCo's two storage forms, and into them."""

from __future__ import annotations

import numpy as np

import leapcheck_reference as reference
from leapcheck.states import Floats
from leapcheck_models.spec import RobotSpec

FORMS = ("qM", "csr")


def unpacked(spec: RobotSpec, stored: Floats, form: str) -> Floats:
    """Dense M (n, nv, nv) in MuJoCo's coordinates, of a robot without geared rotors, from qM (n, nM) or from CSR (n, nC)."""
    at = reference.layout(reference.build(spec))
    if form == "qM":
        return np.stack([reference.dense_from_legacy(row, at.Madr, at.parentid) for row in stored])
    return np.stack([reference.dense_from_csr(row, at.rowadr, at.rownnz, at.colind) for row in stored])


def packed(spec: RobotSpec, M: Floats, form: str) -> Floats:
    """qM (n, nM) or CSR (n, nC) of dense M (n, nv, nv) in MuJoCo's coordinates."""
    at = reference.layout(reference.build(spec))
    if form == "qM":
        return np.stack([reference.legacy_from_dense(dense, at.parentid) for dense in M])
    return np.asarray(M[:, np.repeat(np.arange(spec.nv), at.rownnz), at.colind])
