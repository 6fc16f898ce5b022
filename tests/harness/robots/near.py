"""States near the origin, and errors in a quantity's own size."""

from __future__ import annotations

import numpy as np

from leapcheck.sampling import States, generated_states, take
from leapcheck_models.spec import RobotSpec


def near_states(spec: RobotSpec, n: int) -> States:
    """Mixed states but for those far from the origin."""
    states = generated_states(spec, 256, 3, unit=0)
    rows = [i for i, kind in enumerate(states.kind) if kind != "far"][:n]
    return take(states, rows)


def error(quantity: str, found: np.ndarray, expected: np.ndarray, M: np.ndarray) -> float:
    """Largest difference: entries of M by its diagonal, all else by the largest entry over the states."""
    assert found.shape == expected.shape
    difference = np.abs(found - expected)
    if quantity == "mass_matrix":
        diagonal = np.sqrt(np.einsum("nii->ni", M))
        return float((difference / (diagonal[:, :, None] * diagonal[:, None, :])).max())
    return float(difference.max() / (np.abs(expected).max() or 1.0))  # zero: couplings do not curve
