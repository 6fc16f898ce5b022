"""Engines with faults in them: MuJoCo on edited MJCF, Pinocchio on edited URDF, or any engine with altered ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from leapcheck.engines.mujoco import build as mujoco_build
from leapcheck.engines.mujoco.engine import MujocoEngine
from leapcheck.engines.outside.user import user_engine
from leapcheck.engines.pinocchio import build as pinocchio_build
from leapcheck.engines.pinocchio.engine import PinocchioEngine
from leapcheck.engines.protocol import Answers, Engine
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.quantities import QuantityGroup, names_of_group
from leapcheck.sampling import States
from leapcheck_evidence.score.planting.fault import Asked, Defect, Fault
from leapcheck_evidence.score.planting.mjcf_file import MjcfFile
from leapcheck_evidence.score.planting.own_dynamics import OwnDynamics
from leapcheck_evidence.score.planting.own_whole_body import OwnWholeBody
from leapcheck_evidence.score.planting.robot_file import NotHereError, remaining_places
from leapcheck_evidence.score.planting.single_states import SingleStates
from leapcheck_evidence.score.planting.urdf_file import UrdfFile
from leapcheck_models.arrays import Floats
from leapcheck_models.rotors import inside_realisable, with_rotor_bodies
from leapcheck_models.spec import Body, Inertia, JointType, RobotSpec
from leapcheck_models.validation import is_realisable

NAME = "planted"

BASES = ("mujoco", "pinocchio", "reference", "own", "whole", "user", "single")
"""Engines to plant faults in: two that read files, the in-house code, and four that a user might bring."""

FILE_BASES = ("mujoco", "pinocchio")

DOF_ROWS = frozenset(("mass_matrix", "bias_force", "gravity_force", "coriolis_force", "forward_dynamics"))


class Planted:
    """An engine with a defect in it, on the defect's robot or on another; joints that its file lacks answer zero.

    NotHereError where the robot lacks what a fault is about.
    """

    name = NAME
    version = "0"

    def __init__(self, defect: Defect, spec: RobotSpec | None = None) -> None:
        self._defect, self._spec, self._faults = defect, spec or defect.spec, defect.faults
        self._read_spec, self._base = _base(defect.base, self._spec, defect.faults)
        self.route = self._base.route
        able = self._base.quantities
        if self._read_spec is not None:
            able &= DOF_ROWS | {"kinetic_energy", "potential_energy"}
        self.quantities = frozenset(defect.quantities) & able

    def rebuild(self, spec: RobotSpec) -> Planted:
        """The same defect on another robot."""
        return Planted(self._defect, spec)

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """Each quantity (n, ...) with every fault in it, first to last."""
        read = states
        for fault in self._faults:
            read = fault.reading(self._spec, read) if fault.reading else read
        known = self._base_answers(read, quantities)

        def own(name: str) -> Floats:
            if name not in known:
                if name not in self._base.quantities:
                    raise NotHereError(f"'{self._base.name}' does not answer {name}")
                known.update(self._base_answers(read, (name,)))
            return known[name]

        asked = Asked(self._spec, states, read, own)
        answers = {}
        for name in quantities:
            values = own(name).copy()
            for fault in self._faults:
                values = fault.answering(asked, name, values) if fault.answering else values
            answers[name] = values
        return answers

    def _base_answers(self, states: States, quantities: Sequence[str]) -> Answers:
        if self._read_spec is None:
            return self._base.evaluate(states, quantities)
        of_q, of_v = remaining_places(self._spec, self._read_spec)
        fewer = replace(states, q=states.q[:, of_q], v=states.v[:, of_v], tau=states.tau[:, of_v], vdot=states.vdot[:, of_v])
        return {name: self._whole(name, values, of_v) for name, values in self._base.evaluate(fewer, quantities).items()}

    def _whole(self, name: str, values: Floats, of_v: list[int]) -> Floats:
        if name not in DOF_ROWS:
            return values
        whole = np.zeros((len(values), *(self._spec.nv,) * (values.ndim - 1)))
        if values.ndim == 3:
            whole[np.ix_(range(len(values)), of_v, of_v)] = values
        else:
            whole[:, of_v] = values
        return whole


def _base(base: str, spec: RobotSpec, faults: Sequence[Fault]) -> tuple[RobotSpec | None, Engine]:
    """The engine before its ends are altered; with the robot that it holds, where that has fewer coordinates."""
    edits = [fault.edit for fault in faults if fault.edit]
    if edits and base not in FILE_BASES:
        raise NotHereError(f"'{base}' reads no file")
    match base:
        case "mujoco" | "pinocchio":
            file = MjcfFile(spec) if base == "mujoco" else UrdfFile(spec)
            for edit in edits:
                edit(file)
            engine = mujoco_engine(file) if isinstance(file, MjcfFile) else pinocchio_engine(file)
            return (None if file.read_spec.nv == spec.nv else file.read_spec), engine
        case "reference":
            return None, ReferenceEngine(spec)
        case "own":
            return None, OwnDynamics(spec)
        case "whole":
            return None, OwnWholeBody(spec)
        case "user":
            return None, user_engine(SingleStates(spec), spec, NAME)
        case "single":
            return None, OwnDynamics(spec, np.float32)
    raise ValueError(f"unknown base '{base}': use one of {', '.join(BASES)}")


def mujoco_engine(file: MjcfFile) -> Engine:
    """MuJoCo on the file as it is; only an inertia that its compiler refuses is written afterwards."""
    read_spec = file.read_spec
    full = with_rotor_bodies(read_spec).spec
    try:
        m = mujoco_build.model_of_text(file.text)
    except ValueError as error:
        raise NotHereError(f"MuJoCo refuses the file: {error}") from error
    gravity = tuple(float(x) for x in m.opt.gravity)
    bodies = tuple(_unwritable(file, body) for body in full.bodies if body.name in file.unwritable)
    if bodies:
        mujoco_build.write_exact_values(RobotSpec("unwritable", bodies, gravity=(gravity[0], gravity[1], gravity[2])), m)
    return MujocoEngine(NAME, read_spec, full, m, "MJCF, edited", storage=file.storage)


def _unwritable(file: MjcfFile, body: Body) -> Body:
    """A body of the file by itself, with the inertia that is kept beside the file."""
    entries, (x, y, z) = file.unwritable[body.name], file.com(body.name)
    fine = is_realisable(entries)
    nearest = None if fine else inside_realisable(entries)
    inertia = Inertia(file.mass(body.name), (x, y, z), entries, fine, nearest, "" if fine else "the file's comment")
    joint = body.joint
    if joint.type in (JointType.REVOLUTE, JointType.PRISMATIC):
        joint = replace(joint, armature=file.armature(body.name))
    return Body(body.name, joint, inertia)


def pinocchio_engine(file: UrdfFile) -> Engine:
    """Pinocchio on the file as it is, with the armature and the gravity that its reader sets."""
    read_spec = file.read_spec
    full = with_rotor_bodies(read_spec).spec
    floating = any(body.joint.type is JointType.FREE for body in read_spec.bodies)
    try:
        model = pinocchio_build.model_of_urdf_text(file.text, floating, file.gravity)
    except ValueError as error:
        raise NotHereError(f"Pinocchio refuses the file: {error}") from error
    armature = np.zeros(model.nv)
    for body in (b for b in full.bodies if b.joint.type in (JointType.REVOLUTE, JointType.PRISMATIC)):
        armature[model.idx_vs[pinocchio_build.link_frame(model, body.name).parentJoint]] = file.armature(body.name)
    model.armature = armature
    frames = pinocchio_build.contact_frames(full, model, links=True)
    return PinocchioEngine(NAME, read_spec, full, model, frames, "URDF, edited")


def base_quantities(base: str, spec: RobotSpec) -> frozenset[str]:
    """What an engine without a fault answers for the robot, of what faults are planted in: `whole_body` has the other groups."""
    planted = (*names_of_group(QuantityGroup.CORE), *names_of_group(QuantityGroup.MUJOCO))
    return _base(base, spec, ())[1].quantities & frozenset(planted)
