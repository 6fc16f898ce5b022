"""MuJoCo's own storage of the mass matrix, by our own code: legacy qM, CSR, dense from either, and crb, cinert, cdof.

Everything here is in MuJoCo's coordinates, where a free joint's velocity is [v_world; w_body] (linear first); hinge,
slide and ball velocities are the canonical ones. The sparsity follows from the tree: M_ij may differ from zero only
where one dof is the other's ancestor (MuJoCo documentation, Computation, "Inertia"; Featherstone, section 6.4).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leapcheck_models.arrays import Array
from leapcheck_models.spec import JointType
from leapcheck_reference.kinematics import Frames, frames
from leapcheck_reference.mass_matrix import mass_matrix
from leapcheck_reference.rotation import skew
from leapcheck_reference.sharing import share
from leapcheck_reference.spatial import RigidInertia, Transform, inertia_to_parent
from leapcheck_reference.tree import Tree

Integers = NDArray[np.int64]

SAME_FRAME = 1e-6
"""Distance (m) between a link's origin and its com that MuJoCo's compiler takes for none."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Addresses: `parentid` and `Madr` (nv,) of qM; `rowadr`, `rownnz` (nv,) and `colind` (nC,) of the lower triangle in CSR.

    A row of qM starts at the diagonal and walks the ancestors towards the root; a CSR row has ascending columns and ends
    at the diagonal. Dofs of `simple` bodies keep only their diagonal in CSR, so nC < nM there.
    """

    parentid: Integers
    Madr: Integers
    rowadr: Integers
    rownnz: Integers
    colind: Integers
    nM: int

    @property
    def nC(self) -> int:
        """Entries of the CSR form."""
        return len(self.colind)


@dataclass(frozen=True, slots=True)
class SparseMassMatrix:
    """M in MuJoCo's coordinates, both forms: `qM` (nM,) with `Madr` and `parentid`; `csr` (nC,) with its row addresses."""

    parentid: Integers
    Madr: Integers
    qM: Array
    rowadr: Integers
    rownnz: Integers
    colind: Integers
    csr: Array


def layout(tree: Tree) -> Layout:
    """Addresses of M's entries in qM and CSR for a tree; they depend on the topology and on simple bodies only."""
    parent = tree.dof_parent
    simple = {dof for i in _simple_links(tree) for dof in range(tree.links[i].v.start, tree.links[i].v.stop)}
    chains = [list(_ancestors(dof, parent)) for dof in range(tree.nv)]
    rows = [[dof] if dof in simple else chains[dof][::-1] for dof in range(tree.nv)]
    lengths, nnz = [len(chain) for chain in chains], [len(row) for row in rows]
    return Layout(
        parentid=np.array(parent, dtype=np.int64),
        Madr=np.cumsum([0, *lengths])[:-1],
        rowadr=np.cumsum([0, *nnz])[:-1],
        rownnz=np.array(nnz, dtype=np.int64),
        colind=np.array([column for row in rows for column in row], dtype=np.int64),
        nM=sum(lengths),
    )


def legacy_mass_matrix(tree: Tree, q: Any) -> Array:
    """M in MuJoCo's legacy storage qM (nM,), MuJoCo's coordinates."""
    return sparse_mass_matrix(tree, q).qM


def csr_mass_matrix(tree: Tree, q: Any) -> Array:
    """M in MuJoCo's CSR storage (nC,), MuJoCo's coordinates."""
    return sparse_mass_matrix(tree, q).csr


def sparse_mass_matrix(tree: Tree, q: Any) -> SparseMassMatrix:
    """M at q in MuJoCo's coordinates and in both of its storage forms."""
    addresses, M = layout(tree), mujoco_mass_matrix(tree, q)
    qM = np.array([M[i, j] for i in range(tree.nv) for j in _ancestors(i, tree.dof_parent)], dtype=M.dtype)
    rows = np.repeat(np.arange(tree.nv), addresses.rownnz)
    return SparseMassMatrix(
        addresses.parentid, addresses.Madr, qM, addresses.rowadr, addresses.rownnz, addresses.colind, M[rows, addresses.colind]
    )


