"""An engine as a user writes it for `leapcheck compare --engine`: plain functions of one state."""

from __future__ import annotations

from typing import Any

import numpy as np

from leapcheck.sampling import States
from leapcheck_evidence.score.planting.own_dynamics import OwnDynamics
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec


class SingleStates:
    """M and h by `OwnDynamics`, one state at a time."""

    def __init__(self, spec: RobotSpec) -> None:
        self._engine, self._nv = OwnDynamics(spec), spec.nv

    def mass_matrix(self, q: Floats) -> Any:
        """M (nv, nv)."""
        return self._answer("mass_matrix", q, np.zeros(self._nv))

    def bias_force(self, q: Floats, v: Floats) -> Any:
        """h (nv,)."""
        return self._answer("bias_force", q, v)

    def gravity_force(self, q: Floats) -> Any:
        """g (nv,)."""
        return self._answer("gravity_force", q, np.zeros(self._nv))

    def _answer(self, name: str, q: Floats, v: Floats) -> Any:
        state = States(q[None], v[None], np.zeros((1, self._nv)), np.zeros(1, dtype=np.int64), ("",))
        return self._engine.evaluate(state, (name,))[name][0]
