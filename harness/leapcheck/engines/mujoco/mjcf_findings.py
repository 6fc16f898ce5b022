"""What an MJCF holds that a spec cannot, and what Pinocchio's reader of MJCF silently changes."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

import mujoco
import numpy as np

from leapcheck.engines.mujoco.equalities import equality_names
from leapcheck.engines.mujoco.silence import mute_compiler
from leapcheck_models.importing import ImportedRobot
from leapcheck_models.importing.mjcf_file import features
from leapcheck_models.importing.urdf_findings import CHANGING, meshes
from leapcheck_models.lint.finding import Finding
from leapcheck_models.spec import RobotSpec
from leapcheck_models.words import plural

IGNORED_BY_PINOCCHIO = {
    "frame": "the pose of a <frame>",
    "replicate": "the copies of a <replicate>",
    "composite": "the bodies of a <composite>",
    "attach": "the bodies of an <attach>",
}
"""Elements that Pinocchio 4.1.0's reader passes over."""

UNTURNED = (1.0, 0.0, 0.0, 0.0)

LEFT_OUT = {
    "ntendon": (
        "tendons",
        "tendon",
        "not in the comparison: springs, dampers and limits of tendons are forces, no part of M or h",
    ),
    "nmocap": ("mocap", "mocap body", "taken as fixed where the file puts it, which M and h of MuJoCo do too"),
}
"""Counts of the compiled model whose features are not in the spec."""


def mjcf_findings(imported: ImportedRobot, whole: ET.Element, m: mujoco.MjModel) -> Iterator[Finding]:
    """All findings on the file: what is left out, what Pinocchio ignores, what options change, meshes, contact points."""
    yield from left_out(m)
    yield from _constraints(imported.spec)
    yield from _passive(m)
    yield from _ignored_by_pinocchio(imported, whole, m)
    yield from _options(whole)
    yield from _rounded_frames(m)
    yield from _joints(m)
    yield from meshes([(f"mesh {mesh.get('name', '')!r:.60}", mesh.get("file", "")) for mesh in whole.iter("mesh")])
    for tag, count in features(whole):
        if tag in ("sensor", "contact", "hfield", "skin", "custom"):
            message = f"<{tag}> ({count}) is not read: it has no influence on M and h"
            yield Finding("not read", "note", f"<{tag}>", message, "nothing")
    points = imported.spec.contact_points
    if points:
        message = (
            f"{plural(len(points), 'contact point')} put at the ends of the chains, {sum(p.is_foot for p in points)} of them feet"
        )
        place = f"robot '{imported.spec.name}'"
        yield Finding("contact points", "note", place, message, "name others with --feet or --points")


def left_out(m: mujoco.MjModel) -> Iterator[Finding]:
    """Features of the model that are not in the spec."""
    if count := m.neq - len(equality_names(m)):
        place = plural(count, "equality constraint")
        why = "not in the comparison: of tendons or soft bodies, or switched off; M and h of MuJoCo leave them out too"
        yield Finding("equality", "warning", place, why, "judge it in a simulation")
    for field, (rule, what, why) in LEFT_OUT.items():
        if count := int(getattr(m, field)):
            place = f"1 {what}" if count == 1 else f"{count} {what.removesuffix('y')}{'ies' if what.endswith('y') else 's'}"
            yield Finding(rule, "warning", place, why, "judge it in a simulation")


def _constraints(spec: RobotSpec) -> Iterator[Finding]:
    """Closed loops and coupled joints, which are quantities of their own."""
    for count, what in ((len(spec.loops), "closed loop"), (len(spec.couplings), "coupled joint")):
        if count:
            message = "M and h are those of the open tree; Jacobian, Jdot v and rigid dynamics of the constraint are compared too"
            yield Finding("closed loops", "note", plural(count, what), message, "nothing")


def _passive(m: mujoco.MjModel) -> Iterator[Finding]:
    """Passive forces: MuJoCo keeps them out of the bias force, and so does the comparison."""
    passive = {
        "springs of joints": np.any(m.jnt_stiffness),
        "gravity compensation": np.any(m.body_gravcomp),
        "forces of a fluid": bool(m.opt.density or m.opt.viscosity),
    }
    for what in (what for what, there in passive.items() if there):
        message = "a passive force: no part of M or of the bias force, so it is not compared"
        if what == "springs of joints":
            message += "; those of hinges and slides are in passive_forces, where that is asked for"
        yield Finding("passive forces", "note", what, message, "judge it in a simulation")


