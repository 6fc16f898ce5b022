"""Pinocchio behind the engine protocol: out of URDF, out of MJCF, or joint by joint through its own API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import numpy as np
import pinocchio as pin

from leapcheck import conventions
from leapcheck.engines import pinocchio_build as build
from leapcheck.engines import pinocchio_points as points
from leapcheck.engines.errors import EngineError
from leapcheck.engines.pinocchio_frames import frame_numbers
from leapcheck.engines.pinocchio_steps import record, result_shapes, steps
from leapcheck.engines.projection import NEEDS, Assembly, Floats, OwnStates, check_blocks, evaluated
from leapcheck.engines.protocol import Answers
from leapcheck.states import States
from leapcheck_models.spec import RobotSpec

FORGOTTEN_ARMATURE = (
    "kinetic energy left out: Pinocchio 4.1.0's computeKineticEnergy forgets the armature of joints about generic axes"
)


class PinocchioEngine:
    """One robot in Pinocchio, with its rotors as bodies; owns the model and its data."""

    def __init__(self, name: str, spec: RobotSpec, full: RobotSpec, model: pin.Model, frames: list[int], route: str) -> None:
        """Takes an exact model of `full` (the spec with its rotors as bodies) and the frames of the contact points."""
        self._frames = frames
        self._name, self._route = name, route
        self._model, self._data = model, model.createData()
        if not model.check(self._data):
            raise EngineError(f"{name}: the joints of '{spec.name}' are not depth-first, so crba would be wrong: reorder them")
        self._steps = steps(model, self._data)
        self._shapes = {"q": (model.nq,), "v": (model.nv,), "tau": (model.nv,), **result_shapes(self._steps)}
        self._points = points.points_of(model, frames)
        self._static_energy = build.static_potential_energy(model)
        self._convention = conventions.pinocchio_convention(spec, build.places(full, model))

    @property
    def name(self) -> str:
        """Name in tables and on the command line."""
        return self._name

    @property
    def version(self) -> str:
        """Version of Pinocchio."""
        return str(pin.__version__)

    @property
    def route(self) -> str:
        """How the robot came into Pinocchio, and what of its answers is left out for a known defect."""
        return f"{self._route}; {FORGOTTEN_ARMATURE}" if self._forgets_armature else self._route

    @property
    def quantities(self) -> frozenset[str]:
        """All canonical quantities, but kinetic energy where Pinocchio is known to compute it wrongly."""
        return frozenset(NEEDS) - ({"kinetic_energy"} if self._forgets_armature else set())

    @property
    def _forgets_armature(self) -> bool:
        """Whether a joint about a generic axis has armature: see `FORGOTTEN_ARMATURE`; a test says when that is mended."""
        unaligned = (j for j in self._model.joints if j.shortname() == "JointModelRevoluteUnaligned")
        return any(self._model.armature[joint.idx_v] for joint in unaligned)

    @property
    def convention(self) -> conventions.Convention:
        """Pinocchio's coordinates of this robot."""
        return self._convention

    @property
    def raw_shapes(self) -> Mapping[str, tuple[int, ...]]:
        """Shape of each raw number of one state: `projection`'s M, h, c, g, udot and energies, and what `assembly` takes."""
        return {name: shape for name, shape in self._shapes.items() if name not in OwnStates._fields}

    @property
    def assembly(self) -> Mapping[str, Assembly]:
        """The contact points' numbers out of the joints'; V_pot with what is fixed to the world, which Pinocchio leaves out."""
        at = self._points
        return {
            "p": Assembly(("poses",), partial(points.positions, at)),
            "pdot": Assembly(("poses", "velocities"), partial(points.velocities, at)),
            "J": Assembly(("poses", "joint_jacobians"), partial(points.jacobians, at)),
            "a": Assembly(("poses", "velocities", "accelerations"), partial(points.bias_accelerations, at)),
            "MinvJT": Assembly(("poses", "joint_jacobians", "Minv"), partial(points.solved_jacobians, at)),
            "V_pot": Assembly(("V_pot",), partial(np.add, self._static_energy)),
        }

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """Each quantity as an array (n, *shape), canonical."""
        return evaluated(self, states, quantities)

    def write_raw(self, at: OwnStates, out: Mapping[str, Floats]) -> None:
        """Writes the raw numbers named in `out` for n states into its arrays (n, *shape): all by Pinocchio's own algorithms.

        Velocities are u of `convention`; what the raw numbers of joints mean is said in `pinocchio_points`.
        """
        check_blocks({**at._asdict(), **out}, self._shapes)
        rows = {"q": list(at.q), "v": list(at.v), "tau": list(at.tau)}
        for step in self._steps:
            if not step.results.keys().isdisjoint(out):
                record(step, rows, out)

    def own_calls(self, at: OwnStates, names: Iterable[str]) -> dict[str, Floats]:
        """Those of p, pdot, J and a that are among the names, (n, *shape), by Pinocchio's own calls for each frame.

        Slow; what `assembly` makes of the raw numbers is held against it at a sample of states.
        """
        return frame_numbers(self._model, self._data, self._frames, at, names)
