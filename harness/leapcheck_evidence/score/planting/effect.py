"""How much a defect changes: the largest scale-free difference of each quantity from the in-house value, near the origin."""

from __future__ import annotations

import numpy as np

from leapcheck.engines.protocol import Engine
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.sampling import States, generated_states, take
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

STATES, SEED = 32, 20_251_121
SMALLEST = 1e-300
"""A state whose largest entry is smaller has no scale: its differences are absolute."""

NOT_UNIQUE = "coriolis_matrix"

KINDS = ("generic", "large", "rest")
"""Kinds of states at which it is measured: not those where nothing is left of a quantity but rounding."""


def effect(spec: RobotSpec, engine: Engine) -> dict[str, float]:
    """By quantity that the engine answers: |dM_ij| / sqrt(M_ii M_jj), for all else |difference| / largest entry."""
    states = _states(spec)
    names = sorted(engine.quantities)
    right = ReferenceEngine(spec).evaluate(states, names)
    answers = engine.evaluate(states, names)
    if NOT_UNIQUE in names:
        right, answers = ({**block, NOT_UNIQUE: seen_of(block[NOT_UNIQUE], states.v)} for block in (right, answers))
    return {name: float(differences(name, answers[name], right[name]).max(initial=0.0)) for name in names}


def seen_of(C: Floats, v: Floats) -> Floats:
    """What all Coriolis matrices (n, nv, nv) of a robot have in common: C + C^T and C v (n, nv, nv + 1)."""
    return np.concatenate([C + C.swapaxes(1, 2), C @ v[..., None]], axis=2)


def _states(spec: RobotSpec) -> States:
    states = generated_states(spec, STATES, SEED, 0)
    rows = [i for i, kind in enumerate(states.kind) if kind in KINDS]
    return take(states, rows)


def differences(name: str, answer: Floats, right: Floats) -> Floats:
    """Largest scale-free difference (n,) at each state; infinite for NaN."""
    if not right.size:
        return np.zeros(len(right))
    if name == "mass_matrix":
        diagonal = np.sqrt(np.diagonal(right, axis1=1, axis2=2))
        scale = diagonal[:, :, None] * diagonal[:, None, :]
    else:
        scale = np.abs(right).reshape(len(right), -1).max(axis=1).reshape(-1, *(1,) * (right.ndim - 1))
        scale = np.where(scale < SMALLEST, 1.0, scale)
    error = np.abs(answer - right) / scale
    largest: Floats = np.where(np.isnan(error), np.inf, error).reshape(len(error), -1).max(axis=1)
    return largest
