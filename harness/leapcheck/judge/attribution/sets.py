"""Sets of single parameters that are off together: of all that would explain the answers, the sparsest.

M, the bias force and the energies are linear in masses, first moments, inertias and armatures: one regression of all of them
at once tells any set of wrong ones. Of its solutions that of least sum of amounts is sought, and then of fewest (iteratively
reweighted least squares; Chartrand and Yin, Iteratively reweighted algorithms for compressive sensing, ICASSP 2008).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from leapcheck.judge.attribution.descent import Fit, descend
from leapcheck.judge.attribution.parameters import Parameter, parameters
from leapcheck.judge.attribution.problem import INVERSE_DYNAMICS, Problem, problem_of
from leapcheck.judge.attribution.screening import unexplained_problem
from leapcheck.judge.attribution.search import significant_fits, start
from leapcheck.judge.belief import Belief
from leapcheck.system.singular_values import singular_values
from leapcheck_models.arrays import Floats

INERTIAL = ("mass", "com", "inertia", "armature", "gear")
"""Kinds of parameters that enter the dynamics linearly, or span what is linear."""

PER_NUMBER = 2
"""Equations wanted for each parameter."""

MOST_STATES = 16

MOST = 24
"""Parameters of a set at most: with more, other words say it better."""

LEFT = 1e-9
"""Share of the residual's norm that all parameters together leave at most."""

ROUNDS = 32
"""Rounds of reweighting, each with half the smoothing of small amounts."""

FEW = 48
"""Columns, those of the largest amounts, that are tried alone."""

SHOWN = 1e-10
"""Singular values of columns of like size below this share of the largest do not show."""

ROTOR = 1.3
"""Cost of a rotor's number, where a link's costs 1."""

PASSES = 3
"""Regressions at most, each about the numbers that the one before has come to."""

RELATIVE = 1e-9
"""Share of the largest weighted amount below which one is dropped in a regression."""


def set_fits(belief: Belief) -> list[Fit]:
    """The fit of the sparsest set of inertial parameters that explains all quantities at all states; none where none does."""
    problem = _problem(belief)
    if problem is None:
        return []
    singles = [p for p in parameters(problem.spec, problem.tree) if p.kind in INERTIAL]
    chosen = _sparse_set(problem, singles)
    if not 1 < len(chosen) <= MOST:
        return []
    return [kept for fit in descend(problem, [start(problem, chosen)]) for kept in significant_fits(belief, problem, fit)]


def _problem(belief: Belief) -> Problem | None:
    """The first quantity of each family that is off, at enough states for a regression."""
    first = unexplained_problem(belief, 1, most=3)
    if first is None:
        return None
    names = [("forward_dynamics" if e.quantity == INVERSE_DYNAMICS else e.quantity) for e in first.equations]
    count = sum(p.kind in INERTIAL for p in parameters(first.spec, first.tree))
    evidence = belief.evidence
    size = sum(max(1, evidence.answers[name][0].size) for name in names)
    near = [i for i, kind in enumerate(evidence.states.kind) if kind in ("generic", "file")] or list(range(len(evidence.states)))
    rows = near[: min(MOST_STATES, max(2, -(-PER_NUMBER * count // size)))]
    return problem_of(belief.about(evidence.at_states(rows)), names)


def _sparse_set(problem: Problem, singles: Sequence[Parameter]) -> list[Parameter]:
    """The parameters of the sparsest solution of the regression; none where all of them together leave something."""
    fit = start(problem, singles)
    for _ in range(PASSES):
        residuals, columns = problem.linearize(np.tile(fit.x, (len(singles), 1)), fit.rates())
        if not (np.isfinite(residuals[0]).all() and np.isfinite(columns).all() and np.isfinite(fit.amounts).all()):
            return []
        cost = np.array([ROTOR if p.part.rotor else 1.0 for p in singles])
        amounts = sparse_solution(columns, residuals[0] + fit.amounts @ columns, cost)
        if amounts is None:
            return []
        converged = np.count_nonzero(amounts) == np.count_nonzero(fit.amounts)
        fit.move(amounts - fit.amounts)
        if converged:
            break
    return [p for p, amount in zip(singles, fit.amounts.tolist(), strict=True) if amount]


def sparse_solution(columns: Floats, target: Floats, cost: Floats) -> Floats | None:
    """Amounts (d,) of columns (d, m) that give the target (m,), most of them zero; None where they cannot give it.

    Of two that do as well that of smaller `cost` (d,) is taken.
    """
    size = np.linalg.norm(columns, axis=1) * cost
    shown = np.flatnonzero(size > 0.0)
    if not shown.size:
        return None
    units = columns[shown] / size[shown, None]
    triangle: Floats = np.asarray(np.linalg.qr(np.column_stack([units.T, target]), mode="r"))
    near = max(LEFT * float(np.linalg.norm(target)), len(target) ** 0.5)
    U, sigma, V = singular_values(triangle[:, :-1])
    rank = int((sigma > SHOWN * sigma.max(initial=0.0)).sum())
    reduced = U[:, :rank].T @ triangle[:, -1]
    if len(target) < PER_NUMBER * rank or np.linalg.norm(triangle[:, -1] - U[:, :rank] @ reduced) > near:
        return None
    sparse = _reweighted(sigma[:rank, None] * V[:rank], reduced, near)
    if sparse is None:
        return None
    amounts = np.zeros(len(columns))
    amounts[shown] = sparse / size[shown]
    return amounts


def _reweighted(A: Floats, b: Floats, near: float) -> Floats | None:
    """A sparse x (d,) of A x = b, A (r, d) of full rank; None where no few columns come near.

    First the sum of the amounts is made small, then the number of the largest of them.
    """
    x = _least_norm(A, b, np.ones(A.shape[1]))
    for count in range(ROUNDS):
        x = _least_norm(A, b, np.hypot(x, np.abs(x).max() * 0.5**count))
    few = np.argsort(-np.abs(x), kind="stable")[:FEW]
    fewest = _fewest(A[:, few], b, near)
    if fewest is None:
        return None
    x = np.zeros(A.shape[1])
    x[few] = fewest
    return x


def _least_norm(A: Floats, b: Floats, weight: Floats) -> Floats:
    """x of A x = b with the least sum of x^2 / weight."""
    half = np.sqrt(weight)
    Q, R = np.linalg.qr((A * half).T)
    return np.asarray(half * (Q @ np.linalg.solve(R.T, b)))


def _fewest(A: Floats, b: Floats, near: float) -> Floats | None:
    """x (d,) of A x = b with fewer amounts that are not zero than A (r, d) has rows; None where there is none."""
    triangle: Floats = np.asarray(np.linalg.qr(np.column_stack([A, b]), mode="r"))
    if np.linalg.norm(triangle[A.shape[1] :, -1]) > near:
        return None
    A, b = triangle[: A.shape[1], :-1], triangle[: A.shape[1], -1]
    x = np.linalg.lstsq(A, b, rcond=SHOWN)[0]
    for count in range(ROUNDS):
        weight = np.hypot(x, np.abs(x).max() * 0.5**count)
        x = weight * np.linalg.lstsq(A * weight, b, rcond=SHOWN)[0]
    x[np.abs(x) < max(1.0, RELATIVE * np.abs(x).max())] = 0.0
    return np.asarray(x)
