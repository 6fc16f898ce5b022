"""What became worse or better from one table to another."""

from __future__ import annotations

from collections.abc import Iterator

from leapcheck_evidence.public_robots.record import AGREES, PublicRobot, PublicRobots


def changes(before: PublicRobots, after: PublicRobots) -> Iterator[str]:
    """A line for each file of both tables that is read, agrees or is refused otherwise than before."""
    old = {robot.file: robot for robot in before.robots}
    for robot in after.robots:
        if robot.file in old and (was := state(old[robot.file])) != (now := state(robot)):
            yield f"{robot.file}: {was} before, {now} now"


def state(robot: PublicRobot) -> str:
    """What became of a file, in words that do not change with the last digits."""
    if robot.refused:
        return f"refused ({robot.refused:.120})"
    parts = []
    for name, check in (("MuJoCo", robot.mujoco), ("Pinocchio", robot.pinocchio)):
        if check.refused or check.unchecked:
            parts.append(f"{name} not compared")
        else:
            parts.append(f"{name} {'differs' if check.differs_straight else 'agrees'}")
        if check.error is not None:
            parts.append(f"{check.quantities} quantities {'agree' if check.error <= AGREES else 'differ'}")
    return f"read, {', '.join(parts)}"
