"""What a URDF holds that a spec cannot, and what readers of the file change without a word."""

import math
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator

from leapcheck_models.importing.urdf_records import UNIT_AXIS
from leapcheck_models.importing.urdf_tree import UrdfTree
from leapcheck_models.lint.finding import Finding
from leapcheck_models.spec import WORLD, RobotSpec
from leapcheck_models.urdf import UNLIMITED
from leapcheck_models.words import plural

READ = ("link", "joint", "mujoco", "material")
ABSOLUTE = ("/", "\\", "file:", "http:", "https:")
CHANGING = ("balanceinertia", "settotalmass", "boundmass", "boundinertia", "inertiafromgeom", "inertiagrouprange")
"""Options of MuJoCo's compiler that change masses or inertias."""


def urdf_findings(root: ET.Element, tree: UrdfTree, spec: RobotSpec, floating: bool, *, base_given: bool) -> Iterator[Finding]:
    """All findings on the file, in the order: base, MuJoCo's ways, joints, links, meshes, the rest."""
    yield from _base(tree, floating, base_given)
    yield from _mujoco(root, tree, floating)
    yield from _mimics(tree)
    yield from _joints(tree)
    yield from _links(tree)
    yield from meshes([(f"link '{link.name}'", mesh) for link in tree.links.values() for mesh in link.meshes])
    yield from _points(spec)
    others = Counter(str(child.tag) for child in root if child.tag not in READ)
    for tag, count in others.items():
        message = f"<{tag:.40}> ({count}) is not read: it is no part of the rigid-body dynamics"
        yield Finding("not read", "note", f"<{tag:.40}>", message, "nothing, unless a plugin acts on the robot")


def _base(tree: UrdfTree, floating: bool, base_given: bool) -> Iterator[Finding]:
    place = f"link '{tree.root.name}'"
    if tree.root.name == WORLD:
        if tree.root.inertia is not None and tree.root.inertia.mass:
            message = f"the world has a mass of {tree.root.inertia.mass:g} kg, which is left out: it does not move"
            yield Finding("base", "warning", place, message, "call the link otherwise if it is a part of the robot")
        return
    if not base_given:
        itself = any(joint.type == "floating" for joint in tree.order)
        why = "it has mass" if floating else "a joint of the file floats" if itself else "it has no mass"
        message = f"taken as a {'floating' if floating else 'fixed'} base, because {why}: a URDF does not say"
        remedy = f"write #{'fixed' if floating else 'floating'} behind the path if it is not meant so"
        yield Finding("base", "note", place, message, remedy)


def _mujoco(root: ET.Element, tree: UrdfTree, floating: bool) -> Iterator[Finding]:
    options: dict[str, str] = {}
    for compiler in root.findall("mujoco/compiler"):
        options |= compiler.attrib
    if floating:
        lost = [link for link in tree.rigid_root() if link.inertia is not None and link.inertia.mass]
        mass = math.fsum(link.inertia.mass for link in lost if link.inertia)
        message = f"loaded as it stands by MuJoCo, the base is fixed to the world and its {mass:.6g} kg are lost"
        yield Finding("base mass", "warning", f"link '{tree.root.name}'", message, "add_freejoint() on the base (MjSpec)")
    fixed = [joint.child for joint in tree.order if joint.type == "fixed"]
    if fixed and options.get("fusestatic", "true") == "true":
        names = ", ".join(fixed[:3]) + (", ..." if len(fixed) > 3 else "")
        message = f"MuJoCo fuses {len(fixed)} links on fixed joints into what carries them ({names}): their names are gone"
        yield Finding("fusestatic", "note", "fixed joints", message, 'set <mujoco><compiler fusestatic="false"/></mujoco>')
    for key in (key for key in CHANGING if options.get(key, "false") not in ("false", "-1", "auto")):
        message = f'{key}="{options[key]:.40}" makes MuJoCo change masses or inertias without a word; Pinocchio does not read it'
        yield Finding("compiler options", "warning", "<mujoco><compiler>", message, "correct the inertias in the file instead")


