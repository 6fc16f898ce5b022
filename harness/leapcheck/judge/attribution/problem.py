"""What a belief leaves unexplained of the answers, as equations for changes of the robot's numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from leapcheck.judge.belief import AnswerView, Belief
from leapcheck.judge.robot_rows import MOST_ROWS, Pair, RobotRows, robot_rows
from leapcheck.rounding import scales
from leapcheck.sampling import States, tile
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.trace.parametric import numbers
from leapcheck_reference.tree import Tree

INVERSE_DYNAMICS = "inverse dynamics at the acceleration answered"
"""Forward dynamics turned round: inverse dynamics at the engine's acceleration must be tau, which is linear in inertias."""

HUGE = 1e250
"""Weight given to a number that must be exact."""


@dataclass(frozen=True, slots=True, eq=False)
class Equation:
    """One quantity at the states of a problem: `answers` (n, ...) and what makes a unit of its residual, `weight` (n, ...).

    Up to 1 a weighted residual is what rounding explains.
    """

    quantity: str
    answers: Floats
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
        return self.linearize(X, None)[0]

    def linearize(self, X: Floats, rates: Floats | None) -> Pair:
        """The same, and how fast the predicted answers change, weighted, when the numbers move at the rates (k, N)."""
        step = max(1, MOST_ROWS // max(1, len(self.read)))
        blocks = [(X[i : i + step], None if rates is None else rates[i : i + step]) for i in range(0, len(X), step)]
        parts = [self.of_rows(robot_rows(self.tree, self.read, *block)) for block in blocks]
        return np.concatenate([r for r, _ in parts]), np.concatenate([c for _, c in parts])

    def of_rows(self, rows: RobotRows) -> Pair:
        """Residuals (k, m) and columns (k, m) of rows that hold k robots at all states of the problem, robot by robot."""
        k = len(rows.x) // len(self.read)
        residuals, columns = [], []
        with np.errstate(all="ignore"):
            for equation in self.equations:
                value, rate = self.predictions(rows, k, equation, rows.rates is not None)
                shape = (k, *equation.answers.shape)
                residuals.append(((equation.answers - value.reshape(shape)) * equation.weight).reshape(k, -1))
                columns.append((rate.reshape(shape) * equation.weight).reshape(k, -1))
        return np.concatenate(residuals, axis=1), np.concatenate(columns, axis=1)

    def predictions(self, rows: RobotRows, k: int, equation: Equation, with_rates: bool = False) -> Pair:
        """What k robots would answer, all at the problem's states, after all answers that the belief alters; and the rates."""
        if equation.quantity == INVERSE_DYNAMICS:
            return rows.inverse_dynamics(np.tile(self.belief.evidence.answers["forward_dynamics"], (k, 1)))
        value, rate = rows.pair(equation.quantity)
        if not any(h.answer_edit for h in self.belief.hypotheses):
            return value, rate
        states = tile(self.belief.evidence.states, k)
        view = AnswerView(self.spec, states, tile(self.read, k), lambda name: rows.pair(name)[0])
        answered = self.belief.edit_answer(equation.quantity, value, view)
        if not with_rates:
            return answered, np.zeros_like(answered)
        step = _steps(value, rate)
        moved = replace(view, value=lambda name: _step_along(*rows.pair(name), step))
        change = self.belief.edit_answer(equation.quantity, _step_along(value, rate, step), moved) - answered
        return answered, change / step.reshape(-1, *(1,) * (change.ndim - 1))


def problem_of(belief: Belief, quantities: Sequence[str]) -> Problem:
    """The equations of some quantities at all states of a belief's evidence."""
    evidence, tree = belief.evidence, belief.tree
    problem = Problem(belief, tree, belief.spec, numbers(tree), belief.read, ())
    equations = [_equation(problem, quantity) for quantity in quantities]
    assert len(evidence.states) == len(problem.read)
    return replace(problem, equations=tuple(equations))


def _equation(problem: Problem, quantity: str) -> Equation:
    evidence = problem.belief.evidence
    answer = evidence.answers[quantity]
    with np.errstate(all="ignore"):
        scale = np.fmax(evidence.scale[quantity], scales(quantity, np.abs(answer)))
        unit = scale * evidence.allowed[quantity].reshape(-1, *(1,) * (answer.ndim - 1))
        if quantity == "forward_dynamics" and _is_plain(problem.belief):
            return _inverse_dynamics_equation(problem, unit)
        weight = np.minimum(1.0 / unit, HUGE)
    return Equation(quantity, answer, np.broadcast_to(weight, answer.shape))


def _is_plain(belief: Belief) -> bool:
    """Whether the belief leaves accelerations as they are."""
    answer = belief.evidence.answers["forward_dynamics"]
    return not any(h.answer_edit for h in belief.hypotheses) or np.array_equal(
        belief.edit_answer("forward_dynamics", answer), answer
    )


def _inverse_dynamics_equation(problem: Problem, unit: Floats) -> Equation:
    """What accelerations off by a `unit` (n, ...) may leave of tau: at most the sum of |M_ij| units."""
    read = problem.read
    M, _ = robot_rows(problem.tree, read, problem.x[None]).pair("mass_matrix")
    reach = np.einsum("nij,nj->ni", np.abs(M), np.broadcast_to(unit, read.tau.shape))
    return Equation(INVERSE_DYNAMICS, read.tau, np.minimum(1.0 / reach, HUGE))


def _steps(value: Floats, rate: Floats) -> Floats:
    """Steps (n,) along which the values change about as much as they are large: answers altered are affine in them."""
    size, speed = (np.abs(block).reshape(len(block), -1).max(axis=1, initial=0.0) for block in (value, rate))
    return np.where((size > 0.0) & (speed > 0.0) & np.isfinite(size) & np.isfinite(speed), size / speed, 1.0)


def _step_along(value: Floats, rate: Floats, step: Floats) -> Floats:
    return value + rate * step.reshape(-1, *(1,) * (value.ndim - 1))
