"""Small helpers of the MJCF and URDF writers: numbers, names and comments as XML text."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from typing import Any

from leapcheck_models.spec import RobotSpec, Symmetric3


def number(value: float) -> str:
    """Shortest text that reads back as the same float: 0.1, 1e-05, whole numbers without point, zero without sign."""
    text = repr(float(value) + 0.0)  # + 0.0 turns -0.0 into 0.0
    return text.removesuffix(".0")


def numbers(values: Iterable[float]) -> str:
    """The numbers, one blank between them."""
    return " ".join(map(number, values))


def free_name(name: str, taken: set[str]) -> str:
    """The name, with underscores added until it is not taken."""
    while name in taken:
        name += "_"
    return name


def file_stem(spec: RobotSpec) -> str:
    """Name of a robot's files without their ending: its own, letters and digits kept, anything else but . _ - made _."""
    stem = re.sub(r"[^\w.-]", "_", spec.name).lstrip(".-") or "robot"
    return free_name(stem, {"scene"})  # scene.xml stands beside it


def provenance(spec: RobotSpec, options: str = "") -> list[str]:
    """First lines of every file: what it is, the command that made it, where the figures come from.

    Short options, because a comment in XML may not hold two hyphens in a row.
    """
    robot = re.sub(r"^random_(\d+)$", r"random:\1", spec.name)  # as `robots.load` takes it
    lines = [f"{spec.name}: {spec.description}" if spec.description else spec.name]
    lines.append(f"Made by: leapcheck generate {robot}{options} -o DIR. Do not edit: change the spec and make it again.")
    return [*lines, f"Figures from: {spec.source}"] if spec.source else lines


def entries_text(entries: Symmetric3) -> str:
    """Six inertia entries, each with its name."""
    return ", ".join(f"{axes} {number(value)}" for axes, value in zip(("xx", "xy", "xz", "yy", "yz", "zz"), entries, strict=True))


def comment(text: str) -> ET.Element[Any]:
    """Comment with this text, made harmless: no control characters, no two hyphens in a row."""
    return ET.Comment(f" {_harmless(text)} ")


def document(root: ET.Element, header: Iterable[str], declaration: str = "") -> str:
    """Whole file: leading comment, then the element with 2 blanks of indentation, a blank line between its children."""
    ET.indent(root)
    for child in list(root)[:-1]:
        child.tail = "\n\n  "
    lines = "\n".join(f"  {_harmless(line)}" for line in header)
    return f"{declaration}<!--\n{lines}\n-->\n{ET.tostring(root, encoding='unicode')}\n"


def _harmless(text: str) -> str:
    printable = "".join(c if c.isprintable() else " " for c in text)
    return re.sub("-(?=-|$)", "- ", printable)
