"""Meshes of an MJCF: taken out where an inertial makes them scenery, else read from below the model's folder."""

import xml.etree.ElementTree as ET
from pathlib import Path, PurePosixPath

from leapcheck_models.importing.xml_file import element_label
from leapcheck_models.search_path import PACKAGE, inside

MAX_MESH_BYTES = 64 * 2**20
"""All meshes together."""

INCLUDED = "leapcheck-included"
"""Attribute of a mesh out of an <include>: the folder of that file in the model's; no engine sees it."""

MESH_FORMATS = (".stl", ".obj", ".msh")


def add_meshes(root: ET.Element, folder: Path, where: str, assets: dict[str, bytes]) -> None:
    """Adds the bytes of the meshes that are left to the assets, by their new names in the tree, which is changed in place."""
    options = {key: value for compiler in root.findall("compiler") for key, value in compiler.attrib.items()}
    if options.get("inertiafromgeom") != "true":
        _remove_scenery(root)
    meshes = [(asset, mesh) for asset in root.findall("asset") for mesh in asset.findall("mesh")]
    used = {geom.get("mesh") for geom in root.iter("geom")}
    for asset, mesh in meshes:
        if _name(mesh) not in used:
            asset.remove(mesh)
    directory = options.get("meshdir", options.get("assetdir", ""))
    for compiler in root.findall("compiler"):
        for key in ("meshdir", "texturedir", "assetdir", "strippath"):
            compiler.attrib.pop(key, None)
    for _, mesh in meshes:
        if _name(mesh) in used and mesh.get("file") is not None:
            _read(mesh, directory, folder, where, assets)


def _remove_scenery(root: ET.Element) -> None:
    """Takes the mesh geoms out of the world and of bodies with an inertial: they carry no mass."""
    for body in [*root.iter("worldbody"), *root.iter("body")]:
        if body.tag == "body" and body.find("inertial") is None:
            continue
        for parent in [body, *body.findall("frame")]:
            for geom in [geom for geom in parent.findall("geom") if geom.get("mesh") is not None]:
                parent.remove(geom)


def _name(mesh: ET.Element) -> str:
    return mesh.get("name") or PurePosixPath(mesh.get("file", "")).stem


def _path(directory: str, included: str, file: str, folder: Path, what: str) -> Path:
    """The file of a mesh: below the model's mesh folder, or, as MuJoCo looks there next, below that of the included file."""
    if file.startswith(PACKAGE):
        return inside(folder, file, what)
    names = dict.fromkeys(str(PurePosixPath(directory) / between / file) for between in ("", included))
    paths, errors = [], []
    for name in names:
        try:
            paths.append(inside(folder, name, what))
        except ValueError as error:
            errors.append(error)
    if not paths:
        raise errors[0]
    return next((path for path in paths if path.is_file()), paths[0])


def _read(mesh: ET.Element, directory: str, folder: Path, where: str, assets: dict[str, bytes]) -> None:
    name, file = _name(mesh), mesh.get("file", "")
    what = f"{where}: {element_label(mesh)}: its file"
    path = _path(directory, mesh.attrib.pop(INCLUDED, ""), file, folder, what)
    if path.suffix.lower() not in MESH_FORMATS:
        raise ValueError(f"{what} {file!r:.80} is no mesh: use one of {', '.join(MESH_FORMATS)}")
    if not path.is_file():
        raise ValueError(
            f"{what} {file!r:.80} does not exist, and an inertia follows from it: add it, or give the body an <inertial>"
        )
    if path.stat().st_size + sum(map(len, assets.values())) > MAX_MESH_BYTES:
        raise ValueError(
            f"{what} {file!r:.80} is too large, all meshes together may have {MAX_MESH_BYTES} bytes: give <inertial>s"
        )
    key = f"mesh_{len(assets)}{path.suffix.lower()}"
    assets[key] = path.read_bytes()
    mesh.set("name", name)
    mesh.set("file", key)
