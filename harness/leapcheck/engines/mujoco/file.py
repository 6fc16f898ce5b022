"""`mujoco-file`: the user's file as MuJoCo itself loads it, no value corrected."""

from __future__ import annotations

import mujoco
import numpy as np

from leapcheck.coordinates import conventions
from leapcheck.coordinates.conventions import Place
from leapcheck.engines.errors import EngineError, NotApplicable
from leapcheck.engines.file_engine import FileEngine, convention_of
from leapcheck.engines.mujoco import tree as mujoco_tree
from leapcheck.engines.mujoco.silence import mute_compiler, mute_warnings
from leapcheck_models.arrays import Floats
from leapcheck_models.importing import ImportedRobot
from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.spec import JointType


def mujoco_file(imported: ImportedRobot) -> FileEngine:
    """MuJoCo on the file."""
    m, route = mujoco_model(imported), "the MJCF as MuJoCo compiles it"
    if imported.format == "URDF":
        base = ", a free joint added to the base" if imported.floating else ""
        route = f"the URDF as MuJoCo compiles it{base}"
    spec = imported.spec
    convention = convention_of("mujoco-file", conventions.mujoco_convention, spec, mujoco_places(imported, m), m.nv)
    d = mujoco.MjData(m)
    return FileEngine("mujoco-file", str(mujoco.__version__), f"{route}, no value changed", convention, _MujocoNumbers(m, d))


def mujoco_model(imported: ImportedRobot, *, as_it_stands: bool = False) -> mujoco.MjModel:
    """What MuJoCo compiles; a floating URDF gets its free joint unless it is taken `as_it_stands`. NotApplicable if refused."""
    try:
        with mute_compiler():
            return _compile(imported, as_it_stands)
    except Exception as error:
        reason = " ".join(str(error).split()).removeprefix("Error: ")
        raise NotApplicable(f"MuJoCo refuses {imported.path.name}: {reason:.300}") from error


CHANGED = 1e-9
"""Relative change of a mass or an inertia that is reported."""


def _compile(imported: ImportedRobot, as_it_stands: bool) -> mujoco.MjModel:
    if imported.format == "MJCF":
        return mujoco.MjModel.from_xml_string(imported.text, dict(imported.assets))
    description = mujoco.MjSpec.from_string(imported.text)
    if imported.floating and not as_it_stands:
        root = imported.spec.bodies[0]
        description.body(root.name).add_freejoint(name=root.joint.name)
    return description.compile()


def mujoco_places(imported: ImportedRobot, m: mujoco.MjModel) -> dict[str, Place]:
    """Where the compiled model keeps each joint of the tree, by name; in a URDF by the link behind it, which rotors share."""
    numbers = _urdf_joints(imported, m) if imported.format == "URDF" else mujoco_tree.joint_places(m)
    return {name: Place(int(m.jnt_qposadr[j]), int(m.jnt_dofadr[j])) for name, j in numbers.items()}


def _urdf_joints(imported: ImportedRobot, m: mujoco.MjModel) -> dict[str, int]:
    """Numbers of the joints by name; links that MuJoCo lacks are those between the several joints of the next one."""
    numbers: dict[str, int] = {}
    between: list[str] = []
    for body in (b for b in with_rotor_bodies(imported.spec).spec.bodies if b.joint.type is not JointType.FIXED):
        between.append(body.joint.name)
        number = mujoco.mj_name2id(m, mujoco.mjtObj.mjOBJ_BODY, body.name)
        if number < 0 and body.inertia.mass == 0.0:
            continue
        if number < 0 or m.body_jntnum[number] != len(between):
            raise EngineError(f"mujoco-file: MuJoCo lacks the joint '{between[0]}' of link '{body.name}': rename its links")
        numbers |= {name: int(m.body_jntadr[number]) + k for k, name in enumerate(between)}
        between = []
    return numbers


class _MujocoNumbers:
    """NUMBERS by MuJoCo's own functions."""

    left_out: frozenset[str] = frozenset()

    def __init__(self, m: mujoco.MjModel, d: mujoco.MjData) -> None:
        self._m, self._d, self._own_gravity = m, d, np.array(m.opt.gravity)
        self._gravity = self._own_gravity.copy()
        if m.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY:
            self._gravity[:] = 0.0

    def __call__(self, q: Floats, u: Floats) -> dict[str, Floats]:
        with mute_warnings():
            return self._numbers(q, u)

    def _numbers(self, q: Floats, u: Floats) -> dict[str, Floats]:
        m, d = self._m, self._d
        d.qpos[:], d.qvel[:] = q, u
        mujoco.mj_fwdPosition(m, d)
        mujoco.mj_fwdVelocity(m, d)
        mujoco.mj_energyPos(m, d)
        mujoco.mj_energyVel(m, d)
        M = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, d, M)
        height = d.xipos @ self._gravity
        numbers = {"M": M, "h": d.qfrc_bias.copy(), "T_kin": d.energy[1].copy(), "V_pot": -np.array(m.body_mass @ height)}
        m.opt.gravity[:] = 0.0
        mujoco.mj_fwdVelocity(m, d)
        numbers["c"] = d.qfrc_bias.copy()
        m.opt.gravity[:], d.qvel[:] = self._own_gravity, 0.0
        mujoco.mj_fwdVelocity(m, d)
        return numbers | {"g": d.qfrc_bias.copy()}


def largest_change(with_it: mujoco.MjModel, without: mujoco.MjModel) -> str:
    """The largest relative change of a body's mass or moments, in words; "" where there is none."""
    numbers = [np.column_stack((m.body_mass, m.body_inertia)) for m in (with_it, without)]
    size = np.maximum(np.abs(numbers[1]), np.finfo(float).tiny)
    change = np.abs(numbers[0] - numbers[1]) / size
    if change.max() <= CHANGED:
        return ""
    b, k = np.unravel_index(int(change.argmax()), change.shape)
    what = "mass" if k == 0 else "inertia"
    body = with_it.body(int(b)).name
    return f"it changes inertias, most the {what} of '{body}': {numbers[1][b, k]:.6g} becomes {numbers[0][b, k]:.6g}"
