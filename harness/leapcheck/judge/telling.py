"""Which states and quantities tell most for the least work: hypotheses are tried on these first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from leapcheck.judge.evidence import Evidence
from leapcheck.quantities import QUANTITIES

FEW = 4
"""States on which hypotheses are screened; what passes is checked at all states."""

CHEAP = (
    *("mass_matrix", "contact_positions", "gravity_force", "potential_energy", "kinetic_energy", "contact_velocities"),
    *("bias_force", "coriolis_force", "contact_jacobians", "contact_bias_accelerations"),
)
"""The order in which quantities are checked: the most telling for the least work first."""


def telling_states(evidence: Evidence, deviating: Sequence[str]) -> list[int]:
    """States, at least `FEW` where there are so many, in which the deviating quantities are off most: ordinary ones first."""
    ordinary = np.array([kind in ("generic", "file") for kind in evidence.states.kind])
    chosen: list[int] = []
    for quantity in deviating:
        with np.errstate(all="ignore"):
            misfit = np.nan_to_num(evidence.error(quantity, evidence.expected[quantity]) / evidence.allowed[quantity], nan=np.inf)
        seen = np.where(ordinary, misfit, 0.0)
        chosen.append(int((seen if seen.max(initial=0.0) > 1.0 else misfit).argmax()))
    spare = [*np.flatnonzero(ordinary).tolist(), *np.flatnonzero(~ordinary).tolist()]
    chosen = list(dict.fromkeys(chosen))[: 2 * FEW]
    return list(dict.fromkeys([*chosen, *spare]))[: max(FEW, len(chosen))]


def cost(quantity: str) -> int:
    """Place of a quantity in the order in which they are checked."""
    return CHEAP.index(quantity) if quantity in CHEAP else len(CHEAP) + list(QUANTITIES).index(quantity)
