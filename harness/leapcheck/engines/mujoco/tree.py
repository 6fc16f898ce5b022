"""A compiled MuJoCo model as a robot spec: the tree that an MJCF means, whatever features it was written with.

Several joints of a body become a chain of links without mass, the last of which is the body. A link's frame stands at its
joint, in the axes of MuJoCo's body frame; a joint's reference position is turned into the placement, so that q is qpos.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import mujoco
import numpy as np

from leapcheck.engines.mujoco import actuators, equalities
from leapcheck_models.importing.poses import declared_inertia, product, rotate_inertia, turn, unit_quaternion, vector3
from leapcheck_models.rotors import rotation_matrix
from leapcheck_models.spec import (
    VELOCITY_SIZE,
    WORLD,
    Actuator,
    Body,
    Inertia,
    Joint,
    JointType,
    Placement,
    Pose,
    RobotSpec,
    Shape,
    Vector3,
    control_laws,
)
from leapcheck_models.spec_file import MAX_NUMBER
from leapcheck_models.xml_text import free_name

TYPES = {
    mujoco.mjtJoint.mjJNT_FREE: JointType.FREE,
    mujoco.mjtJoint.mjJNT_BALL: JointType.BALL,
    mujoco.mjtJoint.mjJNT_SLIDE: JointType.PRISMATIC,
    mujoco.mjtJoint.mjJNT_HINGE: JointType.REVOLUTE,
}
SHAPES = {
    mujoco.mjtGeom.mjGEOM_SPHERE: ("sphere", 1, 0),
    mujoco.mjtGeom.mjGEOM_CAPSULE: ("capsule", 1, 1),
    mujoco.mjtGeom.mjGEOM_CYLINDER: ("cylinder", 1, 1),
    mujoco.mjtGeom.mjGEOM_BOX: ("box", 0, 3),
}
"""Kind, and how many of MuJoCo's sizes are whole and how many are half lengths."""


NUMBERS = (
    "body_mass", "body_inertia", "body_pos", "body_quat", "body_ipos", "body_iquat", "jnt_pos", "jnt_axis", "qpos0", "key_qpos",
    "eq_data", "dof_armature", "dof_damping", "dof_frictionloss", "jnt_stiffness", "qpos_spring", "geom_pos", "geom_size",
)  # fmt: skip
"""Fields of the compiled model that the spec is made from."""


PASSIVE = ("dof_damping", "dof_frictionloss", "jnt_stiffness")
"""Fields without influence on M and h: they may be larger than a spec's numbers."""


@dataclass(frozen=True, slots=True)
class Names:
    """Names of the model's bodies and joints by number; those without one are named after their number."""

    bodies: tuple[str, ...]
    joints: tuple[str, ...]


def spec_of_model(m: mujoco.MjModel, name: str, where: str) -> RobotSpec:
    """The robot in a compiled model, without contact points; ValueError names file and element where a spec cannot hold it."""
    names = names_of(m)
    _check_numbers(m, where)
    armature = armatures(m, where)
    bodies: list[Body] = []
    origins = link_origins(m)
    for b in range(1, m.nbody):
        bodies += _links(m, b, names, origins, armature, where)
    if not np.abs(m.opt.gravity).max() <= MAX_NUMBER:
        raise ValueError(f"{where}: <option> gravity is {m.opt.gravity}: give finite numbers of at most {MAX_NUMBER:g}")
    disabled = bool(m.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY)
    gravity = (0.0, 0.0, 0.0) if disabled else vector3(m.opt.gravity)
    try:
        spec = RobotSpec(name, tuple(bodies), gravity=gravity, source=f"MJCF {name}, as MuJoCo compiles it")
        spec = replace(spec, actuators=tuple(_actuators(m, names)), poses=tuple(_poses(m)))
        laws = actuators.control_laws(m, names.joints) or ()
        spec = replace(spec, laws=laws) if laws != control_laws(spec) else spec
        ties = tuple(equalities.couplings(m, names.joints))
        return replace(spec, loops=tuple(equalities.loops(m, names.bodies, origins)), couplings=ties)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def names_of(m: mujoco.MjModel) -> Names:
    """Names of all bodies and joints, each unique."""
    bodies = _unique([WORLD] + [m.body(i).name or f"body_{i}" for i in range(1, m.nbody)])
    return Names(bodies, _unique([m.joint(i).name or f"joint_{i}" for i in range(m.njnt)]))


