"""Single parameters and blocks of them that explain what a belief leaves unexplained."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from leapcheck.judge.attribution.blocks import Block, blocks_of
from leapcheck.judge.attribution.descent import Fit, descended
from leapcheck.judge.attribution.parameters import parameters
from leapcheck.judge.attribution.problem import Problem
from leapcheck.judge.attribution.screening import Screening, screened, unexplained, unit_columns
from leapcheck.judge.attribution.verification import verified
from leapcheck.judge.belief import Belief
from leapcheck.states import Floats

PROMISING = 0.95
"""Share of the residual's square that a candidate may leave at first."""

CANDIDATES = 16
"""Candidates that are followed although they do not fit at once."""

MOST_CANDIDATES = 128
"""Candidates that are followed at most: those that fit at once are one class that these answers do not tell apart."""

SURE = 100.0
"""Largest weighted residual of a linear parameter that is followed: it would vanish at once."""

NONLINEAR = frozenset({"forward_dynamics", "contact_inertia", "cinert", "crb", "cdof"})
"""Quantities in which masses and inertias enter otherwise than in proportion."""

SINGLE, SEVERAL = 24, 120
"""Numbers that a single parameter, and several, are fitted to at least, where there are so many."""

FAMILIES = 4
"""Quantities that several parameters are fitted to at most: one of a kind, so that what one does not show the others may."""

PER_PARAMETER = 2
"""Numbers that must be there for each parameter of a block: with fewer, a fit would prove nothing."""

SHOWN = 1e-12
"""Eigenvalue of the Gram matrix of unit columns up to which a combination of parameters does not show."""


def fitted_singles(belief: Belief) -> list[Fit]:
    """Fits of single parameters, each of which explains all quantities at all states."""
    problem = unexplained(belief, SINGLE)
    if problem is None:
        return []
    at = screened(problem)
    return verified(belief, descended(problem, [at.fit(i) for i in candidates(at)]))


def candidates(at: Screening) -> list[int]:
    """Candidates worth following, the best first."""
    linear = np.array([parameter.is_linear for parameter in at.field.parameters])[at.field.which]
    linear &= all(equation.quantity not in NONLINEAR for equation in at.problem.equations)
    fits = at.largest <= SURE
    follow = ~linear & ~fits & (at.share < PROMISING)
    order = np.argsort(at.share, kind="stable")
    best = [int(i) for i in order if follow[i]][:CANDIDATES]
    return [*(int(i) for i in order if fits[i]), *best][:MOST_CANDIDATES]


def fitted_blocks(belief: Belief) -> list[tuple[Block, Fit]]:
    """Fits of blocks of parameters that belong together, each of which explains all quantities at all states."""
    problem = unexplained(belief, SEVERAL, most=FAMILIES)
    if problem is None:
        return []
    blocks = blocks_of(problem.spec, problem.tree, parameters(problem.spec, problem.tree))
    near = [Start(block, problem.x) for block in blocks]
    far = [Start(block, x) for block in blocks for x in block.far_starts(problem.x)]
    return _fitted_from(belief, problem, near) or _fitted_from(belief, problem, far)


class Start(NamedTuple):
    """A block and all numbers (N,) of the robot that its fit begins from."""

    block: Block
    x: Floats

    def fit(self) -> Fit:
        """The fit that begins there."""
        return Fit(self.block.parameters, self.x, np.zeros(len(self.block.parameters)))


def _fitted_from(belief: Belief, problem: Problem, starts: Sequence[Start]) -> list[tuple[Block, Fit]]:
    shares = _shares(problem, starts)
    order = [int(i) for i in np.argsort(shares, kind="stable") if shares[i] < PROMISING]
    begun = [(starts[i].block, starts[i].fit()) for i in order[: 2 * CANDIDATES]]
    blocks = {id(fit): block for block, fit in begun}
    fitted = verified(belief, descended(problem, [fit for _, fit in begun]))
    by_name = {block.name: (block, fit) for fit in reversed(fitted) for block in [blocks[id(fit)]]}
    return [found for found in by_name.values() if not any(_holds(found[0], other) for other, _ in by_name.values())]


def _holds(block: Block, other: Block) -> bool:
    """Whether another block is a part of a block: then nothing is gained by the rest."""
    return {p.name for p in other.parameters} < {p.name for p in block.parameters}


def _shares(problem: Problem, starts: Sequence[Start]) -> Floats:
    """Share of the residual's square that each start would leave."""
    members = {(x.tobytes(), p.name): (x, p) for block, x in starts for p in block.parameters}
    if not members:
        return np.zeros(0)
    X = np.array([x for x, _ in members.values()])
    residuals, columns = problem.linearised(X, np.array([parameter.rate(x) for x, parameter in members.values()]))
    place = {member: i for i, member in enumerate(members)}
    size = float(np.linalg.norm(problem.residuals(problem.x[None])[0]))
    shares = []
    for block, x in starts:
        rows = [place[x.tobytes(), parameter.name] for parameter in block.parameters]
        shares.append(_share(columns[rows], residuals[rows[0]], size))
    return np.array(shares)


def _share(columns: Floats, residual: Floats, size: float) -> float:
    """What columns (d, m) cannot take away of a residual (m,), squared, of `size` squared; infinite where they are too many."""
    told = np.count_nonzero((residual != 0.0) | (columns != 0.0).any(axis=0))
    if len(columns) * PER_PARAMETER > told or not (np.isfinite(columns).all() and np.isfinite(residual).all()):
        return np.inf
    across = basis(columns)
    left = residual - (across @ residual) @ across
    return float(left @ left) / size**2


def basis(columns: Floats) -> Floats:
    """Orthonormal rows that span what columns (d, m) show."""
    units = unit_columns(columns)
    squares, directions = np.linalg.eigh(units @ units.T)
    shown = squares > SHOWN
    rows: Floats = (directions[:, shown] / np.sqrt(squares[shown])).T @ units
    return rows