def _ignored_by_pinocchio(imported: ImportedRobot, whole: ET.Element, m: mujoco.MjModel) -> Iterator[Finding]:
    ignored = [words for tag, words in IGNORED_BY_PINOCCHIO.items() if whole.find(f".//{tag}") is not None]
    compilers = {key: value for compiler in whole.iter("compiler") for key, value in compiler.attrib.items()}
    if re.search("[A-Z]", compilers.get("eulerseq", "")):
        ignored.append("an upper-case eulerseq, which turns about fixed axes")
    if any(not _is_unit(element.get("axisangle", "0 0 1 0")) for element in whole.iter()):
        ignored.append("the norm of an axisangle's axis, which MuJoCo divides by")
    if _turned_free_body(m):
        ignored.append("the pose of a body with a free joint")
    if m.nbody > 1 and not m.body_jntnum[1] and (np.any(m.body_pos[1]) or tuple(m.body_quat[1]) != UNTURNED):
        ignored.append("the pose of a first body without joints, which stands at the world's origin there")
    if tuple(m.opt.gravity) != (0.0, 0.0, -9.81):
        ignored.append("the option gravity")
    if any(element.get("armature") not in (None, "0") for actuators in whole.iter("actuator") for element in actuators):
        ignored.append("the armature of actuators")
    if any(joint.get("align") == "true" for joint in whole.iter("freejoint")) or compilers.get("alignfree") == "true":
        ignored.append("the alignment of a free body with its inertia")
    for words in (*ignored, *_lost_masses(imported, whole)):
        yield Finding(
            "Pinocchio", "warning", words, "silently ignored by Pinocchio's reader of MJCF", "write it out, or use URDF"
        )


def _lost_masses(imported: ImportedRobot, whole: ET.Element) -> Iterator[str]:
    """Masses of geoms that Pinocchio does not find, in words."""
    if any(geom.get("mass") for default in whole.iter("default") for geom in default.findall("geom")):
        yield "the mass of geoms in a <default>"
    if bodies := _untouchable_masses(imported):
        yield f"the mass of geoms that touch nothing (contype and conaffinity 0), of {len(bodies)} bodies: {bodies[0]}"


def _untouchable_masses(imported: ImportedRobot) -> list[str]:
    """Names of the bodies whose mass follows in part from geoms that touch nothing."""
    models = {name: text for name, text in imported.assets.items() if name.endswith(".xml")}
    with mute_compiler():
        description = mujoco.MjSpec.from_string(imported.text, include=models, assets=dict(imported.assets))
    of_geoms = description.compiler.inertiafromgeom == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    first, last = description.compiler.inertiagrouprange
    return [
        body.name
        for body in description.bodies[1:]
        if (of_geoms or not body.explicitinertial)
        and any(
            not (geom.contype or geom.conaffinity or geom.mass == 0.0 or geom.density == 0.0) and first <= geom.group <= last
            for geom in body.geoms
        )
    ]


def _is_unit(axisangle: str) -> bool:
    try:
        x, y, z, _ = map(float, axisangle.split())
    except ValueError:
        return True
    return abs(x * x + y * y + z * z - 1.0) < 1e-6


def _turned_free_body(m: mujoco.MjModel) -> bool:
    free = [int(m.jnt_bodyid[j]) for j in range(m.njnt) if m.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE]
    return any(tuple(m.body_quat[b]) != UNTURNED for b in free)


def _options(whole: ET.Element) -> Iterator[Finding]:
    for compiler in whole.iter("compiler"):
        for key in CHANGING:
            value = compiler.get(key, "false")
            if key != "inertiagrouprange" and value not in ("false", "-1", "auto", "0"):
                message = f'{key}="{value:.40}" makes MuJoCo change masses or inertias; Pinocchio does not read it'
                yield Finding("compiler options", "warning", "<compiler>", message, "correct the inertias in the file instead")


def _rounded_frames(m: mujoco.MjModel) -> Iterator[Finding]:
    """Coms so near to the origin of their bodies that MuJoCo computes with the origin (`body_sameframe`)."""
    for b in range(1, m.nbody):
        if m.body_sameframe[b] == mujoco.mjtSameFrame.mjSAMEFRAME_BODY and np.any(m.body_ipos[b]):
            offset = float(np.sqrt(m.body_ipos[b] @ m.body_ipos[b]))
            message = f"its com is {offset:.2g} m from its origin: MuJoCo takes it to be there"
            yield Finding("rounded com", "note", f"body '{m.body(b).name}'", message, "give it the com 0 0 0")


def _joints(m: mujoco.MjModel) -> Iterator[Finding]:
    for b in range(1, m.nbody):
        if m.body_jntnum[b] > 1:
            message = f"it has {m.body_jntnum[b]} joints: a chain of links without mass here, in the order of the file"
            yield Finding("several joints", "note", f"body '{m.body(b).name}'", message, "nothing")
    lost = [m.joint(j).name for j in range(m.njnt) if m.jnt_type[j] < 2 and np.any(m.dof_damping[m.jnt_dofadr[j]])]
    if lost:
        message = f"{len(lost)} free or ball joints with damping ({lost[0]!r:.60}): a passive force, not in the spec"
        yield Finding("damping", "note", f"joint '{lost[0]}'", message, "write <freejoint/>, which takes no defaults")
