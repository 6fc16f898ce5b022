"""Drake behind the engine protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import metadata
from typing import Any

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import Frame, JacobianWrtVariable
from pydrake.systems.framework import Context

from leapcheck import conventions
from leapcheck.engines import drake_build as build
from leapcheck.engines.projection import NEEDS, Assembly, Floats, OwnStates, check_blocks, evaluated
from leapcheck.engines.protocol import Answers
from leapcheck.states import States
from leapcheck_models.spec import RobotSpec

V = JacobianWrtVariable.kV


class DrakeEngine:
    """One robot in Drake, with its rotors as bodies; owns the plant and its context.

    The numbers are Drake's own but for J M^-1 J^T, which is solved with its M and J.
    """

    def __init__(self, spec: RobotSpec, full: RobotSpec, plant: MultibodyPlant, route: str) -> None:
        """Takes a finalized plant of `full` (the spec with its rotors as bodies)."""
        self._route = route
        self._plant, self._context = plant, plant.CreateDefaultContext()
        self._force = plant.get_applied_generalized_force_input_port().FixValue(self._context, np.zeros(plant.num_velocities()))
        self._points = [
            (plant.GetBodyByName(point.body).body_frame(), np.array(point.position, dtype=float).reshape(3, 1))
            for point in full.contact_points
            if point.computed
        ]
        self._convention = conventions.drake_convention(spec, build.places(full, plant))
        nv, points = plant.num_velocities(), len(self._points)
        self._shapes: dict[str, tuple[int, ...]] = {
            "M": (nv, nv), "h": (nv,), "c": (nv,), "g": (nv,), "udot": (nv,), "T_kin": (), "V_pot": (),
            "p": (points, 3), "pdot": (points, 3), "J": (points, 3, nv), "a": (points, 3),
        }  # fmt: skip
        self._inputs = {"q": (plant.num_positions(),), "v": (nv,), "tau": (nv,)}

    @property
    def name(self) -> str:
        """Name in tables and on the command line."""
        return "drake"

    @property
    def version(self) -> str:
        """Version of Drake."""
        return metadata.version("drake")

    @property
    def route(self) -> str:
        """How the robot came into Drake."""
        return self._route

    @property
    def quantities(self) -> frozenset[str]:
        """All canonical quantities."""
        return frozenset(NEEDS)

    @property
    def convention(self) -> conventions.Convention:
        """Drake's coordinates of this robot."""
        return self._convention

    @property
    def raw_shapes(self) -> Mapping[str, tuple[int, ...]]:
        """Shape of each of Drake's numbers of one state: `projection`'s names, but for MinvJT."""
        return self._shapes

    @property
    def assembly(self) -> Mapping[str, Assembly]:
        """M^-1 J^T (..., nv_u, 3 points), solved here: Drake has no call for it."""
        return {"MinvJT": Assembly(("M", "J"), solved_jacobians)}

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """Each quantity as an array (n, *shape), canonical."""
        return evaluated(self, states, quantities)

    def write_raw(self, at: OwnStates, out: Mapping[str, Floats]) -> None:
        """Writes the raw numbers named in `out` for n states into its arrays (n, *shape), by Drake's own calls.

        Velocities are u of `convention`, points in world axes.
        """
        check_blocks({**at._asdict(), **out}, self._inputs | self._shapes)
        calls = [(array, self._calls[name]) for name, array in out.items() if array.size]
        for i, (q, v, tau) in enumerate(zip(at.q, at.v, at.tau, strict=True)):
            self._plant.SetPositions(self._context, q)
            self._plant.SetVelocities(self._context, v)
            self._force.GetMutableData().get_mutable_value().SetFromVector(tau)
            for array, call in calls:
                array[i] = call()

    def own_calls(self, at: OwnStates, names: Iterable[str]) -> dict[str, Floats]:
        """Nothing: what is assembled has no call of Drake's."""
        del at, names
        return {}

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
