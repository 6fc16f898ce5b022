"""Model parameters fitted to an engine's answers by least squares: which change of the robot would make them right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import leapcheck_reference as reference
from leapcheck.compare.errors import scale_free, scales
from leapcheck.judge.case import Case, in_house_function, is_explained
from leapcheck.quantities import QUANTITIES
from leapcheck.states import Floats
from leapcheck_reference.batch import evaluated
from leapcheck_reference.tree import Tree

Change = Callable[[Tree, float], Tree]
"""A tree with one parameter larger by so much."""

ROWS_PER_PARAMETER = 3
"""Equations demanded for each parameter that shows in them: with fewer, a fit would prove nothing."""

LEAST_STATES, LEAST_ROWS = 12, 2000
"""States and equations that a fit uses at least, where there are so many; all states are then asked whether it holds."""

SLOW = 0.7
"""Share of the residual that a Gauss-Newton step may leave."""

SEEN = 1e-6
"""What a parameter that shows may lack of lying in the row space, squared."""

RANK = 1e-9
"""Singular values below this share of the largest belong to parameters that do not show."""


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
    """Fitted `changes` of the parameters, the fitted tree, and the scale-free error before and after over all states.

    `shows` flags the parameters that the equations determine; the others are changed as little as possible.
    """

    changes: Floats
    shows: NDArray[np.bool_]
    tree: Tree
    before: float
    after: float

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


def fitted(equation: Equation, changes: Sequence[Change], step: float = 1.0, rounds: int = 1, chord: bool = False) -> Fit | None:
    """The least-squares fit of parameters; None where the equations are too few.

    With `rounds` > 1 by Gauss-Newton, or with the first round's derivatives throughout (`chord`), enough for small changes.
    """
    rows = _rows(equation, len(changes))
    tree, total, A = equation.tree, np.zeros(len(changes)), None
    shows, left = np.ones(len(changes), dtype=bool), np.inf
    for _ in range(rounds):
        value = equation.function(tree, rows)
        residual = _scaled(equation, equation.target[rows] - value, rows)
        if np.linalg.norm(residual) > SLOW * left:  # done, or on the way to nowhere
            break
        left = float(np.linalg.norm(residual))
        if A is None or not chord:
            A = np.column_stack([_scaled(equation, equation.function(c(tree, step), rows) - value, rows) for c in changes]) / step
        solved = _solution(A, residual)
        if solved is None:
            return None
        found, shows = solved
        total = total + found
        for change, amount in zip(changes, found, strict=True):
            tree = change(tree, float(amount))
    before, after = (_error(equation, equation.function(held, slice(None))) for held in (equation.tree, tree))
    return Fit(total, shows, tree, before, after)


def _rows(equation: Equation, parameters: int) -> slice:
    """Every so many states, so that there are enough of them and of equations."""
    n = len(equation.target)
    entries = max(1, equation.target[0].size)
    wanted = max(LEAST_STATES, 2 * ROWS_PER_PARAMETER * parameters // entries)
    return slice(0, n, max(1, n // wanted))


def _scaled(equation: Equation, difference: Floats, rows: slice) -> Floats:
    return np.ravel(difference / equation.scale[rows])


def _error(equation: Equation, value: Floats) -> float:
    return float(scale_free(equation.target - value, equation.scale).max(initial=0.0))


def _solution(A: Floats, b: Floats) -> tuple[Floats, NDArray[np.bool_]] | None:
    """The solution of least norm, in columns of unit norm, and which parameters show; None for too few equations."""
    told = np.flatnonzero((A != 0.0).any(axis=1) | (b != 0.0))
    told = np.random.default_rng(0).permutation(told)[: max(LEAST_ROWS, 4 * ROWS_PER_PARAMETER * A.shape[1])]
    norms = np.linalg.norm(A[told], axis=0)
    norms[norms == 0.0] = 1.0
    # QR first: the singular vectors are then those of a matrix no larger than the number of parameters.
    _, triangle = np.linalg.qr(np.column_stack([A[told] / norms, b[told]]))
    U, sigma, V = np.linalg.svd(triangle[:, :-1], full_matrices=False)
    rank = int((sigma > RANK * sigma.max(initial=0.0)).sum())
    if len(told) < max(1, ROWS_PER_PARAMETER * rank):
        return None
    x = V[:rank].T @ (U[:, :rank].T @ triangle[:, -1] / sigma[:rank])
    return x / norms, np.asarray((V[:rank] ** 2).sum(axis=0) > 1.0 - SEEN)