def link_origins(m: mujoco.MjModel) -> dict[str, Vector3]:
    """Where the frames of links stand in MuJoCo's frames of their bodies (m), by name; those at the origin left out."""
    origins: dict[str, Vector3] = {}
    for b, name in enumerate(names_of(m).bodies):
        joints = range(int(m.body_jntadr[b]), int(m.body_jntadr[b]) + int(m.body_jntnum[b]))
        turning = [j for j in joints if TYPES[mujoco.mjtJoint(int(m.jnt_type[j]))] in (JointType.BALL, JointType.REVOLUTE)]
        if turning and np.any(m.jnt_pos[turning[-1]]):
            origins[name] = vector3(m.jnt_pos[turning[-1]])
    return origins


def joint_places(m: mujoco.MjModel) -> dict[str, int]:
    """Number of each joint by its name in the spec."""
    return {name: number for number, name in enumerate(names_of(m).joints)}


def _check_numbers(m: mujoco.MjModel, where: str) -> None:
    """ValueError for numbers so large that products of them leave the range of floats, or for none."""
    for field in NUMBERS:
        values = np.asarray(getattr(m, field), dtype=float)
        most = np.inf if field in PASSIVE else MAX_NUMBER
        bad = np.argwhere(~(np.abs(values) <= most))
        if len(bad):
            value, element = values[tuple(bad[0])], field.partition("_")[0]
            remedy = f"give a finite number of at most {MAX_NUMBER:g}"
            raise ValueError(f"{where}: {element} {bad[0][0]}: {field} is {value:g}: {remedy}")


def _unique(names: list[str]) -> tuple[str, ...]:
    taken: set[str] = set()
    for i, name in enumerate(names):
        names[i] = free_name(name, taken)
        taken.add(names[i])
    return tuple(names)


def _links(
    m: mujoco.MjModel, b: int, names: Names, origins: Mapping[str, Vector3], armature: Mapping[int, float], where: str
) -> Iterator[Body]:
    """The chain of links of one body; `origins`: where the last links' frames stand in their bodies'."""
    parent = names.bodies[m.body_parentid[b]]
    back = vector3(-np.array(origins.get(parent, (0.0, 0.0, 0.0))))
    placement = product(Placement(back), Placement(vector3(m.body_pos[b]), unit_quaternion(m.body_quat[b])))
    first, count = int(m.body_jntadr[b]), int(m.body_jntnum[b])
    origin: Vector3 = (0.0, 0.0, 0.0)
    taken = {*names.bodies}
    for j in range(first, first + count):
        joint = _joint(m, j, names.joints[j], armature, where)
        placement, origin = _at_joint(m, j, joint.type, placement, origin)
        if j < first + count - 1:
            link = free_name(f"{names.bodies[b]}_{joint.name}", taken)
            yield Body(link, joint, Inertia(0.0), parent, placement)
            parent, placement = link, Placement()
    if not count:
        joint = Joint(free_name(f"{names.bodies[b]}_fixed", {*names.joints}), JointType.FIXED)
    inertia = _inertia(m, b, origin, f"{where}, body '{names.bodies[b]}'")
    yield Body(names.bodies[b], joint, inertia, parent, placement, shapes=tuple(_shapes(m, b, origin)))


def _at_joint(m: mujoco.MjModel, j: int, kind: JointType, placement: Placement, origin: Vector3) -> tuple[Placement, Vector3]:
    """Placement of the joint's link behind the frame at `origin`, and where its frame then stands in the body's frame."""
    if kind is JointType.FREE:
        return Placement(), origin
    reference = float(m.qpos0[m.jnt_qposadr[j]])
    axis = vector3(m.jnt_axis[j])
    if kind is JointType.PRISMATIC:
        return product(placement, Placement(vector3(-reference * np.array(axis)))), origin
    step = Placement(vector3(m.jnt_pos[j] - np.array(origin)))
    if kind is JointType.REVOLUTE:
        step = replace(step, quaternion=turn(axis, -reference))
    return product(placement, step), vector3(m.jnt_pos[j])


