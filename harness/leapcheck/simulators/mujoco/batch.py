"""Many jumps of one robot at once in MuJoCo, each on a ground and with a trunk of its own, without a loop in Python.

MuJoCo's batch gives the bits of a loop over `mj_step`, whatever else is in the batch.
"""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from leapcheck.coordinates import conventions
from leapcheck.engines.mujoco.silence import mute_warnings
from leapcheck.simulators.mujoco.scene import scene
from leapcheck.simulators.mujoco.view import MujocoView, speed
from leapcheck.simulators.protocol import Draws
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import JointType, RobotSpec
from leapcheck_reference.simulate.soft_contact import SoftContact
from leapcheck_reference.simulate.terrain import LEVEL, Terrain

TOLERANCE = 1e-8
"""MuJoCo's own default: the solver's error is far below what is varied."""


class MujocoBatch(MujocoView):
    """Simulations (n,) of a floating robot, rotors lumped, by MuJoCo's Euler, stepped together in one thread; owns their states.

    Raises ValueError for a robot without a floating base, RuntimeError where this version of MuJoCo has no batches.
    """

    def __init__(
        self,
        spec: RobotSpec,
        contact: SoftContact,
        dt: float,
        draws: Draws,
        start: tuple[Floats, Floats],
        terrain: Terrain = LEVEL,
    ) -> None:
        if spec.bodies[0].joint.type is not JointType.FREE:
            raise ValueError(f"robot '{spec.name}' has a fixed base: a Monte Carlo needs a floating one")
        m = scene(spec, contact, terrain=terrain)
        m.opt.timestep, m.opt.tolerance = dt, TOLERANCE
        self._batch = _batches()(m, len(draws.index), 1)
        super().__init__(spec, m, self._batch.bind, terrain)
        self._force = self._batch.bind("qfrc_applied")
        self._write(draws)
        self._start(draws, *start)

    def step(self, torque: Floats, running: NDArray[np.intp] | None = None) -> None:
        """Goes on by dt with the joint torques (n, actuators) N m held; `running`: the simulations that go on, None all."""
        self._force[:, self.driven_v] = torque
        with mute_warnings():
            self._batch.step(ids=running)

    def final_speeds(self) -> Floats:
        """sqrt(2 E_kin / m) (n,) m/s of the present states: 0 at rest, infinite for one that diverged."""
        batch = self._batch
        return np.array([speed(batch.get_model(i), batch.get_data(i)) for i in range(len(self.qpos))])

    def model(self, number: int) -> mujoco.MjModel:
        """A copy of the model of one simulation."""
        return self._batch.get_model(number)

    def _write(self, draws: Draws) -> None:
        """Writes each simulation's friction, payload and com into its model."""
        if draws.friction.any():
            self._batch.expand("geom_friction")[:, :, 0] += draws.friction[:, None]
        if draws.payload.any() or draws.com_offset.any():
            self._batch.expand("body_mass")[:, self.trunk] += draws.payload
            self._batch.expand("body_ipos")[:, self.trunk] += draws.com_offset
            self._batch.set_const()

    def _start(self, draws: Draws, q: Floats, v: Floats) -> None:
        """Puts the robots into their first state: tilted about the middle of their feet, the lowest point as low as planned."""
        self.qpos[:] = conventions.configuration(self.convention, q)
        self.qvel[:] = conventions.velocity_map(self.convention, q) @ v
        tilted = np.flatnonzero((draws.pitch != 0.0) | (draws.roll != 0.0))
        if not len(tilted):
            return
        self._batch.forward(stage=mujoco.mjtStage.mjSTAGE_POS)
        planned, middle = self.lowest[tilted], np.append(self.feet_centre, 0.0)
        tilt = _quaternions(draws.roll[tilted], draws.pitch[tilted])
        R = conventions.rotation_matrices(tilt)
        self.qpos[tilted, :3] = middle + conventions.product(R, self.qpos[tilted, :3] - middle)
        self.qpos[tilted, 3:7] = _quaternion_products(tilt, self.qpos[tilted, 3:7])
        self.qvel[tilted, :3] = conventions.product(R, self.qvel[tilted, :3])
        self._batch.forward(stage=mujoco.mjtStage.mjSTAGE_POS)
        self.qpos[tilted, 2] += planned - self.lowest[tilted]


def _batches() -> type:
    """MuJoCo's class of batches."""
    try:
        from mujoco.batch import Batch
    except ImportError:
        raise RuntimeError(f"MuJoCo {mujoco.__version__} has no mujoco.batch: Monte Carlo needs 3.17 or newer") from None
    made: type = Batch
    return made


def _quaternions(roll: Floats, pitch: Floats) -> Floats:
    """Quaternions (n, 4) wxyz of a pitch about the world's y axis after a roll about its x axis (n,) rad."""
    zero = np.zeros_like(roll)
    about_x = np.stack([np.cos(roll / 2), np.sin(roll / 2), zero, zero], axis=1)
    about_y = np.stack([np.cos(pitch / 2), zero, np.sin(pitch / 2), zero], axis=1)
    return _quaternion_products(about_y, about_x)


def _quaternion_products(a: Floats, b: Floats) -> Floats:
    """Products a b (n, 4) of quaternions wxyz."""
    aw, ax, ay, az = a.T
    bw, bx, by, bz = b.T
    rows = (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )
    return np.stack(rows, axis=1)
