"""MuJoCo's models of the user, files and live ones: compiled by MuJoCo, turned into a spec, with findings."""

from __future__ import annotations

import os
import warnings
from dataclasses import replace
from pathlib import Path

import mujoco

from leapcheck.engines.mujoco.marks import marks_of_model
from leapcheck.engines.mujoco.mjcf_findings import left_out, mjcf_findings
from leapcheck.engines.mujoco.silence import mute_compiler
from leapcheck.engines.mujoco.tree import link_origins, spec_of_model
from leapcheck.engines.trial_load import check_load
from leapcheck_models.importing import ImportedRobot
from leapcheck_models.importing.chain_ends import contact_points
from leapcheck_models.importing.mjcf_file import read_mjcf
from leapcheck_models.importing.urdf_records import MAX_LINKS
from leapcheck_models.spec import RobotSpec


def import_mjcf(path: str | os.PathLike[str]) -> ImportedRobot:
    """The robot in an MJCF file.

    Raises FileNotFoundError, or ValueError in one line that names the file, the element and the remedy.
    """
    where = f"file '{Path(path)}'"
    file = read_mjcf(path)
    m = compile_mjcf(file.text, file.assets, where)
    check_rigid_tree(m, where)
    spec = spec_of_model(m, file.whole.get("model") or Path(path).stem, where)
    marks = marks_of_model(m)
    spec = replace(spec, contact_points=contact_points(spec, marks))
    imported = ImportedRobot(spec, Path(path), "MJCF", file.text, assets=file.assets, origins=link_origins(m), marks=marks)
    return replace(imported, findings=tuple(mjcf_findings(imported, file.whole, m)))


def spec_of_live_model(m: mujoco.MjModel) -> RobotSpec:
    """The robot in a compiled model as it stands in memory; ValueError in one line where a spec cannot hold it.

    A UserWarning names what is left out: equality constraints of tendons, tendons, mocap bodies.
    """
    name = m.names.partition(b"\0")[0].decode("utf-8", "replace") or "mujoco_model"
    where = f"MuJoCo model '{name}'"
    check_rigid_tree(m, where)
    spec = spec_of_model(m, name, where)
    for finding in left_out(m):
        warnings.warn(f"{where}: {finding.place}: {finding.message}: {finding.remedy}", UserWarning, stacklevel=3)
    return replace(spec, contact_points=contact_points(spec, marks_of_model(m)))


def check_rigid_tree(m: mujoco.MjModel, where: str) -> None:
    """ValueError for a model without bodies, with too many, or with soft ones."""
    if not 2 <= m.nbody <= MAX_LINKS:
        raise ValueError(f"{where}: it has {m.nbody - 1} bodies: give 1 to {MAX_LINKS}")
    if m.nflex or m.nplugin:
        raise ValueError(f"{where}: it has soft bodies or plugins, which no rigid-body tree holds: take them out")


def compile_mjcf(text: str, assets: dict[str, bytes], where: str) -> mujoco.MjModel:
    """What MuJoCo compiles of a vetted text; ValueError in one line that names the file where it refuses or takes too much."""
    try:
        check_load("mujoco", text, assets)
    except ValueError as error:
        raise ValueError(f"{where}: {error}: give its body an <inertial>, or a coarser mesh") from None
    try:
        with mute_compiler():
            return mujoco.MjModel.from_xml_string(text, assets)
    except Exception as error:
        reason = " ".join(str(error).split()).removeprefix("Error: ")
        raise ValueError(f"{where}: MuJoCo refuses it: {reason:.300}: correct that element") from None
