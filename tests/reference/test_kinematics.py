from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from leapcheck_models.spec import Body, Joint, JointType, Placement, RobotSpec, add_body
from leapcheck_reference import bias_accelerations, build, forward_accelerations, forward_kinematics, mass_matrix
from leapcheck_reference.kinematics import frames, link_motions, rotor_motions
from leapcheck_reference.rotation import skew
from leapcheck_reference.spatial import motion_cross, motion_to_child
from tests.reference.generic_states import Array, Case, case, derivative, joint_slices, rate, relative
from tests.reference.world_bodies import INERTIA, world_bodies

pytestmark = pytest.mark.quick

ROUNDING = 2e-14  # of the largest entry; measured worst 3.8e-15


def link_poses(at: Case) -> tuple[Array, Array]:
    """Poses of the links alone, by the tests' own kinematics."""
    bodies = world_bodies(at.spec, at.q)
    drawn = iter(bodies)
    links = []
    for body in at.spec.bodies:
        links.append(next(drawn))
        if body.rotor:
            next(drawn)
    return np.array([b.R for b in links]), np.array([b.p for b in links])


def test_world_poses(case: Case) -> None:
    kinematics = forward_kinematics(case.tree, case.q, case.v)
    R_WB, p_WB = link_poses(case)
    assert relative(kinematics.R_WB, R_WB) <= ROUNDING
    assert relative(kinematics.p_WB, p_WB) <= ROUNDING


def test_velocities_are_the_rates_of_the_poses(case: Case) -> None:
    """V = [w; v] in link axes: R~ w = R^T Rdot, v = R^T pdot."""
    kinematics = forward_kinematics(case.tree, case.q, case.v)
    qdot = rate(case.spec, case.q, case.v)
    Rdot = derivative(lambda q: forward_kinematics(case.tree, q, case.v).R_WB, (case.q, qdot))
    pdot = derivative(lambda q: forward_kinematics(case.tree, q, case.v).p_WB, (case.q, qdot))
    W = kinematics.R_WB.transpose(0, 2, 1) @ Rdot
    V = np.array(kinematics.V.links)
    assert relative(np.array([skew(w) for w in V[:, :3]]), W) <= ROUNDING
    assert relative(np.einsum("bij,bj->bi", kinematics.R_WB, V[:, 3:]), pdot) <= ROUNDING


def test_velocity_product_acceleration_is_v_cross_joint_velocity(case: Case) -> None:
    kinematics = forward_kinematics(case.tree, case.q, case.v)
    for i, link in enumerate(case.tree.links):
        moving = [(link.S, kinematics.V.links[i], kinematics.c.links[i])]
        V_rotor, c_rotor = kinematics.V.rotors[i], kinematics.c.rotors[i]
        assert (V_rotor is None) == (c_rotor is None) == (link.rotor is None)
        if link.rotor and V_rotor is not None and c_rotor is not None:
            moving.append((link.rotor.S, V_rotor, c_rotor))
        for S, V, c in moving:
            assert relative(c, motion_cross(V, S @ case.v[link.v]), float(V @ V)) <= ROUNDING


def test_rotor_velocities_are_the_parents_and_the_spin(case: Case) -> None:
    V, X_rotor = forward_kinematics(case.tree, case.q, case.v).V, frames(case.tree, case.q).X_rotor
    for i, link in enumerate(case.tree.links):
        X = X_rotor[i]
        if link.rotor and X:
            parent = V.links[link.parent] if link.parent >= 0 else np.zeros(6)
            spin = np.concatenate([link.rotor.gear_ratio * case.v[link.v][0] * link.rotor.axis, np.zeros(3)])
            V_rotor = V.rotors[i]
            assert V_rotor is not None
            assert relative(V_rotor, motion_to_child(X, parent) + spin) <= ROUNDING


def test_bias_accelerations_are_the_rates_of_the_velocities(case: Case) -> None:
    """With v constant V changes, component by component, at the bias acceleration; rotors that are left unturned apart."""
    qdot = rate(case.spec, case.q, case.v)
    A = bias_accelerations(case.tree, case.q, case.v)
    Vdot = derivative(lambda q: np.array(forward_kinematics(case.tree, q, case.v).V.links), (case.q, qdot))
    assert relative(np.array(A.links), Vdot) <= ROUNDING
    for i, link in enumerate(case.tree.links):
        A_rotor = A.rotors[i]
        if link.rotor and link.rotor.spins and A_rotor is not None:
            rate_i = derivative(lambda q, i=i: forward_kinematics(case.tree, q, case.v).V.rotors[i], (case.q, qdot))
            assert relative(A_rotor, rate_i) <= ROUNDING


