"""The figures of a jump by name: what each is, its unit, and how it is taken from a log. Listed here once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

WINDOW = 0.02
"""Forces are averaged over windows of this length (s): peaks of rigid contact grow without bound as the step shrinks."""

LANDING_WINDOW = 0.1
"""Time (s) after touch-down over which the landing impulse is taken, the robot's weight included."""

DRIVES, JUMP, GROUND, POWER, FLIGHT, LANDING = "drives", "jump", "ground", "power", "flight", "landing"


@dataclass(frozen=True, slots=True)
class FigureKind:
    """A sort of figure. `converges`: it has a limit as dt -> 0."""

    name: str
    label: str
    unit: str
    group: str
    meaning: str
    converges: bool = True


@dataclass(frozen=True, slots=True)
class JumpFigure:
    """One number of one run: `joint` names the drive for a figure per joint, "" for the whole robot or the worst of all;
    `where` the drive, joint, foot or point that gives the value; `time` (s) the moment, NaN where it has none.
    """

    name: str
    value: float
    joint: str = ""
    where: str = ""
    time: float = float("nan")

    @property
    def key(self) -> str:
        """Name that no other figure of the run has: `torque_use`, `torque_use.FR_knee`."""
        return f"{self.name}.{self.joint}" if self.joint else self.name