def _joint(m: mujoco.MjModel, j: int, name: str, armature: Mapping[int, float], where: str) -> Joint:
    kind, dof = TYPES[mujoco.mjtJoint(int(m.jnt_type[j]))], int(m.jnt_dofadr[j])
    if kind not in (JointType.REVOLUTE, JointType.PRISMATIC):
        own = {armature[d] for d in range(dof, dof + VELOCITY_SIZE[kind])}
        if len(own) > 1:
            raise ValueError(f"{where}: joint '{name}' is {kind} and its dof have armatures {sorted(own)}: give them one")
        return Joint(name, kind, armature=own.pop())
    limits = tuple(float(x) for x in m.jnt_range[j]) if m.jnt_limited[j] else None
    return Joint(
        name, kind, vector3(unit_axis(m.jnt_axis[j])), limits if limits is None else (limits[0], limits[1]), armature[dof],
        _loss(np.ravel(m.dof_damping[dof])[0]), _loss(m.dof_frictionloss[dof]), *_spring(m, j),
    )  # fmt: skip


def _loss(value: float) -> float:
    """Damping, friction or stiffness as a spec holds it: at least 0, and no larger than any number there (files have 1e11)."""
    return min(max(0.0, float(value)), MAX_NUMBER)


def _spring(m: mujoco.MjModel, j: int) -> tuple[float, float]:
    """Stiffness, and where the spring is at rest; that only where there is one."""
    stiffness = _loss(np.ravel(m.jnt_stiffness[j])[0])
    return stiffness, float(m.qpos_spring[m.jnt_qposadr[j]]) if stiffness else 0.0


def unit_axis(axis: Any) -> Any:
    """The axis divided by its norm."""
    array = np.array(axis, dtype=float)
    return array / np.sqrt((array * array).sum())


def armatures(m: mujoco.MjModel, where: str) -> dict[int, float]:
    """Armature of each dof, its own and that of what acts on it; ValueError where it belongs to no single joint."""
    armatures = {dof: float(m.dof_armature[dof]) for dof in range(m.nv)}
    own = getattr(m, "actuator_armature", np.zeros(m.nu))  # MuJoCo 3.10 has none
    for a in np.flatnonzero(own):
        transmission = int(m.actuator_trntype[a])
        joint = int(m.actuator_trnid[a, 0])
        if transmission not in (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT) or m.jnt_type[joint] < 2:
            raise ValueError(f"{where}: actuator {a} has armature and no hinge or slide to put it on: set its armature to 0")
        armatures[int(m.jnt_dofadr[joint])] += float(own[a]) * float(m.actuator_gear[a, 0]) ** 2
    for t in np.flatnonzero(m.tendon_armature) if m.ntendon else ():
        dof, ratio = _tendon_joint(m, int(t), where)
        armatures[dof] += float(m.tendon_armature[t]) * ratio**2
    return armatures


def _tendon_joint(m: mujoco.MjModel, t: int, where: str) -> tuple[int, float]:
    """The one dof that a fixed tendon runs over, and its length per radian or metre; ValueError for any other tendon."""
    wraps = range(int(m.tendon_adr[t]), int(m.tendon_adr[t]) + int(m.tendon_num[t]))
    joints = {int(m.wrap_objid[w]) for w in wraps if m.wrap_type[w] == mujoco.mjtWrap.mjWRAP_JOINT}
    if len(joints) != 1 or any(m.wrap_type[w] != mujoco.mjtWrap.mjWRAP_JOINT for w in wraps):
        kind = "runs over several joints" if joints else "is spatial"
        raise ValueError(
            f"{where}: tendon '{m.tendon(t).name or t}' has an armature and {kind}, which couples joints in M: "
            "set its armature to 0 to compare the robot without it"
        )
    return int(m.jnt_dofadr[joints.pop()]), float(sum(m.wrap_prm[w] for w in wraps))


