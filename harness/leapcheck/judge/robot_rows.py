"""Any quantity of many robots of one topology, each at a state of its own: traced programs with the robots' numbers as inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    contact_forces: Floats
    _known: dict[str, Pair] = field(default_factory=dict, kw_only=True, repr=False)

    def pair(self, quantity: str) -> Pair:
        """Values and rates (n, ...) of any quantity of a comparison; without rates these are zeros."""
        if quantity not in self._known:
            with np.errstate(all="ignore"):
                self._known[quantity] = self._pair(quantity)
        return self._known[quantity]

    def _pair(self, quantity: str) -> Pair:
        if quantity in MADE_OF_OTHERS:
            return MADE_OF_OTHERS[quantity](self)
        name = "mujoco_mass_matrix" if quantity in FORMS else quantity
        return self.from_program(name, self.x, self.rates, self.v)

    def _gravity_force(self) -> Pair:
        return self.from_program("bias_force", self.x, self.rates, np.zeros_like(self.v))

    def _coriolis_force(self) -> Pair:
        rates = None if self.rates is None else self._weightless(self.rates)
        return self.from_program("bias_force", self._weightless(self.x), rates, self.v)

    def _contact_velocities(self) -> Pair:
        J, dJ = self.pair("contact_jacobians")
        return _times(J, self.v), _times(dJ, self.v)

    def inverse_dynamics(self, vdot: Floats) -> Pair:
        """tau (n, nv) = M vdot + h of a given vdot (n, nv)."""
        (M, dM), (h, dh) = self.pair("mass_matrix"), self.pair("bias_force")
        return _times(M, vdot) + h, _times(dM, vdot) + dh

    def _inverse_dynamics_with_contacts(self) -> Pair:
        (force, moved), (J, dJ) = self.pair("inverse_dynamics"), self.pair("contact_jacobians")
        J, dJ = (np.swapaxes(block.reshape(len(block), -1, block.shape[-1]), 1, 2) for block in (J, dJ))
        return force - _times(J, self.contact_forces), moved - _times(dJ, self.contact_forces)

    def from_program(self, name: str, x: Floats, rates: Floats | None, v: Floats, vdot: Floats | None = None) -> Pair:
        """Values and rates of a quantity that has a program, for other numbers, velocities and accelerations."""
        states = (("v", v), ("tau", self.tau), ("vdot", self.vdot if vdot is None else vdot))
        given = {part: block for part, block in states if part in ARGUMENTS[name]}
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

    def _force_by_q(self) -> Pair:
        """d tau / d q (n, nv, nv) at the acceleration that tau brings about."""
        (vdot, moved), name = self.pair("forward_dynamics"), "inverse_dynamics_derivative_q"
        force, rate = self.from_program(name, self.x, self.rates, self.v, vdot)
        if self.rates is None:
            return force, rate
        return force, rate + self.from_program(name, self._weightless(self.x), None, np.zeros_like(self.v), moved)[0]

    def _solved(self, force: Floats, rate: Floats) -> Pair:
        """-M^-1 times columns of forces (n, nv, nv)."""
        inverse, moved = self.pair("minverse")
        return -inverse @ force, -moved @ force - inverse @ rate

    def apart_from_numbers(self, quantity: str, *states: Floats) -> Pair:
        """A quantity that does not depend on the numbers, which are those of M, h and the points."""
        value = evaluate_batch(reference_quantity(quantity).function, self.tree, *states)
        return value, np.zeros_like(value)

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


MADE_OF_OTHERS: dict[str, Callable[[RobotRows], Pair]] = {
    "gravity_force": RobotRows._gravity_force,
    "coriolis_force": RobotRows._coriolis_force,
    "contact_velocities": RobotRows._contact_velocities,
    "inverse_dynamics": lambda rows: rows.inverse_dynamics(rows.vdot),
    "inverse_dynamics_with_contacts": RobotRows._inverse_dynamics_with_contacts,
    "forward_dynamics": RobotRows._forward_dynamics,
    "forward_dynamics_derivative_q": lambda rows: rows._solved(*rows._force_by_q()),
    "forward_dynamics_derivative_v": lambda rows: rows._solved(*rows.pair("inverse_dynamics_derivative_v")),
    "forward_dynamics_derivative_tau": RobotRows._minverse,
    "contact_inertia": RobotRows._contact_inertia,
    "operational_inertia_inverse": RobotRows._operational_inertia_inverse,
    "minverse": RobotRows._minverse,
    "passive_forces": lambda rows: rows.apart_from_numbers("passive_forces", rows.q, rows.v),
    "actuator_torques": lambda rows: rows.apart_from_numbers("actuator_torques", rows.q, rows.v, rows.tau),
    "dry_friction": lambda rows: rows.apart_from_numbers("dry_friction", rows.v),
}
"""Quantities without a program: they follow from others."""


def robot_rows(tree: Tree, read: States, X: Floats, rates: Floats | None = None) -> RobotRows:
    """k robots with the numbers X (k, N), moving at rates (k, N), each at all states."""
    k, n = len(X), len(read)
    parts = (np.tile(getattr(read, part), (k, 1)) for part in STATE_PARTS)
    return RobotRows(tree, np.repeat(X, n, axis=0), None if rates is None else np.repeat(rates, n, axis=0), *parts)


def rows_of_each(tree: Tree, X: Sequence[Floats], reads: Sequence[States]) -> RobotRows:
    """Robots with the numbers x (N,), each at states of its own, one after the other."""
    x = np.concatenate([np.broadcast_to(own, (len(read), len(own))) for own, read in zip(X, reads, strict=True)])
    return RobotRows(tree, x, None, *(np.concatenate([getattr(read, part) for read in reads]) for part in STATE_PARTS))


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


def inverse_or_nan(matrices: Floats) -> Floats:
    """Inverses (..., k, k); not a number where a matrix is singular or not finite."""
    flat = matrices.reshape(-1, *matrices.shape[-2:])
    return _solve(flat, np.broadcast_to(np.eye(flat.shape[-1]), flat.shape)).reshape(matrices.shape)
