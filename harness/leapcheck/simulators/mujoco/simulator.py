"""MuJoCo as a simulator of jumps."""

from __future__ import annotations

from typing import Literal, get_args

import mujoco
import numpy as np

from leapcheck.coordinates import conventions
from leapcheck.engines.mujoco.build import places
from leapcheck.engines.mujoco.rotors import NO_ROTORS, LumpedRotors, rotor_term
from leapcheck.engines.mujoco.silence import mute_warnings
from leapcheck.simulators.mujoco.scene import SPHERE, DriveLaw, scene
from leapcheck.simulators.mujoco.steps import Forces, constraint_forces, exact_step, runge_kutta_step
from leapcheck_models.arrays import Floats
from leapcheck_models.rotors import with_lumped_rotors
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.actuator import drives as drives_of
from leapcheck_reference.simulate.actuator import losses
from leapcheck_reference.simulate.coordinates import sound_state
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.soft_contact import SoftContact
from leapcheck_reference.simulate.soft_weights import weights
from leapcheck_reference.simulate.terrain import LEVEL, Terrain

Integrator = Literal["Euler", "implicitfast", "RK4", "discrete"]
Rotors = Literal["exact", "armature"]

INTEGRATORS = {
    "Euler": mujoco.mjtIntegrator.mjINT_EULER,
    "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
    "RK4": mujoco.mjtIntegrator.mjINT_RK4,
    "discrete": mujoco.mjtIntegrator.mjINT_DISCRETE,
}
FATAL = {int(getattr(mujoco.mjtWarning, f"mjWARN_{name}")): name for name in ("BADQPOS", "BADQVEL", "BADQACC", "INERTIA")}
"""Warnings after which a state is none, by their number."""


TO_ROUNDING = 1e-30
"""Tolerance at which MuJoCo's solver ends once nothing but rounding is left. With 0 it makes ten times as many iterations, which
change nothing else: q by up to 1.5e-14 over jumps and crashes.
"""


