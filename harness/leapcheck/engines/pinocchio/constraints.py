"""Closed loops and coupled joints in Pinocchio: rows of its frames, and its constraintDynamics for loops of connects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from leapcheck.coordinates.conventions import Place
from leapcheck.engines.constrained import constrained_accelerations
from leapcheck.engines.pinocchio import build
from leapcheck.engines.pinocchio.frames import AXES
from leapcheck.engines.pinocchio.steps import Step
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import WORLD, JointType, LoopType, RobotSpec, Vector3
from leapcheck_reference.closed_loops import curvature, slope

ACCURACY, MU, MOST_STEPS = 1e-14, 1e-10, 50
"""Pinocchio's proximal solver: its tolerance, absolute and relative, its parameter, and the most iterations."""

REGULAR = 1e-4
"""Least singular value of the rows, relative to the largest, at which Pinocchio's own solver is asked. Nearer to a singular loop
it loses digits with the square (on Cassie 324 units of rounding at 1e-5), and the equations are solved here.
"""

OWN_SOLVER = f"closed loops by constraintDynamics (proximal, to {ACCURACY:g}), near singular ones by leapcheck"


@dataclass(frozen=True, slots=True)
class LoopFrames:
    """A loop's two ends as frames of the model."""

    is_weld: bool
    ends: tuple[int, int]


def loop_frames(spec: RobotSpec, model: pin.Model) -> list[LoopFrames]:
    """New frames at the ends of each loop: to be added before the model's data are made."""
    return [
        LoopFrames(loop.type is LoopType.WELD, (_frame(model, loop.body1, loop.point1), _frame(model, loop.body2, loop.point2)))
        for loop in spec.loops
    ]


def steps(spec: RobotSpec, model: pin.Model, data: pin.Data, frames: Sequence[LoopFrames]) -> tuple[Step, ...]:
    """The algorithms of a robot with its rotors as bodies; none where it has neither loops nor couplings."""
    if not (spec.loops or spec.couplings):
        return ()
    count = sum(6 if loop.is_weld else 3 for loop in frames) + len(spec.couplings)
    J, bias, udot = np.zeros((count, model.nv)), np.zeros(count), np.zeros(model.nv)
    solver = RigidSolver(model, frames) if has_own_solver(spec) else None
    rest, places = np.zeros(model.nv), build.places(spec, model)

    def rows(q: Floats, v: Floats) -> None:
        pin.forwardKinematics(model, data, q, v, rest)
        pin.updateFramePlacements(model, data)
        pin.computeJointJacobians(model, data)
        parts = [_rows(model, data, loop) for loop in frames]
        couplings = _coupling_rows(spec, places, q, v)
        J[:] = np.concatenate([*(part[0] for part in parts), couplings[0]])
        bias[:] = np.concatenate([*(part[1] for part in parts), couplings[1]])

    def dynamics(q: Floats, v: Floats, tau: Floats) -> None:
        rows(q, v)
        M = pin.crba(model, data, q).copy()
        if solver and _is_regular(J / np.sqrt(np.diagonal(M))):
            udot[:] = solver(q, v, tau)
        else:
            force = tau - pin.nonLinearEffects(model, data, q, v)
            udot[:] = constrained_accelerations(spec, M[None], force[None], J[None], bias[None])[0]

    return (
        Step(rows, ("q", "v"), {"constraint_jacobian": J, "constraint_bias": bias}),
        Step(dynamics, ("q", "v", "tau"), {"constrained_forward_dynamics": udot}),
    )


def has_own_solver(spec: RobotSpec) -> bool:
    """Whether Pinocchio's constraints are those of the robot: it has none of coupled joints, and in an open loop another weld."""
    return bool(spec.loops) and not spec.couplings and all(loop.type is LoopType.CONNECT for loop in spec.loops)


class RigidSolver:
    """Pinocchio's constraintDynamics on loops of connects."""

    def __init__(self, model: pin.Model, loops: Sequence[LoopFrames]) -> None:
        self._model, self._data = model, model.createData()
        self._constraints, self._constraint_data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for loop in loops:
            first, second = (model.frames[frame] for frame in loop.ends)
            ends = (first.parentJoint, first.placement, second.parentJoint, second.placement)
            self._constraints.append(pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, *ends, AXES))
            self._constraint_data.append(self._constraints[-1].createData())
        pin.initConstraintDynamics(model, self._data, self._constraints, self._constraint_data)

    def __call__(self, q: Floats, v: Floats, tau: Floats) -> Floats:
        """udot (nv,)."""
        settings = pin.ProximalSettings(ACCURACY, ACCURACY, MU, MOST_STEPS)
        udot: Floats = pin.constraintDynamics(
            self._model, self._data, q, v, tau, self._constraints, self._constraint_data, settings
        )
        return udot


def _frame(model: pin.Model, body: str, point: Vector3) -> int:
    """Number of a new frame at a point of a link or of the world."""
    link = model.frames[0] if body == WORLD else build.link_frame(model, body)
    placement = link.placement * pin.SE3(np.eye(3), np.array(point, dtype=float))
    frame = pin.Frame(f"loop end {len(model.frames)}", link.parentJoint, placement, pin.FrameType.OP_FRAME)
    return int(model.addFrame(frame, False))


def _rows(model: pin.Model, data: pin.Data, loop: LoopFrames) -> tuple[Floats, Floats]:
    """J and Jdot u of a loop: end 2 less end 1, by Pinocchio's calls for frames, the angular part of a weld first."""
    J, bias = [], []
    for frame in loop.ends:
        own = pin.getFrameJacobian(model, data, frame, AXES).reshape(6, -1)  # a vector where nv is 1
        linear = pin.getFrameClassicalAcceleration(model, data, frame, AXES).linear
        angular = pin.getFrameAcceleration(model, data, frame, AXES).angular
        J.append(np.concatenate([own[3:], own[:3]]))
        bias.append(np.concatenate([angular, linear]))
    first = 0 if loop.is_weld else 3
    return (J[1] - J[0])[first:], (bias[1] - bias[0])[first:]


def _coupling_rows(spec: RobotSpec, places: Mapping[str, Place], q: Floats, v: Floats) -> tuple[Floats, Floats]:
    """J and Jdot u of the coupled joints: Pinocchio has none, only their places are its own."""
    turning = {body.joint.name for body in spec.bodies if body.joint.type is JointType.REVOLUTE} if spec.couplings else set()
    J, bias = np.zeros((len(spec.couplings), len(v))), np.zeros(len(spec.couplings))
    for k, coupling in enumerate(spec.couplings):
        J[k, places[coupling.joint].v] = 1.0
        if coupling.leader:
            place = places[coupling.leader]
            circular = place.circular and coupling.leader in turning
            x = np.arctan2(q[place.q + 1], q[place.q]) if circular else q[place.q]
            J[k, place.v] = -slope(coupling.coefficients, x)
            bias[k] = -curvature(coupling.coefficients, x) * v[place.v] ** 2
    return J, bias


def _is_regular(rows: Floats) -> bool:
    sizes = np.linalg.svd(rows, compute_uv=False)
    return len(rows) <= rows.shape[1] and bool(sizes[-1] > REGULAR * sizes[0])
