"""A jump asked for by its goal, a box to stand on or a gap to cross, as height, distance and ground that suit the robot."""

from __future__ import annotations

from dataclasses import replace

from leapcheck.jumping.options import JumpOptions
from leapcheck.jumping.planning.legged import Legged, legged_robot
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.plant import SMALLEST_RADIUS

AWAY, EDGE = 0.8, 0.2
"""Distance of the front feet from a box and from a gap, in parts of the trunk's height: to a box the knees swing forward."""
FORWARD = 0.1
"""How far the feet swing forward to land on a box, in parts of the trunk's height: so much less does the com fly."""
OVER = 0.45
"""How far above a box, in parts of the trunk's height, the com's rise goes."""
HIGH = 0.9
"""Rise of the com over a gap, in parts of the trunk's height."""


def jump_to_goal(spec: RobotSpec, options: JumpOptions) -> JumpOptions:
    """The options with --onto-box and --over-gap written out: height, distance, landing height, box or gap.

    ValueError for a robot that cannot be planned for.
    """
    if options.onto_box is None and options.over_gap is None:
        return options
    robot = legged_robot(spec, SMALLEST_RADIUS)
    front, rear = _feet(robot)
    if options.onto_box is not None:
        edge = _millimetres(front + AWAY * robot.size)
        return replace(
            options,
            onto_box=None,
            height=_millimetres(options.onto_box + OVER * robot.size),
            distance=_millimetres(edge - rear - FORWARD * robot.size),
            landing_height=options.onto_box,
            box=(f"{options.onto_box:g},{edge:g}",),
        )
    edge, length = _millimetres(front + EDGE * robot.size), options.over_gap or 0.0
    distance = _millimetres(edge + length - rear)
    height = _millimetres(HIGH * robot.size)
    return replace(options, over_gap=None, height=height, distance=distance, gap=(f"{edge:g},{length:g}",))


def _feet(robot: Legged) -> tuple[float, float]:
    """x (m) of the foremost point and of the rearmost centre of the feet, from the trunk's origin in the stand."""
    x = robot.geometry(robot.home[None])["contact_positions"][0, :, 0] - robot.home[0]
    return float((x + robot.radii).max()), float(x.min())


def _millimetres(x: float) -> float:
    return round(x, 3)
