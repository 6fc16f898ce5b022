"""How many digits files print: differences below a unit of the last one are no statement of either file."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields

from leapcheck_models.importing import ImportedRobot

CAP = 5e-4
"""Numbers are taken to have been meant to at least this share of what they are part of, however few digits are printed."""

FLOOR = 1e-9
"""Share that counts as equal however many digits are printed: poses are put together and taken apart in doubles."""

NUMBER = re.compile(r"[+-]?(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?")


@dataclass(frozen=True, slots=True)
class Steps:
    """A unit of the last printed digit of a link's mass (kg), com and place (m), inertia (kg m^2), angles and limits (rad, m)."""

    mass: float = 0.0
    com: float = 0.0
    rotational: float = 0.0
    place: float = 0.0
    angle: float = 0.0
    limits: float = 0.0

    def __add__(self, other: Steps) -> Steps:
        return Steps(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))


@dataclass(frozen=True, slots=True)
class Tolerance:
    """What counts as equal: a share of the size given by the user, or what both files print."""

    share: float | None = None
    steps: Mapping[str, Steps] = field(default_factory=dict)

    def of(self, body: str, kind: str, size: float, arm: float = 0.0) -> float:
        """Largest difference that is none, for a `kind` of number of that `size`; `arm` (m) turns printed angles into lengths."""
        if self.share is not None:
            return self.share * size
        steps = self.steps.get(body, Steps())
        return max(FLOOR * size, min(getattr(steps, kind, 0.0) + steps.angle * arm, CAP * size))


def unit_of_last_digit(text: str) -> float:
    """A unit of the last printed digit, of the coarsest of several numbers; whole numbers count as exact."""
    units = [0.0]
    for word in text.split():
        match = NUMBER.fullmatch(word)
        if match and match[2]:
            units.append(10.0 ** (int(match[3] or 0) - len(match[2])))
        elif match and match[3] and match[1]:
            units.append(10.0 ** int(match[3]))
    return max(units)


def printed_steps(imported: ImportedRobot) -> dict[str, Steps]:
    """Steps by link or body, with those of its joint, as the file's text prints them; defaults of an MJCF are not looked up."""
    root = ET.fromstring(imported.text)
    pairs = _of_urdf(root) if imported.format == "URDF" else _of_mjcf(root)
    steps: dict[str, Steps] = {}
    for name, more in pairs:
        steps[name] = steps.get(name, Steps()) + more
    return steps


def _step(element: ET.Element | None, *keys: str) -> float:
    return 0.0 if element is None else max((unit_of_last_digit(element.get(key, "")) for key in keys), default=0.0)


def _of_urdf(root: ET.Element) -> Iterator[tuple[str, Steps]]:
    for link in root.findall("link"):
        origin, tensor = link.find("inertial/origin"), link.find("inertial/inertia")
        yield link.get("name", ""), Steps(
            mass=_step(link.find("inertial/mass"), "value"), com=_step(origin, "xyz"),
            rotational=_step(tensor, "ixx", "ixy", "ixz", "iyy", "iyz", "izz"),
        )  # fmt: skip
    for joint in root.findall("joint"):
        child, origin, axis = joint.find("child"), joint.find("origin"), joint.find("axis")
        name = "" if child is None else child.get("link", "")
        angle = _step(origin, "rpy") + _step(axis, "xyz")
        yield name, Steps(place=_step(origin, "xyz"), angle=angle, limits=_step(joint.find("limit"), "lower", "upper"))


def _of_mjcf(root: ET.Element) -> Iterator[tuple[str, Steps]]:
    degrees = all(compiler.get("angle", "degree") == "degree" for compiler in root.findall("compiler"))
    unit = math.pi / 180.0 if degrees else 1.0
    for body in root.iter("body"):
        inertial = body.find("inertial")
        angle = _step(body, "quat") + unit * _step(body, "euler")
        limits = 0.0
        for joint in body.findall("joint"):
            angle += _step(joint, "axis")
            limits = max(limits, (1.0 if joint.get("type") == "slide" else unit) * _step(joint, "range"))
        turned = _step(inertial, "quat") + unit * _step(inertial, "euler")
        largest = max((abs(float(x)) for x in _words(inertial, "diaginertia")), default=0.0)
        yield body.get("name", ""), Steps(
            mass=_step(inertial, "mass"), com=_step(inertial, "pos"), place=_step(body, "pos"), angle=angle, limits=limits,
            rotational=_step(inertial, "diaginertia", "fullinertia") + 2.0 * turned * largest,
        )  # fmt: skip


def _words(element: ET.Element | None, key: str) -> list[str]:
    return [] if element is None else element.get(key, "").split()
