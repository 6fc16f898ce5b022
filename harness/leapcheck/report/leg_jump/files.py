"""The files of a leg's jump: the page, the computation as JSON, and its course as CSV."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from leapcheck.jumping.leg_jump.course import JOINTS, Course
from leapcheck.jumping.leg_jump.peaks import peaks
from leapcheck.jumping.leg_jump.study import LegJumpStudy
from leapcheck.report.folder import write_together
from leapcheck.report.leg_jump.page import leg_jump_page
from leapcheck.system.strict_json import dumps, plain
from leapcheck.system.tables import Column, Table, csv_bytes, pandas_frame
from leapcheck_reference.classical.leg_jump import KGF_CM

if TYPE_CHECKING:
    from pandas import DataFrame

FILES = ("leg_jump.html", "leg_jump.json", "leg_jump.csv")

SCHEMA_VERSION = 1


def write_leg_jump_report(run: LegJumpStudy, command: str, folder: Path) -> tuple[Path, ...]:
    """Write `FILES` into `folder` (made where missing), all or none; return their paths. Without a course there is no CSV."""
    page, results, table = FILES
    contents: dict[str, str | bytes] = {page: leg_jump_page(run, command), results: leg_jump_json(run, command)}
    if run.course is not None:
        contents[table] = csv_bytes(_course_table(run.course))
    return write_together(folder, contents, [folder / table])


def leg_jump_json(run: LegJumpStudy, command: str) -> str:
    """Text of leg_jump.json: the case, the plan, the verdict, peaks and the course; SI units and rad."""
    course = run.course
    return dumps(
        {
            "schema_version": SCHEMA_VERSION,
            "command": command,
            "case": run.case,
            "plan": run.plan,
            "stroke_left": run.stroke_left,
            "verdict": run.verdict,
            "reason": run.reason,
            "remedies": run.remedies,
            "highest_at_this_acceleration": run.highest_here,
            "highest": run.highest,
            "peaks": [plain(peak) | {"use": peak.use if peak.limit else None} for peak in peaks(run)],
            "body_height": None if course is None else course.height,
            "com_rise": None if course is None else course.rise,
            "friction_needed": None if course is None else course.friction,
            "torque_difference": None if course is None else course.difference,
            "course": None if course is None else _json_columns(course),
        }
    )


def _json_columns(course: Course) -> dict[str, list[float] | None]:
    """The columns; none of the use of a servo without a rating."""
    return {name: None if np.isnan(values).all() else values for name, values in _columns(course).items()}


def course_frame(course: Course) -> DataFrame:
    """A row per time: s, then per joint rad, rad/s, deg/s, N m, kgf cm and the servo's use, then the ground force, N."""
    return pandas_frame(_course_table(course))


def _course_table(course: Course) -> Table:
    return {name: Column("float64", values) for name, values in _columns(course).items()}


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
