"""Pinocchio behind the engine protocol: out of URDF, out of MJCF, or joint by joint through its own API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

import numpy as np
import pinocchio as pin

from leapcheck.coordinates import conventions
from leapcheck.engines.errors import EngineError
from leapcheck.engines.foreign import ForeignEngine
from leapcheck.engines.pinocchio import (
    build,
    centroidal,
    constraints,
    external_forces,
    frame_derivatives,
    link_frames,
    points,
    regressors,
)
from leapcheck.engines.pinocchio.frames import frame_numbers
from leapcheck.engines.pinocchio.steps import record_steps, result_shapes, steps
from leapcheck.engines.projection import Assembly, OwnStates, identity, sliding_friction
from leapcheck.quantities import CORE, QuantityGroup, names_of_group
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

FORGOTTEN_ARMATURE = (
    "kinetic energy left out: Pinocchio 4.1.0's computeKineticEnergy forgets the armature of joints about generic axes"
)


class PinocchioEngine(ForeignEngine):
    """One robot in Pinocchio, with its rotors as bodies; owns the model and its data."""

    def __init__(
        self,
        name: str,
        spec: RobotSpec,
        full: RobotSpec,
        model: pin.Model,
        frames: list[int],
        route: str,
        *,
        of_file: bool = False,
    ) -> None:
        """Takes an exact model of `full` (the spec with its rotors as bodies) and the frames of the contact points.

        `of_file`: damping and friction of the joints are what Pinocchio read in a file.
        """
        loops = constraints.loop_frames(full, model)
        self._frames, self._model, self._data = frames, model, model.createData()
        if not model.check(self._data):
            raise EngineError(f"{name}: the joints of '{spec.name}' are not depth-first, so crba would be wrong: reorder them")
        all_frames = [*(build.link_number(model, body.name) for body in spec.bodies), *frames]
        self._steps = (
            *steps(model, self._data),
            external_forces.step(model, self._data, frames),
            *centroidal.steps(model, self._data),
            *constraints.steps(full, model, self._data, loops),
            *regressors.steps(model, self._data),
            link_frames.step(model, self._data, all_frames),
            frame_derivatives.step(model, self._data, all_frames),
        )
        names = (*(body.name for body in spec.bodies), *(body.rotor.name for body in spec.bodies if body.rotor))
        self._bodies = regressors.body_columns(model, [build.link_number(model, name) for name in names])
        self._points = points.points_of(model, frames)
        self._static_energy = build.static_potential_energy(model)
        forgets = forgets_armature(model)
        own_solver = constraints.has_own_solver(spec) and spec.nv == full.nv
        constrained = names_of_group(QuantityGroup.CONSTRAINTS) if spec.loops or spec.couplings else ()
        groups = (QuantityGroup.DYNAMICS, QuantityGroup.DERIVATIVES, QuantityGroup.REGRESSORS, QuantityGroup.KINEMATICS)
        beyond = [name for group in groups for name in names_of_group(group)]
        beyond += passive_quantities(spec) if of_file else ()
        super().__init__(
            name,
            str(pin.__version__),
            "; ".join([route, *([FORGOTTEN_ARMATURE] if forgets else []), *([constraints.OWN_SOLVER] if own_solver else [])]),
            conventions.pinocchio_convention(spec, build.places(full, model)),
            result_shapes(self._steps),
            sizes=(model.nq, model.nv),
            quantities={*CORE, *beyond, *centroidal.quantities(model), *constrained} - ({"kinetic_energy"} if forgets else set()),
        )

    @property
    def assembly(self) -> Mapping[str, Assembly]:
        """The contact points' numbers out of the joints'; V_pot with what is fixed to the world, which Pinocchio leaves out."""
        contact_points = self._points
        return {
            "p": Assembly(("poses",), partial(points.positions, contact_points)),
            "pdot": Assembly(("poses", "velocities"), partial(points.velocities, contact_points)),
            "J": Assembly(("poses", "joint_jacobians"), partial(points.jacobians, contact_points)),
            "a": Assembly(  # w x v
                ("poses", "velocities", "accelerations"), partial(points.bias_accelerations, contact_points), speed_power=2
            ),
            "MinvJT": Assembly(("poses", "joint_jacobians", "Minv"), partial(points.solved_jacobians, contact_points)),
            "V_pot": Assembly(("V_pot",), partial(np.add, self._static_energy)),
            "coriolis_matrix": Assembly(("christoffel_matrix",), identity),
            "minverse": Assembly(("Minv",), identity),
            **passive_assembly(self._model),
            **centroidal.assembly(),
            **regressors.assembly(self._model, self._bodies),
        }

    def write_raw(self, states: OwnStates, out: Mapping[str, Floats]) -> None:
        """Writes the raw numbers named in `out`, all by Pinocchio's own algorithms; `points` says what those of joints mean."""
        self.check_blocks(states, out)
        record_steps(self._steps, states, out)

    def own_calls(self, states: OwnStates, names: Iterable[str]) -> dict[str, Floats]:
        """Those of p, pdot, J and a that are among the names, by Pinocchio's own calls for each frame: slow, for comparison."""
        return frame_numbers(self._model, self._data, self._frames, states, names)


def passive_quantities(spec: RobotSpec) -> tuple[str, ...]:
    """What Pinocchio's fields say of passive forces, which none of its algorithms adds; it has no springs."""
    springs = any(body.joint.stiffness for body in spec.bodies)
    return ("dry_friction",) if springs else ("passive_forces", "dry_friction")


def passive_assembly(model: pin.Model) -> dict[str, Assembly]:
    """These quantities by the model's fields."""
    return {
        "passive_forces": Assembly(("own_v",), partial(np.multiply, -model.damping)),
        "dry_friction": Assembly(("own_v",), partial(sliding_friction, model.friction.copy())),
    }


def forgets_armature(model: pin.Model) -> bool:
    """Whether a joint about a generic axis has armature: see `FORGOTTEN_ARMATURE`; a test says when that is mended."""
    unaligned = (joint for joint in model.joints if joint.shortname() == "JointModelRevoluteUnaligned")
    return any(model.armature[joint.idx_v] for joint in unaligned)