class MujocoSimulator:
    """A robot over the ground in MuJoCo; owns model and data. A `leapcheck.simulators.protocol.Simulator`.

    Exact rotors are added between mj_step1 and mj_step2 (`mujoco_rotors`); the reference inertias of contacts and limits are
    then the in-house ones of the exact robot, as MuJoCo's compiler knows only the lumped one. `tolerance` is when MuJoCo's solver
    ends, 1e-8 by its own default. With `drives` "dcmotor", steps take the torque asked of MuJoCo's own motors, and
    the joints' losses are applied beside them (unless `passive`, when the joints have them). Raises ValueError for an
    option that does not exist.
    """

    def __init__(
        self,
        spec: RobotSpec,
        contact: SoftContact,
        dt: float,
        integrator: Integrator = "Euler",
        rotors: Rotors = "exact",
        tolerance: float = TO_ROUNDING,
        iterations: int = 100,
        passive: bool = False,
        drives: DriveLaw = "torque",
        terrain: Terrain = LEVEL,
    ) -> None:
        _check_options(integrator, rotors, dt)
        plant = Plant(spec)  # refuses what has other coordinates than these simulators
        lumped = with_lumped_rotors(spec)
        self.name, self.dt, self.own_drives = f"mujoco {integrator}", dt, drives == "dcmotor"
        self.model = m = scene(spec, contact, passive, drives, terrain)
        m.opt.timestep, m.opt.integrator = dt, INTEGRATORS[integrator]
        m.opt.tolerance, m.opt.iterations = tolerance, iterations
        self.data, self._stages = mujoco.MjData(m), mujoco.MjData(m)
        joint_places = places(lumped, m)
        self._convention = conventions.mujoco_convention(lumped, joint_places)
        self._dofs = np.array([joint_places[a.joint].v for a in spec.actuators], dtype=np.intp)
        self._points = {_number(m, "geom", SPHERE.format(point)): i for i, point in enumerate(plant.point_names)}
        self._drives = drives_of(spec)
        self._applies_losses = self.own_drives and not passive
        self._robot, self._free_base, self._runge_kutta = spec.name, plant.free_base, integrator == "RK4"
        self._exact = rotors == "exact" and conventions.has_rotors(spec)
        self._rotors = LumpedRotors(rotor_term(spec, m) if self._exact else NO_ROTORS, m)
        if self._exact:
            _write_weights(plant, m)
        self._last = self._no_forces()

    @property
    def q(self) -> Floats:
        """Configuration (nq,), canonical; a copy."""
        q = np.empty(self.model.nq)
        q[self._convention.columns] = self.data.qpos
        return q

    @property
    def v(self) -> Floats:
        """Velocity (nv,), canonical; a copy."""
        v: Floats = conventions.velocity_map(self._convention, self.q).T @ self.data.qvel
        return v

    @property
    def forces(self) -> Floats:
        """Contact forces (points, 3) N of the last step, world axes; the mean over the stages of a Runge-Kutta step."""
        return self._last.contact.copy()

    @property
    def limit_torques(self) -> Floats:
        """Torques (nv,) N m of the joint stops in the last step, canonical; the mean likewise."""
        return self._convention.shuffle.T @ self._last.limits  # they leave the base alone: its part of T does not matter

    def start(self, q: Floats, v: Floats) -> None:
        """Takes a state (canonical) and forgets all else; ValueError where it is no state of this robot."""
        q, v = sound_state(self._robot, self._free_base, q, v, (self.model.nq, self.model.nv))
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:] = conventions.configuration(self._convention, q)
        self.data.qvel[:] = conventions.velocity_map(self._convention, q) @ v
        self._last = self._no_forces()

    def step(self, torque: Floats) -> None:
        """Goes on by dt with the joint torques (actuators,) N m held: asked of the motors if `own_drives`, else applied.

        ArithmeticError when a number is not finite, or so large that MuJoCo gives up.
        """
        self._apply(torque)
        with mute_warnings():
            self._last = self._advance()
        counts = self.data.warning.number
        fatal = [name for kind, name in FATAL.items() if counts[kind]] if counts.any() else []
        q = self.data.qpos
        if fatal or not q.dot(q) < np.inf:
            what = ", ".join(fatal) or "a configuration that is not finite"
            raise ArithmeticError(f"MuJoCo reports {what}: the state or the torque has run away")

    def _advance(self) -> Forces:
        """Makes the step; the forces in it."""
        m, d = self.model, self.data
        if self._exact and self._runge_kutta:
            return runge_kutta_step(m, d, self._rotors, self._free_base, self._points)
        if self._exact:
            exact_step(m, d, self._rotors)
            return constraint_forces(m, d, self._points)
        forces = self._stage_forces() if self._runge_kutta else None
        mujoco.mj_step(m, d)
        return forces or constraint_forces(m, d, self._points)

    def _apply(self, torque: Floats) -> None:
        d = self.data
        if not np.isfinite(torque).all():
            raise ArithmeticError("a torque is not finite")
        if not self.own_drives:
            d.qfrc_applied[self._dofs] = torque
            return
        d.ctrl[:] = torque
        if self._applies_losses:
            d.qfrc_applied[self._dofs] = -losses(self._drives, d.qvel[self._dofs])

    def _stage_forces(self) -> Forces:
        """Mean forces over the stages of the RK4 step that comes: MuJoCo itself keeps the last stage's only."""
        stages, d = self._stages, self.data
        for name in ("qpos", "qvel", "ctrl", "qfrc_applied", "qacc_warmstart"):
            getattr(stages, name)[:] = getattr(d, name)
        return runge_kutta_step(self.model, stages, self._rotors, self._free_base, self._points)

    def _no_forces(self) -> Forces:
        return Forces(np.zeros((len(self._points), 3)), np.zeros(self.model.nv))


def _check_options(integrator: str, rotors: str, dt: float) -> None:
    if integrator not in get_args(Integrator):
        raise ValueError(f"integrator {integrator!r}: use one of {', '.join(get_args(Integrator))}")
    if rotors not in get_args(Rotors):
        raise ValueError(f"rotors {rotors!r}: use one of {', '.join(get_args(Rotors))}")
    if not 0.0 < dt < np.inf:
        raise ValueError(f"time step {dt}: give a finite positive number of seconds")


def _number(m: mujoco.MjModel, kind: str, name: str) -> int:
    return int(mujoco.mj_name2id(m, getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}"), name))


def _write_weights(plant: Plant, m: mujoco.MjModel) -> None:
    """The exact robot's reference inertias, of links that touch the floor and of joints."""
    exact, joint_places = weights(plant), places(plant.spec, m)
    bodies = {point.name: point.body for point in plant.spec.contact_points}
    for point, weight in zip(plant.point_names, exact.points, strict=True):
        m.body_invweight0[_number(m, "body", bodies[point]), 0] = weight
    for joint, weight in zip(plant.joints.names, exact.joints, strict=True):
        m.dof_invweight0[joint_places[joint].v] = weight
