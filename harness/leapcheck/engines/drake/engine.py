"""Drake behind the engine protocol."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import metadata

import numpy as np
from pydrake.multibody.plant import MultibodyPlant

from leapcheck.coordinates import conventions
from leapcheck.engines.drake import build
from leapcheck.engines.drake.calls import PlantCalls, solved_jacobians
from leapcheck.engines.drake.centroidal import centroidal_shapes
from leapcheck.engines.drake.frames import frame_shapes
from leapcheck.engines.drake.points import PlantPoint
from leapcheck.engines.foreign import ForeignEngine
from leapcheck.engines.projection import Assembly, OwnStates, number_shapes
from leapcheck.quantities import CORE
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec


class DrakeEngine(ForeignEngine):
    """One robot in Drake, with its rotors as bodies.

    The numbers are Drake's own but for J M^-1 J^T, which is solved with its M and J.
    """

    def __init__(self, spec: RobotSpec, full: RobotSpec, plant: MultibodyPlant, route: str) -> None:
        """Takes a finalized plant of `full` (the spec with its rotors as bodies)."""
        points = [
            PlantPoint(plant.GetBodyByName(point.body).body_frame(), np.array(point.position, dtype=float).reshape(3, 1))
            for point in full.contact_points
            if point.computed
        ]
        origin = np.zeros((3, 1))
        links = [PlantPoint(plant.GetBodyByName(body.name).body_frame(), origin) for body in spec.bodies]
        self._calls = PlantCalls(plant, points, [*links, *points])
        nq, nv = plant.num_positions(), plant.num_velocities()
        convention = conventions.drake_convention(spec, build.places(full, plant))
        whole = frame_shapes(nv, len(links) + len(points)) | centroidal_shapes(plant)
        whole["inverse_dynamics_with_contacts"] = (nv,)
        shapes, quantities = number_shapes(nv, len(points)) | whole, (*CORE, "inverse_dynamics", *whole)
        version = metadata.version("drake")
        super().__init__("drake", version, route, convention, shapes, sizes=(nq, nv), quantities=quantities)

    @property
    def assembly(self) -> Mapping[str, Assembly]:
        """M^-1 J^T (..., nv_u, 3 points), solved here: Drake has no call for it."""
        return {"MinvJT": Assembly(("M", "J"), solved_jacobians)}

    def write_raw(self, states: OwnStates, out: Mapping[str, Floats]) -> None:
        """Writes the raw numbers named in `out`, by Drake's own calls."""
        self.check_blocks(states, out)
        self._calls.write(states, out)
