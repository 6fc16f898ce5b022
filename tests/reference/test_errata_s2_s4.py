"""What the texts S2 and S4 print wrongly: each printed form is shown to be wrong where the right one holds."""

from __future__ import annotations

import numpy as np

from leapcheck_models.spec import JointType
from leapcheck_reference import cdof, cinert, crb, forward_kinematics, mujoco_mass_matrix
from leapcheck_reference.kinematics import SpatialVectors, frames, spatial_accelerations
from tests.reference.generic_states import Array, Case, case, derivative, joint_slices, rate, relative

RIGHT = 1e-14  # of the largest entry; measured worst 2.7e-16
WRONG = 1e-2  # of the largest entry, at least; measured least 0.37


def test_s2_the_velocity_product_is_v_cross_v_joint() -> None:
    """c = v x v_J gives the rate of the velocities; the printed c = v_J x v has the opposite sign and does not."""
    at = case("mini_cheetah")
    posed, c = frames(at.tree, at.q), forward_kinematics(at.tree, at.q, at.v).c
    rates = derivative(lambda q: np.array(forward_kinematics(at.tree, q, at.v).V.links), (at.q, rate(at.spec, at.q, at.v)))
    printed = SpatialVectors(tuple(-c_i for c_i in c.links), tuple(None if c_r is None else -c_r for c_r in c.rotors))
    zero, root = np.zeros(at.tree.nv), np.zeros(6)
    assert relative(np.array(spatial_accelerations(at.tree, posed, c, zero, root).links), rates) <= RIGHT
    assert relative(np.array(spatial_accelerations(at.tree, posed, printed, zero, root).links), rates) >= WRONG


def test_s2_the_base_is_one_joint_of_six_dofs_before_the_legs() -> None:
    """Not dofs 0 to 5 and then a base as dof 6: the base's six components are v[0:6], the first leg joint is v[6]."""
    slices = joint_slices(case("mini_cheetah").spec)
    assert slices[0] == (JointType.FREE, slice(0, 7), slice(0, 6))
    assert [along.start for _, _, along in slices[1:]] == list(range(6, 18))


def blocks(numbers: Array) -> list[Array]:
    """6x6 matrices of inertias stored as MuJoCo's ten numbers."""
    matrices = []
    for Ixx, Iyy, Izz, Ixy, Ixz, Iyz, x, y, z, m in numbers:
        first = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        I = np.array([[Ixx, Ixy, Ixz], [Ixy, Iyy, Iyz], [Ixz, Iyz, Izz]])
        matrices.append(np.block([[I, first], [first.T, m * np.eye(3)]]))
    return matrices


def dof_links(at: Case) -> list[int]:
    return [i for i, link in enumerate(at.tree.links) for _ in range(link.v.start, link.v.stop)]


def test_s4_the_composite_inertia_is_that_of_the_joint_further_out() -> None:
    """H_ij = S_i^T Ic_i S_j holds for i in the subtree of j; for i above j (or with i's own inertia, "i_i^c") it does not."""
    at = case("tree4_9")
    M, S = mujoco_mass_matrix(at.tree, at.q), cdof(at.tree, at.q)
    composite, own, link = blocks(crb(at.tree, at.q)), blocks(cinert(at.tree, at.q)), dof_links(at)
    outer, inner = 3, 1  # the leaf, and a joint between it and the root
    scale = np.sqrt(M[outer, outer] * M[inner, inner])
    assert abs(S[outer] @ composite[link[outer]] @ S[inner] - M[outer, inner]) <= RIGHT * scale
    assert abs(S[inner] @ composite[link[inner]] @ S[outer] - M[outer, inner]) >= WRONG * scale
    assert abs(S[inner] @ composite[link[inner]] @ S[inner] - M[inner, inner]) <= RIGHT * scale
    assert abs(S[inner] @ own[link[inner]] @ S[inner] - M[inner, inner]) >= WRONG * scale


def test_s4_joints_on_different_branches_do_not_couple() -> None:
    """Without the condition the formula puts entries where M has exact zeros."""
    at = case("tree4_5")  # three branches on the first link
    M, S, composite = mujoco_mass_matrix(at.tree, at.q), cdof(at.tree, at.q), blocks(crb(at.tree, at.q))
    assert M[2, 1] == 0.0
    assert abs(S[2] @ composite[2] @ S[1]) >= WRONG * np.sqrt(M[1, 1] * M[2, 2])


def test_s4_composites_add_over_the_children() -> None:
    """Ic_i = I_i + sum of Ic_j over the children j in mu(i), which is printed u(i)."""
    at = case("mini_cheetah_armature")
    composite, own = crb(at.tree, at.q), cinert(at.tree, at.q)
    for i in range(len(at.tree.links)):
        children = [j for j, link in enumerate(at.tree.links) if link.parent == i]
        assert relative(own[i] + sum((composite[j] for j in children), np.zeros(10)), composite[i]) <= RIGHT
