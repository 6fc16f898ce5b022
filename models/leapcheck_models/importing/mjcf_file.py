"""An MJCF file made safe to hand to an engine: one text, its includes resolved, nothing outside its folder, no scenery.

`<include>` is resolved here, inside the file's own folder only. Meshes are read where an inertia follows from them, below the
same folder only; scenery (textures, materials, height fields, skins, cameras, lights), sensors and contact pairs are taken out:
the dynamics that leapcheck compares does not depend on them. What would bend or repeat without end is refused.
"""

import os
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from leapcheck_models.importing.mjcf_meshes import inside, with_meshes
from leapcheck_models.importing.xml_file import MAX_DEPTH, MAX_ELEMENTS, element_label, read_xml

MAX_INCLUDES = 64
MAX_COPIES = 2000
"""Bodies that <replicate> may make."""

UNREAD = ("visual", "statistic", "sensor", "custom", "size", "contact")
"""Sections without influence on masses and joints; `size` reserves memory."""

SCENERY = ("texture", "material", "skin", "hfield", "camera", "light")
REFUSED = {
    "flexcomp": "soft bodies are no rigid bodies: take them out",
    "flex": "soft bodies are no rigid bodies: take them out",
    "composite": "it is expanded inside MuJoCo: write its bodies out",
    "attach": "it pulls another model in: write its bodies out",
    "model": "it pulls another model in: write its bodies out",
    "plugin": "foreign code acts on the robot: take it out",
    "extension": "foreign code acts on the robot: take it out",
}


@dataclass(frozen=True, slots=True)
class MjcfFile:
    """The vetted text, the meshes that it needs by the names in it, and the tree of the file with its includes, as it was."""

    text: str
    assets: dict[str, bytes]
    whole: ET.Element


def read_mjcf(path: str | os.PathLike[str]) -> MjcfFile:
    """The vetted MJCF.

    Raises FileNotFoundError, or ValueError in one line that names the file, the element and the remedy.
    """
    file = Path(path)
    where = f"file '{file}'"
    root = read_xml(file, "mujoco", "an MJCF")
    folder = file.resolve().parent
    _resolve_includes(root, folder, where, [file.resolve()])
    _check(root, where)
    whole = ET.fromstring(ET.tostring(root))
    _strip(root)
    assets = with_meshes(root, folder, where)
    for element in root.iter():
        if reference := next((key for key in element.attrib if key.startswith("file") and element.get(key) not in assets), None):
            raise ValueError(f"{where}: {element_label(element)} refers to the file {element.get(reference)!r:.80}: take it out")
    return MjcfFile(ET.tostring(root, encoding="unicode"), assets, whole)


def _resolve_includes(root: ET.Element, folder: Path, where: str, seen: list[Path]) -> None:
    """Puts the children of each included file in the place of its <include>; files inside files until none is left."""
    stack = [root]
    while stack:
        parent = stack.pop()
        while (include := parent.find("include")) is not None:
            place = list(parent).index(include)
            parent.remove(include)
            for offset, child in enumerate(_include(include, folder, where, seen)):
                parent.insert(place + offset, child)
        stack.extend(parent)


def _include(include: ET.Element, folder: Path, where: str, seen: list[Path]) -> list[ET.Element]:
    path = inside(folder, include.get("file", ""), f"{where}: the <include>")
    if path in seen:
        raise ValueError(f"{where}: <include file={include.get('file')!r:.80}> comes twice, or holds itself: include a file once")
    if len(seen) > MAX_INCLUDES:
        raise ValueError(f"{where}: it includes more than {MAX_INCLUDES} files: write them into fewer")
    seen.append(path)
    try:
        return list(read_xml(path, "mujoco", "an included MJCF"))
    except ValueError as error:
        if "<mujocoinclude>" not in str(error):
            raise
        return list(read_xml(path, "mujocoinclude", "an included MJCF"))


def _check(root: ET.Element, where: str) -> None:
    """ValueError for what is refused by name, for copies without end, and for a whole that is too large."""
    count = 0
    stack: list[tuple[ET.Element, int, int]] = [(root, 1, 1)]
    while stack:
        element, depth, copies = stack.pop()
        count += 1
        if count > MAX_ELEMENTS or depth > MAX_DEPTH:
            raise ValueError(
                f"{where}: with its includes it has more than {MAX_ELEMENTS} elements, or {MAX_DEPTH} in each other: split it"
            )
        if reason := REFUSED.get(str(element.tag)):
            raise ValueError(f"{where}: {element_label(element)} cannot be held: {reason}")
        if element.tag == "replicate":
            copies *= _copies(element, where)
            if copies > MAX_COPIES:
                raise ValueError(f"{where}: <replicate> makes more than {MAX_COPIES} copies: give a smaller count")
        stack.extend((child, depth + 1, copies) for child in element)


def _copies(element: ET.Element, where: str) -> int:
    text = element.get("count", "")
    if not (text.isascii() and text.isdigit() and len(text) < 9):
        raise ValueError(f"{where}: <replicate> has the count {text!r:.40}: give a whole number of at least 0")
    return int(text)


def _strip(root: ET.Element) -> None:
    """Takes scenery and unread sections out, and every mention of a material."""
    for section in [child for child in root if child.tag in UNREAD]:
        root.remove(section)
    for parent in list(root.iter()):
        for child in [child for child in parent if child.tag in SCENERY or child.get("type") == "hfield"]:
            parent.remove(child)
        parent.attrib.pop("material", None)


def features(whole: ET.Element) -> Iterator[tuple[str, int]]:
    """Names of elements in the file with how often each comes, in the order of their first appearance."""
    counts: dict[str, int] = {}
    for element in whole.iter():
        counts[str(element.tag)] = counts.get(str(element.tag), 0) + 1
    yield from counts.items()
