"""The Coriolis force by Lagrange's equations: C v = Mdot v - d(v^T M v / 2)/dq, with Hamel's term where axes turn along."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leapcheck.judge.terms.changes import UNCHANGED, Changes
from leapcheck.judge.terms.composite import CompositeForm
from leapcheck.judge.terms.model import cross, quaternion_turn, turn
from leapcheck.judge.terms.newton_euler import VectorForm
from leapcheck_models.arrays import Array, Floats
from leapcheck_models.spec import JointType
from leapcheck_reference.tree import Tree

STEP = 1e-30
"""Imaginary step: derivatives of what is analytic come out exact to rounding (Squire and Trapp 1998)."""

PARTS = ("Mdot v", "the gradient of the kinetic energy", "the turning of the axes (Hamel's term)")
"""The parts of C v."""


@dataclass(frozen=True, slots=True, eq=False)
class LagrangeForm:
    """C v at q (n, nq) and v (n, nv)."""

    tree: Tree
    q: Floats
    v: Floats
    changes: Changes

    def answers(self, quantities: frozenset[str]) -> dict[str, Floats]:
        """Coriolis force, and that part of the bias force."""
        rate = self._derivative(self.v)
        first = np.einsum("nij,nj->ni", rate, self.v)
        second = np.empty_like(first)
        for i, direction in enumerate(np.eye(self.tree.nv)):
            slope = self._derivative(np.broadcast_to(direction, self.v.shape))
            second[:, i] = 0.5 * np.einsum("ni,nij,nj->n", self.v, slope, self.v)
        whole = VectorForm(self.tree, self.q, self.v, UNCHANGED).answers(frozenset({"coriolis_force"}))["coriolis_force"]
        third = whole - (first - second)
        change = self.changes.apply
        # C v = Mdot v - d(v^T M v / 2)/dq + Hamel's term
        coriolis = change("part", 0, first) - change("part", 1, second) + change("part", 2, third)
        return {name: coriolis for name in ("bias_force", "coriolis_force") if name in quantities}

    def _derivative(self, v: Array) -> Floats:
        """Rate of M (n, nv, nv) when the robot moves with v (n, nv)."""
        moved = self.q + 1j * STEP * _rates(self.tree, self.q, v)
        return CompositeForm(self.tree, moved).mass_matrix().imag / STEP


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
