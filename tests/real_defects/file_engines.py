"""Model files in this environment's MuJoCo and Pinocchio, their numbers taken as they are: no exact values written."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin

from leapcheck.coordinates.conventions import Place
from leapcheck.engines.mujoco.engine import MujocoEngine
from leapcheck.engines.pinocchio import build as pinocchio_build
from leapcheck.engines.pinocchio.engine import PinocchioEngine
from leapcheck.engines.protocol import Answers, Engine
from leapcheck.sampling import States
from leapcheck_models.arrays import Floats
from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.spec import CONFIGURATION_SIZE, VELOCITY_SIZE, JointType, RobotSpec

ROUTE = "the file as it is"


def in_mujoco(spec: RobotSpec, model: mujoco.MjModel | str) -> MujocoEngine:
    """MuJoCo on an MJCF text, or on what it has compiled."""
    m = mujoco.MjModel.from_xml_string(model) if isinstance(model, str) else model
    return MujocoEngine("mujoco", spec, with_rotor_bodies(spec).spec, m, ROUTE, storage=False)


def urdf_in_mujoco(spec: RobotSpec, text: str) -> mujoco.MjModel:
    """What MuJoCo compiles of a URDF with a free joint added to a floating base, and sites on the contact points."""
    description = mujoco.MjSpec.from_string(text)
    for body in (b for b in spec.bodies if b.joint.type is JointType.FREE):
        description.body(body.name).add_freejoint(name=body.joint.name)
    for point in (p for p in spec.contact_points if p.computed):
        description.body(point.body).add_site(name=point.name, pos=point.position)
    return description.compile()


def in_pinocchio(spec: RobotSpec, text: str) -> Engine:
    """Pinocchio on an MJCF text, contact points put on its links; links that it has passed over take no part."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.xml"
        path.write_text(text, encoding="utf-8")
        model = pin.buildModelFromMJCF(str(path))
    full = with_rotor_bodies(spec).spec
    missing = {body.name for body in spec.bodies if not model.existBodyName(body.name)}
    if missing:
        return WithoutLinks(spec, missing, model)
    frames = pinocchio_build.contact_frames(full, model, links=False)
    return PinocchioEngine("pinocchio", spec, full, model, frames, ROUTE)


class WithoutLinks:
    """Pinocchio with a model that lacks some links: their dofs are read by nobody, and nothing is answered for them."""

    name, version, route = "pinocchio", str(pin.__version__), ROUTE
    quantities = frozenset({"mass_matrix", "bias_force", "gravity_force", "coriolis_force", "kinetic_energy", "potential_energy"})

    def __init__(self, spec: RobotSpec, missing: set[str], model: pin.Model) -> None:
        kept = [body.name not in missing for body in spec.bodies]
        points = tuple(point for point in spec.contact_points if point.body not in missing)
        bodies = tuple(body for body in spec.bodies if body.name not in missing)
        smaller = replace(spec, bodies=bodies, contact_points=points, poses=())
        frames = pinocchio_build.contact_frames(smaller, model, links=False)
        self._q = np.repeat(kept, [CONFIGURATION_SIZE[body.joint.type] for body in spec.bodies])
        self._v = np.flatnonzero(np.repeat(kept, [VELOCITY_SIZE[body.joint.type] for body in spec.bodies]))
        self._nv = spec.nv
        self._engine = PinocchioEngine("pinocchio", smaller, smaller, model, frames, ROUTE)

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """The answers of what is there, with zeros for all other dofs."""
        there = replace(
            states, q=states.q[:, self._q], v=states.v[:, self._v], tau=states.tau[:, self._v], vdot=states.vdot[:, self._v]
        )
        return {name: self._widened(values) for name, values in self._engine.evaluate(there, quantities).items()}

    def _widened(self, values: Floats) -> Floats:
        wide = np.zeros((len(values), *(self._nv for _ in values.shape[1:])))
        wide[np.ix_(range(len(values)), *(self._v for _ in values.shape[1:]))] = values
        return wide


class RawUrdf:
    """MuJoCo on a URDF as it stands: the base is the world, and only the joints above it move."""

    name, version, route = "mujoco", str(mujoco.__version__), "URDF, nothing added"
    quantities = frozenset({"mass_matrix", "bias_force", "gravity_force", "kinetic_energy", "potential_energy"})

    def __init__(self, spec: RobotSpec, text: str) -> None:
        self._m = mujoco.MjModel.from_xml_string(text)
        self._d = mujoco.MjData(self._m)
        moving = [body for body in spec.bodies if body.joint.type not in (JointType.FREE, JointType.FIXED)]
        places = {body.joint.name: self._place(body.name) for body in moving}
        self._columns = [place.v for place in places.values()]
        self._q = [place.q for place in places.values()]
        self._base = VELOCITY_SIZE[JointType.FREE] if len(moving) < spec.nv else 0

    def _place(self, link: str) -> Place:
        joint = self._m.body(link).jntadr[0]
        return Place(int(self._m.jnt_qposadr[joint]), int(self._m.jnt_dofadr[joint]))

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """Rows and columns of the base are zero: it has no dof."""
        joints = [(q[-len(self._q) :], v[-len(self._q) :]) for q, v in zip(states.q, states.v, strict=True)]
        rows = [self._one(q, v) for q, v in joints]
        return {name: np.array([row[name] for row in rows]) for name in quantities}

    def _one(self, q: Floats, v: Floats) -> dict[str, Floats]:
        m, d, n = self._m, self._d, self._base + len(self._q)
        d.qpos[self._q], d.qvel[self._columns] = q, v
        found: dict[str, Floats] = {}
        mujoco.mj_fwdPosition(m, d)
        mujoco.mj_fwdVelocity(m, d)
        mujoco.mj_energyPos(m, d)
        mujoco.mj_energyVel(m, d)
        found["potential_energy"], found["kinetic_energy"] = d.energy[0].copy(), d.energy[1].copy()
        M, h = np.zeros((m.nv, m.nv)), np.zeros((2, n))
        mujoco.mj_fullM(m, d, M)
        h[0, self._base :] = d.qfrc_bias[self._columns]
        d.qvel[:] = 0.0
        mujoco.mj_fwdVelocity(m, d)
        h[1, self._base :] = d.qfrc_bias[self._columns]
        wide = np.zeros((n, n))
        wide[self._base :, self._base :] = M[np.ix_(self._columns, self._columns)]
        return found | {"mass_matrix": wide, "bias_force": h[0], "gravity_force": h[1]}
