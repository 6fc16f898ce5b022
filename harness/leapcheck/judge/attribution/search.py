"""Single parameters and blocks that explain what a belief leaves unexplained, verified for all quantities at all states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from leapcheck.judge.attribution.blocks import Block, block_of_limbs, blocks_of
from leapcheck.judge.attribution.descent import EXPLAINED, RANK, Fit, descend
from leapcheck.judge.attribution.parameters import Parameter, parameters
from leapcheck.judge.attribution.problem import Equation, Problem, problem_of
from leapcheck.judge.attribution.screening import ORDER, Screening, screen, unexplained_problem, unit_columns
from leapcheck.judge.belief import SOLVED_FOR, Belief, is_solved
from leapcheck.judge.robot_rows import robot_rows
from leapcheck.system.singular_values import singular_values
from leapcheck_models.arrays import Floats

PROMISING = 0.95
"""Share of the residual's square that a candidate may leave at first."""

CANDIDATES = 16
"""Candidates that are followed although they do not fit at once."""

MOST_CANDIDATES = 128
"""Candidates that are followed at most: those that fit at once are one class that these answers do not distinguish."""

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

AT_ONCE = 2048
"""Robots times states that are evaluated at once."""

NEARLY = 1e5
"""Misfit of a fit that a last common fit to all quantities may yet bring to rounding."""

COMMON_STATES = 4
"""States at which each quantity takes part in that."""


def single_fits(belief: Belief) -> list[Fit]:
    """Fits of single parameters, each of which explains all quantities at all states."""
    problem = unexplained_problem(belief, SINGLE)
    if problem is None:
        return []
    screening = screen(problem)
    return verify(belief, descend(problem, [screening.fit(i) for i in candidates(screening)]))


def candidates(screening: Screening) -> list[int]:
    """Candidates worth following, the best first."""
    linear = np.array([parameter.is_linear for parameter in screening.field.parameters])[screening.field.which]
    linear &= all(equation.quantity not in NONLINEAR for equation in screening.problem.equations)
    fits = screening.largest <= SURE
    follow = ~linear & ~fits & (screening.share < PROMISING)
    order = np.argsort(screening.share, kind="stable")
    best = [int(i) for i in order if follow[i]][:CANDIDATES]
    return [*(int(i) for i in order if fits[i]), *best][:MOST_CANDIDATES]


def block_fits(belief: Belief) -> list[tuple[Block, Fit]]:
    """Fits of blocks of parameters that belong together, each of which explains all quantities at all states."""
    problem = unexplained_problem(belief, SEVERAL, most=FAMILIES)
    if problem is None:
        return []
    blocks = blocks_of(problem.spec, problem.tree, parameters(problem.spec, problem.tree))
    near = [BlockStart(block, problem.x) for block in blocks]
    far = [BlockStart(block, x) for block in blocks for x in block.far_starts(problem.x)]
    return _fits_from(belief, problem, near) or _fits_from(belief, problem, far)


class BlockStart(NamedTuple):
    """A block and all numbers (N,) of the robot that its fit begins from."""

    block: Block
    x: Floats

    def fit(self) -> Fit:
        """The fit that begins there."""
        return Fit(self.block.parameters, self.x, np.zeros(len(self.block.parameters)))


def _fits_from(belief: Belief, problem: Problem, starts: Sequence[BlockStart]) -> list[tuple[Block, Fit]]:
    shares = _shares(problem, starts)
    order = [int(i) for i in np.argsort(shares, kind="stable") if shares[i] < PROMISING]
    begun = [(starts[i].block, starts[i].fit()) for i in order[: 2 * CANDIDATES]]
    blocks = {id(fit): block for block, fit in begun}
    fitted = [(blocks[id(fit)], fit) for fit in verify(belief, descend(problem, [fit for _, fit in begun]))]
    by_name = {block.name: (block, fit) for block, fit in (_without_idle(belief, problem, *pair) for pair in reversed(fitted))}
    return [pair for pair in by_name.values() if not any(_holds(pair[0], other) for other, _ in by_name.values())]


def _without_idle(belief: Belief, problem: Problem, block: Block, fit: Fit) -> tuple[Block, Fit]:
    """A block without the numbers that have not moved, where all show and the others explain as much."""
    if fit.rank < len(fit.parameters) and not block.is_of_limbs:
        return block, fit
    fewer = next(iter(significant_fits(belief, problem, fit)), fit)
    if not block.is_of_limbs or len(fewer.parameters) == len(fit.parameters):
        return block, fewer
    return block_of_limbs(fewer.parameters), fewer


def significant_fits(belief: Belief, problem: Problem, fit: Fit) -> list[Fit]:
    """The fit without parameters whose amounts are below their own uncertainty, if it explains all quantities at all states."""
    while True:
        _, columns = problem.linearize(np.tile(fit.x, (len(fit.parameters), 1)), fit.rates())
        known = np.abs(fit.amounts) > uncertainties(columns)
        if known.all():
            return verify(belief, [fit])
        left = [parameter for parameter, flag in zip(fit.parameters, known, strict=True) if flag]
        fits = descend(problem, [start(problem, left)])
        if not fits:
            return []
        fit = fits[0]


