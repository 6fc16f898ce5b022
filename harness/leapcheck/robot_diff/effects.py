"""What a difference does to M and h, alone: the first robot with it, over seeded states."""

from __future__ import annotations

import numpy as np

from leapcheck.engines.reference import ReferenceEngine
from leapcheck.entries import dof_names
from leapcheck.robot_diff.records import Effect
from leapcheck.rounding import scale_free, scales
from leapcheck.sampling import generated_states, take
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

STATES = 64
KINDS = ("generic", "singular", "rest")
"""States near the origin at ordinary speeds: elsewhere a difference is no larger in scale."""

QUANTITIES = ("mass_matrix", "bias_force")


class DifferenceEffects:
    """Differences of M and h from one robot's, at the same states."""

    def __init__(self, spec: RobotSpec) -> None:
        states = generated_states(spec, STATES, 0, 0)
        rows = np.flatnonzero(np.isin(states.kind, KINDS))
        self._states = take(states, rows)
        self._names = dof_names(spec)
        self._values = self._evaluate(spec)
        self._scales = {name: _positive(scales(name, values)) for name, values in self._values.items()}
        # at a state where all forces nearly vanish any difference would look large
        self._scales["bias_force"] = np.maximum(self._scales["bias_force"], np.median(self._scales["bias_force"]))

    def _evaluate(self, spec: RobotSpec) -> dict[str, Floats]:
        return dict(ReferenceEngine(spec).evaluate(self._states, QUANTITIES))

    def of(self, changed: RobotSpec) -> Effect:
        """The worst change of M and of h where the robot is the changed one."""
        values = self._evaluate(changed)
        worst = []
        for name in QUANTITIES:
            errors = scale_free(values[name] - self._values[name], self._scales[name])
            place = np.unravel_index(int(errors.argmax()), errors.shape)
            entry = ", ".join(dict.fromkeys(self._names[i] for i in place[1:]))
            worst.append((float(errors[place]), entry, int(self._states.index[place[0]])))
        (M, M_entry, M_state), (h, h_entry, h_state) = worst
        return Effect(M, M_entry, M_state, h, h_entry, h_state)


def _positive(scale: Floats) -> Floats:
    """The scales; 1 where a joint moves no mass."""
    return np.where(scale > 0.0, scale, 1.0)
