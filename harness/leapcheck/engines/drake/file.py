"""`drake-file`: the user's file as Drake itself parses it, no value corrected."""

from __future__ import annotations

import logging
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path

import numpy as np
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant

from leapcheck.coordinates import conventions
from leapcheck.coordinates.conventions import Place
from leapcheck.engines.drake.calls import PlantCalls, solved_jacobians
from leapcheck.engines.drake.points import PlantPoint
from leapcheck.engines.errors import EngineError, NotApplicable
from leapcheck.engines.file_engine import FileEngine, convention_of, file_points
from leapcheck.engines.projection import OwnStates, number_shapes
from leapcheck.engines.trial_load import write_model
from leapcheck.quantities import CORE
from leapcheck_models.arrays import Floats
from leapcheck_models.importing import ImportedRobot
from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.spec import ONE_DOF, WORLD, JointType, RobotSpec

CONSTRAINED = "forward dynamics: Drake's continuous time takes no constraints, such as those of joints that mimic others"


def drake_file(imported: ImportedRobot) -> FileEngine:
    """Drake on the file."""
    spec = imported.spec
    plant = _parsed(imported)
    full = with_rotor_bodies(spec).spec
    if ball := next((body.joint.name for body in full.bodies if body.joint.type is JointType.BALL), ""):
        raise NotApplicable(f"Drake holds the ball joint '{ball}' by roll, pitch and yaw")
    convention = convention_of("drake-file", conventions.drake_convention, spec, _places(full, plant), plant.num_velocities())
    points = [
        PlantPoint(plant.GetBodyByName(point.body).body_frame(), np.array(point.offset).reshape(3, 1))
        for point in file_points(imported, plant.HasBodyNamed)
    ]
    route = f"the {imported.format} as Drake parses it, no value changed"
    return FileEngine("drake-file", metadata.version("drake"), route, convention, _DrakeNumbers(plant, points))


class _DrakeNumbers:
    """The numbers by Drake's own functions; J M^-1 J^T is solved with its M and J."""

    def __init__(self, plant: MultibodyPlant, points: list[PlantPoint]) -> None:
        constrained = plant.num_constraints() > 0
        quantities = {*CORE, "inverse_dynamics", "inverse_dynamics_with_contacts"}
        self.quantities = frozenset(quantities) - {"forward_dynamics" if constrained else ""}
        self.not_compared = (f"drake-file: {CONSTRAINED}",) if constrained else ()
        self._calls = PlantCalls(plant, points)
        nv = plant.num_velocities()
        self._shapes = number_shapes(nv, len(points)) | {"inverse_dynamics_with_contacts": (nv,)}

    def __call__(self, states: OwnStates, names: frozenset[str]) -> dict[str, Floats]:
        wanted = (names | {"M", "J"} if "MinvJT" in names else names) - {"MinvJT"}
        numbers = {name: np.empty((len(states.q), *self._shapes[name])) for name in wanted}
        self._calls.write(states, numbers)
        if "MinvJT" in names:
            numbers["MinvJT"] = solved_jacobians(numbers["M"], numbers["J"])
        return numbers


def _parsed(imported: ImportedRobot) -> MultibodyPlant:
    """What Drake parses, a fixed base welded to the world and joints without damping, which no quantity holds.

    NotApplicable if it refuses the file.
    """
    plant = MultibodyPlant(time_step=0.0)
    try:
        with _mute(), tempfile.TemporaryDirectory() as folder:
            if imported.format == "URDF":
                Parser(plant).AddModelsFromString(imported.text, "urdf")
            else:
                Parser(plant).AddModels(str(write_model(Path(folder), imported.text, imported.assets)))
            if root := _loose_root(imported):
                plant.WeldFrames(plant.world_frame(), plant.GetBodyByName(root).body_frame())
            for number in plant.GetJointIndices():
                joint = plant.get_mutable_joint(number)
                joint.set_default_damping_vector(np.zeros(joint.num_velocities()))
            plant.mutable_gravity_field().set_gravity_vector(np.array(imported.spec.gravity, dtype=float))
            plant.Finalize()
    except RuntimeError as error:
        reason = " ".join(str(error).split())
        raise NotApplicable(f"Drake refuses {imported.path.name}: {reason:.300}") from error
    return plant


def _loose_root(imported: ImportedRobot) -> str:
    """Name of the fixed base of a URDF that no joint ties to the world; "" for any other robot."""
    if imported.format != "URDF" or imported.spec.bodies[0].joint.type is not JointType.FIXED:
        return ""
    links = {link.get("name") for link in ET.fromstring(imported.text).iter("link")}
    return "" if WORLD in links else imported.spec.bodies[0].name


def _places(full: RobotSpec, plant: MultibodyPlant) -> dict[str, Place]:
    """Where the plant keeps each joint that moves, by name; EngineError names one that it lacks."""
    places = {}
    for body in full.bodies:
        kind, name = body.joint.type, body.joint.name
        if kind is JointType.FREE and plant.HasBodyNamed(body.name) and plant.GetBodyByName(body.name).is_floating_base_body():
            base = plant.GetBodyByName(body.name)
            places[name] = Place(base.floating_positions_start(), base.floating_velocities_start_in_v())
        elif kind in ONE_DOF and plant.HasJointNamed(name):
            joint = plant.GetJointByName(name)
            places[name] = Place(joint.position_start(), joint.velocity_start())
        elif kind is not JointType.FIXED:
            raise EngineError(f"drake-file: Drake's model has no joint '{name}': its parser passed over it")
    return places


@contextmanager
def _mute() -> Iterator[None]:
    """Drake's parser logs what it passes over; the comparison says what it makes of it."""
    logger = logging.getLogger("drake")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
