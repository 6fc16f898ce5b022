"""The Coriolis force by Lagrange's equations: C v = Mdot v - d(v^T M v / 2)/dq, with Hamel's term where axes turn along."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leapcheck.judge.terms.changes import Changes
from leapcheck.judge.terms.composite import CompositeForm
from leapcheck.judge.terms.model import cross, quaternion_turn, turn
from leapcheck_models.arrays import Array, Floats
from leapcheck_models.spec import JointType
from leapcheck_reference.tree import Tree

STEP = 1e-30
"""Imaginary step: derivatives of what is analytic come out exact to rounding (Squire and Trapp 1998)."""

PARTS = ("Mdot v", "the gradient of the kinetic energy, d(v^T M v / 2)/dq")
"""The parts of C v that are derivatives of M."""


@dataclass(frozen=True, slots=True, eq=False)
class LagrangeForm:
    """C v at q (n, nq) and v (n, nv)."""

    tree: Tree
    q: Floats
    v: Floats
    changes: Changes

    def answers(self, quantities: frozenset[str]) -> dict[str, Floats]:
        """M, the Coriolis force, and that part of the bias force."""
        M = CompositeForm(self.tree, self.q, self.changes).mass_matrix()
        answers = {"mass_matrix": M}
        if quantities & {"bias_force", "coriolis_force"}:
            answers["bias_force"] = answers["coriolis_force"] = self._coriolis_force(M)
        return {name: answers[name] for name in quantities if name in answers}

    def _coriolis_force(self, M: Floats) -> Floats:
        """C v = Mdot v - d(v^T M v / 2)/dq + Hamel's terms."""
        first = np.einsum("nij,nj->ni", self._derivative(self.v), self.v)
        second = np.empty_like(first)
        for i, direction in enumerate(np.eye(self.tree.nv)):
            slope = self._derivative(np.broadcast_to(direction, self.v.shape))
            second[:, i] = 0.5 * np.einsum("ni,nij,nj->n", self.v, slope, self.v)
        change = self.changes.apply
        return np.asarray(change("part", 0, first) - change("part", 1, second) + self._turned_momentum(M))

    def _turned_momentum(self, M: Floats) -> Floats:
        """Hamel's terms (n, nv): of joints that turn freely v are no rates, and the momentum p = M v turns with the body."""
        change, turned = self.changes.apply, np.zeros_like(self.v)
        momentum = np.einsum("nij,nj->ni", M, self.v)
        for i, link in enumerate(self.tree.links):
            p, V = momentum[:, link.v], self.v[:, link.v]
            if link.type is JointType.BALL:
                turned[:, link.v] = change("hamel", i, change("hamel angular", i, cross(V, p)))
            if link.type is JointType.FREE:
                moment = change("hamel angular", i, cross(V[:, :3], p[:, :3])) + change(
                    "hamel linear", i, cross(V[:, 3:], p[:, 3:])
                )
                force = change("hamel force", i, cross(V[:, :3], p[:, 3:]))
                turned[:, link.v] = change("hamel", i, np.concatenate([moment, force], axis=1))
        return turned

    def _derivative(self, v: Array) -> Floats:
        """Rate of M (n, nv, nv) when the robot moves with v (n, nv)."""
        moved = self.q + 1j * STEP * _rates(self.tree, self.q, v)
        return CompositeForm(self.tree, moved, self.changes).mass_matrix().imag / STEP


def _rates(tree: Tree, q: Floats, v: Array) -> Floats:
    """qdot (n, nq) of canonical velocities v (n, nv)."""
    rates = np.zeros_like(q)
    for link in tree.links:
        own, w = q[:, link.q], v[:, link.v]
        match link.type:
            case JointType.FREE:
                rates[:, link.q] = np.concatenate([turn(quaternion_turn(own[:, 3:]), w[:, 3:]), _spun(own[:, 3:], w[:, :3])], 1)
            case JointType.BALL:
                rates[:, link.q] = _spun(own, w)
            case _:
                rates[:, link.q] = w
    return rates


def _spun(quaternion: Floats, w: Array) -> Floats:
    """Quaternion's rate q (0, w) / 2 of an angular velocity in its own axes."""
    scalar, vector = quaternion[:, :1], quaternion[:, 1:]
    return 0.5 * np.concatenate([-(vector * w).sum(axis=1, keepdims=True), scalar * w + cross(vector, w)], axis=1)
