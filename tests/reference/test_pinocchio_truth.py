"""The reference against Pinocchio's own algorithms, called directly: an implementation that nobody here wrote."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from leapcheck_models.rotors import with_rotor_bodies, with_rotor_coordinates
from leapcheck_models.spec import JointType, Placement, RobotSpec
from leapcheck_models.validation import rotational_matrix
from leapcheck_reference import (
    bias_force,
    centroidal_momentum,
    contact_bias_accelerations,
    contact_jacobians,
    contact_positions,
    coriolis_matrix,
    factored_forward_dynamics,
    forward_dynamics,
    gravity_force,
    mass_matrix,
)
from tests.reference.generic_states import Array, case, joint_slices, relative, rotation, scale_free

SCALE_FREE = 3e-14  # |dM_ij| / sqrt(M_ii M_jj); measured worst 2.3e-15
ROUNDING = 1e-13  # of the largest entry; measured worst 1.0e-14
CORIOLIS = 1e-11  # of the largest entry of the bias: Pinocchio's C v with rotors at 10^2 rad/s; measured worst 6.4e-13
SOLVED = 2e-12  # of the largest entry, through M^-1; measured worst 7.0e-14
NAMED = ("mini_cheetah_armature", "mini_cheetah", "pupper_leg", "tree4_6", "falling_rod")
NAMES = (*NAMED, *(f"random:{seed}" for seed in (2, 19, 24, 40, 57)))


def se3(placement: Placement) -> Any:
    return pin.SE3(rotation(np.array(placement.quaternion)).as_matrix(), np.array(placement.p))


def joint_model(kind: JointType, axis: Any) -> Any:
    if kind is JointType.REVOLUTE:
        return pin.JointModelRevoluteUnaligned(np.array(axis))
    if kind is JointType.PRISMATIC:
        return pin.JointModelPrismaticUnaligned(np.array(axis))
    return pin.JointModelFreeFlyer() if kind is JointType.FREE else pin.JointModelSpherical()


def pinocchio_model(spec: RobotSpec) -> tuple[Any, list[int]]:
    """Model of the links, joint by joint, and the numbers of the contact frames."""
    model = pin.Model()
    model.gravity.linear = np.array(spec.gravity)
    held = {"world": (0, pin.SE3.Identity())}
    for body in spec.bodies:
        joint, on_joint = held[body.parent]
        place = on_joint * se3(body.placement)
        if body.joint.type is not JointType.FIXED:
            joint = model.addJoint(joint, joint_model(body.joint.type, body.joint.axis), place, body.joint.name)
            model.armature[model.idx_vs[joint]] = body.joint.armature
            place = pin.SE3.Identity()
        held[body.name] = (joint, place)
        inertia = pin.Inertia(body.inertia.mass, np.array(body.inertia.com), rotational_matrix(body.inertia.rotational))
        model.appendBodyToJoint(joint, inertia, place)
    frames = []
    for point in (p for p in spec.contact_points if p.computed):
        joint, place = held[point.body]
        at = place * pin.SE3(np.eye(3), np.array(point.position))
        frames.append(model.addFrame(pin.Frame(point.name, joint, 0, at, pin.FrameType.OP_FRAME)))
    assert model.check(model.createData())
    return model, frames


def in_pinocchio(spec: RobotSpec, q: Array) -> tuple[Array, Array]:
    """(q_u, T): quaternions x, y, z, w; u = T v with the linear velocity of a base first."""
    q_u, T = q.copy(), np.eye(spec.nv)
    for kind, at, along in joint_slices(spec):
        if kind in (JointType.FREE, JointType.BALL):
            q_u[at][-4:] = np.roll(q[at][-4:], -1)
        if kind is JointType.FREE:
            T[along, along] = np.roll(np.eye(6), 3, axis=0)
    return q_u, T


@pytest.mark.parametrize("name", NAMES)
def test_dynamics_and_contacts_are_pinocchios(name: str) -> None:
    at = case(name)
    full, G = with_rotor_bodies(at.spec)
    model, frames = pinocchio_model(full)
    q, T = in_pinocchio(full, with_rotor_coordinates(at.spec, at.q))
    T = T @ G
    u, zero = T @ at.v, np.zeros(model.nv)

    M = pin.crba(model, model.createData(), q)
    M = np.triu(M) + np.triu(M, 1).T
    assert scale_free(mass_matrix(at.tree, at.q), T.T @ M @ T) <= SCALE_FREE

    nle, g = pin.nonLinearEffects(model, model.createData(), q, u), pin.computeGeneralizedGravity(model, model.createData(), q)
    scale = float(np.abs(nle).max())
    assert relative(bias_force(at.tree, at.q, at.v), T.T @ nle, scale) <= ROUNDING
    assert relative(gravity_force(at.tree, at.q), T.T @ g, scale) <= ROUNDING
    vdot = np.linalg.solve(T.T @ M @ T, at.tau - T.T @ nle)
    assert relative(forward_dynamics(at.tree, at.q, at.v, at.tau), vdot) <= SOLVED
    assert relative(factored_forward_dynamics(at.tree, at.q, at.v, at.tau), vdot) <= SOLVED

    C = T.T @ pin.computeCoriolisMatrix(model, model.createData(), q, u) @ T
    assert relative(coriolis_matrix(at.tree, at.q, at.v) @ at.v, C @ at.v, scale) <= CORIOLIS

    data = model.createData()
    momentum = pin.computeCentroidalMomentum(model, data, q, u)
    expected = np.concatenate([momentum.angular, momentum.linear])
    assert relative(centroidal_momentum(at.tree, at.q, at.v), expected) <= ROUNDING

    pin.forwardKinematics(model, data, q, u, zero)
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    aligned = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    points = contact_positions(at.tree, at.q)
    for k, frame in enumerate(frames):
        assert relative(points[k], data.oMf[frame].translation, 1.0) <= ROUNDING
        J = pin.getFrameJacobian(model, data, frame, aligned)[:3] @ T
        assert relative(contact_jacobians(at.tree, at.q)[k], J) <= ROUNDING
        acceleration = pin.getFrameClassicalAcceleration(model, data, frame, aligned).linear
        assert relative(contact_bias_accelerations(at.tree, at.q, at.v)[k], acceleration) <= ROUNDING
    assert len(points) == len(frames)