def _mimics(tree: UrdfTree) -> Iterator[Finding]:
    rotors = {joint.name for joint in tree.rotors}
    for joint in (joint for joint in tree.joints if joint.mimic):
        assert joint.mimic is not None
        law = f"{joint.mimic.multiplier:g} x '{joint.mimic.joint}' + {joint.mimic.offset:g}"
        place = f"joint '{joint.name}'"
        if joint.name in rotors:
            message = f"it mimics {law}: held exactly, as a geared rotor; MuJoCo's M and Pinocchio's default take it as free"
            yield Finding("mimic", "note", place, message, "use mimic=True in Pinocchio, project with the gear matrix in MuJoCo")
        else:
            message = (
                f"it mimics {law}: free in M and h, as in MuJoCo and Pinocchio's default; the tie is compared as a constraint"
            )
            remedy = "project with the constant G of v = G v_own (M = G^T M G, h = G^T h), or fix the joint"
            yield Finding("mimic", "note", place, message, remedy)

    for joint in (joint for joint in tree.joints if joint.unknown_leader):
        message = f"it mimics '{joint.unknown_leader:.60}', which does not exist: taken as free, as Pinocchio does by default"
        yield Finding("mimic", "warning", f"joint '{joint.name}'", message, "correct the name, or take the <mimic> out")


def _joints(tree: UrdfTree) -> Iterator[Finding]:
    for joint in tree.order:
        place = f"joint '{joint.name}'"
        if abs(joint.axis_norm - 1.0) > UNIT_AXIS and joint.type not in ("fixed", "floating", "spherical"):
            message = f"its axis has the norm {joint.axis_norm:.9g}: it was divided by it, as MuJoCo and Pinocchio do"
            yield Finding("axis", "warning", place, message, "write a unit vector")
        if joint.limits and joint.limits[0] >= joint.limits[1] and joint.type in ("revolute", "prismatic"):
            message = f"its limits {joint.limits} leave no way to move: taken as without limits"
            yield Finding("limits", "warning", place, message, "make it fixed, or give lower < upper")
        if joint.limits is None and joint.type in ("revolute", "prismatic"):
            message = f"it is {joint.type} and has no <limit>, which the format wants: taken as without limits"
            yield Finding("limits", "note", place, message, "give the limits, or make it continuous")
        if joint.type == "planar":
            message = "planar: three joints in turn here (x, y, then the turn); Pinocchio has one, its velocity in turned axes"
            yield Finding("planar", "note", place, message, "map coordinates when you compare with Pinocchio")
        if joint.effort >= UNLIMITED:
            message = f"its effort limit {joint.effort:g} is taken for none"
            yield Finding("limits", "note", place, message, "give the largest torque")


def _links(tree: UrdfTree) -> Iterator[Finding]:
    for link in tree.links.values():
        if link.lacks_mass:
            message = "its <inertial> has no <mass>: left out, as Pinocchio does; MuJoCo refuses the file"
            yield Finding("missing mass", "warning", f"link '{link.name}'", message, "add the <mass>, or take the <inertial> out")
    for joint in tree.order:
        link = tree.links[joint.child]
        if link.inertia is None and (link.shapes or (link.geometries and joint.type != "fixed")):
            message = "it has no <inertial>: MuJoCo makes a mass of its geometry, Pinocchio and leapcheck none"
            yield Finding("missing inertial", "warning", f"link '{link.name}'", message, "give its <inertial>")


def meshes(names: list[tuple[str, str]]) -> Iterator[Finding]:
    """References to mesh files, by (place, file name), that do not travel with the model."""
    kinds: dict[str, list[str]] = {}
    for place, name in names:
        kind = (
            "package"
            if name.startswith("package://")
            else "absolute"
            if name.startswith(ABSOLUTE) or name[1:3] in (":/", ":\\")
            else ""
        )
        if kind:
            kinds.setdefault(kind, []).append(f"{place}: {name:.60}")
    if places := kinds.get("package"):
        meshes = f"{len(places)} meshes stand" if len(places) > 1 else "a mesh stands"
        message = f"{meshes} behind package://, which only ROS resolves; MuJoCo looks beside the file"
        yield Finding("meshes", "note", places[0], message, "give MuJoCo the meshes by path; the dynamics does not need them")
    if places := kinds.get("absolute"):
        message = f"{len(places)} meshes have absolute paths or addresses: the file works on one machine only"
        yield Finding("meshes", "warning", places[0], message, "write paths relative to the file, or package://")


def _points(spec: RobotSpec) -> Iterator[Finding]:
    if spec.contact_points:
        feet = sum(point.is_foot for point in spec.contact_points)
        left_out = sum(not point.computed for point in spec.contact_points)
        message = f"{plural(len(spec.contact_points), 'contact point')} put at the ends of the chains, {feet} of them feet"
        message += f"; {left_out} beyond the first ones are not computed" if left_out else ""
        yield Finding("contact points", "note", f"robot '{spec.name}'", message, "name others with --feet or --points")
