"""A planned jump in a CSV file: joint targets, rates and torques over time, and in its header how they are played."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from leapcheck.jumping.policies import header_lines, optional_column, read_table, read_trajectory, time_column
from leapcheck.jumping.sagittal import Places, sagittal_places
from leapcheck_models.arrays import Floats
from leapcheck_models.plans import PLANS
from leapcheck_models.spec import RobotSpec

SIDES = 2
"""Legs that a sagittal column stands for: its torque is theirs together."""


@dataclass(frozen=True, slots=True)
class PlanSegment:
    """From `start` s on, joints leave the plan for `targets` (rad, by column), in a straight line until `end` s, and stay there.

    Without torque or rate, with gains of their own if given. Times are the plan's.
    """

    start: float
    end: float
    targets: Mapping[str, float]
    kp: float | None = None
    kd: float | None = None


@dataclass(frozen=True, slots=True)
class PlanSettings:
    """How a plan is played; the defaults are those of the controllers that MIT ran its jumps with.

    The first row's pose is held for `prepare` s, the last targets for `hold` s; torques are multiplied by `factor`; `kp` N m/rad,
    `kd` N m s/rad. `least`: lowest targets by column; below, rate and torque are 0. `licence` and `source` of the data.
    """

    prepare: float = 0.7
    hold: float = 1.0
    factor: float = 1.2
    kp: float = 10.0
    kd: float = 1.0
    least: Mapping[str, float] | None = None
    segments: tuple[PlanSegment, ...] = ()
    licence: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class PlannedMotion:
    """What a sagittal plan says of trunk and ground, (k,) each: `x`, `z` m and `pitch` rad of the trunk, nose down positive;
    `front`, `rear`: vertical force (N, upwards) of the ground on both front and both rear feet.
    """

    x: Floats
    z: Floats
    pitch: Floats
    front: Floats
    rear: Floats


@dataclass(frozen=True, slots=True, eq=False)
class PlanFile:
    """A plan as read: `time` (k,) s, `q` rad, `qd` rad/s, `torque` N m (k, actuators), settings, and what each name moves.

    `turn` rad: the trunk's planned pitch in the last row, nose down positive; None where the file has no base_pitch;
    `rise` m: how far the trunk is then above where it began, None without base_z; `yaw` rad: how far it has then turned about the
    vertical, left positive, None without base_yaw. `motion`: None without the columns of trunk and forces.
    """

    time: Floats
    q: Floats
    qd: Floats
    torque: Floats
    settings: PlanSettings
    places: Mapping[str, Places]
    turn: float | None
    rise: float | None
    yaw: float | None
    motion: PlannedMotion | None = None


def read_plan(plan: str, spec: RobotSpec) -> PlanFile:
    """The plan of that name, or in that file: sagittal (front_hip, front_knee, rear_hip, rear_knee) or full (q_JOINT).

    Raises ValueError that names file, column or setting and the remedy, FileNotFoundError where there is neither name nor file.
    """
    path = PLANS.get(plan, Path(plan))
    if not path.is_file():
        raise FileNotFoundError(f"no plan '{plan}': give a CSV file, or one of {', '.join(PLANS)}")
    where, settings = f"file '{path}'", plan_settings(path)
    table = read_table(path)
    motion = None
    if any(str(name).startswith("q_") for name in table.columns):
        full = read_trajectory(path, spec)
        places = {actuator.joint: Places((i,), (1.0,)) for i, actuator in enumerate(spec.actuators)}
        time, q, qd, torque = full.time, full.q, full.qd, full.torque
    else:
        places = sagittal_places(spec)
        time = time_column(where, table)
        q, qd, torque = _sagittal(where, table, time, places, len(spec.actuators))
        motion = _motion(where, table)
    _check_names(where, settings, places)
    changes = [optional_column(where, table, [name]) for name in ("base_pitch", "base_z", "base_yaw")]
    turn, rise, yaw = (None if column is None else float(column[-1] - column[0]) for column in changes)
    return PlanFile(time - time[0], q, qd, torque, settings, places, turn, rise, yaw, motion)


def plan_settings(path: Path) -> PlanSettings:
    """The settings in a plan's header: the lines that begin with #, as TOML. ValueError names the file and what is wrong."""
    where = f"file '{path}', header"
    try:
        table = tomllib.loads("\n".join(header_lines(path)))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{where}: {error}: write NAME = VALUE after each #, as in docs/plans.md") from None
    try:
        segments = tuple(PlanSegment(**segment) for segment in table.pop("segments", ()))
        settings = PlanSettings(**table, segments=segments)
        _check_numbers(settings)
    except (TypeError, ValueError) as error:
        text = str(error).removeprefix("PlanSettings.__init__() ").removeprefix("PlanSegment.__init__() ")
        raise ValueError(f"{where}: {text}: see docs/plans.md") from None
    return settings


def _check_numbers(settings: PlanSettings) -> None:
    segments = settings.segments
    gains = [gain for segment in segments for gain in (segment.kp, segment.kd) if gain is not None]
    values = [settings.prepare, settings.hold, settings.factor, settings.kp, settings.kd, *gains]
    values += [time for segment in segments for time in (segment.start, segment.end - segment.start)]
    if not all(_is_number(value) and value >= 0.0 for value in values):
        raise ValueError("times, factor and gains must be numbers of 0 or more, and no segment ends before it starts")
    tables = [settings.least or {}, *(segment.targets for segment in segments)]
    if not all(isinstance(table, dict) and all(map(_is_number, table.values())) for table in tables):
        raise ValueError("least and targets must be tables of numbers, as in { front_hip = -1.2 }")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and bool(np.isfinite(value))


def _check_names(where: str, settings: PlanSettings, places: Mapping[str, Places]) -> None:
    for names in (settings.least or {}, *(segment.targets for segment in settings.segments)):
        for name in names:
            if name not in places:
                raise ValueError(f"{where}: its header moves '{name}': use {', '.join(places)}")


def _sagittal(
    where: str, table: Any, time: Floats, places: Mapping[str, Places], actuators: int
) -> tuple[Floats, Floats, Floats]:
    """(q, qd, torque) (k, actuators) of the sagittal columns; abads stay at 0."""
    q, qd, torque = np.zeros((3, len(time), actuators))
    for name, place in places.items():
        angle = optional_column(where, table, [name])
        if angle is None:
            if name.endswith("_abad"):
                continue
            needed: Sequence[str] = [key for key in places if not key.endswith("_abad")]
            raise ValueError(f"{where} has no column '{name}': a plan has time and {', '.join(needed)}, or q_JOINT of each joint")
        rate, both = (optional_column(where, table, [f"{kind}_{name}"]) for kind in ("d", "tau"))
        for i, sign in zip(place.actuators, place.signs, strict=True):
            q[:, i] = sign * angle
            qd[:, i] = sign * (np.gradient(angle, time) if rate is None else rate)
            torque[:, i] = 0.0 if both is None else sign * both / SIDES
    return q, qd, torque


def _motion(where: str, table: Any) -> PlannedMotion | None:
    """The trunk's motion and the vertical forces of a sagittal plan; None where it has not all of them."""
    names = ("base_x", "base_z", "base_pitch", "force_front_z", "force_rear_z")
    columns = [column for name in names if (column := optional_column(where, table, [name])) is not None]
    if len(columns) < len(names):
        return None
    x, z, pitch, front, rear = columns
    return PlannedMotion(x, z, pitch, -front, -rear)  # the file has what the feet exert
