"""The user's file as MuJoCo and Pinocchio themselves load it, no value corrected: held against the tree read from it.

`mujoco-file`: the MJCF as compiled; a URDF through MjSpec, with the free joint that it does not write on a floating base.
`pinocchio-file`: Pinocchio's own readers. A link or joint of the tree that the loaded model lacks is an error by its name.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import mujoco
import numpy as np
import pinocchio as pin

from leapcheck import conventions
from leapcheck.conventions import Convention, Place
from leapcheck.engines import mujoco_build, mujoco_tree
from leapcheck.engines import pinocchio_build as build
from leapcheck.engines.errors import EngineError, NotApplicable
from leapcheck.engines.mujoco_steps import unheard
from leapcheck.engines.projection import Floats, Projection, own_states
from leapcheck.engines.protocol import Answers
from leapcheck.states import States
from leapcheck_models.importing.imported import Imported
from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.spec import JointType, RobotSpec

NUMBERS = ("M", "h", "c", "g", "T_kin", "V_pot")
QUANTITIES = frozenset({"mass_matrix", "bias_force", "gravity_force", "coriolis_force", "kinetic_energy", "potential_energy"})


class OfState(Protocol):
    """NUMBERS at q and u in the engine's coordinates; `left_out` are quantities that the engine is known to compute wrongly."""

    left_out: frozenset[str]

    def __call__(self, q: Floats, u: Floats) -> dict[str, Floats]:
        """The numbers of one state."""


class FileEngine:
    """A file as a foreign package loads it, behind the engine protocol."""

    def __init__(self, name: str, version: str, route: str, convention: Convention, of_state: OfState) -> None:
        self._name, self._version, self._route = name, version, route
        self._convention, self._of_state = convention, of_state
        self._quantities = QUANTITIES - of_state.left_out

    @property
    def name(self) -> str:
        """`mujoco-file` or `pinocchio-file`."""
        return self._name

    @property
    def version(self) -> str:
        """Version of the foreign package."""
        return self._version

    @property
    def route(self) -> str:
        """How the file came into the package."""
        return self._route

    @property
    def quantities(self) -> frozenset[str]:
        """M, the forces and the energies; contact points are no part of the file."""
        return self._quantities

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """Each quantity as an array (n, *shape), canonical."""
        T = conventions.velocity_map(self._convention, states.q)
        at = own_states(self._convention, T, states)
        rows = [self._of_state(q, u) for q, u in zip(at.q, at.v, strict=True)]
        own = {name: np.array([row[name] for row in rows]) for name in NUMBERS}
        projection = Projection(self._convention, states, T, own)
        return {name: np.asarray(getattr(projection, name)) for name in quantities}


@dataclass(frozen=True, slots=True)
class FileRequest:
    """One of both engines, to be made of a file."""

    name: str
    imported: Imported

    def made(self) -> FileEngine:
        """The engine; NotApplicable where the package refuses the file, EngineError where its model lacks a part of the tree."""
        return FACTORIES[self.name](self.imported)


def mujoco_file(imported: Imported) -> FileEngine:
    """MuJoCo on the file."""
    m, route = mujoco_model(imported), "the MJCF as MuJoCo compiles it"
    if imported.format == "URDF":
        base = ", a free joint added to the base" if imported.floating else ""
        route = f"the URDF as MuJoCo compiles it{base}"
    spec = imported.spec
    convention = _convention("mujoco-file", conventions.mujoco_convention, spec, mujoco_places(imported, m), m.nv)
    d = mujoco.MjData(m)
    return FileEngine("mujoco-file", str(mujoco.__version__), f"{route}, no value changed", convention, _MujocoNumbers(m, d))


def mujoco_model(imported: Imported, *, as_it_stands: bool = False) -> mujoco.MjModel:
    """What MuJoCo compiles; a floating URDF gets its free joint unless it is taken `as_it_stands`. NotApplicable if refused."""
    try:
        with unheard():
            return _compiled(imported, as_it_stands)
    except Exception as error:
        reason = " ".join(str(error).split()).removeprefix("Error: ")
        raise NotApplicable(f"MuJoCo refuses {imported.path.name}: {reason:.300}") from error


def _compiled(imported: Imported, as_it_stands: bool) -> mujoco.MjModel:
    if imported.format == "MJCF":
        return mujoco.MjModel.from_xml_string(imported.text, dict(imported.assets))
    description = mujoco.MjSpec.from_string(imported.text)
    if imported.floating and not as_it_stands:
        root = imported.spec.bodies[0]
        description.body(root.name).add_freejoint(name=root.joint.name)
    return description.compile()


def mujoco_places(imported: Imported, m: mujoco.MjModel) -> dict[str, Place]:
    """Where the compiled model keeps each joint of the tree, by name; in a URDF by the link behind it, which rotors share."""
    if imported.format == "URDF":
        return mujoco_build.places(with_rotor_bodies(imported.spec).spec, m)
    numbers = mujoco_tree.joint_places(m)
    return {name: Place(int(m.jnt_qposadr[j]), int(m.jnt_dofadr[j])) for name, j in numbers.items()}


