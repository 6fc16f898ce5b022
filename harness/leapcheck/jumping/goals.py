"""A jump asked for by its goal, a box, a gap, a distance or a turn, as height, distance and ground that suit the robot."""

from __future__ import annotations

import math
from dataclasses import replace

from leapcheck.jumping.options import JumpOptions
from leapcheck.jumping.planning.legged import Legged, legged_robot
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.plant import SMALLEST_RADIUS

AWAY, EDGE = 0.8, 0.2
"""Distance of the front feet from a box and from a gap, in parts of the trunk's height: to a box the knees swing forward."""
BEYOND = 0.05
"""How much further the com flies onto a box than the rear feet stand from its edge, in parts of the trunk's height."""
OVER = 0.45
"""How far above a box, in parts of the trunk's height, the com's rise goes."""
HIGH = 0.9
"""Rise of the com over a gap, in parts of the trunk's height."""
LOW, STEEP = 0.36, 0.5
"""Rise of the com in a jump forward: at least this part of the trunk's height, and this part of the distance."""
FLIP, TWIST, WHOLE_TWIST = 1.07, 0.71, 1.42
"""Rise of the com, in parts of the trunk's height, in a flip, and in turns about the vertical by up to 90 deg and by 360 deg."""
HOP, MEAN_HOP = 0.885, 0.62
"""How long the hop of a run-up flies at most and about, in times sqrt(trunk's height / gravity)."""


def jump_to_goal(spec: RobotSpec, options: JumpOptions) -> JumpOptions:
    """The options with what they leave to choose written out: of --onto-box and --over-gap height, distance, landing height, box
    or gap; of a --distance, --pitch, --flip or --turn alone the height.

    ValueError for a robot that cannot be planned for.
    """
    if not options.is_planned or options.height is not None or options.highest:
        return options
    options, robot = replace(options, planner=options.chosen_planner), legged_robot(spec, SMALLEST_RADIUS)
    if not options.has_height:
        return replace(options, height=_height(robot, options))
    front, rear = _feet(robot)
    run = (options.run_up or 0.0) * math.sqrt(robot.size / robot.gravity)
    if options.onto_box is not None:
        edge = _millimetres(front + AWAY * robot.size + HOP * run)
        return replace(
            options,
            onto_box=None,
            height=_millimetres(options.onto_box + OVER * robot.size),
            distance=_millimetres(edge - rear - MEAN_HOP * run + BEYOND * robot.size),
            landing_height=options.onto_box,
            box=(f"{options.onto_box:g},{edge:g}",),
        )
    edge, length = _millimetres(front + EDGE * robot.size + HOP * run), options.over_gap or 0.0
    distance = _millimetres(edge + length - rear - MEAN_HOP * run)
    height = _millimetres(HIGH * robot.size)
    return replace(options, over_gap=None, height=height, distance=distance, gap=(f"{edge:g},{length:g}",))


def _height(robot: Legged, options: JumpOptions) -> float:
    """Rise of the com (m) that suits a distance, a pitch, a flip or a turn."""
    twist = TWIST + (WHOLE_TWIST - TWIST) * max(abs(options.turn) - 90.0, 0.0) / 270.0
    parts = (LOW, TWIST * bool(options.pitch), FLIP * (options.flip is not None), twist * bool(options.turn))
    onto = options.landing_height + OVER * robot.size if options.landing_height > 0.0 else 0.0
    return _millimetres(max(robot.size * max(parts), STEEP * abs(options.distance), onto))


def _feet(robot: Legged) -> tuple[float, float]:
    """x (m) of the foremost point and of the rearmost centre of the feet, from the trunk's origin in the stand."""
    x = robot.geometry(robot.home[None])["contact_positions"][0, :, 0] - robot.home[0]
    return float((x + robot.radii).max()), float(x.min())


def _millimetres(x: float) -> float:
    return round(x, 3)
