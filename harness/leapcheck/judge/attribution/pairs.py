"""Two parameters, or a block of them and one more, that only together explain what a belief leaves unexplained."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from leapcheck.judge.attribution.blocks import Block, blocks_of
from leapcheck.judge.attribution.descent import Fit, descend
from leapcheck.judge.attribution.problem import Problem
from leapcheck.judge.attribution.screening import Screening, screen, unexplained_problem, unit_columns
from leapcheck.judge.attribution.search import FAMILIES, SEVERAL, basis, uncertainties, verify
from leapcheck.judge.belief import Belief
from leapcheck_models.arrays import Floats

FIRST, SECONDS = 24, 12
"""Parameters that are followed as the first of a pair, and how many second ones for each."""

MOST_PAIRS = 256
"""Pairs that are followed at most."""

MOST_MIXED = 24
"""Blocks with one more parameter that are followed at most."""

NEAREST = 8
"""Blocks that are fitted before one more parameter is sought beside them."""

TELLING = 1e-10
"""Sine squared of the angle between two columns below which a pair is one parameter."""


def pair_fits(belief: Belief) -> list[Fit]:
    """Fits of two parameters that explain all quantities at all states together."""
    problem = unexplained_problem(belief, SEVERAL, most=FAMILIES)
    if problem is None:
        return []
    screening = screen(problem)
    starts = [*_best_pairs(screening), *_pairs_beside_singles(screening)]
    fits: dict[tuple[str, ...], Fit] = {}
    for fit in starts[:MOST_PAIRS]:
        fits.setdefault(tuple(sorted(p.name for p in fit.parameters)), fit)
    return verify(belief, descend(problem, list(fits.values())))


def equal_pair_fits(belief: Belief, names: Collection[str]) -> list[Fit]:
    """Of these fits those of one of the parameters with these names and any other: what else explains as much as such two."""
    problem = unexplained_problem(belief, SEVERAL, most=FAMILIES)
    if problem is None:
        return []
    screening = screen(problem)
    firsts = [int(i) for i in screening.plain if screening.parameter(int(i)).name in names]
    fits: dict[tuple[str, ...], Fit] = {}
    for fit in _pairs_beside(screening, [screening.fit(i) for i in firsts]):
        fits.setdefault(tuple(sorted(p.name for p in fit.parameters)), fit)
    return verify(belief, descend(problem, list(fits.values())))


def _best_pairs(screening: Screening) -> list[Fit]:
    """The pairs that leave least of the residual at first."""
    left = _pair_residuals(screening.residuals, screening.columns, screening.columns[screening.plain])
    return [_pair(screening.fit(i), screening, j) for i, j in _smallest(left, MOST_PAIRS // 2) if _differ(screening, i, j)]


def _pairs_beside_singles(screening: Screening) -> list[Fit]:
    """For the single parameters that come nearest, each at its best amount, the second ones that leave least."""
    return _pairs_beside(screening, _nearest(screening))


def _pairs_beside(screening: Screening, nearest: Sequence[Fit]) -> list[Fit]:
    firsts, residuals, columns = _at_their_best(screening, nearest)
    left = _pair_residuals(residuals, columns, screening.columns[screening.plain])
    pairs = []
    for k, first in enumerate(firsts):
        best = [int(j) for j in np.argsort(left[k], kind="stable")[:SECONDS] if np.isfinite(left[k, j])]
        seconds = [
            j
            for j in best
            if screening.field.parameters[int(screening.field.which[screening.plain[j]])] is not first.parameters[0]
        ]
        pairs += [(float(left[k, j]), _pair(first, screening, j)) for j in seconds]
    return [fit for _, fit in sorted(pairs, key=lambda pair: pair[0])]


def _nearest(screening: Screening) -> list[Fit]:
    """The single parameters that come nearest."""
    order = [int(i) for i in np.argsort(screening.share, kind="stable")[:FIRST] if np.isfinite(screening.share[i])]
    return [screening.fit(i) for i in order]


def _at_their_best(screening: Screening, firsts: Sequence[Fit]) -> tuple[Sequence[Fit], Floats, Floats]:
    """Single parameters at their best amounts, with residuals and columns (k, m) there."""
    descend(screening.problem, firsts, most_steps=4)
    rates = np.array([fit.rates()[0] for fit in firsts]).reshape(len(firsts), len(screening.problem.x))
    residuals, columns = screening.problem.linearize(np.array([fit.x for fit in firsts]).reshape(rates.shape), rates)
    return firsts, residuals, columns


def _pair(first: Fit, screening: Screening, second: int) -> Fit:
    parameter = screening.parameter(int(screening.plain[second]))
    return Fit((*first.parameters, parameter), first.x, np.array([*first.amounts, 0.0]))


def _differ(screening: Screening, i: int, second: int) -> bool:
    return bool(screening.field.which[i] != screening.field.which[screening.plain[second]])


def _pair_residuals(residuals: Floats, first: Floats, second: Floats) -> Floats:
    """Square (c, p) of what is left of residuals (c, m) by their own columns (c, m) together with each of others (p, m)."""
    good = np.asarray(np.isfinite(residuals).all(axis=1))
    residuals = np.where(good[:, None], residuals, 0.0)
    units, others = unit_columns(first), unit_columns(second)
    own = np.einsum("cm,cm->c", units, residuals)
    left = residuals - own[:, None] * units
    cosine = units @ others.T
    sine = 1.0 - cosine**2
    gain = (left @ others.T) ** 2 / np.maximum(sine, TELLING)
    square = np.maximum(np.einsum("cm,cm->c", left, left)[:, None] - gain, 0.0)
    hidden, no_use = np.all(units == 0.0, axis=1), np.all(others == 0.0, axis=1)
    useless = (~good | hidden)[:, None] | (sine < TELLING) | no_use
    squares: Floats = np.where(useless, np.inf, square)
    return squares


def _smallest(values: Floats, count: int) -> list[tuple[int, int]]:
    """Places of the smallest finite entries, in their order."""
    flat = values.ravel()
    count = min(count, flat.size)
    places: NDArray[np.intp] = np.argpartition(flat, count - 1)[:count]
    places = places[np.argsort(flat[places], kind="stable")]
    rows, columns = np.unravel_index(places[np.isfinite(flat[places])], values.shape)
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def mixed_fits(belief: Belief) -> list[tuple[Block, Fit]]:
    """Fits of a block of parameters and one more, the last of the fit's, that explain all quantities at all states together."""
    problem = unexplained_problem(belief, SEVERAL, most=FAMILIES)
    if problem is None:
        return []
    screening = screen(problem)
    blocks = _spans(screening)
    begun = sorted([*_beside_blocks(screening, blocks), *_beside_singles(screening, blocks)], key=lambda fit: fit[0])[:MOST_MIXED]
    owner = {id(fit): block for _, block, fit in begun}
    fits = verify(belief, descend(problem, [fit for _, _, fit in begun]))
    return [(owner[id(fit)], fit) for fit in fits if not owner[id(fit)].is_of_limbs or _is_needed(problem, fit)]


