"""Drake's numbers of a state by its own calls, for a plant that leapcheck built or that Drake parsed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from pydrake.multibody.math import SpatialForce
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import MultibodyForces

from leapcheck.engines.drake.centroidal import centroidal_calls
from leapcheck.engines.drake.frames import frame_calls
from leapcheck.engines.drake.points import BY_V, PlantPoint, point_velocity
from leapcheck.engines.projection import OwnStates
from leapcheck_models.arrays import Floats


class PlantCalls:
    """Owns a finalized plant's context; the numbers are Drake's own."""

    def __init__(self, plant: MultibodyPlant, points: Sequence[PlantPoint], frames: Sequence[PlantPoint] = ()) -> None:
        self._plant, self._context, self._points, self._frames = plant, plant.CreateDefaultContext(), points, frames
        force = plant.get_applied_generalized_force_input_port().FixValue(self._context, np.zeros(plant.num_velocities()))
        self._force = force
        self._vdot, self._contact_forces = np.zeros(plant.num_velocities()), np.zeros(0)

    def write(self, states: OwnStates, out: Mapping[str, Floats]) -> None:
        """Writes the numbers named in `out` (see `projection`), but for M^-1 J^T, into arrays of n states each."""
        calls = [(array, self._calls[name]) for name, array in out.items() if array.size]
        for i, (q, v, tau, vdot, contact_forces) in enumerate(zip(*states, strict=True)):
            self._plant.SetPositions(self._context, q)
            self._plant.SetVelocities(self._context, v)
            self._force.GetMutableData().get_mutable_value().SetFromVector(tau)
            self._vdot, self._contact_forces = vdot, contact_forces
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
            "inverse_dynamics_with_contacts": lambda: self._inverse_dynamics(with_contacts=True),
            "T_kin": lambda: plant.CalcKineticEnergy(context),
            "V_pot": lambda: plant.CalcPotentialEnergy(context),
            "p": lambda: [plant.CalcPointsPositions(context, frame, p, world)[:, 0] for frame, p in self._points],
            "pdot": lambda: [point_velocity(context, point).translational() for point in self._points],
            "J": lambda: [
                plant.CalcJacobianTranslationalVelocity(context, BY_V, frame, p, world, world) for frame, p in self._points
            ],
            "a": lambda: [
                plant.CalcBiasTranslationalAcceleration(context, BY_V, frame, p, world, world)[:, 0] for frame, p in self._points
            ],
            **frame_calls(plant, context, self._frames),
            **centroidal_calls(plant, context),
        }

    def _inverse_dynamics(self, with_contacts: bool = False) -> Any:
        """M vdot + h, less J^T f if wanted, by Drake's recursion; its gravity is among the force elements."""
        forces, world = MultibodyForces(self._plant), self._plant.world_frame()
        self._plant.CalcForceElementsContribution(self._context, forces)
        if with_contacts:
            for (frame, p), force in zip(self._points, self._contact_forces.reshape(-1, 3), strict=True):
                place = frame.CalcRotationMatrixInWorld(self._context).multiply(p[:, 0])  # in the axes of the force
                frame.body().AddInForce(self._context, place, SpatialForce(np.zeros(3), force), world, forces)
        return self._plant.CalcInverseDynamics(self._context, self._vdot, forces)


def solved_jacobians(M: Floats, J: Floats) -> Floats:
    """M^-1 J^T (..., nv, 3 points) of M (..., nv, nv) and J (..., points, 3, nv)."""
    rows = J.reshape(*J.shape[:-3], -1, J.shape[-1])
    return np.asarray(np.linalg.solve(M, np.swapaxes(rows, -1, -2)), dtype=float)
