"""The computation as JSON and its course as CSV."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from leapcheck.leg_jump.course import JOINTS, Course
from leapcheck.leg_jump.peaks import peaks
from leapcheck.leg_jump.result import LegJump
from leapcheck_reference.classical.leg_jump import KGF_CM

if TYPE_CHECKING:
    from pandas import DataFrame

SCHEMA_VERSION = 1


def leg_jump_json(run: LegJump, command: str) -> str:
    """Text of leg_jump.json: what was asked, the plan, the verdict, peaks and the course; SI units and rad; NaN is null."""
    course = run.course
    found = {
        "schema_version": SCHEMA_VERSION,
        "command": command,
        "case": dataclasses.asdict(run.case),
        "plan": dataclasses.asdict(run.plan),
        "stroke_left": run.stroke_left,
        "verdict": str(run.verdict),
        "reason": run.reason,
        "remedies": list(run.remedies),
        "highest_at_this_acceleration": dataclasses.asdict(run.highest_here),
        "highest": None if run.highest is None else dataclasses.asdict(run.highest),
        "peaks": [dataclasses.asdict(peak) for peak in peaks(run)],
        "body_height": None if course is None else course.height,
        "com_rise": None if course is None else course.rise,
        "friction_needed": None if course is None else course.friction,
        "torque_difference": None if course is None else course.difference,
        "course": None if course is None else _columns(course),
    }
    return json.dumps(_plain(found), indent=1, allow_nan=False) + "\n"


def course_frame(course: Course) -> DataFrame:
    """A row per time: s, then per joint rad, rad/s, deg/s, N m, kgf cm and the servo's use, then the ground force, N."""
    import pandas

    return pandas.DataFrame(_columns(course))


def _columns(course: Course) -> dict[str, list[float]]:
    motion = course.motion
    columns = {"time_s": motion.times}
    for j, joint in enumerate(JOINTS):
        columns |= {
            f"{joint}_angle_rad": motion.q[:, j],
            f"{joint}_speed_rad_per_s": motion.qd[:, j],
            f"{joint}_speed_deg_per_s": np.degrees(motion.qd[:, j]),
            f"{joint}_acceleration_rad_per_s2": motion.qdd[:, j],
            f"{joint}_torque_N_m": course.torque[:, j],
            f"{joint}_torque_kgf_cm": course.torque[:, j] / KGF_CM,
            f"{joint}_torque_by_formula_N_m": course.formula[:, j],
            f"{joint}_servo_use": course.use[:, j],
        }
    columns |= {"ground_force_forward_N": course.ground[:, 0], "ground_force_up_N": course.ground[:, 1]}
    return {name: values.tolist() for name, values in columns.items()}


def _plain(value: Any) -> Any:
    """The value as JSON knows it; what is not finite is null."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float):
        return float(value) if np.isfinite(value) else None
    return value