@share
def mujoco_mass_matrix(tree: Tree, q: Any) -> Array:
    """M (nv, nv) in MuJoCo's coordinates: B^T M B, where v = B u and u = [v_world; w_body; ...] is MuJoCo's velocity."""
    poses, M = frames(tree, q), mass_matrix(tree, q).copy()
    for link, X in zip(tree.links, poses.X, strict=True):
        if link.type is JointType.FREE:  # where B is not the identity
            B = _free_from_mujoco_velocity(X)
            M[link.v, :] = B.T @ M[link.v, :]
            M[:, link.v] = M[:, link.v] @ B
    return M


def dense_from_legacy(qM: Array, Madr: Sequence[int] | Integers, parentid: Sequence[int] | Integers) -> Array:
    """Symmetric M (nv, nv) from qM: row i starts at Madr[i] with the diagonal and walks parentid."""
    n = len(parentid)
    M = np.zeros((n, n), dtype=np.asarray(qM).dtype)
    for i in range(n):
        for place, j in enumerate(_ancestors(i, parentid)):
            M[i, j] = M[j, i] = qM[Madr[i] + place]
    return M


def legacy_from_dense(M: Array, parentid: Sequence[int] | Integers) -> Array:
    """qM (nM,) from a dense M; entries off the ancestors' pattern are not looked at."""
    return np.array([M[i, j] for i in range(len(parentid)) for j in _ancestors(i, parentid)])


def dense_from_csr(csr: Array, rowadr: Integers, rownnz: Integers, colind: Integers) -> Array:
    """Symmetric M (nv, nv) from the lower triangle in CSR."""
    n = len(rowadr)
    M = np.zeros((n, n), dtype=np.asarray(csr).dtype)
    for i in range(n):
        for k in range(rowadr[i], rowadr[i] + rownnz[i]):
            M[i, colind[k]] = M[colind[k], i] = csr[k]
    return M


def sparsity_pattern(tree: Tree) -> Integers:
    """1 where M_ij may differ from zero (nv, nv): one dof is the other's ancestor, or both are one."""
    pattern = np.zeros((tree.nv, tree.nv), dtype=np.int64)
    for i in range(tree.nv):
        for j in _ancestors(i, tree.dof_parent):
            pattern[i, j] = pattern[j, i] = 1
    return pattern


def cdof(tree: Tree, q: Any) -> Array:
    """Motion axes (nv, 6) of MuJoCo's dofs, rotation first, world axes, about the com of the whole tree they belong to."""
    poses = frames(tree, q)
    com, B = _root_com(tree, poses), _from_mujoco_velocity(tree, poses)
    rows = poses.zeros(tree.nv, 6)
    for i, link in enumerate(tree.links):
        X_W = poses.X_W[i]
        S = link.S @ B[link.v, link.v]
        w = X_W.R @ S[:3]
        rows[link.v, :3] = w.T
        rows[link.v, 3:] = (X_W.R @ S[3:] - skew(com[i] - X_W.p) @ w).T
    return rows


def cinert(tree: Tree, q: Any) -> Array:
    """Inertias (bodies, 10) of the links in world axes about the com of their whole tree, in MuJoCo's order.

    (Ixx, Iyy, Izz, Ixy, Ixz, Iyz, m dx, m dy, m dz, m) with d from that com to the link's com.
    """
    return np.stack([_ten_numbers(inertia) for inertia in _inertias_about_com(tree, frames(tree, q))])


def crb(tree: Tree, q: Any) -> Array:
    """Composite inertias (bodies, 10): each link with its subtree, in the frame and order of `cinert`."""
    Ic = _inertias_about_com(tree, frames(tree, q))
    for i in reversed(range(len(tree.links))):
        if tree.links[i].parent >= 0:
            Ic[tree.links[i].parent] += Ic[i]
    return np.stack([_ten_numbers(inertia) for inertia in Ic])


