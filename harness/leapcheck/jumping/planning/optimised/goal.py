"""What is asked of an optimised jump, in the planner's coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from leapcheck_models.arrays import Floats
from leapcheck_reference.simulate.actuator import Drives
from leapcheck_reference.simulate.battery import Battery

BEFORE, STEEP = 0.05, 0.012
"""How far before a step's edge (m) a foot must be above it, and over which way (m) that sets in."""


@dataclass(frozen=True, slots=True, eq=False)
class Goal:
    """`speed` m/s of the com upwards at take-off, None: as fast as can be; `distance` m that it flies forward, None: free.

    `ground` m: height where it lands.

    `footing`: where the feet may be set down, x from, to (m); `steps`: (front, end, height) m of what stands in the way.
    `impact`: the feet may be stopped by the ground at touch-down; else they come down at rest. `upright`: forces at the end of
    the push are vertical: feet creep under a force along the ground, and turn the trunk back as they do.
    `run_up` m/s: speed forward of the com in the hop before the push, None without one.
    `turn_places`, `turn_values`: coordinates of the trunk that are given at touch-down; `final_...`: in the end.
    """

    drives: Drives
    battery: Battery
    friction: float
    speed: float | None
    distance: float | None
    ground: float
    turn_places: NDArray[np.intp]
    turn_values: Floats
    final_places: NDArray[np.intp]
    final_values: Floats
    footing: tuple[float, float] | None = None
    steps: tuple[tuple[float, float, float], ...] = ()
    impact: bool = False
    upright: bool = False
    run_up: float | None = None
    weight: float = 10.0

    def height_below(self, x: Any) -> Any:
        """Height (m) that feet at x must be above, smooth."""
        height = 0.0 * x
        for front, end, top in self.steps:
            height += top * (1 + ca.tanh((x - front + BEFORE) / STEEP)) / 2 * (1 + ca.tanh((end + BEFORE - x) / STEEP)) / 2
        return height
