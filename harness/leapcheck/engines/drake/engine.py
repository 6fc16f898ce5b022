"""Drake behind the engine protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import metadata
from typing import Any

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import Frame, JacobianWrtVariable
from pydrake.systems.framework import Context

from leapcheck.coordinates import conventions
from leapcheck.engines.drake import build
from leapcheck.engines.foreign import ForeignEngine
from leapcheck.engines.projection import Assembly, OwnStates, number_shapes
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

V = JacobianWrtVariable.kV


class DrakeEngine(ForeignEngine):
    """One robot in Drake, with its rotors as bodies; owns the plant and its context.

    The numbers are Drake's own but for J M^-1 J^T, which is solved with its M and J.
    """

    def __init__(self, spec: RobotSpec, full: RobotSpec, plant: MultibodyPlant, route: str) -> None:
        """Takes a finalized plant of `full` (the spec with its rotors as bodies)."""
        self._plant, self._context = plant, plant.CreateDefaultContext()
        nq, nv = plant.num_positions(), plant.num_velocities()
        self._force = plant.get_applied_generalized_force_input_port().FixValue(self._context, np.zeros(nv))
        self._points = [
            (plant.GetBodyByName(point.body).body_frame(), np.array(point.position, dtype=float).reshape(3, 1))
            for point in full.contact_points
            if point.computed
        ]
        convention = conventions.drake_convention(spec, build.places(full, plant))
        shapes = number_shapes(nv, len(self._points))
        super().__init__("drake", metadata.version("drake"), route, convention, shapes, sizes=(nq, nv))

    @property
    def assembly(self) -> Mapping[str, Assembly]:
        """M^-1 J^T (..., nv_u, 3 points), solved here: Drake has no call for it."""
        return {"MinvJT": Assembly(("M", "J"), solved_jacobians)}

    def write_raw(self, states: OwnStates, out: Mapping[str, Floats]) -> None:
        """Writes the raw numbers named in `out`, by Drake's own calls."""
        self.check_blocks(states, out)
        calls = [(array, self._calls[name]) for name, array in out.items() if array.size]
        for i, (q, v, tau) in enumerate(zip(*states, strict=True)):
            self._plant.SetPositions(self._context, q)
            self._plant.SetVelocities(self._context, v)
            self._force.GetMutableData().get_mutable_value().SetFromVector(tau)
            for array, call in calls:
                array[i] = call()

    @property
    def _calls(self) -> dict[str, Callable[[], Any]]:
        """What gives each raw number at the context's state."""
        plant, context, world = self._plant, self._context, self._plant.world_frame()
        return {
            "M": lambda: plant.CalcMassMatrix(context),
            "c": lambda: plant.CalcBiasTerm(context),
            "g": lambda: -plant.CalcGravityGeneralizedForces(context),
            "h": lambda: plant.CalcBiasTerm(context) - plant.CalcGravityGeneralizedForces(context),
            "udot": lambda: plant.EvalTimeDerivatives(context).get_generalized_velocity().CopyToVector(),
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


def _velocity(context: Context, frame: Frame, p: Floats) -> Any:
    """Velocity (3,) in world axes of the point p (3,) of a frame."""
    arm = frame.CalcRotationMatrixInWorld(context).multiply(p)
    return frame.CalcSpatialVelocityInWorld(context).Shift(arm).translational()


def solved_jacobians(M: Floats, J: Floats) -> Floats:
    """M^-1 J^T (..., nv, 3 points) of M (..., nv, nv) and J (..., points, 3, nv)."""
    rows = J.reshape(*J.shape[:-3], -1, J.shape[-1])
    return np.asarray(np.linalg.solve(M, np.swapaxes(rows, -1, -2)), dtype=float)
