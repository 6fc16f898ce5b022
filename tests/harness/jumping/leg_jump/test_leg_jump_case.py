"""What is refused, in one line that says what to give instead."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from leapcheck.jumping.leg_jump.case import Servo
from leapcheck_reference.classical.two_link import TwoLink
from tests.harness.jumping.leg_jump.leg_cases import LEG, LINK, text_case

pytestmark = pytest.mark.quick

NAN = float("nan")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"carried_mass": -0.5}, "carried mass is -0.5: give a finite positive number"),
        ({"carried_mass": NAN}, "carried mass is nan"),
        ({"height": 0.0}, "height is 0: give"),
        ({"height": -0.01}, "height is -0.01"),
        ({"height": math.inf}, "height is inf"),
        ({"acceleration": 0.0}, "acceleration is 0"),
        ({"acceleration": NAN}, "acceleration is nan"),
        ({"leg": replace(LEG, gravity=0.0)}, "gravity is 0"),
        ({"leg": TwoLink(replace(LINK, mass=-0.05), LINK, 9.8)}, "mass of link 1 is -0.05"),
        ({"leg": TwoLink(LINK, replace(LINK, length=0.0), 9.8)}, "length of link 2 is 0"),
        ({"leg": TwoLink(LINK, replace(LINK, inertia=0.0), 9.8)}, "inertia of link 2 is 0"),
        ({"leg": TwoLink(LINK, replace(LINK, com=NAN), 9.8)}, "com of link 2 is nan: give a finite distance"),
        ({"pose": (0.0, 0.0)}, r"first pose \(0, 0\) deg is already straight: give one with a bent knee"),
        ({"pose": (NAN, -1.0)}, "give two finite angles"),
        ({"pose": (1.0, 1.0)}, "give a knee angle from -179 to 0 deg, or mirror the leg"),
        ({"pose": (1.0, -math.pi)}, "give a knee angle from -179 to 0 deg"),
        ({"pose": (math.pi, -1.0)}, "has the foot above the hip: give one with the foot below"),
        ({"until": 1.0}, "until is 1: give a share above 0 and below 1"),
        ({"until": NAN}, "until is nan"),
    ],
)
def test_what_cannot_be_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said) as refused:
        text_case(**changes)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("torque", "speed", "said"), [(0.0, 1.0, "torque rating is 0"), (1.0, NAN, "speed rating is nan")])
def test_a_servo_that_is_none_is_refused(torque: float, speed: float, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Servo(torque, speed)
