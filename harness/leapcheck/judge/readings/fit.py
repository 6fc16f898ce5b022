"""Which set of bodies a way must be taken for: effects on several bodies add up, or stand along chains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from leapcheck.judge.attribution.problem import INVERSE_DYNAMICS
from leapcheck.judge.belief import AnswerView, Belief
from leapcheck.judge.evidence import rows_of
from leapcheck.judge.layout import link_groups
from leapcheck.judge.readings.ways import FACTORS, Way
from leapcheck.judge.robot_rows import MOST_ROWS, RobotRows, robot_rows
from leapcheck.judge.terms.excess import Excess
from leapcheck_models.arrays import Floats
from leapcheck_reference.trace.parametric import Part, places
from leapcheck_reference.tree import Tree

NEAR = 1e-6
"""A fitted amount this near to a known one is that."""

NO_PART = 1e-7
"""Bodies with less than this share of the largest amount have no part in a fit."""

MOST_OPEN = 6
"""Bodies that equations do not tell apart: with more, any set would do."""

PER_BODY = 3
"""Equations wanted for each body that may take part."""


@dataclass(frozen=True, slots=True, eq=False)
class Movable:
    """What a way does to one body: its name, its link's, and its part's numbers before and after."""

    name: str
    link: str
    part: Part
    before: Floats
    after: Floats


def _moved(tree: Tree, x: Floats, members: Sequence[Movable], amounts: Mapping[int, float]) -> Floats:
    """All numbers (N,) with some of the members moved."""
    moved, where = x.copy(), places(tree)
    for k, amount in amounts.items():
        member = members[k]
        moved[where[member.part]] = member.before + amount * (member.after - member.before)
    return moved


def _effects(few: Belief, x: Floats, X: Sequence[Floats], quantity: str) -> Floats:
    """What each robot X (k, N) gives more than x (N,) does: (k, n, ...)."""
    step = max(1, MOST_ROWS // max(1, len(few.read)))
    plain = values_of(few, x[None], quantity)
    return np.concatenate([values_of(few, np.array(X[i : i + step]), quantity) - plain for i in range(0, len(X), step)])


def values_of(few: Belief, X: Floats, quantity: str) -> Floats:
    """A quantity (k, n, ...) of robots X (k, N)."""
    rows = robot_rows(few.evidence.tree, few.read, X)
    if quantity == INVERSE_DYNAMICS:
        values = rows.inverse_dynamics(np.tile(few.evidence.answers["forward_dynamics"], (len(X), 1)))[0]
    else:
        values = _answered(few, rows, len(X), quantity)
    return values.reshape(len(X), len(few.read), *values.shape[1:])


def _answered(few: Belief, rows: RobotRows, k: int, quantity: str) -> Floats:
    """What k robots, all at the belief's states, answer."""
    values = rows.pair(quantity)[0]
    if not few.edits_answers:
        return values
    states, read = (rows_of(some, [*range(len(some))] * k) for some in (few.evidence.states, few.read))
    return few.edit_answer(quantity, values, AnswerView(few.spec, states, read, lambda name: rows.pair(name)[0]))


def fit(few: Belief, x: Floats, way: Way, members: Sequence[Movable], excesses: Sequence[Excess]) -> dict[int, float] | None:
    """The amounts by which members are moved: a known or a common one; None where these explain nothing."""
    robots = [_moved(few.tree, x, members, {k: 1.0}) for k in range(len(members))]
    A, b = _equations(few, x, robots, excesses)
    if not np.isfinite(A).all():
        return None
    shown = np.flatnonzero(np.einsum("km,km->k", A, A) > 1.0)
    if not len(shown) or np.count_nonzero(b) < PER_BODY:
        return None
    for own in _groups(few.tree, members, shown.tolist()):
        column = A[own].sum(axis=0)
        amount = _known(way, float(column @ b / (column @ column or 1.0)))
        if amount and np.abs(b - amount * column).max() <= 1.0:
            return dict.fromkeys(own, amount)
    if len(b) < PER_BODY * len(shown):
        return None
    return _set_fit(way, A, b, shown.tolist())


def _set_fit(way: Way, A: Floats, b: Floats, shown: Sequence[int]) -> dict[int, float] | None:
    """The set of bodies whose columns (k, m), by one amount, add up to b.

    Bodies that the equations do not tell apart are in it or not as one of the possibilities explains b.
    """
    solution = np.linalg.lstsq(A[shown].T, b, rcond=1e-12)[0]
    part = np.abs(solution) > NO_PART * np.abs(solution).max(initial=0.0)
    moved = solution[part]
    amount = _known(way, float(np.median(moved))) if len(moved) else None
    if not amount:
        return None
    certain = [k for k, x in zip(shown, solution, strict=True) if abs(x - amount) <= NEAR * max(1.0, abs(amount))]
    unsure = [k for k, is_part in zip(shown, part.tolist(), strict=True) if is_part and k not in certain]
    if len(unsure) > MOST_OPEN:
        return None
    for chosen in (some for count in range(len(unsure) + 1) for some in combinations(unsure, count)):
        members = sorted((*certain, *chosen))
        if np.abs(b - amount * A[members].sum(axis=0)).max() <= 1.0:
            return dict.fromkeys(members, amount)
    return None


def group_fit(
    few: Belief, x: Floats, _way: Way, members: Sequence[Movable], excesses: Sequence[Excess]
) -> dict[int, float] | None:
    """The group of links on which a way along chains explains the excess; None where there is none."""
    groups = [dict.fromkeys(group, 1.0) for group in _groups(few.tree, members, range(len(members)))]
    A, b = _equations(few, x, [_moved(few.tree, x, members, group) for group in groups], excesses)
    off = np.nan_to_num(np.abs(A - b).max(axis=1), nan=np.inf)
    best = int(np.argmin(off))
    return groups[best] if off[best] <= 1.0 else None


def _equations(few: Belief, x: Floats, robots: Sequence[Floats], excesses: Sequence[Excess]) -> tuple[Floats, Floats]:
    """Effects of robots (k, m) and the excesses (m,), in units of what rounding explains."""
    columns = []
    for excess in excesses:
        effects = _effects(few, x, robots, excess.quantity)
        columns.append(effects.reshape(len(robots), -1) / excess.near.ravel())
    return np.concatenate(columns, axis=1), np.concatenate([(excess.off / excess.near).ravel() for excess in excesses])


def _groups(tree: Tree, members: Sequence[Movable], shown: Sequence[int]) -> list[list[int]]:
    """Groups of the members shown that a fault may stand in."""
    links, parents = [link.name for link in tree.links], [link.parent for link in tree.links]
    groups = link_groups(links, parents, {members[k].link for k in shown})
    return [[k for k in shown if members[k].link in group] for group in groups]


def _known(way: Way, amount: float) -> float | None:
    """The amount of a fit; None where the way cannot have it."""
    if not way.scales:
        return 1.0 if abs(amount - 1.0) <= NEAR else None
    if not np.isfinite(amount) or abs(amount) <= NEAR:
        return None
    return next((known for known in FACTORS if abs(amount - known) <= NEAR), amount)
