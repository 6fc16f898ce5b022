"""What robots stepped on the ground have in common: the state, canonical outside, and the impulses of the last step."""

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from leapcheck_models.arrays import Floats
from leapcheck_reference.simulate.coordinates import canonical_velocity, displace, sound_state, world_velocity, zero_configuration
from leapcheck_reference.simulate.plant import Equations, Plant
from leapcheck_reference.simulate.predicted import PredictedSteps, StepModel
from leapcheck_reference.simulate.rows import ConstraintRows, FreeStep, free_step


class Stepped:
    """Base of simulators with a fixed time step: holds q (nq,) and u (nv,), and hands out copies, canonical."""

    own_drives = False
    """Torques given to `step` are the joints': there is no drive of the simulator's own."""

    def __init__(self, plant: Plant, dt: float) -> None:
        """The robot at q = 0, at rest; ValueError unless dt > 0."""
        if not (math.isfinite(dt) and dt > 0.0):
            raise ValueError(f"time step {dt} s: give a positive number, 1e-3 for example")
        self.dt = dt
        self._plant = plant
        self._q, self._u = zero_configuration(plant.tree), np.zeros(plant.tree.nv)
        self._v: Floats | None = None

    @property
    def q(self) -> Floats:
        """Configuration (nq,), canonical; a copy."""
        return self._q.copy()

    @property
    def v(self) -> Floats:
        """Velocity (nv,), canonical; a copy."""
        if self._v is None:
            self._v = canonical_velocity(self._plant.free_base, self._q, self._u)
        return self._v.copy()

    def start(self, q: Floats, v: Floats) -> None:
        """Takes the canonical state q (nq,), v (nv,) and forgets all else; ValueError where it is no state of this robot."""
        tree = self._plant.tree
        self._q, v = sound_state(tree.name, self._plant.free_base, q, v, (tree.nq, tree.nv))
        self._go_to(self._q, world_velocity(self._plant.free_base, self._q, v))
        self._forget()

    def _go_to(self, q: Floats, u: Floats, v: Floats | None = None) -> None:
        """Takes q (nq,) and u (nv,) for the state; `v` (nv,) is the canonical velocity where it is known."""
        self._q, self._u, self._v = q, u, v

    def _forget(self) -> None:
        """Leaves nothing of earlier steps behind."""
        raise NotImplementedError


class Moving(Stepped):
    """Base of simulators whose contacts are rows with impulses."""

    def __init__(self, plant: Plant, dt: float, friction: float | Floats, predicted: StepModel) -> None:
        """As `Stepped`; ValueError also unless friction >= 0; `predicted`: the step that is traced."""
        super().__init__(plant, dt)
        self._predicted = PredictedSteps(plant, predicted) if plant.terrain.is_level else None
        self._rows = ConstraintRows(plant, dt, friction)
        self._active: NDArray[np.bool_] | None = None

    @property
    def forces(self) -> Floats:
        """Contact forces on the robot (points, 3) N, world axes: the last step's impulses over dt."""
        return self._rows.forces(self.dt)

    @property
    def limit_torques(self) -> Floats:
        """Torques (nv,) N m of the joint stops: the last step's impulses over dt."""
        return self._rows.limit_torques(self.dt)

    def _forget(self) -> None:
        self._rows.clear()
        self._active = None
        if self._predicted is not None:
            self._predicted.begin()

    def _free(self, torque: Floats) -> tuple[Equations, FreeStep]:
        """The equations at the present state, and the step under drive torques (actuators,) N m without any impulse."""
        equations = self._plant.at(self._q, self._u)
        return equations, free_step(self._plant, equations, self._u, torque, self.dt)

    def _move(self, u: Floats) -> None:
        """Goes to velocity u (nv,), and with it through dt."""
        if not np.isfinite(u).all():
            raise ArithmeticError("a velocity is not finite: lower the gains or the time step")
        self._go_to(displace(self._plant.free_base, self._q, self.dt * u), u)
        self._active = self._rows.points[:, 2] > 0.0

    def _has_moved(self, torque: Floats, *more: Floats) -> Mapping[str, Floats] | None:
        """Makes the step with the contacts of the last one, if these go on; its answers, None where no step was made."""
        if self._active is None or self._predicted is None:
            return None
        made = self._predicted(self._active, self._q, self._u, torque, self.dt, self._rows.friction, *more)
        if made is None:
            return None
        self._rows.carry(made["impulses"].copy())
        self._go_to(made["q"].copy(), made["u"].copy(), made["v"].copy())
        return made
