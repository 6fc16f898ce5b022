"""A user's engine that answers every quantity of a floating robot, by Pinocchio's own functions and in its conventions.

    leapcheck compare mini_cheetah_armature --engine whole_robot:WholeRobot --quantities all

Pinocchio's quaternions are x y z w and its six-vectors linear first: both are declared for the base. What is about frames and the
centre of mass is asked for in world axes, [angular; linear].
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin

from leapcheck.engines.pinocchio.build import model_from_urdf, write_exact_values
from leapcheck_models.spec import control_laws

AXES = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
ANGULAR_FIRST = [3, 4, 5, 0, 1, 2]


class WholeRobot:
    """Each quantity by one call, state by state."""

    def __init__(self, spec):
        limited = (replace(body.joint, limits=(-9.0, 9.0)) if body.joint.axis else body.joint for body in spec.bodies)
        bodies = tuple(replace(body, joint=joint) for body, joint in zip(spec.bodies, limited, strict=True))
        spec = replace(spec, bodies=bodies)  # a joint without limits would be (cos, sin) in Pinocchio's q
        self.model = model_from_urdf(spec)
        write_exact_values(spec, self.model)
        self.data = self.model.createData()
        points = [point.name for point in spec.contact_points if point.computed]
        self.frames = [self.model.getFrameId(name) for name in (*(body.name for body in spec.bodies), *points)]
        self.points = len(points)
        joints = [self.model.frames[frame].parentJoint for frame in self.frames[: len(spec.bodies)]]
        self.columns = np.concatenate([10 * (joint - 1) + np.arange(10) for joint in joints])  # in the order of the links
        self.weightless = self.model.copy()
        self.weightless.gravity = pin.Motion.Zero()
        names = list(self.model.names)[2:]
        self.limits = np.zeros(self.model.nv)
        for law in control_laws(spec):
            self.limits[self.model.joints[self.model.getJointId(law.joint)].idx_v] = law.control_limits[1]
        self.conventions = {"quaternion": "xyzw", "order": "linear first", "joints": names}
        self.rest = np.zeros(self.model.nv)

    def mass_matrix(self, q):
        M = pin.crba(self.model, self.data, q)
        return np.triu(M) + np.triu(M, 1).T

    def bias_force(self, q, v):
        return pin.nonLinearEffects(self.model, self.data, q, v)

    def gravity_force(self, q):
        return pin.computeGeneralizedGravity(self.model, self.data, q)

    def coriolis_force(self, q, v):
        return pin.nonLinearEffects(self.weightless, self.data, q, v)

    def forward_dynamics(self, q, v, tau):
        return pin.aba(self.model, self.data, q, v, tau)

    def inverse_dynamics(self, q, v, vdot):
        return pin.rnea(self.model, self.data, q, v, vdot)

    def inverse_dynamics_with_contacts(self, q, v, vdot, contact_forces):
        return pin.rnea(self.model, self.data, q, v, vdot, self.wrenches(q, contact_forces))

    def wrenches(self, q, contact_forces):
        """World forces at the contact points as Pinocchio takes them: on each joint, at its origin and in its axes."""
        pin.framesForwardKinematics(self.model, self.data, q)
        on_joints = [pin.Force.Zero() for _ in range(self.model.njoints)]
        for number, force in zip(self.frames[len(self.frames) - self.points :], contact_forces, strict=True):
            frame, R = self.model.frames[number], self.data.oMf[number].rotation
            on_joints[frame.parentJoint] += frame.placement.act(pin.Force(R.T @ force, np.zeros(3)))
        wrenches = pin.StdVec_Force()
        wrenches.extend(on_joints)
        return wrenches

    def minverse(self, q):
        return np.linalg.inv(self.mass_matrix(q))

    def coriolis_matrix(self, q, v):
        return pin.computeCoriolisMatrix(self.model, self.data, q, v)

    christoffel_matrix = coriolis_matrix

    def inverse_dynamics_derivative_q(self, q, v, vdot):
        return pin.computeRNEADerivatives(self.model, self.data, q, v, vdot)[0]

    def inverse_dynamics_derivative_v(self, q, v):
        return pin.computeRNEADerivatives(self.model, self.data, q, v, self.rest)[1]

    def forward_dynamics_derivative_q(self, q, v, tau):
        return pin.computeABADerivatives(self.model, self.data, q, v, tau)[0]

    def forward_dynamics_derivative_v(self, q, v):
        return pin.computeABADerivatives(self.model, self.data, q, v, self.rest)[1]

    def forward_dynamics_derivative_tau(self, q):
        return pin.computeABADerivatives(self.model, self.data, q, self.rest, self.rest)[2]

    def joint_torque_regressor(self, q, v, vdot):
        return pin.computeJointTorqueRegressor(self.model, self.data, q, v, vdot)[:, self.columns]

    def kinetic_energy_regressor(self, q, v):
        return np.ravel(pin.computeKineticEnergyRegressor(self.model, self.data, q, v))[self.columns]

    def potential_energy_regressor(self, q):
        return np.ravel(pin.computePotentialEnergyRegressor(self.model, self.data, q))[self.columns]

    def kinetic_energy(self, q, v):
        return pin.computeKineticEnergy(self.model, self.data, q, v)

    def potential_energy(self, q):
        return pin.computePotentialEnergy(self.model, self.data, q)

    def frame_placements(self, q):
        pin.framesForwardKinematics(self.model, self.data, q)
        return np.array([self.data.oMf[frame].homogeneous[:3] for frame in self.frames])

    def frame_velocities(self, q, v):
        pin.forwardKinematics(self.model, self.data, q, v)
        return np.array([pin.getFrameVelocity(self.model, self.data, f, AXES).vector[ANGULAR_FIRST] for f in self.frames])

    def frame_jacobians(self, q):
        pin.computeJointJacobians(self.model, self.data, q)
        pin.updateFramePlacements(self.model, self.data)
        return np.array([pin.getFrameJacobian(self.model, self.data, f, AXES)[ANGULAR_FIRST] for f in self.frames])

    def frame_jacobian_rates(self, q, v):
        pin.computeJointJacobiansTimeVariation(self.model, self.data, q, v)
        pin.updateFramePlacements(self.model, self.data)
        rates = [pin.getFrameJacobianTimeVariation(self.model, self.data, f, AXES)[ANGULAR_FIRST] for f in self.frames]
        return np.array(rates)

    def frame_bias_accelerations(self, q, v):
        pin.forwardKinematics(self.model, self.data, q, v, self.rest)
        rows = [pin.getFrameClassicalAcceleration(self.model, self.data, f, AXES).vector for f in self.frames]
        return np.array(rows)[:, ANGULAR_FIRST]

    def frame_velocity_derivative_q(self, q, v):
        return self._frame_derivatives(q, v, self.rest)[0]

    def frame_acceleration_derivative_q(self, q, v, vdot):
        return self._frame_derivatives(q, v, vdot)[1]

    def frame_acceleration_derivative_v(self, q, v):
        return self._frame_derivatives(q, v, self.rest)[2]

    def contact_positions(self, q):
        return self._of_points(self.frame_placements(q))[:, :, 3]

    def contact_velocities(self, q, v):
        return self._of_points(self.frame_velocities(q, v))[:, 3:]

    def contact_jacobians(self, q):
        return self._of_points(self.frame_jacobians(q))[:, 3:]

    def contact_bias_accelerations(self, q, v):
        return self._of_points(self.frame_bias_accelerations(q, v))[:, 3:]

    def contact_inertia(self, q):
        J = self.contact_jacobians(q).reshape(-1, self.model.nv)
        return J @ np.linalg.solve(self.mass_matrix(q), J.T)

    def operational_inertia_inverse(self, q):
        M = self.mass_matrix(q)
        return np.array([J @ np.linalg.solve(M, J.T) for J in self._of_points(self.frame_jacobians(q))])

    def com_position(self, q):
        return pin.centerOfMass(self.model, self.data, q)

    def com_velocity(self, q, v):
        pin.centerOfMass(self.model, self.data, q, v)
        return self.data.vcom[0].copy()

    def com_jacobian(self, q):
        return pin.jacobianCenterOfMass(self.model, self.data, q)

    def com_bias_acceleration(self, q, v):
        pin.centerOfMass(self.model, self.data, q, v, self.rest)
        return self.data.acom[0].copy()

    def centroidal_momentum(self, q, v):
        return pin.computeCentroidalMomentum(self.model, self.data, q, v).vector[ANGULAR_FIRST]

    def centroidal_momentum_matrix(self, q):
        return pin.ccrba(self.model, self.data, q, self.rest)[ANGULAR_FIRST]

    def centroidal_momentum_rate(self, q, v):
        return pin.computeCentroidalMomentumTimeVariation(self.model, self.data, q, v, self.rest).vector[ANGULAR_FIRST]

    def centroidal_inertia(self, q):
        pin.ccrba(self.model, self.data, q, self.rest)
        return self.data.Ig.matrix()[np.ix_(ANGULAR_FIRST, ANGULAR_FIRST)]

    def passive_forces(self, q, v):
        return -self.model.damping * v  # Pinocchio has no springs, and adds no damping itself

    def actuator_torques(self, q, v, tau):
        return np.clip(tau, -self.limits, self.limits)  # motors behind gears: the command is the torque at the joint

    def dry_friction(self, v):
        return -self.model.friction * np.sign(v)

    def _frame_derivatives(self, q, v, vdot):
        """Of [w; pdot] by q, of classical [wdot; pddot] by q and by v: Pinocchio's hold the place of the frame's origin."""
        pin.computeForwardKinematicsDerivatives(self.model, self.data, q, v, vdot)
        pin.updateFramePlacements(self.model, self.data)
        answers = []
        for f in self.frames:
            V, A = (get(self.model, self.data, f, AXES) for get in (pin.getFrameVelocity, pin.getFrameAcceleration))
            V_q, A_q, A_v, J = (
                x[ANGULAR_FIRST].copy() for x in pin.getFrameAccelerationDerivatives(self.model, self.data, f, AXES)
            )
            V_q[3:] += pin.skew(V.angular) @ J[3:]  # the origin moves
            A_q[3:] += pin.skew(A.angular) @ J[3:]
            A_q[3:] += pin.skew(V.angular) @ V_q[3:] - pin.skew(V.linear) @ V_q[:3]  # classical: w x pdot besides
            A_v[3:] += pin.skew(V.angular) @ J[3:] - pin.skew(V.linear) @ J[:3]
            answers.append((V_q, A_q, A_v))
        return [np.array(rows) for rows in zip(*answers, strict=True)]

    def _of_points(self, rows):
        return rows[len(rows) - self.points :]
