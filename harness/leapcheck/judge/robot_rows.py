"""Any quantity of many robots of one topology, each at a state of its own: traced programs with the robots' numbers as inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from leapcheck.judge.matrices import FORMS
from leapcheck.quantities import QUANTITIES
from leapcheck.sampling import STATE_PARTS, States
from leapcheck_models.arrays import Floats
from leapcheck_reference.batch import evaluate_batch
from leapcheck_reference.quantities import quantity as reference_quantity
from leapcheck_reference.trace.parametric import ARGUMENTS, Part, places, values, values_and_rates
from leapcheck_reference.tree import Tree

Pair = tuple[Floats, Floats]
"""Values (n, ...) and rates (n, ...)."""

MOST_ROWS = 4096
"""Robots times states that are evaluated at once: what fits the memory of a small machine."""


@dataclass(frozen=True, slots=True, eq=False)
class RobotRows:
    """n robots with the topology of `tree`: numbers `x` (n, N), moving at `rates` (n, N) or None, at states of their own."""

    tree: Tree
    x: Floats
    rates: Floats | None
    q: Floats
    v: Floats
    tau: Floats
    vdot: Floats
    _known: dict[str, Pair] = field(default_factory=dict, kw_only=True, repr=False)

    def pair(self, quantity: str) -> Pair:
        """Values and rates (n, ...) of any quantity of a comparison; without rates these are zeros."""
        if quantity not in self._known:
            with np.errstate(all="ignore"):
                self._known[quantity] = self._pair(quantity)
        return self._known[quantity]

    def _pair(self, quantity: str) -> Pair:
        match quantity:
            case "gravity_force":
                return self.from_program("bias_force", self.x, self.rates, np.zeros_like(self.v))
            case "coriolis_force":
                weightless = [None if numbers is None else self._weightless(numbers) for numbers in (self.x, self.rates)]
                assert weightless[0] is not None
                return self.from_program("bias_force", weightless[0], weightless[1], self.v)
            case "contact_velocities":
                J, dJ = self.pair("contact_jacobians")
                return _times(J, self.v), _times(dJ, self.v)
            case "inverse_dynamics":
                return self.inverse_dynamics(self.vdot)
            case "forward_dynamics":
                return self._forward_dynamics()
            case "contact_inertia":
                return self._contact_inertia()
            case "operational_inertia_inverse":
                return self._operational_inertia_inverse()
            case "minverse":
                return self._minverse()
        name = "mujoco_mass_matrix" if quantity in FORMS else quantity
        return self.from_program(name, self.x, self.rates, self.v)

    def inverse_dynamics(self, vdot: Floats) -> Pair:
        """tau (n, nv) = M vdot + h of a given vdot (n, nv)."""
        (M, dM), (h, dh) = self.pair("mass_matrix"), self.pair("bias_force")
        return _times(M, vdot) + h, _times(dM, vdot) + dh

    def from_program(self, name: str, x: Floats, rates: Floats | None, v: Floats) -> Pair:
        """Values and rates of a quantity that has a program, for other numbers and velocities."""
        given = {part: block for part, block in (("v", v), ("tau", self.tau)) if part in ARGUMENTS[name]}
        if rates is None:
            value = values(self.tree, name, x, self.q, **given)
            return value, np.zeros_like(value)
        return values_and_rates(self.tree, name, x, rates, self.q, **given)

    def _weightless(self, numbers: Floats) -> Floats:
        weightless = numbers.copy()
        weightless[:, places(self.tree)[Part("gravity", 0)]] = 0.0
        return weightless

    def _forward_dynamics(self) -> Pair:
        (M, _), (h, _) = self.pair("mass_matrix"), self.pair("bias_force")
        vdot = _solve(M, (self.tau - h)[..., None])[..., 0]
        if self.rates is None:
            return vdot, np.zeros_like(vdot)
        return vdot, -_solve(M, self.inverse_dynamics(vdot)[1][..., None])[..., 0]

    def _minverse(self) -> Pair:
        M, dM = self.pair("mass_matrix")
        inverse = _solve(M, np.broadcast_to(np.eye(M.shape[-1]), M.shape))
        return inverse, -inverse @ dM @ inverse

    def _operational_inertia_inverse(self) -> Pair:
        (Minv, dMinv), (J, dJ) = self.pair("minverse"), self.pair("frame_jacobians")
        points = slice(J.shape[1] - len(self.tree.points), None)
        J, dJ, Minv, dMinv = J[:, points], dJ[:, points], Minv[:, None], dMinv[:, None]
        half = dJ @ Minv @ np.swapaxes(J, -1, -2)
        return J @ Minv @ np.swapaxes(J, -1, -2), half + np.swapaxes(half, -1, -2) + J @ dMinv @ np.swapaxes(J, -1, -2)

    def _contact_inertia(self) -> Pair:
        (M, dM), (J, dJ) = self.pair("mass_matrix"), self.pair("contact_jacobians")
        J, dJ = (block.reshape(len(block), -1, M.shape[-1]) for block in (J, dJ))
        X = _solve(M, np.swapaxes(J, 1, 2))
        if self.rates is None:
            return J @ X, np.zeros((len(J), J.shape[1], J.shape[1]))
        half = dJ @ X
        return J @ X, half + np.swapaxes(half, 1, 2) - np.swapaxes(X, 1, 2) @ dM @ X


def robot_rows(tree: Tree, read: States, X: Floats, rates: Floats | None = None) -> RobotRows:
    """k robots with the numbers X (k, N), moving at rates (k, N), each at all states."""
    k, n = len(X), len(read)
    q, v, tau, vdot = (np.tile(getattr(read, part), (k, 1)) for part in STATE_PARTS)
    return RobotRows(tree, np.repeat(X, n, axis=0), None if rates is None else np.repeat(rates, n, axis=0), q, v, tau, vdot)


def rows_of_each(tree: Tree, X: Sequence[Floats], reads: Sequence[States]) -> RobotRows:
    """Robots with the numbers x (N,), each at states of its own, one after the other."""
    x = np.concatenate([np.broadcast_to(own, (len(read), len(own))) for own, read in zip(X, reads, strict=True)])
    q, v, tau, vdot = (np.concatenate([getattr(read, part) for read in reads]) for part in STATE_PARTS)
    return RobotRows(tree, x, None, q, v, tau, vdot)


@dataclass(frozen=True, slots=True, eq=False)
class ReadableRows:
    """Robots of any topology, each at states of its own, one after the other: by the readable code, without a program."""

    trees: Sequence[Tree]
    reads: Sequence[States]

    def pair(self, quantity: str) -> Pair:
        """Values (n, ...) of a quantity, which do not move."""
        values = np.concatenate([value(quantity, tree, read) for tree, read in zip(self.trees, self.reads, strict=True)])
        return values, np.zeros_like(values)


def value(quantity: str, tree: Tree, states: States) -> Floats:
    """In-house values (n, ...) of a quantity of a robot, true or hypothetical; wild inputs give NaN."""
    function = reference_quantity("mujoco_mass_matrix" if quantity in FORMS else quantity).function
    with np.errstate(all="ignore"):
        return evaluate_batch(function, tree, *(getattr(states, part) for part in QUANTITIES[quantity].arguments))


def _times(matrix: Floats, vector: Floats) -> Floats:
    """Matrices (n, ..., nv) times vectors (n, nv)."""
    product: Floats = np.einsum("n...j,nj->n...", matrix, vector)
    return product


def _solve(M: Floats, b: Floats) -> Floats:
    """M^-1 b; not a number where M is singular or not finite."""
    good = np.isfinite(M).all(axis=(1, 2))
    x = np.full_like(b, np.nan)
    try:
        x[good] = np.linalg.solve(M[good], b[good])
    except np.linalg.LinAlgError:
        for i in np.flatnonzero(good):
            x[i] = np.linalg.lstsq(M[i], b[i], rcond=None)[0]
    return x
