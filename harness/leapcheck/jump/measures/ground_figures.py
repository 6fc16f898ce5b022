"""Figures of the contact with the ground: forces over windows, impulses, friction, slip."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from leapcheck.jump.measures.figure_list import LANDING_WINDOW, WINDOW, Figure
from leapcheck.jump.measures.observed import TOUCH, Observed, Phases

Floats = NDArray[np.float64]

LEAST_LOAD = 0.05
"""Friction is asked only of a foot that carries at least this part of the weight on the mean of a window."""


def ground_figures(seen: Observed, at: Phases, friction: float | None) -> list[Figure]:
    """Forces, impulses, friction and slip; `friction`: the coefficient that the ground offers, None where it is not known."""
    found: list[Figure] = []
    upward = seen.force[..., 2].sum(axis=1)
    if len(upward):
        k = int(upward.argmax())
        found.append(Figure("force_peak", float(upward[k]) / seen.weight, time=float(seen.time[k])))
    push_end = at.take_off if math.isfinite(at.take_off) else at.end
    push_begin = at.push if math.isfinite(at.push) else float(seen.time[0])
    found += _phase(seen, push_begin, push_end, "push")
    if math.isfinite(at.touch_down):
        found += _phase(seen, at.touch_down, at.end, "landing")
    if math.isfinite(at.take_off):
        found.append(Figure("impulse_push", _between(seen, upward, at.push, at.take_off)))
    if at.touch_down + LANDING_WINDOW <= at.end:
        found.append(Figure("impulse_landing", _between(seen, upward, at.touch_down, at.touch_down + LANDING_WINDOW)))
    needed = next((figure for figure in found if figure.name == "friction_needed"), None)
    if needed is not None and friction:
        found.append(Figure("friction_use", needed.value / friction, "", needed.where, needed.time))
    return found


def _phase(seen: Observed, begin: float, end: float, phase: str) -> list[Figure]:
    """Largest mean force, largest friction of a foot and longest slip between two times (s)."""
    starts = _window_starts(seen.time, begin, end)
    upward = _means(seen, seen.force[..., 2].sum(axis=1)[:, None], starts)[:, 0] / seen.weight
    k = int(upward.argmax())
    found = [Figure(f"force_{phase}", float(upward[k]), time=float(starts[k]))]
    if not seen.feet.any():
        return found
    names = [name for name, foot in zip(seen.points, seen.feet, strict=True) if foot]
    force = seen.force[:, seen.feet]
    means = _means(seen, force.reshape(len(force), -1), starts).reshape(len(starts), -1, 3)
    loaded = means[..., 2] > LEAST_LOAD * seen.weight
    ratio = np.where(loaded, np.linalg.norm(means[..., :2], axis=2) / np.where(loaded, means[..., 2], 1.0), 0.0)
    k, foot = (int(i) for i in np.unravel_index(int(ratio.argmax()), ratio.shape))
    name = "friction_needed" if phase == "push" else "friction_landing"
    found.append(Figure(name, float(ratio[k, foot]), "", names[foot], float(starts[k])))
    speed = np.linalg.norm(seen.slip[1:, seen.feet], axis=2) * (force[..., 2] > TOUCH * seen.weight)
    way = [_between(seen, column, begin, end) for column in speed.T]
    foot = int(np.argmax(way))
    found.append(Figure(f"slip_{phase}", way[foot], "", names[foot]))
    return found


def _window_starts(time: Floats, begin: float, end: float) -> Floats:
    """Times (s) at which a window begins between two times: every state's, or the first alone where the phase is shorter."""
    inside = time[(time >= begin) & (time <= end - WINDOW)]
    return inside if len(inside) else np.array([begin])


def _means(seen: Observed, per_step: Floats, starts: Floats) -> Floats:
    """Means (starts, k) of step values (n, k) over the windows that begin at `starts`, exact for values held over each step."""
    sums = np.vstack([np.zeros(per_step.shape[1]), np.cumsum(per_step, axis=0) * seen.dt])
    at = [np.interp(starts + WINDOW, seen.time, column) - np.interp(starts, seen.time, column) for column in sums.T]
    return np.stack(at, axis=1) / WINDOW


def _between(seen: Observed, per_step: Floats, begin: float, end: float) -> float:
    """Integral of values (n,) held over each step between two times (s)."""
    sums = np.concatenate(([0.0], np.cumsum(per_step) * seen.dt))
    first, last = np.interp([begin, end], seen.time, sums)
    return float(last - first)
