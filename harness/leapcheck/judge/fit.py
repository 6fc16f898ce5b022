"""Model parameters fitted to an engine's answers by least squares: which change of the robot would make them right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import leapcheck_reference as reference
import numpy as np
from leapcheck_reference.batch import evaluated
from leapcheck_reference.tree import Tree

from leapcheck.compare.errors import scale_free, scales
from leapcheck.judge.case import Case, in_house_function, is_explained
from leapcheck.quantities import QUANTITIES
from leapcheck.states import Floats

Change = Callable[[Tree, float], Tree]
"""A tree with one parameter larger by so much."""

ROWS_PER_PARAMETER = 3
"""Equations demanded for each unknown: with fewer, a fit would prove nothing."""

FIT_STATES = 12
"""States at which parameters are fitted; all states are then asked whether the fit holds."""

RANK = 1e-9
"""Singular values below this share of the largest belong to parameters that the answers do not show."""


@dataclass(frozen=True, slots=True, eq=False)
class Equation:
    """`function(tree, rows)` = `target[rows]` for the tree that the engine holds; errors are divided by `scale`.

    For most quantities it is the quantity itself. Forward dynamics is turned round: inverse dynamics at the found vdot is
    tau. So stated, all but kinematics are linear in armature, gravity and inertias.
    """

    tree: Tree
    function: Callable[[Tree, slice], Floats]
    target: Floats
    scale: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Fitted `changes` of the parameters, the fitted tree, and the scale-free error before and after over all states."""

    changes: Floats
    tree: Tree
    before: float
    after: float
    full_rank: bool

    @property
    def explains(self) -> bool:
        """Whether the error has vanished but for rounding."""
        return is_explained(self.before, self.after)


def equation(at: Case) -> Equation:
    """What the answers demand of the engine's model."""
    tree = reference.build(at.spec)
    if at.quantity == "forward_dynamics":
        arguments = (at.states.q, at.states.v, at.found)
        asked, target = reference.inverse_dynamics, at.states.tau
    else:
        arguments = tuple(getattr(at.states, part) for part in QUANTITIES[at.quantity].arguments)
        asked, target = in_house_function(at.quantity), at.found

    def function(held: Tree, rows: slice) -> Floats:
        return evaluated(asked, held, *(block[rows] for block in arguments))

    scale = scales(at.quantity, at.expected)
    if at.quantity == "forward_dynamics":
        scale = np.maximum(scales(at.quantity, target), scales(at.quantity, function(tree, slice(None))))
    return Equation(tree, function, target, scale)


def fitted(equation: Equation, changes: Sequence[Change], step: float = 1.0, rounds: int = 1) -> Fit | None:
    """The least-squares fit of parameters (Gauss-Newton where rounds > 1); None where the equations are too few."""
    n = len(equation.target)
    rows = slice(0, n, max(1, n // FIT_STATES)) if equation.target.ndim > 1 else slice(0, n)
    total, tree, full_rank = np.zeros(len(changes)), equation.tree, True
    for _ in range(rounds):
        residual = _scaled(equation, equation.target[rows] - equation.function(tree, rows), rows)
        A = np.column_stack([_column(equation, tree, change, step, rows) for change in changes])
        told = (A != 0.0).any(axis=1) | (residual != 0.0)
        if np.count_nonzero(told) < ROWS_PER_PARAMETER * len(changes):
            return None
        found, rank = _least_squares(A[told], residual[told])
        total, full_rank = total + found, rank == len(changes)
        tree = _changed(tree, changes, found)
    every = slice(None)
    before, after = (_error(equation, equation.function(t, every)) for t in (equation.tree, tree))
    return Fit(total, tree, before, after, full_rank)


def _changed(tree: Tree, changes: Sequence[Change], amounts: Floats) -> Tree:
    for change, amount in zip(changes, amounts, strict=True):
        tree = change(tree, float(amount))
    return tree


def _column(equation: Equation, tree: Tree, change: Change, step: float, rows: slice) -> Floats:
    """Scaled derivative by one parameter, as a difference: exact where the equation is linear in it."""
    moved = equation.function(change(tree, step), rows) - equation.function(tree, rows)
    return _scaled(equation, moved, rows) / step


def _scaled(equation: Equation, difference: Floats, rows: slice) -> Floats:
    return np.ravel(difference / equation.scale[rows])


def _error(equation: Equation, value: Floats) -> float:
    return float(scale_free(equation.target - value, equation.scale).max(initial=0.0))


def _least_squares(A: Floats, b: Floats) -> tuple[Floats, int]:
    """The solution of least norm in columns of unit norm, and the rank."""
    norms = np.linalg.norm(A, axis=0)
    norms[norms == 0.0] = 1.0
    x, _, rank, _ = np.linalg.lstsq(A / norms, b, rcond=RANK)
    return x / norms, int(rank)