_ROWS: tuple[tuple[Any, ...], ...] = (
    ("torque_use", "torque asked / peak torque", "1", DRIVES, "largest |tau asked| / (N tau_max)"),
    ("voltage_use", "voltage asked / battery voltage", "1", DRIVES, "largest |i R + 2 kt N qd| / V, i asked for"),
    ("voltage_ohmic", "resistive share of that voltage", "1", DRIVES, "i R / V when voltage_use is largest", False),
    ("voltage_back_emf", "back-emf share of that voltage", "1", DRIVES, "2 kt N qd / V at that moment", False),
    ("line_use", "torque-speed line asked / available", "1", DRIVES, "largest |tau asked / stall + qd / no-load|, no motor data"),
    ("speed", "peak joint speed", "rad/s", DRIVES, "largest |qd|"),
    ("time_above_80", "time above 80 %", "s", DRIVES, "time with torque_use, voltage_use or line_use above 0.8"),
    ("time_above_100", "time above 100 %", "s", DRIVES, "time with one of them above 1: saturated"),
    ("heat", "i^2 t", "A^2 s", DRIVES, "integral of the current squared over the run"),
    ("thermal_load", "thermal load / rating", "1", DRIVES, "hottest winding, started cold; 1: held at continuous current"),
    ("take_off_time", "take-off", "s", JUMP, "the ground's force falls below 5 % of the weight, before the longest flight"),
    ("take_off_speed", "take-off speed", "m/s", JUMP, "upward com velocity at take-off"),
    ("forward_speed", "forward speed at take-off", "m/s", JUMP, "com velocity along x at take-off"),
    ("run_up_speed", "forward speed at the start of the push", "m/s", JUMP, "com velocity along x there, of a running jump"),
    ("run_up_share", "that speed / speed asked for", "1", JUMP, "run_up_speed over that of the plan"),
    ("run_up_flight", "time of flight of the run-up", "s", JUMP, "longest flight before the push, loads as for take-off"),
    ("front_lead", "lead of the front feet at take-off", "s", JUMP, "last load of the rear feet minus that of the front ones"),
    ("rise", "rise of the com", "m", JUMP, "com height at the apex minus that at the start of the push"),
    ("height", "height of the jump", "m", JUMP, "com height at the apex minus that at take-off"),
    ("height_share", "height / height asked for", "1", JUMP, "height over that of the plan"),
    ("total_distance", "distance of all jumps", "m", JUMP, "com along x, last state minus first, of jumps in a row"),
    ("distance", "distance of the jump", "m", JUMP, "com position along x: touch-down minus take-off"),
    ("distance_off", "distance beside the distance asked for", "m", JUMP, "distance minus that of the plan"),
    ("feet_distance", "distance of the feet", "m", JUMP, "mean foot position along x: touch-down minus start of the push"),
    ("flight_time", "time of flight", "s", JUMP, "touch-down minus take-off"),
    ("agility", "vertical agility", "m/s", JUMP, "rise / (time of the push + time from take-off to apex): Haldane 2016"),
    ("friction_needed", "friction needed in the push", "1", GROUND, "largest |Ft| / Fn of a foot, 20 ms windows"),
    ("friction_use", "friction needed / available", "1", GROUND, "friction_needed / mu: a foot that slips has 1"),
    ("friction_landing", "friction needed in the landing", "1", GROUND, "the same from touch-down on"),
    ("force_push", "ground force / weight, push", "1", GROUND, "largest mean of the upward force over 20 ms"),
    ("force_landing", "ground force / weight, landing", "1", GROUND, "the same from touch-down on"),
    ("force_peak", "peak ground force / weight", "1", GROUND, "largest upward force of one step", False),
    ("impulse_push", "impulse of the push", "N s", GROUND, "integral of the upward force, start of push to take-off"),
    ("impulse_landing", "impulse of the landing", "N s", GROUND, "the same over 100 ms from touch-down"),
    ("peak_power", "peak mechanical power", "W", POWER, "largest sum of tau qd over the drives"),
    ("mechanical_work", "mechanical work of the push", "J", POWER, "integral of that sum from the start to take-off"),
    ("battery_current", "peak battery current", "A", POWER, "largest battery power / terminal voltage"),
    ("energy", "energy from the battery", "J", POWER, "integral of the battery power, regeneration subtracted"),
    ("voltage_sag", "largest voltage sag", "V", POWER, "open-circuit minus lowest terminal voltage"),
    ("pitch_touch_down", "pitch at touch-down", "deg", FLIGHT, "nose down is positive"),
    (
        "pitch_off",
        "pitch at touch-down beside the plan",
        "deg",
        FLIGHT,
        "pitch_touch_down minus start pitch and planned turn, or 0 without a plan",
    ),
    (
        "turn",
        "turn of the trunk",
        "deg",
        FLIGHT,
        "about its own lateral axis, from start to end, whole turns counted; nose down positive",
    ),
    ("turn_off", "turn beside the plan's whole turns", "deg", FLIGHT, "turn minus the plan's, rounded to whole turns"),
    ("roll", "turn about the long axis", "deg", FLIGHT, "of the trunk, from start to end; right side down positive"),
    ("roll_off", "turn about the long axis beside the plan's", "deg", FLIGHT, "roll minus the plan's whole turns"),
    ("yaw", "turn about the vertical", "deg", FLIGHT, "heading of the trunk at the end minus at the start; left positive"),
    ("yaw_off", "turn about the vertical beside that asked for", "deg", FLIGHT, "yaw minus that of the plan"),
    ("roll_touch_down", "roll at touch-down", "deg", FLIGHT, "right side down is positive"),
    ("torque_use_landing", "torque asked / peak torque, landing", "1", LANDING, "torque_use from touch-down on"),
    ("limit_margin", "margin to the joint limits", "rad", LANDING, "smallest over the run; negative: a stop is hit"),
    ("slip_push", "slip of the feet, push", "m", GROUND, "longest distance that a foot slides, rolling not counted"),
    ("slip_landing", "slip of the feet, landing", "m", LANDING, "the same from touch-down on"),
    ("clearance", "clearance of trunk and knees", "m", LANDING, "lowest over the run of points other than feet"),
    ("trunk_clearance", "clearance of the trunk", "m", LANDING, "lowest over the run of points on the trunk"),
    ("landing_height", "height of the feet at the end", "m", LANDING, "lowest foot, last state minus first, across the slope"),
    ("landing_off", "height of the feet beside the plan's", "m", LANDING, "landing_height minus that of the box or step meant"),
    ("beyond_gap", "feet beyond the gap", "m", LANDING, "rearmost foot's centre along x, last state, minus the gap's far edge"),
    ("final_tilt", "tilt at the end", "deg", LANDING, "angle between the trunk's z axis and the ground's, last state"),
    ("final_speed", "speed at the end", "m/s", LANDING, "sqrt(2 E_kin / m) of the last state: 0 at rest"),
)

FIGURES: dict[str, FigureKind] = {row[0]: FigureKind(*row) for row in _ROWS}