def _is_needed(problem: Problem, fit: Fit) -> bool:
    """Whether every parameter of a fit has moved: where one has not, fewer numbers say the same."""
    _, columns = problem.linearize(np.tile(fit.x, (len(fit.parameters), 1)), fit.rates())
    return bool((np.abs(fit.amounts) > uncertainties(columns)).all())


def _spans(screening: Screening) -> list[tuple[Block, Floats]]:
    """All blocks, each with an orthonormal basis of its columns for the robot as it is."""
    problem, singles = screening.problem, screening.field.parameters
    blocks = blocks_of(problem.spec, problem.tree, singles)
    known = dict(zip((p.name for p in singles), screening.columns[screening.plain], strict=True))
    more = list({p.name: p for block in blocks for p in block.parameters if p.name not in known}.values())
    X = np.tile(problem.x, (len(more), 1))
    columns = problem.linearize(X, np.array([parameter.rate(problem.x) for parameter in more]))[1]
    known |= zip((p.name for p in more), columns, strict=True)
    return [(block, basis(np.array([known[p.name] for p in block.parameters]))) for block in blocks]


def _beside_blocks(screening: Screening, blocks: list[tuple[Block, Floats]]) -> Iterator[tuple[float, Block, Fit]]:
    """For each block the parameters that together with it leave least: the square left, the block and the fit to begin with."""
    singles, x = screening.field.parameters, screening.problem.x
    units = unit_columns(screening.columns[screening.plain])
    starts = [(block, Fit(block.parameters, x, np.zeros(len(block.parameters))), screening.residual, a) for block, a in blocks]
    for block, fit, residual, across in (*starts, *_nearest_blocks(screening, blocks)):
        squares = 1.0 - ((across @ units.T) ** 2).sum(axis=0)  # of what is left of each unit column
        left = residual - (across @ residual) @ across
        gain = (units @ left) ** 2 / np.maximum(squares, TELLING)
        gain[squares < TELLING] = 0.0
        for j in np.argsort(-gain, kind="stable")[:SECONDS]:
            begun = Fit((*block.parameters, singles[int(j)]), fit.x, np.array([*fit.amounts, 0.0]))
            yield float(left @ left - gain[j]), block, begun


def _nearest_blocks(screening: Screening, blocks: list[tuple[Block, Floats]]) -> Iterator[tuple[Block, Fit, Floats, Floats]]:
    """The blocks that come nearest, each at its best numbers, with the residual and a basis of its columns there.

    A turn is seen to its second order only there: what is left may be all of a smaller fault beside it.
    """
    residual, problem = screening.residual, screening.problem
    square = [float(residual @ residual - (across @ residual) @ (across @ residual)) for _, across in blocks]
    nearest = [blocks[int(i)][0] for i in np.argsort(square, kind="stable")[:NEAREST] if len(blocks[int(i)][1])]
    fits = [Fit(block.parameters, problem.x, np.zeros(len(block.parameters))) for block in nearest]
    descend(problem, fits, most_steps=4)
    for block, fit in zip(nearest, fits, strict=True):
        residuals, columns = problem.linearize(np.tile(fit.x, (len(fit.parameters), 1)), fit.rates())
        if np.isfinite(residuals[0]).all() and np.isfinite(columns).all():
            yield block, fit, residuals[0], basis(columns)


def _beside_singles(screening: Screening, blocks: list[tuple[Block, Floats]]) -> Iterator[tuple[float, Block, Fit]]:
    """For each single parameter that comes nearest, at its best amount, all blocks: what they leave together."""
    for first, residual, column in zip(*_at_their_best(screening, _nearest(screening)), strict=True):
        for block, across in blocks:
            own = column - (across @ column) @ across
            left = residual - (across @ residual) @ across
            square = float(own @ own)
            if square > TELLING * float(column @ column):
                amounts = np.array([*np.zeros(len(block.parameters)), *first.amounts])
                begun = Fit((*block.parameters, *first.parameters), first.x, amounts)
                yield float(left @ left - (own @ left) ** 2 / square), block, begun
