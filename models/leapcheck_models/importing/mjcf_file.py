"""An MJCF file made safe to hand to an engine: one text, its includes resolved, nothing outside its folder, no scenery.

`<include>` is resolved here, inside the file's own folder only. Meshes are read where an inertia follows from them, below the
same folder only; scenery (textures, materials, height fields, skins, cameras, lights), sensors and contact pairs are taken out:
the dynamics that leapcheck compares does not depend on them. What would bend or repeat without end is refused.
"""

import os
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from leapcheck_models.importing.mjcf_meshes import INCLUDED, add_meshes
from leapcheck_models.importing.mjcf_size import Counts, check_copies, check_size
from leapcheck_models.importing.xml_file import MAX_DEPTH, MAX_ELEMENTS, element_label, read_xml
from leapcheck_models.search_path import inside
from leapcheck_models.xml_text import free_name

MAX_INCLUDES = 64
UNREAD = ("visual", "statistic", "sensor", "custom", "size", "contact")
"""Sections without influence on masses and joints; `size` reserves memory."""

COPYING = ("replicate", "composite", "attach")
"""Elements of which MuJoCo makes bodies that the file does not list."""

SCENERY = ("texture", "material", "skin", "hfield", "camera", "light")
REFUSED = {
    "flexcomp": "soft bodies are no rigid bodies: take them out",
    "flex": "soft bodies are no rigid bodies: take them out",
    "plugin": "foreign code acts on the robot: take it out",
    "extension": "foreign code acts on the robot: take it out",
}


@dataclass(frozen=True, slots=True)
class MjcfFile:
    """The vetted text, the meshes that it needs by the names in it, and the tree of the file with its includes, as it was.

    `counts`: how many elements there are of each tag, copies and attached models counted.
    """

    text: str
    assets: dict[str, bytes]
    whole: ET.Element
    counts: Counts


def read_mjcf(path: str | os.PathLike[str]) -> MjcfFile:
    """The vetted MJCF.

    Raises FileNotFoundError, or ValueError in one line that names the file, the element and the remedy.
    """
    return _read(Path(path), {}, [])


def _read(file: Path, assets: dict[str, bytes], above: list[Path]) -> MjcfFile:
    """The vetted MJCF, its meshes and the models that it attaches added to the assets; `above`: the files that attach it."""
    where = f"file '{file}'"
    root = read_xml(file, "mujoco", "an MJCF")
    path = file.resolve()
    _resolve_includes(root, path.parent, where, [path])
    _check(root, where)
    whole = ET.fromstring(ET.tostring(root))
    _strip(root)
    _join_worldbodies(root)
    add_meshes(root, path.parent, where, assets)
    models: dict[str, Counts] = {}
    for model in [model for asset in root.findall("asset") for model in asset.findall("model")]:
        added = _add_model(model, path, where, assets, [*above, path])
        models[model.get("name", "")] = added
    counts = check_size(root, models, where)
    if all(root.find(f".//{tag}") is None for tag in COPYING):
        _name_all(root)
    for element in root.iter():
        if reference := next((key for key in element.attrib if key.startswith("file") and element.get(key) not in assets), None):
            raise ValueError(f"{where}: {element_label(element)} refers to the file {element.get(reference)!r:.80}: take it out")
    return MjcfFile(ET.tostring(root, encoding="unicode"), assets, whole, counts)


def _add_model(model: ET.Element, file: Path, where: str, assets: dict[str, bytes], above: list[Path]) -> Counts:
    """Adds the model that <attach> takes its bodies from to the assets; returns its counts."""
    name = model.get("file", "")
    path = inside(file.parent, name, f"{where}: {element_label(model)}: its file")
    if path in above or sum(key.endswith(".xml") for key in assets) >= MAX_INCLUDES:
        raise ValueError(f"{where}: <model file={name!r:.80}> holds itself, or is one of more than {MAX_INCLUDES}: attach fewer")
    attached = _read(path, assets, above)
    key = f"model_{len(assets)}.xml"
    assets[key] = attached.text.encode()
    model.set("name", model.get("name") or path.stem)
    model.set("file", key)
    return attached.counts


def _name_all(root: ET.Element) -> None:
    """Names the bodies and joints without one after their numbers in MuJoCo, so that every reader knows them by one name."""
    for tags, stem, first in ((("body",), "body", 1), (("joint", "freejoint"), "joint", 0)):
        elements = [element for section in root.findall("worldbody") for element in section.iter() if element.tag in tags]
        taken = {element.get("name", "") for element in elements}
        for number, element in enumerate(elements, first):
            if not element.get("name"):
                element.set("name", free_name(f"{stem}_{number}", taken))
                taken.add(element.get("name", ""))


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
        included = read_xml(path, "mujoco", "an included MJCF")
    except ValueError as error:
        if "<mujocoinclude>" not in str(error):
            raise
        included = read_xml(path, "mujocoinclude", "an included MJCF")
    for mesh in included.iter("mesh"):
        if mesh.get("file") is not None:
            mesh.set(INCLUDED, str(PurePosixPath(include.get("file", "")).parent))
    return list(included)


def _join_worldbodies(root: ET.Element) -> None:
    """Makes one <worldbody> of several, as a scene that includes a robot has: MuJoCo joins them, Pinocchio reads one twice."""
    sections = [section for section in root.findall("worldbody") if not section.attrib]
    for section in sections[1:]:
        sections[0].extend(section)
        root.remove(section)


def _check(root: ET.Element, where: str) -> None:
    """ValueError for what is refused by name, for copies without end, and for a whole that is too large."""
    count = 0
    stack: list[tuple[ET.Element, int]] = [(root, 1)]
    while stack:
        element, depth = stack.pop()
        count += 1
        if count > MAX_ELEMENTS or depth > MAX_DEPTH:
            raise ValueError(
                f"{where}: with its includes it has more than {MAX_ELEMENTS} elements, or {MAX_DEPTH} in each other: split it"
            )
        if reason := REFUSED.get(str(element.tag)):
            raise ValueError(f"{where}: {element_label(element)} cannot be held: {reason}")
        stack.extend((child, depth + 1) for child in element)
    check_copies(root, where)


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