def uncertainties(columns: Floats) -> Floats:
    """How far (d,) each amount of columns (d, m) may be off where each equation is off by what rounding explains."""
    size = np.linalg.norm(columns, axis=1)
    if not np.isfinite(size).all():
        return np.zeros(len(columns))
    size[size == 0.0] = 1.0
    _, sigma, V = singular_values(np.asarray(np.linalg.qr((columns / size[:, None]).T, mode="r")))
    shown = sigma > RANK * sigma.max(initial=0.0)
    return np.asarray(np.linalg.norm(V[shown].T / sigma[shown], axis=1) / size)


def start(problem: Problem, members: Sequence[Parameter]) -> Fit:
    """The fit of parameters that begins from the robot as it is."""
    return Fit(tuple(members), problem.x, np.zeros(len(members)))


def _holds(block: Block, other: Block) -> bool:
    """Whether another block is a part of a block: then nothing is gained by the rest."""
    return {p.name for p in other.parameters} < {p.name for p in block.parameters}


def _shares(problem: Problem, starts: Sequence[BlockStart]) -> Floats:
    """Share of the residual's square that each start would leave."""
    members = {(x.tobytes(), p.name): (x, p) for block, x in starts for p in block.parameters}
    if not members:
        return np.zeros(0)
    X = np.array([x for x, _ in members.values()])
    residuals, columns = problem.linearize(X, np.array([parameter.rate(x) for x, parameter in members.values()]))
    place = {member: i for i, member in enumerate(members)}
    size = float(np.linalg.norm(problem.residuals(problem.x[None])[0]))
    shares = []
    for block, x in starts:
        rows = [place[x.tobytes(), parameter.name] for parameter in block.parameters]
        shares.append(_share(columns[rows], residuals[rows[0]], size))
    return np.array(shares)


def _share(columns: Floats, residual: Floats, size: float) -> float:
    """What columns (d, m) cannot take away of a residual (m,), squared, of `size` squared; infinite where they are too many."""
    equations = np.count_nonzero((residual != 0.0) | (columns != 0.0).any(axis=0))
    if len(columns) * PER_PARAMETER > equations or not (np.isfinite(columns).all() and np.isfinite(residual).all()):
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


def verify(belief: Belief, fits: Sequence[Fit]) -> list[Fit]:
    """Those that explain all quantities at all states, after a common fit to all of them where they nearly do."""
    if not fits:
        return []
    misfits = _worst_misfits(belief, fits)
    near = [fit for fit, misfit in zip(fits, misfits, strict=True) if EXPLAINED < misfit <= NEARLY]
    good = [fit for fit, misfit in zip(fits, misfits, strict=True) if misfit <= EXPLAINED]
    if not near:
        return good
    common = _common(belief, near)
    return [*good, *(fit for fit, misfit in zip(common, _worst_misfits(belief, common), strict=True) if misfit <= EXPLAINED)]


def _worst_misfits(belief: Belief, fits: Sequence[Fit]) -> list[float]:
    """The largest misfit of any quantity under each fit; infinite as soon as one is hopeless."""
    worst = np.zeros(len(fits))
    for quantity in sorted(belief.evidence.quantities, key=ORDER.index):
        left = np.flatnonzero(worst <= NEARLY).tolist()
        for i, value in zip(left, _predictions(belief, quantity, [fits[k] for k in left]), strict=True):
            misfit = belief.evidence.misfit(quantity, value)
            if misfit > EXPLAINED and is_solved(belief.evidence, quantity, value):
                misfit = EXPLAINED
            worst[i] = max(worst[i], misfit) if np.isfinite(misfit) else np.inf
    misfits: list[float] = worst.tolist()
    return misfits


def _predictions(belief: Belief, quantity: str, fits: Sequence[Fit]) -> Iterator[Floats]:
    """What the engine would answer (n, ...) under each fit."""
    problem = problem_of(belief, [])
    n = len(problem.read)
    equation = Equation(quantity, problem.belief.evidence.answers[quantity], np.zeros(0))
    step = max(1, AT_ONCE // n)
    for i in range(0, len(fits), step):
        X = np.array([fit.x for fit in fits[i : i + step]])
        value, _ = problem.predictions(robot_rows(problem.tree, problem.read, X), len(X), equation)
        yield from value.reshape(len(X), n, *value.shape[1:])


def _common(belief: Belief, fits: Sequence[Fit]) -> list[Fit]:
    """The fits after a few steps more, to all quantities at some states each."""
    evidence = belief.evidence
    quantities = [q for q in evidence.quantities if evidence.misfit(q, evidence.expected[q]) > EXPLAINED]
    quantities = [q for q in quantities if q not in SOLVED_FOR] or quantities
    errors = (evidence.error(q, evidence.expected[q]) / evidence.allowed[q] for q in quantities)
    rows = dict.fromkeys(int(i) for error in errors for i in np.argsort(-error, kind="stable")[:COMMON_STATES])
    return descend(problem_of(belief.about(evidence.at_states(list(rows))), quantities), [fit.again() for fit in fits])
