"""States misread in a region only: clipped, wrapped, taken as zero or without their sign."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from leapcheck.judge.belief import Belief, Hypothesis, engine_fault
from leapcheck.judge.conditions.regions import Interval, StateRegion, plain_number
from leapcheck.judge.evidence import Evidence
from leapcheck.sampling import States
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

Misreading = Callable[[Floats, Interval, bool], Floats]
"""Numbers of a coordinate in an interval of it, or of its size, as the engine takes them."""

STEP, NEWTON_STEPS = 1e-6, 3
"""Step of a difference quotient, and steps of Newton's method, in fitted thresholds."""

NAMES = {"q": "position", "v": "velocity", "tau": "torque"}


def _clipped(x: Floats, interval: Interval, is_size: bool) -> Floats:
    low, high = interval
    end = low if np.isinf(high) else high if np.isinf(low) else np.where(np.abs(x - low) < np.abs(x - high), low, high)
    return np.sign(x) * end if is_size else np.broadcast_to(end, x.shape)


def _wrapped(x: Floats, interval: Interval, _is_size: bool) -> Floats:
    low, high = interval
    end = low if np.isinf(high) else -high  # beyond an angle, or beyond its negative
    return np.remainder(x + end, 2.0 * end) - end if 0.0 < end < np.inf else np.full_like(x, np.nan)


def _zero(x: Floats, _interval: Interval, _is_size: bool) -> Floats:
    return np.zeros_like(x)


def _size(x: Floats, _interval: Interval, _is_size: bool) -> Floats:
    return np.abs(x)


def _negative(x: Floats, _interval: Interval, _is_size: bool) -> Floats:
    return -x


MISREADINGS: dict[str, tuple[str, Misreading]] = {
    "clip": ("clipped", _clipped),
    "zero": ("taken as 0", _zero),
    "wrap": ("wrapped", _wrapped),
    "size": ("taken without its sign", _size),
    "sign": ("taken with the opposite sign", _negative),
}


def misreadings(regions: Sequence[StateRegion], local: Evidence) -> Iterator[Hypothesis]:
    """The hypotheses that the engine misreads, in some regions, the coordinates that these are about.

    Thresholds are those that a programmer would have written, then those that fit the answers best.
    """
    if not all(region.feature.columns for region in regions):
        return
    plain = [region.with_ends([plain_number(end, region.feature.unit) for end in region.ends]) for region in regions]
    for kind in MISREADINGS:
        yield _hypothesis(kind, plain)
    for kind in ("clip", "wrap"):
        if (fitted := _fit(kind, regions, local)) is not None:
            yield _hypothesis(kind, fitted)


def _hypothesis(kind: str, regions: Sequence[StateRegion]) -> Hypothesis:
    what = " or ".join(dict.fromkeys(_subject(region) for region in regions))
    words, function = MISREADINGS[kind]
    return engine_fault(
        f"condition/{kind}/{','.join(region.feature.name for region in regions)}",
        f"{what} is {words}",
        state_edit=partial(_misread, tuple(regions), function),
    )


def _fit(kind: str, regions: Sequence[StateRegion], local: Evidence) -> list[StateRegion] | None:
    """The regions with thresholds that leave least of one quantity's answers unexplained, by Newton's method.

    Bisection gives eight digits; a prediction to rounding needs all.
    """
    quantity, ends = local.quantities[0], np.array([end for region in regions for end in region.ends])

    def residual(values: Floats) -> Floats:
        moved = _hypothesis(kind, _with_all_ends(regions, values))
        difference = (local.answers[quantity] - Belief(local, (moved,)).prediction(quantity)) / local.scale[quantity]
        return np.nan_to_num(difference.ravel())

    for _ in range(NEWTON_STEPS):
        left = residual(ends)
        columns = [(residual(ends + STEP * unit) - left) / STEP for unit in np.eye(len(ends))]
        ends = ends - np.linalg.lstsq(np.stack(columns, axis=1), left, rcond=None)[0]
    return _with_all_ends(regions, ends) if np.isfinite(ends).all() else None


def _with_all_ends(regions: Sequence[StateRegion], ends: Floats) -> list[StateRegion]:
    """The regions with thresholds one after the other."""
    values = iter(ends.tolist())
    return [region.with_ends([next(values) for _ in region.ends]) for region in regions]


def _subject(region: StateRegion) -> str:
    feature = region.feature
    word = {"rad": "angle", "rad/s": "velocity"}.get(feature.unit, NAMES[feature.part])
    return f"the {word}" if len(feature.columns) == 1 else f"the {word} as a whole" if feature.is_norm else f"each {word}"


def _misread(regions: Sequence[StateRegion], function: Misreading, _spec: RobotSpec, states: States) -> States:
    for region in regions:
        feature = region.feature
        block = getattr(states, feature.part).copy()
        own = block[:, feature.columns]
        numbers = np.linalg.norm(own, axis=1, keepdims=True) if feature.is_norm else own
        sizes = np.abs(numbers) if feature.is_size else numbers
        for low, high in region.intervals:
            with np.errstate(all="ignore"):
                moved = function(numbers, (low, high), feature.is_size)
                moved = own * (moved / numbers) if feature.is_norm else moved
            own = np.where((sizes > low) & (sizes < high), moved, own)
        block[:, feature.columns] = own
        states = replace(states, **{feature.part: block})
    return states
