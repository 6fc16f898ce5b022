"""MuJoCo's storage of M by our own code: S4's nine trees, addresses, round trips, patterns."""

from __future__ import annotations

import numpy as np
import pytest

from leapcheck_models.robots.tree4 import rooted_trees
from leapcheck_reference import (
    build,
    cdof,
    cinert,
    crb,
    dense_from_csr,
    dense_from_legacy,
    layout,
    legacy_from_dense,
    mass_matrix,
    mujoco_mass_matrix,
    sparse_mass_matrix,
    sparsity_pattern,
    with_rotor_bodies,
)
from tests.reference.generic_states import Case, case, relative, robot, rotation, scale_free
from tests.reference.world_bodies import com_position, world_bodies

pytestmark = pytest.mark.quick

SCALE_FREE = 1e-14  # |dM_ij| / sqrt(M_ii M_jj); measured worst 1.2e-15
FIELDS = 1e-14  # of the largest entry; measured worst 2.0e-16
TREES4 = tuple(f"tree4_{number}" for number in range(1, 10))

# The nine rooted trees by the depths of their links, in depth-first order, and what S4 asks of each: where M may differ
# from zero (lower triangle, row by row) and the number of entries nM.
PATTERNS: dict[tuple[int, ...], tuple[str, int]] = {
    (1, 1, 1, 1): ("1... .1.. ..1. ...1", 4),  # four branches: diagonal
    (1, 2, 1, 1): ("1... 11.. ..1. ...1", 5),
    (1, 2, 1, 2): ("1... 11.. ..1. ..11", 6),
    (1, 2, 2, 1): ("1... 11.. 1.1. ...1", 6),
    (1, 2, 2, 2): ("1... 11.. 1.1. 1..1", 7),
    (1, 2, 3, 1): ("1... 11.. 111. ...1", 7),
    (1, 2, 3, 2): ("1... 11.. 111. 1..1", 8),
    (1, 2, 3, 3): ("1... 11.. 111. 11.1", 9),
    (1, 2, 3, 4): ("1... 11.. 111. 1111", 10),  # one chain: dense
}


@pytest.mark.parametrize("number", range(1, 10))
def test_sparsity_of_the_nine_trees_with_four_joints(number: int) -> None:
    at = case(f"tree4_{number}")
    rows, nM = PATTERNS[rooted_trees()[number - 1]]
    lower = np.array([[int(c == "1") for c in row] for row in rows.split()])
    pattern = np.maximum(lower, lower.T)
    np.testing.assert_array_equal(sparsity_pattern(at.tree), pattern)
    np.testing.assert_array_equal(mass_matrix(at.tree, at.q) != 0.0, pattern == 1)
    addresses = layout(at.tree)
    assert addresses.nM == addresses.nC == nM
    np.testing.assert_array_equal(addresses.rownnz, lower.sum(axis=1))
    np.testing.assert_array_equal(addresses.Madr, addresses.rowadr)


def test_addresses_of_one_tree_by_hand() -> None:
    """Depths 1 2 3 2: legacy rows run (0) (1 0) (2 1 0) (3 0), CSR rows the other way round."""
    tree = build(case("tree4_7").spec)
    at = layout(tree)
    assert at.parentid.tolist() == [-1, 0, 1, 0]
    assert at.Madr.tolist() == at.rowadr.tolist() == [0, 1, 3, 6]
    assert at.rownnz.tolist() == [1, 2, 3, 2]
    assert at.colind.tolist() == [0, 0, 1, 0, 1, 2, 0, 3]
    M = np.array([[1, 2, 3, 4], [2, 5, 6, 0], [3, 6, 7, 0], [4, 0, 0, 8]])
    assert legacy_from_dense(M, at.parentid).tolist() == [1, 5, 2, 7, 6, 3, 8, 4]
    csr = np.array([1, 2, 5, 3, 6, 7, 4, 8])
    np.testing.assert_array_equal(dense_from_csr(csr, at.rowadr, at.rownnz, at.colind), M)
    np.testing.assert_array_equal(dense_from_legacy(np.array([1, 5, 2, 7, 6, 3, 8, 4]), at.Madr, at.parentid), M)


