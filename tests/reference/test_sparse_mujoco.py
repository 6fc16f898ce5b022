"""MuJoCo's own layout and numbers, entry by entry and in its own coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.spec import Body, Inertia, Joint, JointType, Placement, RobotSpec
from leapcheck_reference import (
    build,
    cdof,
    cinert,
    crb,
    dense_from_csr,
    factorization,
    layout,
    mass_matrix,
    mujoco_mass_matrix,
    sparse_mass_matrix,
)
from tests.reference.generic_states import Array, configuration, relative, robot, rotation, scale_free
from tests.reference.mujoco_model import legacy_qM, mujoco_data, mujoco_model

SCALE_FREE = 1e-13  # |dM_ij| / sqrt(M_ii M_jj); measured worst 8.0e-15
SCALE_FREE_RANDOM = 5e-12  # the same for random trees, whose rotors of 1e-6 kg m^2 MuJoCo refers to a far com; 1.3e-12
FIELDS = 5e-14  # of the largest entry; measured worst 2.4e-15
FACTORS = 2e-11  # of the largest entry; measured worst 9.3e-13
STATES = 3

NAMED = ("mini_cheetah", "mini_cheetah_armature", "pupper_leg", "two_link_arm", "box", "falling_rod")
NAMES = (*NAMED, *(f"tree4_{n}" for n in range(1, 10)), *(f"random:{s}" for s in (2, 19, 20, 24, 26, 29, 40, 45, 53, 57)))

DIAGONAL = Inertia(1.5, (0.0, 0.0, 0.0), (0.02, 0.0, 0.0, 0.03, 0.0, 0.025))
TILTED, TILTED_XZ, TILTED_YZ = (
    Inertia(1.5, (0.0, 0.0, 0.0), (0.02, xy, xz, 0.03, yz, 0.025)) for xy, xz, yz in 0.001 * np.eye(3)
)
SHIFTED = Inertia(1.5, (0.0, 0.1, 0.0), (0.02, 0.0, 0.0, 0.03, 0.0, 0.025))
PLACE = Placement((0.1, 0.2, -0.3), (0.8, 0.0, 0.6, 0.0))
X, SKEW = (1.0, 0.0, 0.0), (0.6, 0.8, 0.0)


def body(name: str, kind: JointType, inertia: Inertia = DIAGONAL, parent: str = "world", axis: Any = None) -> Body:
    place = Placement() if kind is JointType.FREE else PLACE
    return Body(name, Joint(f"{name}_joint", kind, axis), inertia, parent, place)


FREE, BALL, FIXED = JointType.FREE, JointType.BALL, JointType.FIXED
HINGE, SLIDE = JointType.REVOLUTE, JointType.PRISMATIC

# Bodies that MuJoCo calls simple, and near misses of each of its conditions.
SIMPLE: dict[str, tuple[Body, ...]] = {
    "free": (body("a", FREE),),
    "free, com off the origin": (body("a", FREE, SHIFTED),),
    "free, axes not principal": (body("a", FREE, TILTED),),
    "free, products xz and yz": (body("a", FREE, TILTED_XZ), body("b", FREE, TILTED_YZ)),
    "free with a fixed child": (body("a", FREE), body("b", FIXED, parent="a")),
    "two free ones": (body("a", FREE), body("b", FREE)),
    "free ones around a chain": (body("a", FREE), body("b", FREE), body("c", HINGE, parent="b", axis=X), body("d", FREE)),
    "ball": (body("a", BALL),),
    "ball, com off the origin": (body("a", BALL, SHIFTED),),
    "ball with a ball child": (body("a", BALL), body("b", BALL, parent="a")),
    "ball on a fixed body": (body("a", FIXED), body("b", BALL, parent="a")),
    "ball on a fixed body with com off": (body("a", FIXED, TILTED), body("b", BALL, parent="a"), body("c", BALL, parent="a")),
    "ball on a body fixed to a fixed body": (body("a", FIXED), body("b", FIXED, parent="a"), body("c", BALL, parent="b")),
    "hinge": (body("a", HINGE, axis=X),),
    "hinge, axis askew": (body("a", HINGE, axis=SKEW), body("b", BALL)),
    "slides": (body("a", SLIDE, axis=X), body("b", SLIDE, axis=SKEW), body("c", SLIDE, axis=X, parent="b")),
    "ball on a slide": (body("a", SLIDE, axis=X), body("b", BALL, parent="a")),
    "hinge on a fixed body": (body("a", FIXED), body("b", HINGE, parent="a", axis=X), body("c", BALL)),
}


def ungeared(name: str) -> RobotSpec:
    """The robot as MuJoCo holds it: its rotors as bodies."""
    return RobotSpec("simple", SIMPLE[name]) if name in SIMPLE else with_rotor_bodies(robot(name)[0]).spec


@pytest.fixture(params=(*NAMES, *SIMPLE))
def spec(request: pytest.FixtureRequest) -> RobotSpec:
    return ungeared(request.param)


def states(spec: RobotSpec) -> list[Array]:
    rng = np.random.default_rng(7)
    return [configuration(spec, rng) for _ in range(STATES)]


def tolerance(spec: RobotSpec) -> float:
    return SCALE_FREE_RANDOM if spec.name.startswith("random") else SCALE_FREE


def test_addresses(spec: RobotSpec) -> None:
    m, at = mujoco_model(spec), layout(build(spec))
    assert (at.nM, at.nC) == (m.nM, m.nC)
    np.testing.assert_array_equal(at.parentid, m.dof_parentid)
    np.testing.assert_array_equal(at.Madr, m.dof_Madr)
    np.testing.assert_array_equal(at.rownnz, m.M_rownnz)
    np.testing.assert_array_equal(at.rowadr, m.M_rowadr)
    np.testing.assert_array_equal(at.colind, m.M_colind)


def test_entries(spec: RobotSpec) -> None:
    m, tree = mujoco_model(spec), build(spec)
    for q in states(spec):
        d, sparse = mujoco_data(m, q), sparse_mass_matrix(tree, q)
        rows = np.repeat(np.arange(m.nv), m.M_rownnz)
        diagonal = sparse.csr[sparse.rowadr + sparse.rownnz - 1]
        scale = np.sqrt(diagonal[rows] * diagonal[m.M_colind])
        assert relative(sparse.csr / scale, d.M / scale) <= tolerance(spec)
        assert relative(sparse.qM, legacy_qM(m, d)) <= FIELDS
        assert relative(cinert(tree, q), d.cinert[1:]) <= FIELDS
        assert relative(crb(tree, q), d.crb[1:]) <= FIELDS
        assert relative(cdof(tree, q), d.cdof) <= FIELDS


def test_canonical_mass_matrix_from_mujocos(spec: RobotSpec) -> None:
    m, tree = mujoco_model(spec), build(spec)
    for q in states(spec):
        d = mujoco_data(m, q)
        at = layout(tree)
        T = np.eye(tree.nv)
        for link in tree.links:
            if link.type is FREE:
                R = rotation(q[link.q][3:]).as_matrix()
                T[link.v, link.v] = np.block([[np.zeros((3, 3)), R], [np.eye(3), np.zeros((3, 3))]])
        M = T.T @ dense_from_csr(d.M, at.rowadr, at.rownnz, at.colind) @ T
        assert scale_free(M, mass_matrix(tree, q)) <= tolerance(spec)


def test_factors(spec: RobotSpec) -> None:
    """M = L^T D L, entry by entry as mj_factorM leaves it: L below the diagonal, D on it."""
    m, tree = mujoco_model(spec), build(spec)
    at = layout(tree)
    rows = np.repeat(np.arange(tree.nv), at.rownnz)
    for q in states(spec):
        d = mujoco_data(m, q)
        factors = factorization(mujoco_mass_matrix(tree, q), tree.dof_parent)
        L, D = factors.L[rows, at.colind], factors.D
        assert relative(np.where(rows == at.colind, D[rows], L), np.array(d.qLD)) <= FACTORS
        assert relative(1.0 / D, np.array(d.qLDiagInv)) <= FACTORS


@pytest.mark.parametrize(("com", "nC"), [((0.9e-6, 0.0, -0.7e-6), 6), ((0.0, -1.1e-6, 0.0), 21), ((0.0, 0.0, 1.1e-6), 21)])
def test_mujoco_takes_a_com_within_a_micrometre_for_none(com: tuple[float, float, float], nC: int) -> None:
    """So does the layout, though entries are dropped that are not zero: the size of the error is MuJoCo's own."""
    spec = RobotSpec("near", (body("a", FREE, Inertia(1.5, com, DIAGONAL.rotational)),))
    assert mujoco_model(spec).nC == layout(build(spec)).nC == nC
