"""Twenty faults that a user of Pinocchio makes, in the engine of the examples that answers every quantity, each named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from leapcheck.engines.outside.user import user_engine
from leapcheck.judge.diagnosis import diagnose
from leapcheck.quantities import quantity_names
from leapcheck.sampling import generated_states
from leapcheck_models.robots import load
from tests.examples.engines.whole_robot import ANGULAR_FIRST, AXES, WholeRobot

pytestmark = pytest.mark.slow

SPEC = load("mini_cheetah_armature")
STATES = generated_states(SPEC, 12, 1, 0)
LOCAL, WORLD = pin.ReferenceFrame.LOCAL, pin.ReferenceFrame.WORLD

Answer = Callable[..., Any]
FAULTS: dict[str, tuple[str, str, Answer]] = {}
"""By name: group that is asked for, the quantity, and the method with the fault."""


def fault(name: str, group: str) -> Callable[[Answer], Answer]:
    def note(method: Answer) -> Answer:
        FAULTS[name] = group, method.__name__, method
        return method

    return note


def jacobians(self: Any, q: Any, axes: pin.ReferenceFrame) -> Any:
    pin.computeJointJacobians(self.model, self.data, q)
    pin.updateFramePlacements(self.model, self.data)
    return np.array([pin.getFrameJacobian(self.model, self.data, frame, axes) for frame in self.frames])


@fault("frame/local:frame_jacobians", "kinematics")
def frame_jacobians(self: Any, q: Any) -> Any:
    return jacobians(self, q, LOCAL)[:, ANGULAR_FIRST]


@fault("frame/world+linear-first:frame_jacobians", "kinematics")
def frame_jacobians(self: Any, q: Any) -> Any:  # noqa: F811
    return jacobians(self, q, WORLD)


@fault("frame/linear-first:frame_velocities", "kinematics")
def frame_velocities(self: Any, q: Any, v: Any) -> Any:
    pin.forwardKinematics(self.model, self.data, q, v)
    return np.array([pin.getFrameVelocity(self.model, self.data, frame, AXES).vector for frame in self.frames])


@fault("frame/spatial", "kinematics")
def frame_bias_accelerations(self: Any, q: Any, v: Any) -> Any:
    pin.forwardKinematics(self.model, self.data, q, v, self.rest)
    rows = [pin.getFrameAcceleration(self.model, self.data, frame, AXES).vector for frame in self.frames]
    return np.array(rows)[:, ANGULAR_FIRST]


@fault("frame/local-spatial:frame_bias_accelerations", "kinematics")
def frame_bias_accelerations(self: Any, q: Any, v: Any) -> Any:  # noqa: F811
    pin.forwardKinematics(self.model, self.data, q, v, self.rest)
    rows = [pin.getFrameAcceleration(self.model, self.data, frame, LOCAL).vector for frame in self.frames]
    return np.array(rows)[:, ANGULAR_FIRST]


@fault("frame/local:frame_jacobian_rates", "kinematics")
def frame_jacobian_rates(self: Any, q: Any, v: Any) -> Any:
    pin.computeJointJacobiansTimeVariation(self.model, self.data, q, v)
    pin.updateFramePlacements(self.model, self.data)
    rates = [pin.getFrameJacobianTimeVariation(self.model, self.data, frame, LOCAL) for frame in self.frames]
    return np.array(rates)[:, ANGULAR_FIRST]


@fault("frame/inverse-placement", "kinematics")
def frame_placements(self: Any, q: Any) -> Any:
    pin.framesForwardKinematics(self.model, self.data, q)
    return np.array([self.data.oMf[frame].inverse().homogeneous[:3] for frame in self.frames])


@fault("momentum/linear-first:centroidal_momentum_matrix", "centroidal")
def centroidal_momentum_matrix(self: Any, q: Any) -> Any:
    return pin.ccrba(self.model, self.data, q, self.rest)


@fault("momentum/about-origin:centroidal_momentum", "centroidal")
def centroidal_momentum(self: Any, q: Any, v: Any) -> Any:
    h = pin.computeCentroidalMomentum(self.model, self.data, q, v)
    com = pin.SE3(np.eye(3), self.data.com[0])
    return com.act(h).vector[ANGULAR_FIRST]


@fault("com/in-base", "centroidal")
def com_position(self: Any, q: Any) -> Any:
    pin.centerOfMass(self.model, self.data, q)
    return self.data.oMi[1].actInv(self.data.com[0])


@fault("com/lifted:com_bias_acceleration", "centroidal")
def com_bias_acceleration(self: Any, q: Any, v: Any) -> Any:
    pin.centerOfMass(self.model, self.data, q, v, self.rest)
    return self.data.acom[0] - self.model.gravity.linear


@fault("momentum/spin-alone:centroidal_inertia", "centroidal")
def centroidal_inertia(self: Any, q: Any) -> Any:
    pin.forwardKinematics(self.model, self.data, q)
    total = np.zeros((6, 6))
    for joint in range(1, self.model.njoints):
        R, body = self.data.oMi[joint].rotation, self.model.inertias[joint]
        total[:3, :3] += R @ body.inertia @ R.T
        total[3:, 3:] += body.mass * np.eye(3)
    return total


@fault("coriolis/transposed:christoffel_matrix", "dynamics")
def christoffel_matrix(self: Any, q: Any, v: Any) -> Any:
    return pin.computeCoriolisMatrix(self.model, self.data, q, v).T


@fault("inverse-dynamics/no-gravity", "dynamics gravity_force")
def inverse_dynamics(self: Any, q: Any, v: Any, vdot: Any) -> Any:
    return pin.rnea(self.weightless, self.data, q, v, vdot)


@fault("storage/upper-only-in-own-order:minverse", "dynamics")
def minverse(self: Any, q: Any) -> Any:
    return np.triu(np.linalg.inv(self.mass_matrix(q)))


@fault("operational/local:operational_inertia_inverse", "dynamics")
def operational_inertia_inverse(self: Any, q: Any) -> Any:
    M, J = self.mass_matrix(q), self._of_points(jacobians(self, q, LOCAL)[:, ANGULAR_FIRST])
    return J @ np.linalg.solve(M, np.swapaxes(J, 1, 2))


@fault("derivative/no-inverse:forward_dynamics_derivative_q", "derivatives")
def forward_dynamics_derivative_q(self: Any, q: Any, v: Any, tau: Any) -> Any:
    return -np.linalg.solve(self.mass_matrix(q), pin.computeRNEADerivatives(self.model, self.data, q, v, self.rest)[0])


@fault("derivative/not-solved:forward_dynamics_derivative_v", "derivatives")
def forward_dynamics_derivative_v(self: Any, q: Any, v: Any) -> Any:
    return -pin.computeRNEADerivatives(self.model, self.data, q, v, self.rest)[1]


@fault("derivative/no-acceleration:inverse_dynamics_derivative_q", "derivatives")
def inverse_dynamics_derivative_q(self: Any, q: Any, v: Any, vdot: Any) -> Any:
    return pin.computeRNEADerivatives(self.model, self.data, q, v, self.rest)[0]


@fault("regressor/no-velocity", "regressors")
def joint_torque_regressor(self: Any, q: Any, v: Any, vdot: Any) -> Any:
    return pin.computeJointTorqueRegressor(self.model, self.data, q, 0.0 * v, vdot)[:, self.columns]


@fault("regressor/alphabetical:potential_energy_regressor", "regressors")
def potential_energy_regressor(self: Any, q: Any) -> Any:
    return np.ravel(pin.computePotentialEnergyRegressor(self.model, self.data, q))


def test_there_are_twenty_of_them_in_eighteen_quantities() -> None:
    assert len(FAULTS) >= 20
    assert len({quantity for _, quantity, _ in FAULTS.values()}) >= 18


def test_the_engine_without_a_fault_is_right() -> None:
    names = quantity_names(("kinematics", "centroidal", "dynamics", "derivatives", "regressors"))
    assert diagnose(SPEC, user_engine(WholeRobot, SPEC), STATES, names) == ()


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named(name: str) -> None:
    group, quantity, method = FAULTS[name]
    faulty = type("Faulty", (WholeRobot,), {quantity: method})
    (diagnosis,) = diagnose(SPEC, user_engine(faulty, SPEC), STATES, quantity_names(group.split()))
    assert not diagnosis.unexplained
    assert [falls.quantity for falls in diagnosis.falls] == [quantity]
    assert name in [cause.name for cause in diagnosis.causes]
    assert len(diagnosis.causes) == 1