def _inertia(m: mujoco.MjModel, b: int, origin: Vector3, source: str) -> Inertia:
    moments = vector3(m.body_inertia[b])
    R = rotation_matrix(unit_quaternion(m.body_iquat[b]))
    rotational = rotate_inertia(R, (moments[0], 0.0, 0.0, moments[1], 0.0, moments[2]))
    return declared_inertia(float(m.body_mass[b]), vector3(m.body_ipos[b] - np.array(origin)), rotational, source)


def _shapes(m: mujoco.MjModel, b: int, origin: Vector3) -> Iterator[Shape]:
    """Simple geoms that touch."""
    for g in range(int(m.body_geomadr[b]), int(m.body_geomadr[b]) + int(m.body_geomnum[b])):
        shape = shape_of_geom(m, g, origin)
        if shape is not None and (m.geom_contype[g] or m.geom_conaffinity[g]):
            yield shape


def shape_of_geom(m: mujoco.MjModel, g: int, origin: Vector3) -> Shape | None:
    """The shape of a geom behind the frame at `origin` of its body; None for a mesh, and for one without extent."""
    known = SHAPES.get(mujoco.mjtGeom(int(m.geom_type[g])))
    if known is None:
        return None
    kind, whole, half = known
    size = [float(x) for x in m.geom_size[g]]
    lengths = (*size[:whole], *(2 * x for x in size[whole : whole + half]))
    place = Placement(vector3(m.geom_pos[g] - np.array(origin)), unit_quaternion(m.geom_quat[g]))
    return Shape(kind, lengths, place) if min(lengths) > 0.0 else None


def _actuators(m: mujoco.MjModel, names: Names) -> Iterator[Actuator]:
    """A drive for every actuator of a hinge or slide whose force is limited, by itself or by the joint."""
    taken: set[str] = set()
    for a in range(len(m.actuator_trntype)):  # not m.nu: an actuator may have several controls
        joint = int(m.actuator_trnid[a, 0])
        if int(m.actuator_trntype[a]) != mujoco.mjtTrn.mjTRN_JOINT or m.jnt_type[joint] < 2:
            continue
        limits = [limit for limit in (_force_limit(m, a), _joint_force_limit(m, joint)) if limit > 0.0]
        if limits:
            name = free_name(m.actuator(a).name or names.joints[joint], taken)
            taken.add(name)
            yield Actuator(name, names.joints[joint], min(limits))


def _force_limit(m: mujoco.MjModel, a: int) -> float:
    """The largest force of an actuator on its joint by its force range, else by its control; 0 where nothing limits it."""
    gear = abs(float(m.actuator_gear[a, 0]))
    if m.actuator_forcelimited[a]:
        return gear * float(np.abs(m.actuator_forcerange[a]).max())
    control = int(m.actuator_ctrladr[a]) if hasattr(m, "actuator_ctrladr") else a  # MuJoCo 3.10 has one control each
    if m.actuator_ctrllimited[control] and m.actuator_biastype[a] == mujoco.mjtBias.mjBIAS_NONE:
        return gear * float(np.abs(m.actuator_ctrlrange[control]).max() * abs(m.actuator_gainprm[a, 0]))
    return 0.0


def _joint_force_limit(m: mujoco.MjModel, joint: int) -> float:
    """The largest force that all actuators together put on a joint (`actuatorfrcrange`); 0 where it is not limited."""
    return float(np.abs(m.jnt_actfrcrange[joint]).max()) if m.jnt_actfrclimited[joint] else 0.0


def _poses(m: mujoco.MjModel) -> Iterator[Pose]:
    """Keyframes that have a name."""
    quaternions = [int(m.jnt_qposadr[j]) + (3 if m.jnt_type[j] == 0 else 0) for j in range(m.njnt) if m.jnt_type[j] < 2]
    for k in range(m.nkey):
        if not (name := m.key(k).name):
            continue
        q = np.array(m.key_qpos[k])
        for start in quaternions:
            q[start : start + 4] = unit_quaternion(q[start : start + 4]) if q[start : start + 4].any() else (1.0, 0.0, 0.0, 0.0)
        yield Pose(name, tuple(map(float, q)))
