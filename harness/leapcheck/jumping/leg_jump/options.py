"""What a user can choose about a leg's jump: plain values with the command line's names, units and defaults."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from leapcheck.system.command_line import repeat_command

if TYPE_CHECKING:
    from leapcheck.jumping.leg_jump.case import LegCase
    from leapcheck_reference.classical.two_link import TwoLink

Pair = tuple[float, float]

ACCELERATION = 2.0
"""m/s^2, the text's figure, where none is given."""


@dataclass(frozen=True)
class LegJumpOptions:
    """The jump of a two-link leg; the defaults are those of the text this comes from."""

    mass: float = 0.5
    """Mass that the leg carries, its own aside (kg)."""
    height: float = 0.015
    """How far the body rises after take-off (m)."""
    acceleration: float | None = None
    """Acceleration of the body in the push (m/s^2); 2.0 by default."""
    full_extension: bool = False
    """Push until the leg is straight, a = v0^2 / (2 x stroke left), instead of --acceleration."""
    until: float = 0.99
    """Share of the push's time that --full-extension is judged for: at its very end joint speeds have no bound."""
    pose: Pair = (75.0, -150.0)
    """First pose: hip from straight down, forward positive, and knee from the thigh, negative (deg)."""
    link_mass: Pair = (0.05, 0.05)
    """Mass of thigh and shank (kg)."""
    link_length: Pair = (0.06, 0.06)
    """Length of thigh and shank (m)."""
    link_com: Pair | None = None
    """Distance of their centres of mass from their joints (m); half the length by default."""
    link_inertia: Pair | None = None
    """Moments of inertia about their centres of mass, across the plane (kg m^2); m l^2 / 12 by default."""
    gravity: float = 9.8
    """Gravity (m/s^2)."""
    servo_torque: float | None = None
    """The servo's stall torque, in --servo-torque-unit; not judged by default."""
    servo_torque_unit: Literal["kgf.cm", "N.m"] = "kgf.cm"
    """Unit of the stall torque."""
    servo_speed: float | None = None
    """The servo's no-load speed, in --servo-speed-unit; not judged by default."""
    servo_speed_unit: Literal["deg/s", "rad/s", "s/60deg"] = "deg/s"
    """Unit of the no-load speed; s/60deg is what servo makers print."""
    marginal: float = 0.8
    """Use of the servo's rating above which the verdict is MARGINAL."""

    def command(self) -> str:
        """The command line that repeats this jump."""
        return repeat_command(("leapcheck", "leg-jump"), self, LegJumpOptions)

    def case(self) -> LegCase:
        """The case in SI units. Raises ValueError for an invalid value."""
        from leapcheck.jumping.judging.thresholds import Thresholds
        from leapcheck.jumping.leg_jump.case import LegCase, Servo
        from leapcheck_reference.classical.leg_jump import KGF_CM

        if self.full_extension and self.acceleration is not None:
            raise ValueError("--acceleration and --full-extension exclude each other: leave one out")
        acceleration = ACCELERATION if self.acceleration is None else self.acceleration
        torque = self.servo_torque
        if torque is not None and self.servo_torque_unit == "kgf.cm":
            torque *= KGF_CM
        return LegCase(
            carried_mass=self.mass,
            height=self.height,
            acceleration=None if self.full_extension else acceleration,
            leg=self._leg(),
            pose=(math.radians(self.pose[0]), math.radians(self.pose[1])),
            servo=Servo(torque, self._top_speed()),
            until=self.until,
            thresholds=Thresholds(utilisation_marginal=self.marginal),
        )

    def _leg(self) -> TwoLink:
        from leapcheck_reference.classical.two_link import PlanarLink, TwoLink

        com = self.link_com or tuple(length / 2 for length in self.link_length)
        rods = tuple(m * l * l / 12 for m, l in zip(self.link_mass, self.link_length, strict=True))
        columns = zip(self.link_mass, self.link_length, com, self.link_inertia or rods, strict=True)
        thigh, shank = (PlanarLink(*column) for column in columns)
        return TwoLink(thigh, shank, self.gravity)

    def _top_speed(self) -> float | None:
        """The servo's no-load speed, rad/s. Raises ValueError for a time per 60 degrees that is not positive."""
        speed, unit = self.servo_speed, self.servo_speed_unit
        if speed is None or unit == "rad/s":
            return speed
        if unit == "deg/s":
            return math.radians(speed)
        if not 0.0 < speed < math.inf:
            raise ValueError(f"servo's speed is {speed:g} s per 60 deg: give a finite positive number")
        return math.pi / 3 / speed
