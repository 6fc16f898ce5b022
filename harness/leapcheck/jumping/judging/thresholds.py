"""The verdicts on a jump, and the thresholds between them, which a user can set."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class JumpVerdict(StrEnum):
    """What may be done with the hardware; UNDECIDED: no plan was found, which does not say that there is none."""

    GO = "GO"
    MARGINAL = "MARGINAL"
    NO_GO = "NO-GO"
    UNDECIDED = "UNDECIDED"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """MARGINAL and NO-GO of each item of the verdict.

    `utilisation`: torque and voltage asked over what there is, and friction needed over available; `limit_margin` rad and
    `clearance` m: at or below is a hit; `success`: rate of varied jumps that succeed, below
    `success_no_go` a NO-GO, MARGINAL where its lower Clopper-Pearson bound is below the other; `tilt` deg, `speed` m/s: of the
    last state; `attitude` deg: pitch and roll at touch-down; `slip` m: of a foot in the push or the landing; `height`: part of
    the height asked for that must be reached; `run_up`: part of the speed asked for that the push must begin with;
    `distance` m: by how much the flight may miss the distance asked for; `landing` m: by how much higher or lower than meant a
    foot may stand at the end; `beyond_gap` m: how far beyond a gap each foot must stand at the end; `turn` deg: by how much the
    whole turns of the trunk may be off; `yaw` deg: by how much its turn about the vertical may be off: at the feet of a
    quadruped 0.3 m from the middle the same way as `distance`;
    `trunk_clearance` m: as `clearance`, of the trunk alone.
    """

    utilisation_marginal: float = 0.8
    utilisation_no_go: float = 1.0
    limit_margin_marginal: float = 0.05
    limit_margin_no_go: float = 0.0
    clearance_marginal: float = 0.01
    clearance_no_go: float = 0.0
    success_marginal: float = 0.95
    success_no_go: float = 0.8
    tilt_marginal: float = 10.0
    tilt_no_go: float = 30.0
    speed_marginal: float = 0.1
    speed_no_go: float = 0.5
    attitude_marginal: float = 15.0
    attitude_no_go: float = 45.0
    slip_marginal: float = 0.02
    slip_no_go: float = 0.1
    height_marginal: float = 0.95
    height_no_go: float = 0.5
    turn_marginal: float = 45.0
    turn_no_go: float = 180.0
    yaw_marginal: float = 10.0
    yaw_no_go: float = 30.0
    trunk_clearance_marginal: float = 0.01
    trunk_clearance_no_go: float = 0.0
    landing_marginal: float = 0.05
    landing_no_go: float = 0.15
    beyond_gap_marginal: float = 0.02
    beyond_gap_no_go: float = 0.0
    run_up_marginal: float = 0.9
    run_up_no_go: float = 0.5
    distance_marginal: float = 0.05
    distance_no_go: float = 0.15

    def __post_init__(self) -> None:
        for name, value in dataclasses.asdict(self).items():
            if not isinstance(value, int | float) or isinstance(value, bool) or math.isnan(value):
                raise ValueError(f"threshold {name} is {value!r}: give a number")
        for item, rising in DIRECTIONS.items():
            marginal, no_go = getattr(self, f"{item}_marginal"), getattr(self, f"{item}_no_go")
            if (no_go - marginal) * (1 if rising else -1) < 0:
                side = "at or above" if rising else "at or below"
                raise ValueError(f"threshold {item}_no_go is {no_go:g}: it must be {side} {item}_marginal, {marginal:g}")


DIRECTIONS = {
    "utilisation": True,
    "limit_margin": False,
    "clearance": False,
    "success": False,
    "tilt": True,
    "speed": True,
    "attitude": True,
    "slip": True,
    "height": False,
    "run_up": False,
    "landing": True,
    "beyond_gap": False,
    "distance": True,
    "turn": True,
    "yaw": True,
    "trunk_clearance": False,
}
"""Items that have two thresholds, and whether larger is worse."""


def thresholds_from(given: Mapping[str, Any]) -> Thresholds:
    """The default thresholds with those of a table, a file's or `--threshold NAME=VALUE`, put in their places.

    Text is read as a number. Raises ValueError for an unknown name, a value that is no number, or a pair in the wrong order.
    """
    return Thresholds(**numbers(Thresholds, "threshold", given))


def numbers(kind: type, what: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The values given for fields of the dataclass `kind`, text read as numbers; ValueError names a wrong one, called `what`."""
    names, values = [field.name for field in dataclasses.fields(kind)], {}
    for name, value in given.items():
        if name not in names:
            raise ValueError(f"unknown {what} {name!r:.60}: use one of {', '.join(names)}")
        try:
            values[name] = float(value) if isinstance(value, str) else value
        except ValueError:
            raise ValueError(f"{what} {name} is {value!r:.60}: give a number") from None
    return values