def _ancestors(dof: int, parent: Sequence[int] | Integers) -> Iterator[int]:
    """The dof itself, then its ancestors towards the root."""
    while dof >= 0:
        yield int(dof)
        dof = parent[dof]


def _simple_links(tree: Tree) -> list[int]:
    """Free and ball links that MuJoCo calls simple: their block of M is diagonal at every state, and only the diagonal is kept.

    The link hangs on the world, or on a link fixed to it, and has no children; its com is in its origin, to `SAME_FRAME`,
    and its axes are principal. (Simple hinges and slides have one entry anyway.)
    """
    parents = {link.parent for link in tree.links}
    fixed_to_world = {i for i, link in enumerate(tree.links) if link.parent < 0 and link.type is JointType.FIXED}
    return [
        i
        for i, link in enumerate(tree.links)
        if link.type in (JointType.FREE, JointType.BALL)
        and (link.parent < 0 or link.parent in fixed_to_world)
        and i not in parents
        and _is_diagonal(link.inertia)
    ]


def _is_diagonal(inertia: RigidInertia) -> bool:
    I, least = inertia.I, SAME_FRAME * inertia.mass
    products = [I[0, 1], I[0, 2], I[1, 2]]  # of which a com at SAME_FRAME makes up SAME_FRAME^2 m
    return all(bool(abs(x) <= least) for x in inertia.mc) and all(bool(abs(x) <= SAME_FRAME * least) for x in products)


def _from_mujoco_velocity(tree: Tree, poses: Frames) -> Array:
    """B (nv, nv) with v = B u: [w; v_body] = [[0, 1], [R^T, 0]] [v_world; w] for a free joint, the identity elsewhere."""
    B = poses.zeros(tree.nv, tree.nv) + np.eye(tree.nv)
    for link, X in zip(tree.links, poses.X, strict=True):
        if link.type is JointType.FREE:
            B[link.v, link.v] = _free_from_mujoco_velocity(X)
    return B


def _free_from_mujoco_velocity(X: Transform) -> Array:
    """The block of B (6, 6) of a free joint."""
    zero = np.zeros((3, 3))
    return np.block([[zero, np.eye(3)], [X.R.T, zero]])


def _root_com(tree: Tree, poses: Frames) -> list[Array]:
    """Per link, the com of the whole tree that it belongs to, relative to that tree's root origin, world axes."""
    if any(link.rotor for link in tree.links):
        raise ValueError(f"'{tree.name}' has geared rotors, which MuJoCo has not: use with_rotor_bodies(spec) first")
    root: list[int] = []
    mass: dict[int, Any] = {}
    moment: dict[int, Array] = {}
    for i, link in enumerate(tree.links):
        root.append(i if link.parent < 0 else root[link.parent])
        X_W = poses.X_W[i]
        first_moment = link.inertia.mass * X_W.p + X_W.R @ link.inertia.mc
        mass[root[i]] = mass.get(root[i], 0.0) + link.inertia.mass
        moment[root[i]] = moment.get(root[i], np.zeros(3)) + first_moment
    # A tree without mass has inertias of zero about any point; MuJoCo takes its root's centre of mass.
    coms = {r: poses.X_W[r].p if bool(mass[r] == 0.0) else moment[r] / mass[r] for r in mass}
    return [coms[r] for r in root]


def _inertias_about_com(tree: Tree, poses: Frames) -> list[RigidInertia]:
    coms = _root_com(tree, poses)
    return [
        inertia_to_parent(Transform(X_W.R, X_W.p - com), link.inertia)
        for link, X_W, com in zip(tree.links, poses.X_W, coms, strict=True)
    ]


def _ten_numbers(inertia: RigidInertia) -> Array:
    I, mc = inertia.I, inertia.mc
    six = [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
    numbers = np.empty(10, dtype=I.dtype)
    numbers[:] = [*six, *mc, inertia.mass]
    return numbers
