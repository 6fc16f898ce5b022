"""The Coriolis force by Lagrange's equations: C v = Mdot v - d(v^T M v / 2)/dq, with Hamel's term where axes turn along."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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

MOST_ROWS = 4_000
"""States times directions in which M is derived at once."""

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
        first = np.einsum("nij,nj->ni", next(self._derivatives([self.v])), self.v)
        slopes = self._derivatives(np.eye(self.tree.nv))
        second = np.stack([0.5 * np.einsum("ni,nij,nj->n", self.v, slope, self.v) for slope in slopes], axis=1)
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

    def _derivatives(self, velocities: Sequence[Array] | Floats) -> Iterator[Floats]:
        """Rates of M (n, nv, nv) when the robot moves with each of some v (n, nv) or (nv,); several are worked out at once."""
        step = max(1, MOST_ROWS // max(1, len(self.q)))
        for i in range(0, len(velocities), step):
            rates = [_rates(self.tree, self.q, np.broadcast_to(v, self.v.shape)) for v in velocities[i : i + step]]
            moved = np.concatenate([self.q + 1j * STEP * rate for rate in rates])
            M = CompositeForm(self.tree, moved, self.changes.tile(len(rates))).mass_matrix()
            yield from np.split(M.imag / STEP, len(rates))


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
