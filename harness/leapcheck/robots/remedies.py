"""Remedies of findings that are safe: the file means what its readers take it for, or the nearest that a body can be.

Each remedy looks at the file alone and returns edits of its text; whether the finding is then gone, and no new one there, is
seen by checking the file again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from leapcheck.robots.xml_edits import Edit, StartTag, set_attribute
from leapcheck_models.importing.urdf_records import UNIT_AXIS
from leapcheck_models.rotors import inside_realisable
from leapcheck_models.spec import Symmetric3
from leapcheck_models.validation import is_realisable
from leapcheck_models.xml_text import numbers

Remedy = Callable[[bytes, Sequence[StartTag]], Iterator[Edit]]

MOVING = ("revolute", "continuous", "prismatic", "planar")
ENTRIES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def unit_axes(content: bytes, tags: Sequence[StartTag]) -> Iterator[Edit]:
    """Joint axes of a URDF divided by their norms, as all readers do."""
    for tag in tags:
        if tag.tag == "axis" and tag.parent >= 0 and tags[tag.parent].attributes.get("type") in MOVING:
            axis = _floats(tag, "xyz")
            norm = math.hypot(*axis)
            if norm > 0.0 and abs(norm - 1.0) > UNIT_AXIS:
                yield set_attribute(content, tag, "xyz", numbers([x / norm for x in axis]))


def ordered_limits(content: bytes, tags: Sequence[StartTag]) -> Iterator[Edit]:
    """Lower and upper limits that were exchanged, put right."""
    for tag in tags:
        if tag.tag == "limit" and {"lower", "upper"} <= tag.attributes.keys():
            lower, upper = tag.attributes["lower"], tag.attributes["upper"]
            if _floats(tag, "lower")[0] > _floats(tag, "upper")[0]:
                yield set_attribute(content, tag, "lower", upper)
                yield set_attribute(content, tag, "upper", lower)


def continuous_joints(content: bytes, tags: Sequence[StartTag]) -> Iterator[Edit]:
    """Revolute joints without limits called what they are, continuous."""
    limits = {tag.parent for tag in tags if tag.tag == "limit" and {"lower", "upper"} & tag.attributes.keys()}
    for number, tag in enumerate(tags):
        if tag.tag == "joint" and tag.attributes.get("type") == "revolute" and number not in limits:
            yield set_attribute(content, tag, "type", "continuous")


def kept_links(content: bytes, tags: Sequence[StartTag]) -> Iterator[Edit]:
    """The option by which MuJoCo keeps links on fixed joints, with their names."""
    compilers = [tag for tag in tags if tag.tag == "compiler"]
    extensions = [tag for tag in tags if tag.tag == "mujoco"]
    if compilers:
        yield set_attribute(content, compilers[-1], "fusestatic", "false")
    else:
        option = '<compiler fusestatic="false"/>'
        text = option if extensions else f"\n  <mujoco>{option}</mujoco>"
        place = (extensions or tags)[0]
        if not content[: place.end].endswith(b"/>"):
            yield Edit(place.end, place.end, text)


def realisable_inertias(content: bytes, tags: Sequence[StartTag]) -> Iterator[Edit]:
    """Inertias of a URDF that no body has, replaced by the nearest that one has; not where a moment is negative."""
    for tag in tags:
        if tag.tag != "inertia":
            continue
        xx, xy, xz, yy, yz, zz = (_floats(tag, key)[0] for key in ENTRIES)
        inertia: Symmetric3 = (xx, xy, xz, yy, yz, zz)
        nearest = inside_realisable(inertia)
        if not is_realisable(inertia) and is_realisable(nearest):
            yield from (
                set_attribute(content, tag, key, numbers([new]))
                for key, old, new in zip(ENTRIES, inertia, nearest, strict=True)
                if old != new
            )


def unit_turns(content: bytes, tags: Sequence[StartTag]) -> Iterator[Edit]:
    """Axes of an MJCF's axisangle divided by their norms, as MuJoCo does and Pinocchio does not."""
    for tag in tags:
        if len(values := _floats(tag, "axisangle")) == 4:
            norm = math.hypot(*values[:3])
            if norm > 0.0 and abs(norm - 1.0) > UNIT_AXIS:
                yield set_attribute(content, tag, "axisangle", numbers([*(x / norm for x in values[:3]), values[3]]))


def without_balance(content: bytes, tags: Sequence[StartTag]) -> Iterator[Edit]:
    """The option balanceinertia taken out: where all inertias are in order it does nothing."""
    for tag in tags:
        if tag.tag == "compiler" and tag.attributes.get("balanceinertia", "false") != "false":
            yield set_attribute(content, tag, "balanceinertia", None)


REMEDIES: dict[str, tuple[tuple[str, Remedy], ...]] = {
    "URDF": (
        ("axis", unit_axes), ("limits", ordered_limits), ("limits", continuous_joints), ("realisability", realisable_inertias),
        ("fusestatic", kept_links), ("compiler options", without_balance),
    ),
    "MJCF": (("Pinocchio", unit_turns), ("compiler options", without_balance)),
}  # fmt: skip
"""Remedies by format, each with the rule whose findings it removes; in their order, for one may make room for the next."""

WHY_NOT: dict[str, str] = {
    "realisability": "a principal moment is negative, or the inertia is made by MuJoCo: only its source knows the right one",
    "mirror symmetry": "which side is right is not known",
    "total mass": "for your information",
    "massless links": "only its source knows the mass",
    "com": "only its source knows the place",
    "tiny inertia": "only its source knows the unit",
    "limits": "only its source knows the limits",
    "names": "other files and programs may use the name",
    "order": "the order of joints is the file's: map by name",
    "base": "what the base is depends on what you simulate",
    "base mass": "what the base is depends on what you simulate",
    "mimic": "the coupling is meant so",
    "compiler options": "without it MuJoCo makes another robot of the file",
    "meshes": "where the meshes are depends on the machine",
    "missing inertial": "only its source knows the inertia",
    "contact points": "for your information",
    "not read": "for your information",
    "load": "an engine refuses or changes the file for another reason: see its message",
    "gravity": "it may be meant so",
    "Pinocchio": "it has to be written in another way",
}
"""Why the findings of a rule are left."""

DEFAULT_WHY = "its remedy needs a decision"


def _floats(tag: StartTag, key: str) -> list[float]:
    """Numbers of an attribute; [0.0] where it is missing. The file has been read: they are numbers."""
    return [float(word) for word in tag.attributes.get(key, "0").split()]
