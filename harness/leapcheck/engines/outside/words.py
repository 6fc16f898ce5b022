"""The few words in which a user's engine declares its conventions, and the convention they stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from leapcheck.coordinates.conventions import Convention, declared_convention, moving_joints
from leapcheck.coordinates.joint_forms import Layout
from leapcheck_models.spec import JointType, RobotSpec

CHOICES = {
    "quaternion": ("wxyz", "xyzw"),
    "base_velocity": ("body", "world", "mixed"),
    "order": ("angular first", "linear first"),
}
"""What may be declared; the canonical convention comes first."""


@dataclass(frozen=True, slots=True)
class Words:
    """Conventions in words; what is left empty is as in the canonical convention.

    `base_velocity` names the axes of a floating base's velocity: "body" and "world" hold for both parts, "mixed" is the linear
    one in world axes and the angular one in those of the body, as in MuJoCo. `order` is that of these parts. `joints` are the
    joints in the engine's order, by name; a floating base that is not among them comes first.
    """

    quaternion: str = ""
    base_velocity: str = ""
    order: str = ""
    joints: tuple[str, ...] = ()

    def over(self, other: Words) -> Words:
        """These words, and the other ones where these say nothing."""
        return Words(*(getattr(self, field.name) or getattr(other, field.name) for field in fields(Words)))


CANONICAL_WORDS = Words()


def words(declared: Any, where: str) -> Words:
    """The words that a table declares; ValueError begins with `where` and names the key and the remedy."""
    if not isinstance(declared, Mapping):
        raise ValueError(f"{where}: conventions are {declared!r:.60}: give a table with {', '.join(CHOICES)}, joints")
    known = {str(key): value for key, value in declared.items()}
    if unknown := sorted(known.keys() - CHOICES.keys() - {"joints"}):
        raise ValueError(f"{where}: conventions: unknown key '{unknown[0]}': use {', '.join(CHOICES)}, joints")
    for key, choices in CHOICES.items():
        if known.get(key, choices[0]) not in choices:
            allowed = " or ".join(f'"{choice}"' for choice in choices)
            raise ValueError(f"{where}: conventions: {key} is {known[key]!r:.60}: use {allowed}")
    quaternion, base_velocity, order = (str(known.get(key, "")) for key in CHOICES)
    return Words(quaternion, base_velocity, order, _names(known.get("joints", ()), where))


def convention(spec: RobotSpec, declared: Words, where: str) -> Convention | None:
    """The convention that the words stand for; None where it is the canonical one. ValueError for joints that are not those."""
    moving = moving_joints(spec)
    names = [joint.name for joint in moving]
    bases = [joint.name for joint in moving if joint.type is JointType.FREE]
    joints = [*(base for base in bases if base not in declared.joints), *declared.joints] if declared.joints else names
    if sorted(joints) != sorted(names):
        raise ValueError(f"{where}: conventions: joints {_difference(joints, names)}")
    if joints == names and all(getattr(declared, key) in ("", choices[0]) for key, choices in CHOICES.items()):
        return None
    layout = Layout(
        scalar_last=declared.quaternion == "xyzw",
        linear_in_world=declared.base_velocity in ("world", "mixed"),
        angular_in_world=declared.base_velocity == "world",
        angular_first=declared.order != "linear first",
    )
    return declared_convention(spec, joints, layout)


def _names(value: Any, where: str) -> tuple[str, ...]:
    names = value.split() if isinstance(value, str) else value
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{where}: conventions: joints are {value!r:.60}: give a list of names")
    return tuple(names)


def _difference(names_given: Sequence[str], expected: Sequence[str]) -> str:
    """What is wrong with a list of names."""
    if unknown := [name for name in names_given if name not in expected]:
        return f"name '{unknown[0]}', which the robot lacks: it has {', '.join(expected)}"
    if missing := [name for name in expected if name not in names_given]:
        return f"leave out '{missing[0]}': name each joint that moves"
    return f"name '{next(name for name in names_given if names_given.count(name) > 1)}' twice: name each once"
