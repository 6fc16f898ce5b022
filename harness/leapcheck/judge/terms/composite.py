"""The mass matrix by composite rigid bodies (Featherstone, table 6.2) with 6x6 matrices, each term open to change."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leapcheck.judge.terms.changes import UNCHANGED, Changes
from leapcheck.judge.terms.model import BodyConstants, Pose, link_constants, poses, rotor_constants
from leapcheck_models.arrays import Array
from leapcheck_reference.rotation import skew
from leapcheck_reference.tree import Tree

CROSS = np.stack([skew(axis) for axis in np.eye(3)])
"""e_k~ for each axis: r~ is their sum weighted by r."""


@dataclass(frozen=True, slots=True, eq=False)
class CompositeForm:
    """M at q (n, nq), which may be complex: analytic in q."""

    tree: Tree
    q: Array
    changes: Changes = UNCHANGED

    def mass_matrix(self) -> Array:
        """M (n, nv, nv)."""
        change = self.changes.apply
        links, rotors = poses(self.tree, self.q)
        constants, of_rotors = link_constants(self.tree), rotor_constants(self.tree)
        n = len(self.q)
        Ic: list[Array] = [np.broadcast_to(_inertia(body), (n, 6, 6)) for body in constants]
        M = np.zeros((n, self.tree.nv, self.tree.nv), dtype=self.q.dtype)
        for i in reversed(range(len(links))):
            link, rotor, X_rotor = constants[i], of_rotors[i], rotors[i]
            armature = float(self.tree.links[i].armature)
            # M_ii = S^T Ic S + armature;  F = Ic S
            F = change("link alone", i, Ic[i] @ link.S, _inertia(link) @ link.S)
            M[:, link.v, link.v] = link.S.T @ F + change("armature", i, armature * np.ones((n, 1, 1))) * np.eye(link.S.shape[1])
            F = self._carried(i, links[i], F)
            if rotor and X_rotor:
                # M_ii += Sr^T Ir Sr;  the parent feels Xr^T Ir Sr
                own = np.broadcast_to(rotor.S.T @ _inertia(rotor) @ rotor.S, (n, 1, 1))
                M[:, link.v, link.v] += change("rotor inertia", i, own)
                F = F + change("rotor coupling", i, _X(X_rotor.R, X_rotor.p).swapaxes(1, 2) @ (_inertia(rotor) @ rotor.S))
            if link.parent >= 0:
                Ic[link.parent] = Ic[link.parent] + self._subtree(i, links[i], Ic[i])
                if rotor and X_rotor:
                    ride = _shift(_X(X_rotor.R, X_rotor.p), _inertia(rotor))
                    Ic[link.parent] = Ic[link.parent] + change("rotor ride", i, ride)
            j = link.parent
            while j >= 0:
                # M_ji = S_j^T F;  F = X_j^T F
                M[:, constants[j].v, link.v] = self._coupling(i, constants[j].S, link.S, F)
                M[:, link.v, constants[j].v] = M[:, constants[j].v, link.v].swapaxes(1, 2)
                F = change("coupling transform", i, self._carried(j, links[j], F), self._carried(i, links[i], F))
                j = constants[j].parent
        return M

    def _coupling(self, i: int, S_j: Array, S_i: Array, F: Array) -> Array:
        """S_j^T F."""
        coupling: Array = S_j.T @ F
        return self.changes.apply("coupling axis", i, coupling, S_i.T @ F if S_i.shape == S_j.shape else coupling)

    def _carried(self, i: int, X: Pose, F: Array) -> Array:
        """F on the parent: X^T F."""
        change = self.changes.apply
        carried = _X(X.R, X.p).swapaxes(1, 2) @ F
        carried = change("coupling unturned", i, carried, _X(_same(X.R), X.p).swapaxes(1, 2) @ F)
        carried = change("coupling turned the other way", i, carried, _X(X.R.swapaxes(1, 2), X.p).swapaxes(1, 2) @ F)
        carried = change("coupling arm", i, carried, _X(X.R, 0.0 * X.p).swapaxes(1, 2) @ F)
        return change("coupling", i, carried)

    def _subtree(self, i: int, X: Pose, inertia: Array) -> Array:
        """The composite inertia of a link on its parent: X^T Ic X."""
        change = self.changes.apply
        moved = _shift(_X(X.R, X.p), inertia)
        moved = change("composite unturned", i, moved, _shift(_X(_same(X.R), X.p), inertia))
        moved = change("composite turned the other way", i, moved, _shift(_X(X.R.swapaxes(1, 2), X.p), inertia))
        moved = change("composite unshifted", i, moved, _shift(_X(X.R, 0.0 * X.p), inertia))
        moved = change("composite untransformed", i, moved, inertia)
        moved = change("composite transformed the other way", i, moved, _shift(_X(X.R, X.p).swapaxes(1, 2), inertia))
        turned = np.array(moved)
        turned[:, :3, :3] = _shift(_X(X.R, 0.0 * X.p), inertia)[:, :3, :3]
        moved = change("parallel axis", i, moved, turned)
        return change("composite", i, moved)


def _same(R: Array) -> Array:
    return np.broadcast_to(np.eye(3), R.shape)


def _inertia(body: BodyConstants) -> Array:
    """The 6x6 inertia about the origin: [[I_o, m c~], [-m c~, m 1]]."""
    C = skew(body.com)
    return np.block([[body.I - body.mass * (C @ C), body.mass * C], [-body.mass * C, body.mass * np.eye(3)]])


def _X(R: Array, p: Array) -> Array:
    """Motion transforms (n, 6, 6) from the parent: [[R^T, 0], [-R^T p~, R^T]]."""
    P = np.tensordot(p, CROSS, axes=(1, 0))
    Rt = np.broadcast_to(R.swapaxes(1, 2), (len(p), 3, 3))
    X = np.zeros((len(p), 6, 6), dtype=np.result_type(R, p))
    X[:, :3, :3] = X[:, 3:, 3:] = Rt
    X[:, 3:, :3] = -Rt @ P
    return X


def _shift(X: Array, inertia: Array) -> Array:
    moved: Array = X.swapaxes(1, 2) @ inertia @ X
    return moved
