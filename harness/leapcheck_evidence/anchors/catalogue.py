"""The published jumps: their sources, what is compared, and the request that comes nearest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

ICRA_2019 = "Katz, Di Carlo, Kim, ICRA 2019"
AERIAL = "Chignoli, Kim, arXiv 2110.06330"
PIXELS = "Margolis et al., arXiv 2110.15344"
FROG = "Quadruped-Frog, arXiv 2403.06954"
CAJUN = "Yang et al., arXiv 2306.09557"
LANDING = "arXiv 2110.02799"

LINE = "the file's effort and velocity are taken as a straight torque-speed line, less than the motors may give"

MINI_CHEETAH, GO1 = "mini_cheetah", "go1"


@dataclass(frozen=True, slots=True)
class Anchor:
    """A published jump: `published` of `source`, whether that was `checked` in the source's abstract or a page about it.

    `options` are those of `JumpOptions` that come nearest, `figures` the names of what is shown, `differs` what is not alike. A
    fall from `drop` m instead of a jump where that is above 0.
    """

    name: str
    robot: str
    source: str
    published: str
    checked: bool
    differs: str
    options: Mapping[str, Any] = field(default_factory=dict)
    figures: tuple[str, ...] = ()
    drop: float = 0.0


ANCHORS = (
    Anchor(
        "backflip",
        MINI_CHEETAH,
        ICRA_2019,
        "a 360-degree backflip from standing, on flat ground",
        True,
        "the plan is MIT's; ground and drives are modelled, the plan is played as its controller does",
        {"plan": "mit-flip"},
        ("turn", "final_tilt"),
    ),
    Anchor(
        "turn in the air",
        MINI_CHEETAH,
        AERIAL,
        "spins; 360 degrees by the project's issue, the abstract gives no angle",
        False,
        "leapcheck plans another motion, and from rest",
        {"height": 0.4, "turn": 360.0, "planner": "optimised"},
        ("yaw", "height"),
    ),
    Anchor(
        "barrel roll",
        MINI_CHEETAH,
        AERIAL,
        "barrel rolls",
        True,
        "leapcheck plans another motion; theirs is tracked by feedback of the body's state",
        {"height": 0.3, "flip": "left", "planner": "optimised"},
        ("roll", "final_tilt"),
    ),
    Anchor(
        "gap",
        MINI_CHEETAH,
        PIXELS,
        "gaps of up to 26 cm crossed by the real robot",
        True,
        "theirs runs and sees the gap; here it jumps once, from rest, with the gap known",
        {"over_gap": 0.26, "planner": "optimised"},
        ("beyond_gap", "distance"),
    ),
    Anchor(
        "drop",
        MINI_CHEETAH,
        LANDING,
        "lands after drops of 2 m by the project's issue; neither robot nor figure found in a search",
        False,
        "theirs plans the landing; here the joints hold one pose with fixed gains, the best of a few",
        drop=2.0,
    ),
    Anchor(
        "high jump",
        GO1,
        FROG,
        "jumps 0.5 m high",
        True,
        f"what is 0.5 m high is not said in the abstract (trunk or rise); here the com's rise after take-off, from rest; {LINE}",
        {"height": 0.5, "planner": "optimised"},
        ("height", "rise"),
    ),
    Anchor(
        "long jump",
        GO1,
        FROG,
        "jumps 0.5 m forward",
        True,
        f"theirs is one of a row of jumps; here one, from rest, 0.15 m high; the com's way in the air; {LINE}",
        {"height": 0.15, "distance": 0.5, "planner": "optimised"},
        ("distance", "feet_distance"),
    ),
    Anchor(
        "gap",
        GO1,
        CAJUN,
        "crosses gaps of up to 0.70 m",
        True,
        "theirs bounds, jump after jump; here one jump, from rest, with the gap known",
        {"over_gap": 0.7, "planner": "optimised"},
        ("beyond_gap", "distance"),
    ),
)
