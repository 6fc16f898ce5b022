"""MJCF files of the user: compiled by MuJoCo, turned into a spec, and told what others make of them."""

from __future__ import annotations

import os
from pathlib import Path

import mujoco

from leapcheck.engines.mjcf_findings import mjcf_findings
from leapcheck.engines.mujoco_file import quiet
from leapcheck.engines.mujoco_tree import spec_of_model
from leapcheck_models.importing.imported import Imported
from leapcheck_models.importing.mjcf_file import read_mjcf
from leapcheck_models.importing.urdf_records import MAX_LINKS


def import_mjcf(path: str | os.PathLike[str]) -> Imported:
    """The robot in an MJCF file.

    Raises FileNotFoundError, or ValueError in one line that names the file, the element and the remedy.
    """
    where = f"file '{Path(path)}'"
    file = read_mjcf(path)
    m = compiled(file.text, file.assets, where)
    if not 2 <= m.nbody <= MAX_LINKS:
        raise ValueError(f"{where}: it has {m.nbody - 1} bodies: give 1 to {MAX_LINKS}")
    if m.nflex or m.nplugin:
        raise ValueError(f"{where}: it has soft bodies or plugins, which no rigid-body tree holds: take them out")
    spec = spec_of_model(m, file.whole.get("model") or Path(path).stem, where)
    imported = Imported(spec, Path(path), "MJCF", file.text, assets=file.assets)
    return Imported(spec, Path(path), "MJCF", file.text, tuple(mjcf_findings(imported, file.whole, m)), assets=file.assets)


def compiled(text: str, assets: dict[str, bytes], where: str) -> mujoco.MjModel:
    """What MuJoCo compiles of a vetted text; ValueError in one line that names the file where it refuses."""
    try:
        with quiet():
            return mujoco.MjModel.from_xml_string(text, assets)
    except Exception as error:
        reason = " ".join(str(error).split()).removeprefix("Error: ")
        raise ValueError(f"{where}: MuJoCo refuses it: {reason:.300}: correct that element") from None
