"""Gauss-Newton steps for many small fits side by side, each of its own parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from leapcheck.judge.attribution.parameters import Parameter
from leapcheck.judge.attribution.problem import Problem
from leapcheck_models.arrays import Floats

RANK = 1e-9
"""Singular values below this share of the largest, in columns of unit norm, belong to combinations that do not show."""

MOST_STEPS = 16

HOPELESS = ((3, 0.7), (6, 0.1), (10, 1e-2))
"""After so many steps a fit is given up whose residual is larger than this share of the first one."""

GROWN = 1.0001
"""A step after which the residual is so much larger was too long: it is halved."""

EXPLAINED = 1.0
"""Largest weighted residual of answers that are right to rounding."""


@dataclass(slots=True, eq=False)
class Fit:
    """Parameters being fitted: `x` (N,) are all numbers of the robot by now, `amounts` how far each parameter has moved.

    `left` is the largest weighted residual, `first` and `norm` its norm before and now, `rank` how many combinations of the
    parameters show in what is fitted. The rest is where the last step came from.
    """

    parameters: tuple[Parameter, ...]
    x: Floats
    amounts: Floats
    left: float = np.inf
    first: float = np.inf
    norm: float = np.inf
    given_up: bool = False
    rank: int = 1
    _best: tuple[Floats, Floats] | None = None
    _step: Floats = field(default_factory=lambda: np.zeros(0))

    def move(self, step: Floats) -> None:
        """Moves the parameters, one after the other."""
        moves = list(zip(self.parameters, self.amounts.tolist(), step.tolist(), strict=True))
        for parameter, _, more in moves:
            self.x = parameter.apply(self.x, more)
        self.amounts = np.array([parameter.combined_amount(amount, more) for parameter, amount, more in moves])

    def rates(self) -> Floats:
        """Rates (d, N) of all numbers with each parameter."""
        return np.array([parameter.rate(self.x) for parameter in self.parameters])

    def take(self, residual: Floats, columns: Floats, count: int) -> bool:
        """Looks at the residual (m,) and the columns (d, m) at the present numbers, and moves on; False where it has ended."""
        norm = float(np.linalg.norm(residual))
        if count == 0:
            self.first = norm
        if not norm <= self.norm * GROWN:  # also of what is not a number
            return self._shorten()
        slow = norm > 0.5 * self.norm
        self.norm, self.left, self._best = norm, float(np.abs(residual).max(initial=0.0)), (self.x, self.amounts)
        if self.left <= EXPLAINED and slow:
            return False
        if any(count >= steps and norm > share * self.first for steps, share in HOPELESS) and self.left > EXPLAINED:
            self.given_up = True
            return False
        self._step, self.rank = solution(columns, residual)
        self.move(self._step)
        return True

    def _shorten(self) -> bool:
        """Back to where it was best, and half as far; at its end where it has converged there."""
        if self._best is None:
            self.given_up = True
            return False
        self.x, self.amounts = self._best
        self._step = self._step / 2.0
        if self.left <= EXPLAINED:
            return False
        self.move(self._step)
        return True

    def again(self) -> Fit:
        """A fit that begins where this one ended."""
        return Fit(self.parameters, self.x, self.amounts)

    def settle(self) -> None:
        """Back to the best numbers that were looked at."""
        if self._best is not None:
            self.x, self.amounts = self._best


def descend(problem: Problem, fits: Sequence[Fit], most_steps: int = MOST_STEPS) -> list[Fit]:
    """The fits that come down to rounding."""
    active = [fit for fit in fits if fit.parameters]
    for count in range(most_steps):
        if not active:
            break
        rates = [fit.rates() for fit in active]
        X = np.concatenate([np.tile(fit.x, (len(rate), 1)) for fit, rate in zip(active, rates, strict=True)])
        R, C = problem.linearize(X, np.concatenate(rates))
        places = np.cumsum([0, *(len(rate) for rate in rates)])
        active = [fit for fit, i, j in zip(active, places[:-1], places[1:], strict=True) if fit.take(R[i], C[i:j], count)]
    for fit in fits:
        fit.settle()
    return [fit for fit in fits if fit.left <= EXPLAINED]


def solution(columns: Floats, residual: Floats) -> tuple[Floats, int]:
    """The steps (d,) along columns (d, m) that leave least of a residual (m,), of least norm in columns of unit norm, and the
    columns' rank; no step where not all is finite.
    """
    if not (np.isfinite(columns).all() and np.isfinite(residual).all()):
        return np.zeros(len(columns)), len(columns)
    size = np.abs(columns).max(axis=1, initial=0.0)
    size[size == 0.0] = 1.0
    scaled = columns / size[:, None]
    norms = np.linalg.norm(scaled, axis=1)
    norms[norms == 0.0] = 1.0
    if len(columns) == 1:
        return np.array([scaled[0] @ residual / norms[0] ** 2 / size[0]]), 1
    # QR first: the singular vectors are then those of a matrix no larger than the number of parameters.
    triangle: Floats = np.asarray(np.linalg.qr(np.column_stack([(scaled / norms[:, None]).T, residual]), mode="r"))
    steps, _, rank, _ = np.linalg.lstsq(triangle[:, :-1], triangle[:, -1], rcond=RANK)
    return steps / norms / size, int(rank)
