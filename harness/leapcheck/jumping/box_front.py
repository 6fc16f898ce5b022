"""Where the front of a box may lie that a planned jump lands on."""

from __future__ import annotations

import numpy as np

import leapcheck_reference as reference
from leapcheck.jumping.planning.records import JumpPlan
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.plant import SMALLEST_RADIUS

GRAZE = 1e-3
"""Depth (m) below the box's top from which a point is not above the box."""


def box_fronts(spec: RobotSpec, plan: JumpPlan) -> tuple[float, float]:
    """(nearest, farthest) x (m) of the front of a box of the plan's landing height, from the trunk's origin at the start.

    By the plan's path: until touch-down no contact point that is lower than the box's top reaches it, and all feet come down
    wholly on it. Nearest > farthest: no such box can be jumped onto. The plan lands higher than it begins.
    """
    points = [point for point in spec.contact_points if point.computed]
    radii = np.array([max(point.radius, SMALLEST_RADIUS) for point in points])
    feet = np.array([point.is_foot for point in points], dtype=bool)
    last = int(np.searchsorted(plan.times, plan.touch_down))
    positions = reference.kernel(reference.build(spec), ("contact_positions",), compile_code=False)
    centres = positions(plan.q[: last + 1])["contact_positions"]
    ground = float((centres[0, :, 2] - radii)[feet].min())
    low = centres[..., 2] - radii < ground + plan.request.landing_height - GRAZE
    reach = np.where(low, centres[..., 0] + radii, -np.inf)
    return float(reach.max()), float((centres[-1, :, 0] - radii)[feet].min())


def box_fronts_text(spec: RobotSpec, plan: JumpPlan) -> str:
    """The same in words."""
    nearest, farthest = box_fronts(spec, plan)
    height = f"{plan.request.landing_height:.2f} m high"
    if nearest > farthest:
        return f"no box {height} fits the plan: the legs pass {nearest:.2f} m below its top, and come down at {farthest:.2f} m"
    return (
        f"by the plan a box {height} may begin between {nearest:.2f} and {farthest:.2f} m "
        f"(--box {plan.request.landing_height:g},FRONT): nearer, the legs meet it on their way up; farther, a foot misses it"
    )
