"""Words by which a fault of some states is named: regular expressions, and numbers."""

from __future__ import annotations

from leapcheck_evidence.score.planting.layout import Slot
from leapcheck_models.spec import JointType

ONE_DOF = (JointType.REVOLUTE, JointType.PRISMATIC)
RATE = r"veloc|rate|speed|qd|\bv\b"


def joint_words(slot: Slot) -> str:
    """The link or its joint."""
    names = [slot.body.name, slot.body.joint.name]
    return rf"\b({'|'.join(names)})\b"


def number_words(x: float) -> str:
    """The number to three digits, as it may be written, to 1 % above or below."""
    low, high = sorted((0.99 * x, 1.01 * x))
    return f"number {low:.6g} {high:.6g}"