class _MujocoNumbers:
    """NUMBERS by MuJoCo's own functions."""

    left_out: frozenset[str] = frozenset()

    def __init__(self, m: mujoco.MjModel, d: mujoco.MjData) -> None:
        self._m, self._d, self._own_gravity = m, d, np.array(m.opt.gravity)
        self._gravity = self._own_gravity.copy()
        if m.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY:
            self._gravity[:] = 0.0

    def __call__(self, q: Floats, u: Floats) -> dict[str, Floats]:
        with unheard():
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
        found = {"M": M, "h": d.qfrc_bias.copy(), "T_kin": d.energy[1].copy(), "V_pot": -np.array(m.body_mass @ height)}
        m.opt.gravity[:] = 0.0
        mujoco.mj_fwdVelocity(m, d)
        found["c"] = d.qfrc_bias.copy()
        m.opt.gravity[:], d.qvel[:] = self._own_gravity, 0.0
        mujoco.mj_fwdVelocity(m, d)
        return found | {"g": d.qfrc_bias.copy()}


def pinocchio_file(imported: Imported) -> FileEngine:
    """Pinocchio on the file."""
    spec = imported.spec
    model = pinocchio_model(imported)
    full = with_rotor_bodies(spec).spec
    missing = [body.name for body in full.bodies if body.joint.type is not JointType.FIXED and not model.existBodyName(body.name)]
    if missing:
        raise EngineError(
            f"pinocchio-file: Pinocchio's model of {imported.path.name} has no link '{missing[0]}' ({len(missing)} in all): "
            "its reader passed over it, or takes several joints of a link as one"
        )
    places = build.places(full, model)
    convention = _convention("pinocchio-file", conventions.pinocchio_convention, spec, places, model.nv)
    route = f"the {imported.format} as Pinocchio reads it, no value changed"
    return FileEngine("pinocchio-file", str(pin.__version__), route, convention, _PinocchioNumbers(model))


def pinocchio_model(imported: Imported) -> pin.Model:
    """What Pinocchio reads; NotApplicable if it refuses the file."""
    try:
        if imported.format == "URDF":
            return build.model_of_urdf_text(imported.text, imported.floating, imported.spec.gravity)
        with tempfile.TemporaryDirectory() as folder:
            for name, content in {"robot.xml": imported.text.encode(), **imported.assets}.items():
                (Path(folder) / name).write_bytes(content)
            return pin.buildModelFromMJCF(str(Path(folder) / "robot.xml"))
    except Exception as error:
        reason = " ".join(str(error).split())
        raise NotApplicable(f"Pinocchio refuses {imported.path.name}: {reason:.300}") from error


class _PinocchioNumbers:
    """NUMBERS by Pinocchio's own functions."""

    def __init__(self, model: pin.Model) -> None:
        self._model, self._data = model, model.createData()
        self._static = build.static_potential_energy(model)
        self._gravity = model.gravity.copy()
        forgets = np.any(model.armature)  # see `pinocchio_engine.FORGOTTEN_ARMATURE`
        self.left_out = frozenset({"kinetic_energy"} if forgets else ())

    def __call__(self, q: Floats, u: Floats) -> dict[str, Floats]:
        model, data = self._model, self._data
        M = np.triu(pin.crba(model, data, q))
        g = pin.computeGeneralizedGravity(model, data, q).copy()
        h = pin.nonLinearEffects(model, data, q, u).copy()
        model.gravity = pin.Motion.Zero()
        c = pin.nonLinearEffects(model, data, q, u).copy()
        model.gravity = self._gravity
        return {
            "M": M + np.triu(M, 1).T,
            "h": h,
            "g": g,
            "c": c,
            "T_kin": np.array(pin.computeKineticEnergy(model, data, q, u)),
            "V_pot": np.array(pin.computePotentialEnergy(model, data, q) + self._static),
        }


def _convention(
    name: str,
    make: Callable[[RobotSpec, dict[str, Place]], Convention],
    spec: RobotSpec,
    places: dict[str, Place],
    nv: int,
) -> Convention:
    """The coordinates of the loaded model; EngineError where it has more dofs than the tree, or lacks a joint."""
    full = with_rotor_bodies(spec).spec
    if nv != full.nv:
        raise EngineError(
            f"{name}: the model loaded has {nv} degrees of freedom, the tree {full.nv}: see `leapcheck lint` on the file"
        )
    try:
        return make(spec, places)
    except ValueError as error:
        raise EngineError(f"{name}: the model loaded differs from the tree: {error}: ask `leapcheck lint` why") from error


FACTORIES: dict[str, Callable[[Imported], FileEngine]] = {"mujoco-file": mujoco_file, "pinocchio-file": pinocchio_file}
"""The engines by name."""
