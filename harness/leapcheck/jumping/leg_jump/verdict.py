"""GO, MARGINAL or NO-GO for a leg's jump, why, and what to change."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from leapcheck.jumping.judging.thresholds import JumpVerdict
from leapcheck.jumping.leg_jump.case import LIMITS, LegCase, servo_uses
from leapcheck.jumping.leg_jump.course import JOINTS, Course, ends_straight
from leapcheck.jumping.leg_jump.limits import HighestLegJump
from leapcheck_reference.classical.leg_jump import KGF_CM, PushPlan

MILLI = 1e3


def judge_push(
    case: LegCase, plan: PushPlan, course: Course | None, here: HighestLegJump, best: HighestLegJump | None
) -> tuple[JumpVerdict, str, tuple[str, ...]]:
    """(verdict, its reason, what to change) of a push; `course` None: the stroke does not suffice."""
    if course is None:
        reason = f"the push needs {_mm(plan.stroke)} of stroke, and from this pose the leg is straight after "
        return JumpVerdict.NO_GO, f"{reason}{_mm(case.stroke_left)}: no torque helps", tuple(_more_stroke(case, plan))
    if course.ground[:, 1].min() <= 0.0:
        return JumpVerdict.NO_GO, _pulls(course), ("jump lower, or take lighter links: the leg's own swing lifts the foot",)
    use = float(course.use.max())
    if use > case.thresholds.utilisation_no_go:
        reason = f"the servo cannot: {_worst_use(case, course)}{_loses_it(case, plan, here)}"
        return JumpVerdict.NO_GO, reason, tuple(_stronger(case, course, here, best))
    if not case.servo.is_rated:
        return JumpVerdict.MARGINAL, f"{_missing_ratings(case)}; {_demand(course)}", (_smallest_servo(case, course),)
    if ends_straight(case, plan):
        reason = (
            f"the servo follows up to {100 * case.until:g} % of the push ({_worst_use(case, course)}), worth "
            f"{_mm(course.height)} of the {_mm(case.height)}; at the very end, the leg straight, joint speeds grow without bound"
        )
        remedy = "end the push before the leg is straight: ask for an acceleration, not full extension"
        return JumpVerdict.MARGINAL, reason, (remedy,)
    if use > case.thresholds.utilisation_marginal:
        reason = f"little margin is left: {_worst_use(case, course)}"
        return JumpVerdict.MARGINAL, reason, tuple(_stronger(case, course, here, best))
    return JumpVerdict.GO, f"stroke, torque and speed suffice: {_worst_use(case, course)}", ()


def _more_stroke(case: LegCase, plan: PushPlan) -> Iterator[str]:
    gravity, left = float(case.leg.gravity), case.stroke_left
    yield f"crouch deeper: {_mm(plan.stroke - left)} of stroke are missing"
    yield f"accelerate harder than {gravity * case.height / left:.3g} m/s^2: a push to the straight leg takes that"
    height = plan.acceleration * left / gravity
    yield f"or jump no higher than {_mm(height)}, what this stroke gives at {plan.acceleration:.3g} m/s^2"


def _pulls(course: Course) -> str:
    k = int((course.ground[:, 1] <= 0.0).argmax())
    return f"the foot leaves the ground in the push: at {course.motion.times[k]:.3f} s the ground would have to pull it down"


def _worst_use(case: LegCase, course: Course) -> str:
    """Which joint uses how much of which limit, when, and what the servo gives there."""
    uses = servo_uses(case.servo, course.torque, course.motion.qd)
    limit, k, j = np.unravel_index(int(uses.argmax()), uses.shape)
    torque, speed = course.torque[k, j], course.motion.qd[k, j]
    what = {"torque": f"{_torque(torque)}", "speed": f"{_speed(speed)}"}
    asked = what.get(LIMITS[limit], f"{_torque(torque)} at {_speed(speed)}")
    return f"the {JOINTS[j]} uses {_percent(uses.max())} of the servo's {LIMITS[limit]} ({asked}, {course.motion.times[k]:.3f} s)"


def _loses_it(case: LegCase, plan: PushPlan, here: HighestLegJump) -> str:
    """How far the servo follows the push, if it follows it at all."""
    if here.height <= 0.0:
        return "; it fails at the very start"
    time = math.sqrt(2 * float(case.leg.gravity) * here.height) / plan.acceleration
    return f"; it follows until {time:.3f} s of {plan.duration:.3f} s, worth {_mm(here.height)}"


def _stronger(case: LegCase, course: Course, here: HighestLegJump, best: HighestLegJump | None) -> Iterator[str]:
    """Lower, push differently, or another servo."""
    level = case.thresholds.utilisation_marginal
    factor = float(course.use.max()) / level
    if 0.0 < here.height < case.height:
        yield f"jump no higher than {_mm(here.height)} at this acceleration"
    if best is not None and best.height > here.height * 1.001:
        push = f"{best.acceleration:.3g} m/s^2"
        yield f"push at {push}: the highest jump from this pose with this servo is {_mm(best.height)}"
    if best is not None and best.height < case.height:
        yield "no constant acceleration reaches the height from this pose with this servo: carry less, or crouch elsewhere"
    ratings = " and ".join(
        words
        for words in (
            case.servo.torque is not None and _torque(case.servo.torque * factor),
            case.servo.speed is not None and _speed(case.servo.speed * factor),
        )
        if words
    )
    yield f"for {_percent(level)} of use take a servo of {ratings}: {factor:.2f} times this one's rating"


def _missing_ratings(case: LegCase) -> str:
    missing = [name for name in ("torque", "speed") if getattr(case.servo, name) is None]
    return f"the stroke suffices; the servo's {' and '.join(missing)} rating is not given, and was not judged"


def _demand(course: Course) -> str:
    torque, speed = float(np.abs(course.torque).max()), float(np.abs(course.motion.qd).max())
    return f"the push asks for up to {_torque(torque)} and {_speed(speed)}"


def _smallest_servo(case: LegCase, course: Course) -> str:
    """The servo of least power whose straight line clears the course at the marginal level: stall torque T, no-load speed S.

    With tau / T + qd / S <= level at all times, T S is least on one of the lines that touch the course.
    """
    level = case.thresholds.utilisation_marginal
    torque, speed = np.abs(course.torque).ravel(), np.abs(course.motion.qd).ravel()
    drives = (course.torque * course.motion.qd).ravel() > 0.0
    stalls = float(torque.max()) / level * np.geomspace(1.0001, 30.0, 400)
    speeds = [
        max(float((speed[drives] / (level - torque[drives] / T)).max(initial=0.0)), float(speed.max()) / level) for T in stalls
    ]
    best = int(np.argmin(stalls * np.array(speeds)))
    return (
        f"for {_percent(level)} of use take a servo of about {_torque(float(stalls[best]))} stall torque and "
        f"{_speed(speeds[best])} no-load speed, or any whose line clears the course"
    )


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _mm(metres: float) -> str:
    return f"{metres * MILLI:.1f} mm"


def _torque(newton_metres: float) -> str:
    return f"{abs(newton_metres):.3f} N m ({abs(newton_metres) / KGF_CM:.2f} kgf cm)"


def _speed(radians: float) -> str:
    return f"{math.degrees(abs(radians)):.0f} deg/s ({math.pi / 3 / max(abs(radians), 1e-12):.3f} s per 60 deg)"
