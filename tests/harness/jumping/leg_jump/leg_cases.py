"""The text's own case (S1) and servos for it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from leapcheck.jumping.leg_jump.case import LegCase, Servo
from leapcheck_reference.classical.leg_jump import KGF_CM
from leapcheck_reference.classical.two_link import PlanarLink, TwoLink

LINK = PlanarLink(0.05, 0.06, 0.03, 1.5e-5)
LEG = TwoLink(LINK, LINK, gravity=9.8)
TEXT = LegCase(0.5, 0.015, 2.0, LEG, (math.radians(75.0), math.radians(-150.0)), Servo())
SHALLOW = (math.radians(45.0), math.radians(-90.0))

WEAK = Servo(3.5 * KGF_CM, math.radians(5000.0))
SLOW = Servo(6.0 * KGF_CM, math.radians(1500.0))
TIGHT = Servo(6.0 * KGF_CM, math.radians(1800.0))
STRONG = Servo(10.0 * KGF_CM, math.radians(3000.0))


def text_case(**changes: Any) -> LegCase:
    """The text's case with some of it changed."""
    return replace(TEXT, **changes)
