"""The few words in which a user's engine declares its conventions, and the convention they stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from leapcheck.coordinates.conventions import Convention, declared_convention, moving_joints
from leapcheck.coordinates.frame_maps import CANONICAL_FRAMES, FrameAcceleration, FrameConvention, FramePoint
from leapcheck.coordinates.joint_forms import Layout
from leapcheck_models.spec import JointType, RobotSpec

CHOICES = {
    "quaternion": ("wxyz", "xyzw"),
    "base_velocity": ("body", "world", "mixed"),
    "order": ("angular first", "linear first"),
}
"""What may be declared of coordinates; the canonical convention comes first."""

FRAME_CHOICES = {
    "reference_frame": ("local_world_aligned", "local", "world"),
    "frame_point": (FramePoint.ORIGIN.value, FramePoint.COM.value, FramePoint.ROBOT_COM.value),
    "frame_order": ("angular first", "linear first"),
    "frame_acceleration": tuple(kind.value for kind in FrameAcceleration),
}
"""What may be declared of frames' six rows; the canonical convention comes first."""

ALL_CHOICES = {**CHOICES, **FRAME_CHOICES}


@dataclass(frozen=True, slots=True)
class Words:
    """Conventions in words; what is left empty is as in the canonical convention.

    `base_velocity` names the axes of a floating base's velocity: "body" and "world" hold for both parts, "mixed" is the linear
    one in world axes and the angular one in those of the body, as in MuJoCo. `order` is that of these parts. `joints` are the
    joints in the engine's order, by name; a floating base that is not among them comes first.

    The others are about frames' six rows: `reference_frame` has Pinocchio's names of axes and point; with the first two
    `frame_point` may be another one. `frame_acceleration` is what bias accelerations are (`FrameAcceleration`).
    """

    quaternion: str = ""
    base_velocity: str = ""
    order: str = ""
    joints: tuple[str, ...] = ()
    reference_frame: str = ""
    frame_point: str = ""
    frame_order: str = ""
    frame_acceleration: str = ""

    def over(self, other: Words) -> Words:
        """These words, and the other ones where these say nothing."""
        return Words(*(getattr(self, field.name) or getattr(other, field.name) for field in fields(Words)))

    @property
    def of_frames(self) -> Words:
        """Those about frames alone."""
        return replace(CANONICAL_WORDS, **{key: getattr(self, key) for key in FRAME_CHOICES})

    @property
    def frames(self) -> FrameConvention:
        """What they say about frames."""
        point = FramePoint.WORLD_ORIGIN if self.reference_frame == "world" else FramePoint(self.frame_point or FramePoint.ORIGIN)
        return FrameConvention(
            local=self.reference_frame == "local",
            point=point,
            acceleration=FrameAcceleration(self.frame_acceleration or FrameAcceleration.RATE),
            linear_first=self.frame_order == "linear first",
        )


CANONICAL_WORDS = Words()


def words(declared: Any, where: str) -> Words:
    """The words that a table declares; ValueError begins with `where` and names the key and the remedy."""
    if not isinstance(declared, Mapping):
        raise ValueError(f"{where}: conventions are {declared!r:.60}: give a table with {', '.join(ALL_CHOICES)}, joints")
    known = {str(key): value for key, value in declared.items()}
    if unknown := sorted(known.keys() - ALL_CHOICES.keys() - {"joints"}):
        raise ValueError(f"{where}: conventions: unknown key '{unknown[0]}': use {', '.join(ALL_CHOICES)}, joints")
    for key, choices in ALL_CHOICES.items():
        if known.get(key, choices[0]) not in choices:
            allowed = " or ".join(f'"{choice}"' for choice in choices)
            raise ValueError(f"{where}: conventions: {key} is {known[key]!r:.60}: use {allowed}")
    given = {key: str(known.get(key, "")) for key in ALL_CHOICES}
    if given["reference_frame"] == "world" and given["frame_point"]:
        point = f'reference_frame = "world" says the point, frame_point = "{given["frame_point"]}" another one'
        raise ValueError(f"{where}: conventions: {point}: leave one of them out")
    return Words(**given, joints=_names(known.get("joints", ()), where))


def convention(spec: RobotSpec, declared: Words, where: str) -> Convention | None:
    """The convention that the words stand for; None where it is the canonical one. ValueError for joints that are not those."""
    moving = moving_joints(spec)
    names = [joint.name for joint in moving]
    bases = [joint.name for joint in moving if joint.type is JointType.FREE]
    joints = [*(base for base in bases if base not in declared.joints), *declared.joints] if declared.joints else names
    if sorted(joints) != sorted(names):
        raise ValueError(f"{where}: conventions: joints {_difference(joints, names)}")
    frames = declared.frames
    if joints == names and frames == CANONICAL_FRAMES and _is_canonical(declared):
        return None
    layout = Layout(
        scalar_last=declared.quaternion == "xyzw",
        linear_in_world=declared.base_velocity in ("world", "mixed"),
        angular_in_world=declared.base_velocity == "world",
        angular_first=declared.order != "linear first",
    )
    return declared_convention(spec, joints, layout, frames)


def words_of_frames(frames: FrameConvention) -> dict[str, str]:
    """The keys of a .toml, with their words, that declare a form of frames; none for the canonical one."""
    in_world = frames.point is FramePoint.WORLD_ORIGIN
    said = {
        "reference_frame": "local" if frames.local else "world" if in_world else "",
        "frame_point": "" if in_world else frames.point.value,
        "frame_order": "linear first" if frames.linear_first else "",
        "frame_acceleration": frames.acceleration.value,
    }
    return {key: word for key, word in said.items() if word not in ("", FRAME_CHOICES[key][0])}


def _is_canonical(declared: Words) -> bool:
    """Whether coordinates are, the joints' order aside."""
    return all(getattr(declared, key) in ("", choices[0]) for key, choices in CHOICES.items())


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
