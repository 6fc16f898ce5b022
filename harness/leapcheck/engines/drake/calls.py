"""Drake's numbers of a state by its own calls, for a plant that leapcheck built or that Drake parsed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import Frame, JacobianWrtVariable, MultibodyForces
from pydrake.systems.framework import Context

from leapcheck.engines.projection import OwnStates
from leapcheck_models.arrays import Floats

V = JacobianWrtVariable.kV


class PlantPoint(NamedTuple):
    """A contact point: the frame of its body, and its place there, (3, 1) in m."""

    frame: Frame
    offset: Floats


class PlantCalls:
    """Owns a finalized plant's context; the numbers are Drake's own."""

    def __init__(self, plant: MultibodyPlant, points: Sequence[PlantPoint]) -> None:
        self._plant, self._context, self._points = plant, plant.CreateDefaultContext(), points
        force = plant.get_applied_generalized_force_input_port().FixValue(self._context, np.zeros(plant.num_velocities()))
        self._force = force
        self._vdot = np.zeros(plant.num_velocities())

    def write(self, states: OwnStates, out: Mapping[str, Floats]) -> None:
        """Writes the numbers named in `out` (see `projection`), but for M^-1 J^T, into arrays of n states each."""
        calls = [(array, self._calls[name]) for name, array in out.items() if array.size]
        for i, (q, v, tau, vdot) in enumerate(zip(*states, strict=True)):
            self._plant.SetPositions(self._context, q)
            self._plant.SetVelocities(self._context, v)
            self._force.GetMutableData().get_mutable_value().SetFromVector(tau)
            self._vdot = vdot
            for array, call in calls:
                array[i] = call()

    @property
    def _calls(self) -> dict[str, Callable[[], Any]]:
        """What gives each number at the context's state."""
        plant, context, world = self._plant, self._context, self._plant.world_frame()
        return {
            "M": lambda: plant.CalcMassMatrix(context),
            "c": lambda: plant.CalcBiasTerm(context),
            "g": lambda: -plant.CalcGravityGeneralizedForces(context),
            "h": lambda: plant.CalcBiasTerm(context) - plant.CalcGravityGeneralizedForces(context),
            "udot": lambda: plant.EvalTimeDerivatives(context).get_generalized_velocity().CopyToVector(),
            "inverse_dynamics": self._inverse_dynamics,
            "T_kin": lambda: plant.CalcKineticEnergy(context),
            "V_pot": lambda: plant.CalcPotentialEnergy(context),
            "p": lambda: [plant.CalcPointsPositions(context, frame, p, world)[:, 0] for frame, p in self._points],
            "pdot": lambda: [_velocity(context, frame, p[:, 0]) for frame, p in self._points],
            "J": lambda: [
                plant.CalcJacobianTranslationalVelocity(context, V, frame, p, world, world) for frame, p in self._points
            ],
            "a": lambda: [
                plant.CalcBiasTranslationalAcceleration(context, V, frame, p, world, world)[:, 0] for frame, p in self._points
            ],
        }

    def _inverse_dynamics(self) -> Any:
        """M vdot + h, by Drake's recursion; its gravity is among the force elements."""
        forces = MultibodyForces(self._plant)
        self._plant.CalcForceElementsContribution(self._context, forces)
        return self._plant.CalcInverseDynamics(self._context, self._vdot, forces)


def _velocity(context: Context, frame: Frame, p: Floats) -> Any:
    """Velocity (3,) in world axes of the point p (3,) of a frame."""
    arm = frame.CalcRotationMatrixInWorld(context).multiply(p)
    return frame.CalcSpatialVelocityInWorld(context).Shift(arm).translational()


def solved_jacobians(M: Floats, J: Floats) -> Floats:
    """M^-1 J^T (..., nv, 3 points) of M (..., nv, nv) and J (..., points, 3, nv)."""
    rows = J.reshape(*J.shape[:-3], -1, J.shape[-1])
    return np.asarray(np.linalg.solve(M, np.swapaxes(rows, -1, -2)), dtype=float)