def test_forward_accelerations_are_the_rates_of_the_velocities_and_minus_gravity(case: Case) -> None:
    A = forward_accelerations(case.tree, case.q, case.v, case.vdot)
    kinematics = forward_kinematics(case.tree, case.q, case.v)
    Vdot = derivative(
        lambda q, v: np.array(forward_kinematics(case.tree, q, v).V.links),
        (case.q, rate(case.spec, case.q, case.v)),
        (case.v, case.vdot),
    )
    lifted = -np.einsum("bji,j->bi", kinematics.R_WB, np.array(case.spec.gravity))
    assert relative(np.array(A.links), Vdot + np.pad(lifted, ((0, 0), (3, 0)))) <= ROUNDING


def test_motions_of_bodies_are_the_spatial_ones_with_classical_accelerations(case: Case) -> None:
    """The classical acceleration of the origin is the spatial one and w x v (Featherstone, section 2.11)."""
    at = frames(case.tree, case.q)
    links = link_motions(case.tree, at, case.v, case.vdot, -case.tree.gravity)
    rotors = rotor_motions(case.tree, at, links, case.v, case.vdot, -case.tree.gravity)
    V = forward_kinematics(case.tree, case.q, case.v).V
    A = forward_accelerations(case.tree, case.q, case.v, case.vdot)
    for motion, V_i, A_i in zip([*links, *rotors], [*V.links, *V.rotors], [*A.links, *A.rotors], strict=True):
        assert (motion is None) == (V_i is None)
        if motion and V_i is not None and A_i is not None:
            expected = np.array([V_i[:3], A_i[:3], A_i[3:] + np.cross(V_i[:3], V_i[3:])])
            assert relative(np.array([motion.w, motion.alpha, motion.a]), expected) <= ROUNDING
            assert relative(motion.A, skew(motion.alpha) + skew(motion.w) @ skew(motion.w)) <= ROUNDING


def test_a_link_fixed_to_the_world_accelerates_at_minus_g() -> None:
    spec = add_body(RobotSpec("post", gravity=(1.0, 2.0, -3.0)), "post", joint=Joint("weld", JointType.FIXED), inertia=INERTIA)
    A = forward_accelerations(build(spec), [], [], [])
    np.testing.assert_array_equal(A.links[0], [0.0, 0.0, 0.0, -1.0, -2.0, 3.0])
    np.testing.assert_array_equal(bias_accelerations(build(spec), [], []).links[0], np.zeros(6))


def test_far_from_the_origin_velocities_and_rotations_stay_the_same(case: Case) -> None:
    """Positions are kept relative to the root: a base 1e6 m away costs no digit of anything but positions."""
    q = case.q.copy()
    for kind, at, _ in joint_slices(case.spec):
        if kind is JointType.FREE:
            q[at][:3] += 1e6
    near, far = (forward_kinematics(case.tree, x, case.v) for x in (case.q, q))
    np.testing.assert_array_equal(near.R_WB, far.R_WB)
    np.testing.assert_array_equal(np.array(near.V.links), np.array(far.V.links))


@pytest.mark.parametrize("name", ["two_link_arm", "random:24", "random:29"])
def test_axes_and_quaternions_of_the_spec_are_normalised(name: str) -> None:
    """The spec takes norms within 1e-9 of 1; what is left changes nothing."""
    at = case(name)
    bodies = tuple(_stretched(body, 1.0 + 8e-10) for body in at.spec.bodies)
    stretched = build(dataclasses.replace(at.spec, bodies=bodies))
    assert stretched.links[-1].axis @ stretched.links[-1].axis == pytest.approx(1.0, abs=ROUNDING)
    for actual, expected in (
        (mass_matrix(stretched, at.q), mass_matrix(at.tree, at.q)),
        (forward_kinematics(stretched, at.q, at.v).p_WB, forward_kinematics(at.tree, at.q, at.v).p_WB),
    ):
        assert relative(actual, expected) <= ROUNDING


def _stretched(body: Body, factor: float) -> Body:
    """The body with its axes and the quaternion of its placement longer by `factor`."""
    w, a, b, c = (factor * x for x in body.placement.quaternion)
    rotor, axis = body.rotor, body.joint.axis
    if rotor:
        x, y, z = (factor * component for component in rotor.axis)
        rotor = dataclasses.replace(rotor, axis=(x, y, z))
    if axis:
        x, y, z = (factor * component for component in axis)
        axis = (x, y, z)
    joint, placement = dataclasses.replace(body.joint, axis=axis), Placement(body.placement.p, (w, a, b, c))
    return dataclasses.replace(body, joint=joint, rotor=rotor, placement=placement)
