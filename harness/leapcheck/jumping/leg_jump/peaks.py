"""The numbers of a leg's jump that tables show: one row per joint, and the jump's own figures with their units."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from leapcheck.jumping.leg_jump.case import LIMITS, servo_uses
from leapcheck.jumping.leg_jump.course import JOINTS, Course, ends_straight
from leapcheck.jumping.leg_jump.study import LegJumpStudy
from leapcheck_reference.classical.leg_jump import KGF_CM


@dataclass(frozen=True, slots=True)
class JointPeak:
    """The largest of each of a joint's figures during the push: N m, rad/s, and the use of the servo by its binding limit."""

    joint: str
    torque: float
    torque_time: float
    formula: float
    speed: float
    speed_time: float
    use: float
    limit: str

    @property
    def torque_kgf_cm(self) -> float:
        """Torque in the unit of hobby servos."""
        return self.torque / KGF_CM

    @property
    def formula_kgf_cm(self) -> float:
        """The torque by the text's formula, kgf cm."""
        return self.formula / KGF_CM

    @property
    def speed_degrees(self) -> float:
        """Speed in deg/s."""
        return math.degrees(self.speed)

    @property
    def seconds_per_60_degrees(self) -> float:
        """Speed as servo makers write it."""
        return 60.0 / self.speed_degrees if self.speed else math.inf


def peaks(run: LegJumpStudy) -> tuple[JointPeak, ...]:
    """A row for each joint; none where there is no course."""
    return () if run.course is None else tuple(_peak(run, run.course, j) for j in range(len(JOINTS)))


def figures(run: LegJumpStudy) -> tuple[tuple[str, str], ...]:
    """(name, value with unit) of the plan, the stroke, the com and what bounds the height."""
    plan, course = run.plan, run.course
    rows = [
        ("acceleration of the body", f"{plan.acceleration:.4g} m/s^2"),
        ("take-off speed", f"{plan.take_off_speed:.4f} m/s"),
        ("duration of the push", f"{plan.duration:.4f} s"),
        ("stroke needed", f"{plan.stroke * 1e3:.1f} mm"),
        ("stroke left in the first pose", f"{run.stroke_left * 1e3:.1f} mm"),
    ]
    if course is not None:
        rows += [
            ("height of the body's jump" + _until(run), f"{course.height * 1e3:.1f} mm"),
            ("rise of the whole robot's com" + _until(run), f"{course.rise * 1e3:.1f} mm"),
            ("friction coefficient needed", f"{course.friction:.2f}"),
            ("largest difference of the three torques", f"{course.difference:.1e} N m"),
        ]
    bound = "the stroke ends it" if run.highest_here.by_stroke else "the servo ends it"
    rows.append((f"highest jump at {plan.acceleration:.3g} m/s^2", f"{run.highest_here.height * 1e3:.1f} mm, {bound}"))
    if run.highest is not None:
        best = f"{run.highest.height * 1e3:.1f} mm at {run.highest.acceleration:.3g} m/s^2"
        rows.append(("highest jump with this servo from this pose", best))
    return tuple(rows)


def _until(run: LegJumpStudy) -> str:
    return f", {100 * run.case.until:g} % of the push" if ends_straight(run.case, run.plan) else ""


def _peak(run: LegJumpStudy, course: Course, j: int) -> JointPeak:
    times, torque, speed = course.motion.times, np.abs(course.torque[:, j]), np.abs(course.motion.qd[:, j])
    uses = servo_uses(run.case.servo, course.torque[:, j], course.motion.qd[:, j])
    limit = int(uses.max(axis=1).argmax())
    known = run.case.servo.torque is not None or run.case.servo.speed is not None
    return JointPeak(
        joint=JOINTS[j],
        torque=float(torque.max()),
        torque_time=float(times[torque.argmax()]),
        formula=float(np.abs(course.formula[:, j]).max()),
        speed=float(speed.max()),
        speed_time=float(times[speed.argmax()]),
        use=float(uses.max()) if known else math.nan,
        limit=LIMITS[limit] if known else "",
    )
