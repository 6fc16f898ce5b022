"""The plots of a leg's jump: torque and speed against time and against each other, use of the servo, ground force, the leg."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np

from leapcheck.jumping.leg_jump.case import available_torque
from leapcheck.jumping.leg_jump.course import JOINTS, Course
from leapcheck.jumping.leg_jump.study import LegJumpStudy
from leapcheck.report import svg
from leapcheck.report.chart import Chart, Limit, Series, SeriesKind
from leapcheck_models.arrays import Floats
from leapcheck_reference.classical.leg_jump import KGF_CM

TIME = "time, s"
LINE_POINTS = 41
POSES = 6
PICTURE, MARGIN = 260.0, 18.0  # px


def main_charts(run: LegJumpStudy, course: Course) -> tuple[Chart, ...]:
    """In the units of hobby servos: torque, speed, both compared with the servo's line, use, ground force, angles."""
    charts = [
        torque_chart(run, course, KGF_CM, "kgf cm"),
        speed_chart(run, course, np.pi / 180, "deg/s"),
        plane_chart(run, course),
    ]
    if run.case.servo.torque is not None or run.case.servo.speed is not None:
        charts.append(_use_chart(run, course))
    times = course.motion.times
    ground = tuple(Series(name, times, course.ground[:, k]) for k, name in enumerate(("forward", "up")))
    charts.append(Chart("Force of the ground on the foot", TIME, "N", ground, from_zero=True))
    angles = tuple(Series(joint, times, np.degrees(course.motion.q[:, j])) for j, joint in enumerate(JOINTS))
    charts.append(Chart("Joint angles", TIME, "deg", angles))
    return tuple(charts)


def si_charts(run: LegJumpStudy, course: Course) -> tuple[Chart, ...]:
    """Torque in N m and speed in rad/s."""
    return torque_chart(run, course, 1.0, "N m"), speed_chart(run, course, 1.0, "rad/s")


def torque_chart(run: LegJumpStudy, course: Course, unit: float, words: str) -> Chart:
    """Joint torques against time, exact and by the text's formula; `unit` in N m."""
    times = course.motion.times
    exact = [Series(f"{joint}", times, course.torque[:, j] / unit, tone=j) for j, joint in enumerate(JOINTS)]
    formula = [
        Series(f"{joint}, text's formula", times, course.formula[:, j] / unit, tone=j + 2) for j, joint in enumerate(JOINTS)
    ]
    limits = _both_ways("stall torque", run.case.servo.torque, unit)
    return Chart("Joint torque", TIME, words, (*exact, *formula), limits=limits, from_zero=True)


def speed_chart(run: LegJumpStudy, course: Course, unit: float, words: str) -> Chart:
    """Joint speeds against time; `unit` in rad/s."""
    series = tuple(Series(joint, course.motion.times, course.motion.qd[:, j] / unit) for j, joint in enumerate(JOINTS))
    return Chart(
        "Joint speed", TIME, words, series, limits=_both_ways("no-load speed", run.case.servo.speed, unit), from_zero=True
    )


def plane_chart(run: LegJumpStudy, course: Course) -> Chart:
    """Torque in the direction of motion over speed, and the servo's line."""
    torque, speed = course.torque * np.sign(course.motion.qd), np.degrees(np.abs(course.motion.qd))
    series = [
        Series(joint, speed[1:, j], torque[1:, j] / KGF_CM) for j, joint in enumerate(JOINTS)
    ]  # at rest it has no direction
    servo = run.case.servo
    if servo.speed is not None and servo.torque is not None:
        along = np.linspace(0.0, servo.speed, LINE_POINTS)
        series.append(
            Series("the servo's line", np.degrees(along), available_torque(servo, along) / KGF_CM, kind=SeriesKind.BOUND)
        )
    return Chart("Torque over speed; below zero it brakes", "speed, deg/s", "kgf cm", tuple(series), from_zero=True)


def leg_picture(run: LegJumpStudy, course: Course) -> ET.Element:
    """The leg at equal steps of time from the first pose (faint) to take-off (full), the foot on the ground."""
    chosen = np.linspace(0, len(course.motion.times) - 1, POSES).astype(int)
    joints = [_joints(run, course, k) for k in chosen]
    points = np.concatenate(joints)
    low, high = points.min(axis=0), points.max(axis=0)
    scale = (PICTURE - 2 * MARGIN) / float(max(high[1] - low[1], high[0] - low[0], 1e-9))
    width = (high[0] - low[0]) * scale + 4 * MARGIN

    def pixel(point: Floats) -> str:
        return f"{2 * MARGIN + (point[0] - low[0]) * scale:.1f},{PICTURE - MARGIN - (point[1] - low[1]) * scale:.1f}"

    base = PICTURE - MARGIN - (joints[0][2, 1] - low[1]) * scale
    parts = [svg.line(4, base, width - 4, base, "axis")]
    for place, leg in enumerate(joints):
        solid = 0.2 + 0.8 * place / (POSES - 1)
        line = svg.element("polyline", points=" ".join(pixel(p) for p in leg), class_="line s0", fill="none", stroke_width=2.5)
        x, y = pixel(leg[0]).split(",")
        hip = svg.element("circle", cx=x, cy=y, r=6, class_="dot")
        parts.append(svg.element("g", line, hip, opacity=f"{solid:.2f}"))
    return svg.drawing(width, PICTURE, "The leg from its first pose to take-off, foot on the ground", parts)


def _joints(run: LegJumpStudy, course: Course, k: int) -> Floats:
    """Hip, knee and foot (3, 2) at time k, forward and up from the first position of the hip, m."""
    q, t, leg = course.motion.q[k], course.motion.times[k], run.case.leg
    hip = np.array([0.0, run.plan.acceleration * t * t / 2])
    knee = hip + float(leg.first.length) * np.array([np.sin(q[0]), -np.cos(q[0])])
    return np.stack([hip, knee, knee + float(leg.second.length) * np.array([np.sin(q.sum()), -np.cos(q.sum())])])


def _use_chart(run: LegJumpStudy, course: Course) -> Chart:
    series = tuple(Series(joint, course.motion.times, course.use[:, j]) for j, joint in enumerate(JOINTS))
    thresholds = run.case.thresholds
    limits = (Limit("MARGINAL above", thresholds.utilisation_marginal), Limit("NO-GO above", thresholds.utilisation_no_go))
    return Chart("Use of the servo's rating", TIME, "use", series, limits=limits, from_zero=True)


def _both_ways(name: str, rating: float | None, unit: float) -> tuple[Limit, ...]:
    return () if rating is None else (Limit(name, rating / unit), Limit(name, -rating / unit))
