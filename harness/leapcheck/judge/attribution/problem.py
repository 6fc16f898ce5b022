"""What the found answers leave unexplained under a belief, as equations for changes of the robot's numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from leapcheck.compare.errors import scales
from leapcheck.judge.attribution.rows import Pair, Rows
from leapcheck.judge.belief import Belief, View
from leapcheck.states import Floats, States
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.trace.parametric import numbers
from leapcheck_reference.tree import Tree

TURNED = "inverse_dynamics"
"""Forward dynamics turned round: inverse dynamics at the found acceleration must be tau. So it is linear in inertias."""

MOST_ROWS = 4096
"""Robots times states that are evaluated at once: what fits the memory of a small machine."""

HUGE = 1e250
"""Weight given to a number that must be exact."""


@dataclass(frozen=True, slots=True, eq=False)
class Equation:
    """One quantity at the states of a problem: `found` (n, ...) and what makes a unit of its residual, `weight` (n, ...).

    Up to 1 a weighted residual is what rounding explains.
    """

    quantity: str
    found: Floats
    weight: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Equations for the numbers of a robot with the topology of `tree`, whose own are `x` (N,), under a `belief`."""

    belief: Belief
    tree: Tree
    spec: RobotSpec
    x: Floats
    read: States
    equations: tuple[Equation, ...]

    def residuals(self, X: Floats) -> Floats:
        """Weighted residuals (k, m) of k robots with the numbers X (k, N)."""
        return self.linearised(X, None)[0]

    def linearised(self, X: Floats, rates: Floats | None) -> Pair:
        """The same, and how fast the predicted answers change, weighted, when the numbers move at the rates (k, N)."""
        step = max(1, MOST_ROWS // max(1, len(self.read)))
        blocks = [(X[i : i + step], None if rates is None else rates[i : i + step]) for i in range(0, len(X), step)]
        parts = [self.of_rows(rows_of(self.tree, self.read, *block)) for block in blocks]
        return np.concatenate([r for r, _ in parts]), np.concatenate([c for _, c in parts])

    def of_rows(self, rows: Rows) -> Pair:
        """Residuals (k, m) and columns (k, m) of rows that hold k robots at all states of the problem, robot by robot."""
        k = len(rows.x) // len(self.read)
        residuals, columns = [], []
        with np.errstate(all="ignore"):
            for at in self.equations:
                value, rate = self.answers(rows, k, at, rows.rates is not None)
                shape = (k, *at.found.shape)
                residuals.append(((at.found - value.reshape(shape)) * at.weight).reshape(k, -1))
                columns.append((rate.reshape(shape) * at.weight).reshape(k, -1))
        return np.concatenate(residuals, axis=1), np.concatenate(columns, axis=1)

    def answers(self, rows: Rows, k: int, at: Equation, with_rates: bool = False) -> Pair:
        """What k robots would answer, all at the problem's states, after all answers that the belief alters; and the rates."""
        if at.quantity == TURNED:
            return rows.inverse_dynamics(np.tile(self.belief.evidence.found["forward_dynamics"], (k, 1)))
        value, rate = rows.pair(at.quantity)
        if not any(h.answering for h in self.belief.hypotheses):
            return value, rate
        states = _tiled(self.belief.evidence.states, k)
        view = View(self.spec, states, _tiled(self.read, k), lambda name: rows.pair(name)[0])
        answered = self._altered(view, at.quantity, value)
        if not with_rates:
            return answered, np.zeros_like(answered)
        step = _steps(value, rate)
        moved = replace(view, value=lambda name: _stepped(*rows.pair(name), step))
        change = self._altered(moved, at.quantity, _stepped(value, rate, step)) - answered
        return answered, change / step.reshape(-1, *(1,) * (change.ndim - 1))

    def _altered(self, view: View, quantity: str, values: Floats) -> Floats:
        for hypothesis in self.belief.hypotheses:
            if hypothesis.answering:
                values = hypothesis.answering(view, quantity, values)
        return values


def rows_of(tree: Tree, read: States, X: Floats, rates: Floats | None = None) -> Rows:
    """k robots with the numbers X (k, N), moving at rates (k, N), each at all states."""
    k, n = len(X), len(read)
    q, v, tau = (np.tile(block, (k, 1)) for block in (read.q, read.v, read.tau))
    return Rows(tree, np.repeat(X, n, axis=0), None if rates is None else np.repeat(rates, n, axis=0), q, v, tau)


def posed(belief: Belief, quantities: Sequence[str]) -> Problem:
    """The equations of some quantities at all states of a belief's evidence."""
    evidence, tree = belief.evidence, belief.tree
    problem = Problem(belief, tree, belief.spec, numbers(tree), belief.read, ())
    equations = [_equation(problem, quantity) for quantity in quantities]
    assert len(evidence.states) == len(problem.read)
    return replace(problem, equations=tuple(equations))


def _equation(problem: Problem, quantity: str) -> Equation:
    evidence = problem.belief.evidence
    found = evidence.found[quantity]
    with np.errstate(all="ignore"):
        scale = np.fmax(evidence.scale[quantity], scales(quantity, np.abs(found)))
        unit = scale * evidence.allowed[quantity].reshape(-1, *(1,) * (found.ndim - 1))
        if quantity == "forward_dynamics" and _is_plain(problem.belief):
            return _turned(problem, unit)
        weight = np.minimum(1.0 / unit, HUGE)
    return Equation(quantity, found, np.broadcast_to(weight, found.shape))


def _is_plain(belief: Belief) -> bool:
    """Whether the belief leaves accelerations as they are."""
    found = belief.evidence.found["forward_dynamics"]
    return not any(h.answering for h in belief.hypotheses) or np.array_equal(belief.answered("forward_dynamics", found), found)


def _turned(problem: Problem, unit: Floats) -> Equation:
    """What accelerations off by a `unit` (n, ...) may leave of tau: at most the sum of |M_ij| units."""
    read = problem.read
    M, _ = rows_of(problem.tree, read, problem.x[None]).pair("mass_matrix")
    reach = np.einsum("nij,nj->ni", np.abs(M), np.broadcast_to(unit, read.tau.shape))
    return Equation(TURNED, read.tau, np.minimum(1.0 / reach, HUGE))


def _tiled(states: States, k: int) -> States:
    q, v, tau = (np.tile(block, (k, 1)) for block in (states.q, states.v, states.tau))
    return States(q, v, tau, np.tile(states.index, k), states.kind * k)


def _steps(value: Floats, rate: Floats) -> Floats:
    """Steps (n,) along which the values change about as much as they are large: answers altered are affine in them."""
    size, speed = (np.abs(block).reshape(len(block), -1).max(axis=1, initial=0.0) for block in (value, rate))
    return np.where((size > 0.0) & (speed > 0.0) & np.isfinite(size) & np.isfinite(speed), size / speed, 1.0)


def _stepped(value: Floats, rate: Floats, step: Floats) -> Floats:
    return value + rate * step.reshape(-1, *(1,) * (value.ndim - 1))
