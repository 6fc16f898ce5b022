"""The mass matrix by composite rigid bodies (Featherstone, table 6.2) with 6x6 matrices, each term open to change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from leapcheck.judge.terms.changes import UNCHANGED, Changes, Rows
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
        if np.iscomplexobj(self.q) and any(key == "rotor turn" for key, _ in self.changes.amounts):
            still = poses(self.tree, self.q.real)[1]
            rotors = [
                X and at_rest and Pose(change("rotor turn", i, X.R, at_rest.R), X.p, X.R_W)
                for i, (X, at_rest) in enumerate(zip(rotors, still, strict=True))
            ]
        constants, of_rotors = link_constants(self.tree), rotor_constants(self.tree)
        n = len(self.q)
        own = [self._own(i, body, links[i]) for i, body in enumerate(constants)]
        Ic = list(own)
        M = np.zeros((n, self.tree.nv, self.tree.nv), dtype=self.q.dtype)
        for i in reversed(range(len(links))):
            link, rotor, X_rotor = constants[i], of_rotors[i], rotors[i]
            armature = float(self.tree.links[i].armature)
            # M_ii = S^T Ic S + armature;  F = Ic S
            F = change("link alone", i, Ic[i] @ link.S, own[i] @ link.S)
            F = change("slide moment", i, F, _without_moment_of_slides(F, link.S))
            M[:, link.v, link.v] = link.S.T @ F + change("armature", i, armature * np.ones((n, 1, 1))) * np.eye(link.S.shape[1])
            F = self._carried(i, links[i], F)
            if rotor and X_rotor:
                # M_ii += Sr^T Ir Sr;  the parent feels Xr^T Ir Sr
                X = spatial_transform(X_rotor.R, X_rotor.p)
                spin = np.broadcast_to(rotor.S.T @ spatial_inertia(rotor) @ rotor.S, (n, 1, 1))
                spin = change("rotor inertia geared once", i, spin, spin / (self._gear(i) or 1.0))
                M[:, link.v, link.v] += change("rotor inertia", i, spin)
                F = F + change(
                    "rotor coupling",
                    i,
                    X.swapaxes(1, 2) @ (spatial_inertia(rotor) @ rotor.S),
                )
            if link.parent >= 0:
                Ic[link.parent] = Ic[link.parent] + self._subtree(i, links[i], Ic[i], own[i])
                if rotor and X_rotor:
                    Ic[link.parent] = Ic[link.parent] + change("rotor ride", i, _shift(X, spatial_inertia(rotor)))
            j = link.parent
            while j >= 0:
                # M_ji = S_j^T F;  F = X_j^T F
                M[:, constants[j].v, link.v] = self._coupling(i, constants[j].S, link.S, F)
                M[:, link.v, constants[j].v] = M[:, constants[j].v, link.v].swapaxes(1, 2)
                F = change("coupling transform", i, self._carried(j, links[j], F), self._carried(i, links[i], F))
                j = constants[j].parent
        return M

    def _own(self, i: int, body: BodyConstants, X: Pose) -> Array:
        """The inertia (n, 6, 6) of a single link about its origin."""
        I, R = body.I, X.R_W
        others: Mapping[str, Callable[[Array, Array], Array]] = {
            "inertia fixed": lambda R, back: back @ I @ R,
            "inertia turned the other way": lambda R, back: back @ back @ I @ R @ R,
        }
        own: Array = np.broadcast_to(spatial_inertia(body).astype(self.q.dtype), (len(self.q), 6, 6))
        for key, turned in others.items():

            def other(rows: Rows, turned: Callable[[Array, Array], Array] = turned) -> Array:
                apart = np.array(np.broadcast_to(spatial_inertia(body), (len(self.q), 6, 6))[rows], dtype=self.q.dtype)
                apart[:, :3, :3] += turned(R[rows], R[rows].swapaxes(1, 2)) - I
                return apart

            own = self.changes.apply(key, i, own, other)
        return own

    def _gear(self, i: int) -> float:
        rotor = self.tree.links[i].rotor
        return float(rotor.gear_ratio) if rotor else 1.0

    def _coupling(self, i: int, S_j: Array, S_i: Array, F: Array) -> Array:
        """S_j^T F."""
        coupling: Array = S_j.T @ F
        return self.changes.apply("coupling axis", i, coupling, S_i.T @ F if S_i.shape == S_j.shape else coupling)

    def _carried(self, i: int, X: Pose, F: Array) -> Array:
        """F on the parent: R f, and R n + p x R f."""
        change = self.changes.apply
        n, f, back, P = F[:, :3], F[:, 3:], X.R.swapaxes(1, 2), np.tensordot(X.p, CROSS, axes=(1, 0))
        f_parent = change("coupling unturned", i, X.R @ f, f)
        f_parent = change("coupling turned the other way", i, f_parent, lambda rows: back[rows] @ f[rows])
        n_parent = change("coupling unturned", i, X.R @ n, n)
        n_parent = change("coupling turned the other way", i, n_parent, lambda rows: back[rows] @ n[rows])
        n_parent = change("coupling moment unturned", i, n_parent, n)
        n_parent = change("coupling moment turned the other way", i, n_parent, lambda rows: back[rows] @ n[rows])
        carried = np.concatenate([n_parent + change("coupling arm", i, P @ f_parent), f_parent], axis=1)
        return change("coupling", i, carried)

    def _subtree(self, i: int, X: Pose, inertia: Array, own: Array) -> Array:
        """The composite inertia of a link on its parent: X^T Ic X."""
        change = self.changes.apply
        transforms: Mapping[str, Callable[[Array, Array], Array]] = {
            "composite unturned": lambda R, p: spatial_transform(_same(R), p),
            "composite turned the other way": lambda R, p: spatial_transform(R.swapaxes(1, 2), p),
            "composite unshifted": lambda R, p: spatial_transform(R, 0.0 * p),
            "composite transformed the other way": lambda R, p: spatial_transform(R, p).swapaxes(1, 2),
        }
        moved = self._moved(i, X, change("subtree", i, inertia, own))
        for key, transform in transforms.items():

            def other(rows: Rows, transform: Callable[[Array, Array], Array] = transform) -> Array:
                return _shift(transform(X.R[rows], X.p[rows]), inertia[rows])

            moved = change(key, i, moved, other)
        moved = change("composite untransformed", i, moved, inertia)
        return change("composite", i, moved)

    def _moved(self, i: int, X: Pose, inertia: Array) -> Array:
        """The same by parts: R I R^T and its parallel axes, R mc + m p, m."""
        change = self.changes.apply
        I, C, mass = inertia[:, :3, :3], inertia[:, :3, 3:], inertia[:, 3:4, 3:4]
        back, P = X.R.swapaxes(1, 2), np.tensordot(X.p, CROSS, axes=(1, 0))
        turned = change("rotation unturned", i, X.R @ I @ back, I)
        turned = change("rotation turned the other way", i, turned, lambda rows: back[rows] @ I[rows] @ X.R[rows])
        moment = change("first moment unturned", i, X.R @ C @ back, C)
        mixed = change("parallel axis of first moment", i, -(P @ moment + moment @ P))
        turned = turned + change("parallel axis", i, mixed - mass * (P @ P))
        moment = moment + change("first moment unshifted", i, mass * P)
        top = np.concatenate([turned, moment], axis=2)
        return np.concatenate([top, np.concatenate([moment.swapaxes(1, 2), mass * np.eye(3)], axis=2)], axis=1)


def _without_moment_of_slides(F: Array, S: Array) -> Array:
    """F (n, 6, k) without the moments that unit accelerations of translation ask for."""
    slides = np.asarray(np.abs(S[:3]).max(axis=0, initial=0.0) == 0.0)
    without: Array = F * np.concatenate([np.tile(1.0 - slides, (3, 1)), np.ones((3, len(slides)))])
    return without


def _same(R: Array) -> Array:
    return np.broadcast_to(np.eye(3), R.shape)


def spatial_inertia(body: BodyConstants) -> Array:
    """The 6x6 inertia about the origin: [[I_o, m c~], [-m c~, m 1]]."""
    C = skew(body.com)
    return np.block([[body.I - body.mass * (C @ C), body.mass * C], [-body.mass * C, body.mass * np.eye(3)]])


def spatial_transform(R: Array, p: Array) -> Array:
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
