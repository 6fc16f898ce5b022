"""One simulation of a batch alone: a loop over `mj_step`, optionally with exact rotors, and the forces that a log needs."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from leapcheck.simulators.mujoco.batch import TOLERANCE, MujocoBatch
from leapcheck.simulators.mujoco.simulator import MujocoSimulator, Rotors
from leapcheck.simulators.mujoco.view import MujocoView, speed
from leapcheck.simulators.protocol import Draws
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.soft_contact import SoftContact
from leapcheck_reference.simulate.terrain import LEVEL, Terrain


class MujocoLoop(MujocoView):
    """The one simulation of `draws` as `MujocoBatch` has it, with the same bits if the rotors are armature; owns its state.

    With exact rotors nothing may be varied but what stands outside the robot's model: ValueError for a payload, a com offset or
    another friction.
    """

    def __init__(
        self,
        spec: RobotSpec,
        contact: SoftContact,
        dt: float,
        draws: Draws,
        start: tuple[Floats, Floats],
        rotors: Rotors = "armature",
        terrain: Terrain = LEVEL,
    ) -> None:
        batch = MujocoBatch(spec, contact, dt, draws, start, terrain)
        self._simulator = made = MujocoSimulator(spec, contact, dt, rotors=rotors, tolerance=TOLERANCE, terrain=terrain)
        if rotors == "armature":
            made.model = batch.model(0)
            made.data = mujoco.MjData(made.model)
        elif draws.payload.any() or draws.com_offset.any() or draws.friction.any():
            raise ValueError("with exact rotors the robot and the ground are as described: vary neither")
        data = made.data
        super().__init__(spec, made.model, lambda field: getattr(data, field)[None], terrain)
        self.qpos[:], self.qvel[:] = batch.qpos, batch.qvel

    @property
    def state(self) -> tuple[Floats, Floats]:
        """Canonical q (nq,) in the world, where the ground may have moved, and v (nv,); copies."""
        q = self._simulator.q
        q[2] += self.floor[0]
        return q, self._simulator.v

    @property
    def forces(self) -> Floats:
        """Contact forces (points, 3) N of the last step, world axes."""
        return self._simulator.forces

    @property
    def limit_torques(self) -> Floats:
        """Torques (nv,) N m of the joint stops in the last step, canonical."""
        return self._simulator.limit_torques

    def step(self, torque: Floats, running: NDArray[np.intp] | None = None) -> None:
        """Goes on by dt with the joint torques (1, actuators) N m held; stands still where `running` is empty."""
        if running is not None and not len(running):
            return
        try:
            self._simulator.step(torque[0])
        except ArithmeticError:  # the state tells it too, as it does in a batch
            if not np.isfinite(torque).all():
                self.qvel[:] = np.nan  # no step was made

    def final_speeds(self) -> Floats:
        """sqrt(2 E_kin / m) (1,) m/s of the present state, infinite where it diverged."""
        return np.array([speed(self._simulator.model, self._simulator.data)])
