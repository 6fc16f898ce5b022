"""What needs no cause: rounding; and what leaves none to be found: numbers that are not finite."""

from __future__ import annotations

import numpy as np

from leapcheck.compare.errors import scale_free, scales
from leapcheck.compare.tally import NEAR, REACH, TOLERANCE_UNITS
from leapcheck.judge.case import Case, Cause
from leapcheck.judge.coordinates import free_joints
from leapcheck.quantities import QUANTITIES
from leapcheck.states import Floats


def not_finite(at: Case) -> Cause | None:
    """Answers that hold NaN or infinity."""
    bad = ~np.isfinite(at.answer.reshape(len(at.answer), -1))
    if not bad.any():
        return None
    kinds = sorted({at.states.kind[i] for i in np.flatnonzero(bad.any(axis=1))})
    evidence = (
        f"{int(bad.sum())} of {bad.size} numbers, at {int(bad.any(axis=1).sum())} of {len(bad)} states ({', '.join(kinds)})"
    )
    return Cause("engine", f"{at.suspect.name} answers NaN or infinity", evidence)


def round_off(at: Case) -> Cause | None:
    """No error beyond what rounding makes of these states: imprecise far from the world's origin at most."""
    units = _per_state(at) / at.rounding
    distance = _base_distance(at)
    far = distance > NEAR
    if not (units <= TOLERANCE_UNITS * np.where(far, 1.0 + distance / REACH, 1.0)).all():
        return None
    evidence = (
        f"the largest error is {at.error:.2g} of {QUANTITIES[at.quantity].scale}, {units.max():.3g} times the rounding "
        f"to expect of its state; up to {TOLERANCE_UNITS:g} are allowed"
    )
    if (units <= TOLERANCE_UNITS).all():
        return Cause("round-off", "both answers are right to rounding", evidence)
    cause = "right but imprecise: the numbers of a base far from the world's origin cancel"
    return Cause(
        "round-off", cause, f"{evidence} near the origin, more in proportion to the distance, here {distance.max():.3g} m"
    )


def _per_state(at: Case) -> Floats:
    """Largest scale-free error (n,) of each state."""
    error = scale_free(at.found - at.expected, scales(at.quantity, at.expected))
    largest: Floats = error.reshape(len(error), -1).max(axis=1, initial=0.0)
    return largest


def _base_distance(at: Case) -> Floats:
    """Largest distance (n,) of a free base from the world's origin, m."""
    distances = [np.linalg.norm(at.states.q[:, q : q + 3], axis=1) for q, _ in free_joints(at.spec)]
    return np.max(distances, axis=0) if distances else np.zeros(len(at.states))
