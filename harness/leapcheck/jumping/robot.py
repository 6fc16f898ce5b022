"""The robot that jumps: out of a name or a file, completed by what its file leaves open and the user gives or leapcheck finds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from leapcheck.jumping.standing import standing_pose
from leapcheck.robots.load import load
from leapcheck_models.changes import with_changes
from leapcheck_models.importing.chain_ends import FOOT
from leapcheck_models.spec import ONE_DOF, Actuator, ContactPoint, JointType, Pose, RobotSpec
from leapcheck_models.spec_file import read_actuators

LEGS = 4
"""A robot with so many chain ends that are no marked feet may stand on them."""


@dataclass(frozen=True, slots=True)
class JumpingRobot:
    """A robot that can jump, and what was found or given that its file does not say, in words."""

    spec: RobotSpec
    notes: tuple[str, ...]


def jumping_robot(
    robot: str | RobotSpec,
    changes: Sequence[str] = (),
    actuators: Path | None = None,
    feet: Sequence[str] = (),
    points: Path | None = None,
    torque_limit: float | None = None,
    speed_limit: float | None = None,
) -> JumpingRobot:
    """The robot, or that of a name or file, with other contact points and actuators and changed numbers.

    `torque_limit` N m and `speed_limit` rad/s are those of each moving joint that has none of its own. Ends of chains serve as
    feet where none is marked, and a standing pose is found where there is none.

    Raises ValueError where it cannot jump: no free trunk, no foot, no actuators, closed loops; and for each wrong file or change.
    """
    spec = load(robot, feet, points)
    if actuators is not None:
        spec = replace(spec, actuators=read_actuators(actuators))
    notes: list[str] = []
    if torque_limit is not None or speed_limit is not None:
        spec, note = _with_limits(spec, torque_limit, speed_limit)
        notes.append(note)
    spec = with_changes(spec, changes)
    _check(spec)
    if not any(point.is_foot and point.computed for point in spec.contact_points):
        spec, note = _with_feet(spec)
        notes.append(note)
    if not spec.poses:
        spec = replace(spec, poses=(Pose("home", tuple(standing_pose(spec).tolist())),))
        notes.append("the robot's file has no pose: it stands with its feet below its hips, by inverse kinematics")
    return JumpingRobot(spec, tuple(notes))


def _check(spec: RobotSpec) -> None:
    if not spec.bodies or spec.bodies[0].joint.type is not JointType.FREE:
        raise ValueError(f"robot '{spec.name}' stands on a fixed base: a jump needs a free trunk as first body (see leg-jump)")
    if ties := [*(loop.name for loop in spec.loops), *(coupling.name for coupling in spec.couplings)]:
        raise ValueError(
            f"robot '{spec.name}' has {len(ties)} closed loops or coupled joints ('{ties[0]}'), which a jump does not simulate: "
            "take them out of its file to let the open tree jump"
        )
    if not spec.actuators:
        raise ValueError(
            f"robot '{spec.name}' has no actuators: give --torque-limit N_M for all joints, --actuators FILE.json, or add them "
            "to its file"
        )


def _with_limits(spec: RobotSpec, torque: float | None, speed: float | None) -> tuple[RobotSpec, str]:
    """The robot with limits for joints that have none, and a remark; ValueError where a limit is wrong or changes nothing."""
    for name, value in (("--torque-limit", torque), ("--speed-limit", speed)):
        if value is not None and not 0.0 < value < float("inf"):
            raise ValueError(f"{name} {value}: give a finite number above 0")
    actuators = [_with_speed(actuator, speed) for actuator in spec.actuators]
    if torque is not None:
        driven = {actuator.joint for actuator in actuators}
        idle = [body.joint.name for body in spec.bodies if body.joint.type in ONE_DOF and body.joint.name not in driven]
        actuators += [Actuator(name, name, torque, speed) for name in idle]
    more = len(actuators) - len(spec.actuators)
    changed = sum(a.speed_limit != b.speed_limit for a, b in zip(actuators, spec.actuators, strict=False))
    if not more and not changed:
        raise ValueError(f"robot '{spec.name}': every joint has its own limits: leave --torque-limit and --speed-limit out")
    given = [f"{more} joints a torque limit of {torque:g} N m"] if more else []
    given += [f"{changed + more} joints a no-load speed of {speed:g} rad/s"] if speed is not None else []
    return replace(spec, actuators=tuple(actuators)), f"given for what the robot's file does not say: {', '.join(given)}"


def _with_speed(actuator: Actuator, speed: float | None) -> Actuator:
    if speed is None or actuator.speed_limit is not None or actuator.motor is not None:
        return actuator
    return replace(actuator, speed_limit=speed)


def _with_feet(spec: RobotSpec) -> tuple[RobotSpec, str]:
    """The robot on the ends of its legs, and a remark; ValueError where nobody can tell which these are."""
    ends = list(_feet(spec))
    if not ends:
        listed = ", ".join(point.name for point in spec.contact_points[:8]) or "none"
        raise ValueError(f"robot '{spec.name}' has no foot: name its feet with --feet NAME ... (ends of its chains: {listed})")
    names = {point.name for point in ends}
    points = tuple(replace(point, is_foot=True) if point.name in names else point for point in spec.contact_points)
    return replace(spec, contact_points=points), f"no foot is marked: {', '.join(sorted(names))} serve as feet (else --feet)"


def _feet(spec: RobotSpec) -> Iterator[ContactPoint]:
    """Computed points that are called feet; else all, where they are as many as a quadruped's."""
    points = [point for point in spec.contact_points if point.computed]
    called = [point for point in points if FOOT.search(point.name) or FOOT.search(point.body)]
    yield from called or (points if len(points) == LEGS else ())