def test_round_trips(case: Case) -> None:
    sparse, M = sparse_mass_matrix(case.tree, case.q), mujoco_mass_matrix(case.tree, case.q)
    legacy = dense_from_legacy(sparse.qM, sparse.Madr, sparse.parentid)
    np.testing.assert_array_equal(legacy_from_dense(legacy, sparse.parentid), sparse.qM)
    assert scale_free(legacy, M) <= SCALE_FREE
    assert scale_free(dense_from_csr(sparse.csr, sparse.rowadr, sparse.rownnz, sparse.colind), M) <= SCALE_FREE
    assert len(sparse.qM) == layout(case.tree).nM
    assert len(sparse.csr) == layout(case.tree).nC


def test_mujocos_coordinates_are_the_canonical_ones_turned(case: Case) -> None:
    """v_mujoco = T v with [v_world; w] = [[0, R], [1, 0]] [w; v_body]: M = T^T M_mujoco T."""
    T = np.eye(case.tree.nv)
    for link in case.tree.links:
        if link.type.value == "free":
            R = rotation(case.q[link.q][3:]).as_matrix()
            T[link.v, link.v] = np.block([[np.zeros((3, 3)), R], [np.eye(3), np.zeros((3, 3))]])
    M = T.T @ mujoco_mass_matrix(case.tree, case.q) @ T
    assert scale_free(M, mass_matrix(case.tree, case.q)) <= SCALE_FREE


def test_a_free_box_is_simple() -> None:
    at = layout(robot("box")[1])
    assert (at.nM, at.nC) == (21, 6)
    assert at.rownnz.tolist() == [1] * 6


def test_composite_of_the_root_is_the_whole_robot_about_its_com() -> None:
    at = case("mini_cheetah_armature")
    whole = crb(at.tree, at.q)[0]
    bodies, com = world_bodies(at.spec, at.q), com_position(at.spec, at.q)
    about_com = np.zeros((3, 3))
    for body in bodies:
        arm = body.centre - com
        about_com += body.R @ body.inertia @ body.R.T + body.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    six = [about_com[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    assert relative(whole, np.array([*six, 0.0, 0.0, 0.0, at.spec.total_mass])) <= FIELDS
    assert relative(cinert(at.tree, at.q).sum(axis=0), whole) <= FIELDS


def test_h_is_s_ic_s_in_common_coordinates() -> None:
    """S4: H_ij = S_i^T Ic_i S_j for i in the subtree of j, with cdof and crb about one point."""
    at = case("mini_cheetah_armature")
    S, M = cdof(at.tree, at.q), mujoco_mass_matrix(at.tree, at.q)
    link_of = [i for i, link in enumerate(at.tree.links) for _ in range(link.v.start, link.v.stop)]
    composite = [_six_by_six(numbers) for numbers in crb(at.tree, at.q)]
    armature = [at.tree.links[i].armature for i in link_of]
    parent = at.tree.dof_parent
    for i in range(at.tree.nv):
        j = i
        while j >= 0:
            H_ij = S[i] @ composite[link_of[i]] @ S[j] + (armature[i] if i == j else 0.0)
            assert abs(H_ij - M[i, j]) <= SCALE_FREE * np.sqrt(M[i, i] * M[j, j])
            j = parent[j]


def test_fields_of_a_robot_with_rotors_ask_for_its_rotor_bodies() -> None:
    at = case("mini_cheetah")
    for function in (cdof, cinert, crb):
        with pytest.raises(ValueError, match=r"^'mini_cheetah' has geared rotors, .*: use with_rotor_bodies\(spec\) first$"):
            function(at.tree, at.q)


def test_entries_of_the_rotor_bodies_tree() -> None:
    """30 dofs: the base's triangle, then per leg a row of 7, 8, 9 for each link and as many for the rotor beside it."""
    full = build(with_rotor_bodies(case("mini_cheetah").spec).spec)
    assert layout(full).nM == layout(full).nC == 21 + 4 * 2 * (7 + 8 + 9)


def _six_by_six(numbers: np.ndarray) -> np.ndarray:
    Ixx, Iyy, Izz, Ixy, Ixz, Iyz, x, y, z, m = numbers
    first = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    I = np.array([[Ixx, Ixy, Ixz], [Ixy, Iyy, Iyz], [Ixz, Iyz, Izz]])
    return np.block([[I, first], [first.T, m * np.eye(3)]])
