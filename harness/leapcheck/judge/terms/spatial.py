"""Newton and Euler's equations with spatial vectors, each term open to change."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from leapcheck.judge.terms.changes import Changes
from leapcheck.judge.terms.model import BodyConstants, Pose, cross, link_constants, poses, rotor_constants, turn, turn_back
from leapcheck_models.arrays import Array, Floats
from leapcheck_reference.tree import Tree


@dataclass(frozen=True, slots=True, eq=False)
class SpatialForm:
    """The recursion with spatial vectors (Featherstone, table 5.1): A = X A_p + V x S qd, F = I A + V x* I V, at vdot = 0.

    Gravity is an acceleration of the ground upwards.
    """

    tree: Tree
    q: Floats
    v: Floats
    changes: Changes

    def answers(self, quantities: frozenset[str]) -> dict[str, Floats]:
        """Those of the quantities that this form gives."""
        zero, gravity = np.zeros(3), np.asarray(self.tree.gravity, dtype=float)
        still = replace(self, v=np.zeros_like(self.v))
        possible = {
            "bias_force": lambda: self._force(-gravity),
            "coriolis_force": lambda: self._force(zero),
            "gravity_force": lambda: still._force(-gravity),
        }
        return {name: possible[name]() for name in quantities if name in possible}

    def _force(self, ground: Floats) -> Floats:
        """tau (n, nv) on a ground that accelerates."""
        links, rotors = poses(self.tree, self.q)
        constants, of_rotors = link_constants(self.tree), rotor_constants(self.tree)
        zero = np.zeros((len(self.q), 6))
        A_0 = zero + np.concatenate([np.zeros(3), ground])
        V: list[Array] = []
        A: list[Array] = []
        F: list[Array] = []
        F_rotor: list[Array | None] = []
        for i, link in enumerate(constants):
            V_p, A_p = (V[link.parent], A[link.parent]) if link.parent >= 0 else (zero, A_0)
            V_i, A_i, F_i = self._body("", i, link, links[i], V_p, A_p)
            V.append(V_i)
            A.append(A_i)
            F.append(F_i)
            rotor, X_rotor = of_rotors[i], rotors[i]
            F_rotor.append(self._body("rotor ", i, rotor, X_rotor, V_p, A_p)[2] if rotor and X_rotor else None)
        tau = np.zeros((len(self.q), self.tree.nv))
        for i in reversed(range(len(links))):
            link, rotor, X_rotor, F_r = constants[i], of_rotors[i], rotors[i], F_rotor[i]
            tau[:, link.v] = F[i] @ link.S
            carried = self.changes.apply("spatial force by X", i, to_parent(links[i], F[i]), to_child(links[i], F[i]))
            if rotor and X_rotor and F_r is not None:
                tau[:, link.v] += F_r @ rotor.S
                carried = carried + to_parent(X_rotor, F_r)
            if link.parent >= 0:
                F[link.parent] = F[link.parent] + carried
        return tau

    def _body(self, kind: str, i: int, body: BodyConstants, X: Pose, V_p: Array, A_p: Array) -> tuple[Array, Array, Array]:
        change = self.changes.apply
        V_J = self.v[:, body.v] @ body.S.T
        V = to_child(X, V_p) + change(f"{kind}spatial spin", i, V_J)
        c = np.concatenate(
            [
                change(f"{kind}spatial product, angular", i, cross(V[:, :3], V_J[:, :3])),
                change(f"{kind}spatial product, linear", i, cross(V[:, :3], V_J[:, 3:]) + cross(V[:, 3:], V_J[:, :3])),
            ],
            axis=1,
        )
        A = to_child(X, A_p) + change(f"{kind}spatial product", i, c)
        p = momentum(body, V)
        product = force_cross(V, p)
        product = change(f"{kind}spatial force product", i, product)
        return V, A, momentum(body, A) + change(f"{kind}spatial motion product", i, product, motion_cross(V, p))


def motion_cross(V: Array, m: Array) -> Array:
    """V x m of spatial vectors (n, 6)."""
    return np.concatenate([cross(V[:, :3], m[:, :3]), cross(V[:, :3], m[:, 3:]) + cross(V[:, 3:], m[:, :3])], axis=1)


def force_cross(V: Array, f: Array) -> Array:
    """V x* f of spatial vectors (n, 6)."""
    return np.concatenate([cross(V[:, :3], f[:, :3]) + cross(V[:, 3:], f[:, 3:]), cross(V[:, :3], f[:, 3:])], axis=1)


def to_child(X: Pose, V: Array) -> Array:
    """X V: a motion in the axes and about the origin of the child."""
    w, v = V[:, :3], V[:, 3:]
    return np.concatenate([turn_back(X.R, w), turn_back(X.R, v + cross(w, X.p))], axis=1)


def to_parent(X: Pose, F: Array) -> Array:
    """X^T F: a force in the axes and about the origin of the parent."""
    f = turn(X.R, F[:, 3:])
    return np.concatenate([turn(X.R, F[:, :3]) + cross(X.p, f), f], axis=1)


def momentum(body: BodyConstants, V: Array) -> Array:
    """I V about the origin: p = m (v + w x c), l = I_c w + c x p."""
    w, v = V[:, :3], V[:, 3:]
    p = body.mass * (v + cross(w, np.broadcast_to(body.com, w.shape)))
    return np.concatenate([w @ body.I + cross(np.broadcast_to(body.com, p.shape), p), p], axis=1)
