"""States and scale-free errors for the tests of the engines."""

from __future__ import annotations

import numpy as np

from leapcheck.coordinates import conventions
from leapcheck.engines import projection
from leapcheck.engines.foreign import ForeignEngine
from leapcheck.quantities import QUANTITIES, Scale
from leapcheck.sampling import States, generated_states, take
from leapcheck_models.spec import RobotSpec

STORAGE = tuple(name for name, quantity in QUANTITIES.items() if quantity.in_mujoco_coordinates)


def near_states(spec: RobotSpec, n: int = 30, seed: int = 3) -> States:
    """Mixed states near the origin: generic, fast, near-singular, at rest, named poses."""
    states = generated_states(spec, 256, seed, unit=0)
    rows = [i for i, kind in enumerate(states.kind) if kind != "far"][:n]
    return take(states, rows)


def own_states(numbers: ForeignEngine, states: States) -> projection.OwnStates:
    """The states in the coordinates of an engine."""
    return projection.own_states(numbers.convention, conventions.velocity_map(numbers.convention, states.q), states)


def error(quantity: str, found: np.ndarray, expected: np.ndarray, M: np.ndarray, v: np.ndarray) -> float:
    """Largest error over the states in the quantity's own scale.

    Entries of M by its diagonal `M` (n, nv, nv); Coriolis forces, which may cancel to nothing, by |M| |v|^2 of the state.
    """
    if found.shape != expected.shape:
        raise AssertionError(f"{quantity}: shape {found.shape}, expected {expected.shape}")
    if found.size == 0:
        return 0.0
    difference = np.abs(found - expected)
    if QUANTITIES[quantity].scale is Scale.DIAGONAL:
        diagonal = np.sqrt(np.einsum("nii->ni", M))
        return float((difference / (diagonal[:, :, None] * diagonal[:, None, :])).max())
    if QUANTITIES[quantity].scale is Scale.ABSOLUTE:
        return float(difference.max())
    scale = _largest(M) * _largest(v) ** 2 if quantity == "coriolis_force" else _largest(expected)
    return float((_largest(difference) / np.where(scale > 0.0, scale, 1.0)).max())


def _largest(values: np.ndarray) -> np.ndarray:
    """Largest entry of each state (n,)."""
    return np.abs(values).reshape(len(values), -1).max(axis=1)
