"""What is asked of an optimised jump, in the planner's coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from leapcheck.jumping.options import Merit
from leapcheck_models.arrays import Floats
from leapcheck_reference.simulate.actuator import Drives
from leapcheck_reference.simulate.battery import Battery

BEFORE, STEEP = 0.178, 0.0426
"""How far before a step's edge a foot must be above it, and over which way that sets in, in parts of the trunk's height."""


@dataclass(frozen=True, slots=True, eq=False)
class Goal:
    """`merit`: what is best; `speed` m/s of the com upwards at take-off, which the merit "height" does not ask for.

    `distance` m that it flies forward, None: free.

    `ground` m: height where it lands.

    `footing`: where the feet may be set down, x from, to (m); `steps`: (front, end, height) m of what stands in the way.
    `impact`: the feet may be stopped by the ground at touch-down; else they come down at rest. `upright`: forces at the end of
    the push are vertical, and feet need little acceleration along the ground beside that of the joints. MuJoCo's contacts
    let feet creep without either, and turn the trunk back as they do.
    `run_up` m/s: speed forward of the com in the hop before the push, None without one.
    `turn_places`, `turn_values`: coordinates of the trunk that are given at touch-down; `final_...`: in the end. `stand`: the
    joints that it ends in.
    """

    drives: Drives
    battery: Battery
    friction: float
    merit: Merit
    speed: float
    distance: float | None
    ground: float
    turn_places: NDArray[np.intp]
    turn_values: Floats
    final_places: NDArray[np.intp]
    final_values: Floats
    stand: Floats
    footing: tuple[float, float] | None = None
    steps: tuple[tuple[float, float, float], ...] = ()
    impact: bool = False
    upright: bool = False
    run_up: float | None = None
    weight: float = 10.0

    def height_below(self, x: Any, size: float) -> Any:
        """Height (m) that feet at x must be above, smooth; `size` m: the trunk's height."""
        height, before, steep = 0.0 * x, BEFORE * size, STEEP * size
        for front, end, top in self.steps:
            height += top * (1 + ca.tanh((x - front + before) / steep)) / 2 * (1 + ca.tanh((end + before - x) / steep)) / 2
        return height
