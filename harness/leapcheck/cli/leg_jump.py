"""`leapcheck leg-jump`: can a two-link leg jump with this servo?"""

from __future__ import annotations

import math
import shlex
import sys
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from leapcheck.leg_jump.case import Case
    from leapcheck_reference.classical.two_link import TwoLink

Pair = tuple[float, float]

ACCELERATION = 2.0
"""m/s^2, the text's figure, where none is given."""

NOT_PART_OF_THE_CASE = ("out", "json")


@dataclass(frozen=True)
class LegJump:
    """Say GO, MARGINAL or NO-GO for the jump of a two-link leg that pushes its body up at constant acceleration.

    The defaults are those of the text this comes from: 0.5 kg on links of 0.05 kg and 60 mm jumping 15 mm. The foot stays
    where it is, the body moves straight up, and both joints have the same servo. Exit status: 0 GO or MARGINAL, 1 NO-GO,
    2 could not run.

    Examples:
      leapcheck leg-jump
      leapcheck leg-jump --height 0.02 --servo-torque 6 --servo-speed 0.11 --servo-speed-unit s/60deg
      leapcheck leg-jump --full-extension --servo-torque 0.6 --servo-torque-unit N.m --servo-speed 1500
      leapcheck leg-jump --mass 1.2 --link-length 0.08 0.09 --link-mass 0.07 0.05 --pose 60 -130
    """

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
    out: Path = Path("runs") / "leg_jump"
    """Folder of the report."""
    json: bool = False
    """Print the results as JSON instead of a summary."""

    def run(self) -> int:
        """Computes, judges, writes the report, prints the summary; returns the exit status."""
        from leapcheck.leg_jump.data_files import leg_jump_json
        from leapcheck.leg_jump.report_files import FILES, write_leg_jump_report
        from leapcheck.leg_jump.result import leg_jump
        from leapcheck.report.files import check_folder

        check_folder(self.out, FILES)  # before the work, not after it
        found = leg_jump(self.case())
        command = self.command()
        write_leg_jump_report(found, command, self.out)
        if self.json:
            sys.stdout.write(leg_jump_json(found, command))
            return found.exit_status
        from rich.console import Console

        from leapcheck.leg_jump.console import LegJumpSummary

        console = Console(highlight=False)
        console.print(LegJumpSummary(found))
        console.print(f"report: {self.out / FILES[0]}", markup=False, soft_wrap=True)
        return found.exit_status

    def case(self) -> Case:
        """The case in SI units. Raises ValueError for what cannot be."""
        from leapcheck.jump.judging.thresholds import Thresholds
        from leapcheck.leg_jump.case import Case, Servo
        from leapcheck_reference.classical.leg_jump import KGF_CM

        if self.full_extension and self.acceleration is not None:
            raise ValueError("--acceleration and --full-extension exclude each other: leave one out")
        acceleration = ACCELERATION if self.acceleration is None else self.acceleration
        torque = self.servo_torque
        if torque is not None and self.servo_torque_unit == "kgf.cm":
            torque *= KGF_CM
        return Case(
            carried_mass=self.mass,
            height=self.height,
            acceleration=None if self.full_extension else acceleration,
            leg=self._leg(),
            pose=(math.radians(self.pose[0]), math.radians(self.pose[1])),
            servo=Servo(torque, self._no_load_speed()),
            until=self.until,
            thresholds=Thresholds(utilisation_marginal=self.marginal),
        )

    def command(self) -> str:
        """The command that repeats this run: every choice that is not the default."""
        words = ["leapcheck", "leg-jump"]
        for option in fields(self):
            value = getattr(self, option.name)
            if option.name in NOT_PART_OF_THE_CASE or value == option.default:
                continue
            words.append(f"--{option.name.replace('_', '-')}")
            if not isinstance(value, bool):
                words += [str(part) for part in (value if isinstance(value, tuple) else (value,))]
        return shlex.join(words)

    def _leg(self) -> TwoLink:
        from leapcheck_reference.classical.two_link import PlanarLink, TwoLink

        com = self.link_com or tuple(length / 2 for length in self.link_length)
        rods = tuple(m * l * l / 12 for m, l in zip(self.link_mass, self.link_length, strict=True))
        columns = zip(self.link_mass, self.link_length, com, self.link_inertia or rods, strict=True)
        thigh, shank = (PlanarLink(*column) for column in columns)
        return TwoLink(thigh, shank, self.gravity)

    def _no_load_speed(self) -> float | None:
        """rad/s. Raises ValueError for a time per 60 degrees that is not positive."""
        speed, unit = self.servo_speed, self.servo_speed_unit
        if speed is None or unit == "rad/s":
            return speed
        if unit == "deg/s":
            return math.radians(speed)
        if not 0.0 < speed < math.inf:
            raise ValueError(f"servo's speed is {speed:g} s per 60 deg: give a finite positive number")
        return math.pi / 3 / speed
