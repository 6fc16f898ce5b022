"""A robot with a dof that moves no inertia has no accelerations: refused before anything is compared."""

from __future__ import annotations

import numpy as np

from leapcheck.compare.entries import dof_names
from leapcheck.engines.reference_engine import ReferenceEngine
from leapcheck.states import generated_states
from leapcheck_models.spec import RobotSpec

SINGULAR = 1e-13
"""Smallest eigenvalue of M, scaled to a unit diagonal, that counts as zero; least over named robots and 300 trees: 7e-5."""


def singular_dof(spec: RobotSpec) -> str:
    """Name of the dof that most moves no inertia at a generic state, "" where M is regular."""
    M = ReferenceEngine(spec).evaluate(generated_states(spec, 1, 0, 0), ("mass_matrix",))["mass_matrix"][0]
    diagonal = np.sqrt(np.diag(M))
    if not diagonal.all():
        return dof_names(spec)[int(diagonal.argmin())]
    eigenvalues, vectors = np.linalg.eigh(M / np.outer(diagonal, diagonal))
    return dof_names(spec)[int(np.abs(vectors[:, 0]).argmax())] if eigenvalues[0] <= SINGULAR else ""
