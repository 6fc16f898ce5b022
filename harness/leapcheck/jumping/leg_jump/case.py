"""A jump of a two-link leg to judge: load, height, push, first pose, servo, thresholds."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from leapcheck.jumping.judging.thresholds import Thresholds
from leapcheck_models.arrays import Floats
from leapcheck_reference.classical.leg_jump import PushPlan, full_extension_plan, push_plan, remaining_stroke
from leapcheck_reference.classical.planar_leg import foot_position
from leapcheck_reference.classical.two_link import TwoLink

STRAIGHT = 1e-9
"""A leg with less stroke left than this share of its length is straight."""

FOLDED = math.radians(179.0)
"""Beyond this knee angle the leg is folded flat: its joint speeds have no bound there either."""


LIMITS = ("torque", "speed", "torque-speed line")


@dataclass(frozen=True, slots=True)
class Servo:
    """Ratings of the servo at each joint: stall torque (N m) and no-load speed (rad/s); None: not known, not judged."""

    torque: float | None = None
    speed: float | None = None

    def __post_init__(self) -> None:
        for name, value in (("torque", self.torque), ("speed", self.speed)):
            if value is not None:
                _check_positive(f"servo's {name} rating", value)

    @property
    def is_rated(self) -> bool:
        """Whether both ratings are known."""
        return self.torque is not None and self.speed is not None


@dataclass(frozen=True, slots=True)
class LegCase:
    """A jump to judge, SI units and rad.

    `acceleration` m/s^2 of the body, or None: the push ends with the leg straight. `pose` (hip, knee), from straight down,
    knee <= 0. `until`: share of the push's time up to which a push that ends with a straight leg is judged, since joint
    speeds have no bound at its very end. `thresholds`: uses at which GO and MARGINAL end. Raises ValueError for what cannot be.
    """

    carried_mass: float
    height: float
    acceleration: float | None
    leg: TwoLink
    pose: tuple[float, float]
    servo: Servo
    until: float = 0.99
    thresholds: Thresholds = field(default_factory=Thresholds)

    def __post_init__(self) -> None:
        _check_positive("carried mass", self.carried_mass)
        _check_positive("height", self.height)
        _check_positive("gravity", float(self.leg.gravity))
        if self.acceleration is not None:
            _check_positive("acceleration", self.acceleration)
        for number, link in enumerate((self.leg.first, self.leg.second), start=1):
            for name in ("mass", "length", "inertia"):
                _check_positive(f"{name} of link {number}", float(getattr(link, name)))
            if not math.isfinite(float(link.com)):
                raise ValueError(f"com of link {number} is {link.com}: give a finite distance from its joint")
        if not 0.0 < self.until < 1.0:
            raise ValueError(f"until is {self.until:g}: give a share above 0 and below 1")
        self._check_pose()

    @property
    def stroke_left(self) -> float:
        """How far (m) the hip can rise from the first pose until the leg is straight."""
        return remaining_stroke(self.leg, np.array(self.pose))

    @property
    def plan(self) -> PushPlan:
        """The push: at the requested acceleration, or the one that uses the whole stroke."""
        gravity = float(self.leg.gravity)
        if self.acceleration is None:
            return full_extension_plan(self.height, self.stroke_left, gravity)
        return push_plan(self.height, self.acceleration, gravity)

    def _check_pose(self) -> None:
        hip, knee = self.pose
        if not (math.isfinite(hip) and math.isfinite(knee)):
            raise ValueError(f"first pose is ({hip}, {knee}): give two finite angles, hip and knee")
        pose = f"first pose ({math.degrees(hip):g}, {math.degrees(knee):g}) deg"
        if not -FOLDED <= knee <= 0.0:
            raise ValueError(f"{pose}: give a knee angle from {-math.degrees(FOLDED):g} to 0 deg, or mirror the leg")
        if foot_position(self.leg, np.array(self.pose))[1] >= 0.0:
            raise ValueError(f"{pose} has the foot above the hip: give one with the foot below")
        reach = float(self.leg.first.length + self.leg.second.length)
        if self.stroke_left <= STRAIGHT * reach:
            raise ValueError(f"{pose} is already straight: give one with a bent knee")


def _check_positive(name: str, value: float) -> None:
    if not (math.isfinite(value) and value > 0.0):
        raise ValueError(f"{name} is {value:g}: give a finite positive number")


def servo_uses(servo: Servo, torque: Floats, speed: Floats) -> Floats:
    """Uses (3, ...) in the order of `LIMITS`; 1 is the rating, 0 where it is not known.

    |tau| / stall, |qd| / no-load, and |tau / stall + qd / no-load|: the line binds where the servo drives; where it brakes,
    torque and speed of opposite signs, the line leaves more than stall torque, which the first bounds.
    """
    of_torque = np.zeros_like(torque) if servo.torque is None else torque / servo.torque
    of_speed = np.zeros_like(speed) if servo.speed is None else speed / servo.speed
    line = np.abs(of_torque + of_speed) if servo.is_rated else np.zeros_like(torque)
    return np.stack([np.abs(of_torque), np.abs(of_speed), line])


def servo_use(servo: Servo, torque: Floats, speed: Floats) -> Floats:
    """The largest of the three uses (...)."""
    largest: Floats = servo_uses(servo, torque, speed).max(axis=0)
    return largest


def available_torque(servo: Servo, speeds: Floats) -> Floats:
    """The largest torque (n,) N m the servo gives while it drives at `speeds` rad/s: the line, for a fully rated servo."""
    if servo.torque is None or servo.speed is None:
        raise ValueError("the servo has no line: give its torque and its speed rating")
    left: Floats = servo.torque * np.maximum(1.0 - np.abs(speeds) / servo.speed, 0.0)
    return left
