"""Pinocchio behind the engine protocol: out of URDF, out of MJCF, or joint by joint through its own API."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from leapcheck import conventions
from leapcheck.engines import pinocchio_build as build
from leapcheck.engines.errors import EngineError
from leapcheck.engines.projection import NEEDS, Floats, OwnState, Source, evaluated
from leapcheck.engines.protocol import Answers
from leapcheck.states import States
from leapcheck_models.spec import RobotSpec

AXES = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
"""At the point, world axes: in these a frame's classical acceleration and Jacobian are what the harness compares."""

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
        self._kinematics = model.createData()  # of its own: the algorithms overwrite each other's results
        self._weightless = model.copy()
        self._weightless.gravity = pin.Motion.Zero()
        self._weightless_data = self._weightless.createData()
        self._no_acceleration = np.zeros(model.nv)
        self._static_energy = build.static_potential_energy(model)
        self._convention = conventions.pinocchio_convention(spec, build.places(full, model))
        self._sources = self._own_numbers()

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

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """Each quantity as an array (n, *shape), canonical."""
        return evaluated(self._convention, self._sources, self._move, states, quantities)

    def _own_numbers(self) -> dict[str, Source]:
        """What Pinocchio computes itself, by the names of `projection`."""
        nv, points = self._model.nv, len(self._frames)
        return {
            "M": Source((nv, nv), self._M),
            "h": Source((nv,), self._h),
            "c": Source((nv,), self._c),
            "g": Source((nv,), self._g),
            "udot": Source((nv,), self._udot),
            "p": Source((points, 3), self._p),
            "pdot": Source((points, 3), self._pdot),
            "J": Source((points, 3, nv), self._J),
            "a": Source((points, 3), self._a),
            "MinvJT": Source((nv, 3 * points), self._MinvJT),
            "T_kin": Source((), self._T_kin),
            "V_pot": Source((), self._V_pot),
        }

    def _move(self, at: OwnState) -> None:
        """Kinematics of one state with vdot = 0: placements, velocities, velocity-product accelerations, Jacobians."""
        pin.forwardKinematics(self._model, self._kinematics, at.q, at.v, self._no_acceleration)
        pin.updateFramePlacements(self._model, self._kinematics)
        pin.computeJointJacobians(self._model, self._kinematics)

    def _M(self, out: Floats, at: OwnState) -> None:
        out[...] = pin.crba(self._model, self._data, at.q)

    def _h(self, out: Floats, at: OwnState) -> None:
        out[...] = pin.nonLinearEffects(self._model, self._data, at.q, at.v)

    def _c(self, out: Floats, at: OwnState) -> None:
        out[...] = pin.nonLinearEffects(self._weightless, self._weightless_data, at.q, at.v)

    def _g(self, out: Floats, at: OwnState) -> None:
        out[...] = pin.computeGeneralizedGravity(self._model, self._data, at.q)

    def _udot(self, out: Floats, at: OwnState) -> None:
        out[...] = pin.aba(self._model, self._data, at.q, at.v, at.tau)

    def _p(self, out: Floats, _at: OwnState) -> None:
        placements = self._kinematics.oMf
        for row, frame in zip(out, self._frames, strict=True):
            row[:] = placements[frame].translation

    def _pdot(self, out: Floats, _at: OwnState) -> None:
        for row, frame in zip(out, self._frames, strict=True):
            row[:] = pin.getFrameVelocity(self._model, self._kinematics, frame, AXES).linear

    def _J(self, out: Floats, _at: OwnState) -> None:
        for row, frame in zip(out, self._frames, strict=True):
            row[:] = pin.getFrameJacobian(self._model, self._kinematics, frame, AXES)[:3]

    def _a(self, out: Floats, _at: OwnState) -> None:
        for row, frame in zip(out, self._frames, strict=True):
            row[:] = pin.getFrameClassicalAcceleration(self._model, self._kinematics, frame, AXES).linear

    def _MinvJT(self, out: Floats, at: OwnState) -> None:
        """By the Cholesky factor: `computeMinverse` works in world axes and loses digits with the square of the distance."""
        J = np.empty((len(self._frames), 3, self._model.nv))
        self._J(J, at)
        pin.crba(self._model, self._data, at.q)
        pin.cholesky.decompose(self._model, self._data)
        out[...] = pin.cholesky.computeMinv(self._model, self._data) @ J.reshape(3 * len(self._frames), self._model.nv).T

    def _T_kin(self, out: Floats, _at: OwnState) -> None:
        out[...] = pin.computeKineticEnergy(self._model, self._kinematics)

    def _V_pot(self, out: Floats, _at: OwnState) -> None:
        out[...] = pin.computePotentialEnergy(self._model, self._kinematics) + self._static_energy
