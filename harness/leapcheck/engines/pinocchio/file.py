"""`pinocchio-file`: the user's file as Pinocchio itself reads it, no value corrected."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pinocchio as pin

from leapcheck.coordinates import conventions
from leapcheck.engines.errors import EngineError, NotApplicable
from leapcheck.engines.file_engine import FileEngine, FilePoint, convention_of, file_points
from leapcheck.engines.pinocchio import build, external_forces
from leapcheck.engines.pinocchio.engine import FORGOTTEN_ARMATURE, forgets_armature, passive_assembly, passive_quantities
from leapcheck.engines.pinocchio.frames import CALLS, frame_numbers
from leapcheck.engines.pinocchio.steps import record_steps, result_shapes, steps
from leapcheck.engines.projection import Assembly, OwnStates, assembled_numbers
from leapcheck.engines.trial_load import check_load, write_model
from leapcheck.quantities import CORE
from leapcheck_models.arrays import Floats
from leapcheck_models.importing import ImportedRobot
from leapcheck_models.joint_chains import between_joints
from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.spec import WORLD, JointType


def pinocchio_file(imported: ImportedRobot) -> FileEngine:
    """Pinocchio on the file."""
    spec = imported.spec
    if reason := build.base_armature(spec):
        raise NotApplicable(reason)
    model = pinocchio_model(imported)
    full = with_rotor_bodies(spec).spec
    if together := next(iter(between_joints(spec.bodies).values()), ""):
        raise NotApplicable(f"Pinocchio holds the joints of link '{together}' as one joint with coordinates of its own")
    if unread := unread_root(imported):
        first = imported.spec.bodies[0].name
        raise NotApplicable(
            f"Pinocchio reads the first body of <worldbody> only, '{first}', and not '{unread}': put the robot first, take "
            "bodies that do not move (mocap, scenery) out, or make all of them children of one body"
        )
    missing = [body.name for body in full.bodies if body.joint.type is not JointType.FIXED and not model.existBodyName(body.name)]
    if missing:
        raise EngineError(
            f"pinocchio-file: Pinocchio's model of {imported.path.name} has no link '{missing[0]}' ({len(missing)} in all): "
            "its reader passed over it"
        )
    places = build.places(full, model)
    convention = convention_of("pinocchio-file", conventions.pinocchio_convention, spec, places, model.nv)
    route = f"the {imported.format} as Pinocchio reads it, no value changed"
    numbers = _PinocchioNumbers(model, file_points(imported, model.existBodyName), passive_quantities(spec))
    return FileEngine("pinocchio-file", str(pin.__version__), route, convention, numbers)


def unread_root(imported: ImportedRobot) -> str:
    """Name of a body of an MJCF's <worldbody>, not the first, that moves, carries what moves, or has a mass; "" for none."""
    root_of: dict[str, str] = {}
    for body in imported.spec.bodies if imported.format == "MJCF" else ():
        root_of[body.name] = root_of.get(body.parent, body.name)
        counts = body.inertia.mass > 0.0 or body.joint.type is not JointType.FIXED
        if counts and root_of[body.name] != imported.spec.bodies[0].name:
            return root_of[body.name]
    return ""


def pinocchio_model(imported: ImportedRobot) -> pin.Model:
    """What Pinocchio reads; NotApplicable if it refuses the file."""
    try:
        if imported.format == "URDF":
            return build.model_of_urdf_text(imported.text, imported.floating, imported.spec.gravity)
        check_load("pinocchio", imported.text, imported.assets)
        with tempfile.TemporaryDirectory() as folder:
            return pin.buildModelFromMJCF(str(write_model(Path(folder), imported.text, imported.assets)))
    except Exception as error:
        reason = " ".join(str(error).split())
        raise NotApplicable(f"Pinocchio refuses {imported.path.name}: {reason:.300}") from error


class _PinocchioNumbers:
    """The numbers by Pinocchio's own functions."""

    def __init__(self, model: pin.Model, points: Sequence[FilePoint], passive: Sequence[str]) -> None:
        self._frames = [_add_frame(model, point) for point in points]
        self._model, self._data = model, model.createData()
        self._steps = (*steps(model, self._data), external_forces.step(model, self._data, self._frames))
        self.raw_shapes = result_shapes(self._steps)
        self.assembly = {
            "V_pot": Assembly(("V_pot",), partial(np.add, build.static_potential_energy(model))),
            **passive_assembly(model),
        }
        lost = {}
        if forgets_armature(model):
            lost["kinetic_energy"] = FORGOTTEN_ARMATURE
        if any(model.damping[joint.idx_v : joint.idx_v + joint.nv].any() for joint in model.joints if joint.nv > 1):
            lost["passive_forces"] = "passive_forces left out: dampers of balls or free joints"
        self.quantities = frozenset({*CORE, "inverse_dynamics", "inverse_dynamics_with_contacts", *passive}) - lost.keys()
        self.not_compared = tuple(f"pinocchio-file: {words}" for words in lost.values())

    def __call__(self, states: OwnStates, names: frozenset[str]) -> dict[str, Floats]:
        solved = {"J", "Minv"} if "MinvJT" in names else set()
        numbers = frame_numbers(self._model, self._data, self._frames, states, names | solved)
        numbers |= assembled_numbers(self, states, sorted(names - CALLS.keys() - {"MinvJT"} | solved - {"J"}))
        if solved:
            J = numbers["J"].reshape(len(states.q), -1, self._model.nv)
            numbers["MinvJT"] = numbers["Minv"] @ J.transpose(0, 2, 1)
        return numbers

    def write_raw(self, states: OwnStates, out: Mapping[str, Floats]) -> None:
        """Writes the raw numbers named in `out`."""
        record_steps(self._steps, states, out)


def _add_frame(model: pin.Model, point: FilePoint) -> int:
    """Number of a new frame at the point: it changes no value of the model."""
    link = model.frames[0] if point.body == WORLD else build.link_frame(model, point.body)
    placement = link.placement * pin.SE3(np.eye(3), np.array(point.offset))
    frame = pin.Frame(f"contact point {len(model.frames)}", link.parentJoint, placement, pin.FrameType.OP_FRAME)
    return int(model.addFrame(frame, False))
