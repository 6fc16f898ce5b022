"""Which feet leave the ground first."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from leapcheck.jumping.measures.figure_list import JumpFigure
from leapcheck.jumping.measures.observation import LOADED, Observation, Phases

if TYPE_CHECKING:
    from leapcheck.jumping.planning.records import JumpRequest


def take_off_figures(seen: Observation, phases: Phases, asked: JumpRequest | None) -> list[JumpFigure]:
    """How long before the rear feet the front feet leave the ground; none where nobody asked for an order of take-off.

    A pair of feet has left after the last step before take-off in which it carries 5 % of the weight.
    """
    if asked is None or asked.take_off is None or not math.isfinite(phases.take_off):
        return []
    feet = seen.centres[0, seen.feet, 0]
    force = seen.force[: round(phases.take_off / seen.dt), seen.feet, 2]
    left = []
    for pair in (feet > feet.mean(), feet < feet.mean()):
        loaded = np.flatnonzero(force[:, pair].sum(axis=1) > LOADED * seen.weight)
        left.append((loaded[-1] + 1) * seen.dt if len(loaded) else 0.0)
    return [JumpFigure("front_lead", float(left[1] - left[0]), time=float(left[0]))]
