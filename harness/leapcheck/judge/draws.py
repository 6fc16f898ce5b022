"""What rounding may change: a robot at some states, and robot and states off by 2 ulp everywhere, in one run of each program."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Protocol

import numpy as np

import leapcheck_reference as reference
from leapcheck.judge.robot_rows import Pair, ReadableRows, rows_of_each
from leapcheck.rounding import (
    ALLOWED_UNITS,
    DRAWS,
    allowance,
    base_distance,
    cancelling_terms,
    perturbation,
    perturbed_spec,
    rounding_unit,
    scale_free,
    scales,
)
from leapcheck.sampling import STATE_PARTS, States, part_sizes
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.trace.parametric import numbers
from leapcheck_reference.tree import Tree

StateFactors = Mapping[str, Floats]
"""Factors of each part of a state."""


class Rows(Protocol):
    """Robots, each at a state of its own."""

    def pair(self, quantity: str) -> Pair:
        """Values (n, ...) of a quantity, and their rates."""


RowsOf = Callable[[Sequence[States]], Rows]
"""Rows of a robot at the first of up to `1 + DRAWS` blocks of states, and of the robot as each draw moves it at the others."""


class PerturbedRobot:
    """A robot at n states, and robot and states off by 2 ulp everywhere, `DRAWS` times."""

    def __init__(self, spec: RobotSpec, states: States, rows: RowsOf, factors: Sequence[StateFactors]) -> None:
        """Takes what makes the rows, and by what each draw multiplies the states."""
        self.spec, self.states = spec, states
        self._rows = rows([states, *(_times(states, off) for off in factors)])

    def value(self, quantity: str) -> Floats:
        """Values (n, ...) of the robot as it is."""
        first: Floats = self._values(quantity)[0]
        return first

    def rounding(self, quantity: str) -> Floats:
        """Scale-free rounding (n,) to expect: what the draws change."""
        exact, *moved = self._values(quantity)
        n, scale = len(exact), scales(quantity, exact)
        terms = cancelling_terms(self.spec, quantity, self.value, _largest) / scale.max(axis=tuple(range(1, scale.ndim)))
        movement = np.zeros(n)
        with np.errstate(all="ignore"):
            for off in moved:
                movement = np.maximum(movement, scale_free(off - exact, scale).reshape(n, -1).max(axis=1, initial=0.0))
        return rounding_unit(movement, terms)

    def allowed_error(self, quantity: str) -> Floats:
        """The scale-free error (n,) that rounding explains."""
        return ALLOWED_UNITS * self.rounding(quantity) * allowance(base_distance(self.spec, self.states))

    def _values(self, quantity: str) -> Floats:
        block, _ = self._rows.pair(quantity)
        return block.reshape(1 + DRAWS, len(self.states), *block.shape[1:])


def draws_of(spec: RobotSpec, tree: Tree, states: States) -> PerturbedRobot:
    """The draws of a robot, by the programs of its own topology."""
    return PerturbedRobot(
        spec,
        states,
        lambda reads: rows_of_each(tree, [numbers(tree), *moved_numbers(spec)], reads),
        state_factors(spec),
    )


def readable_rows(spec: RobotSpec, tree: Tree) -> RowsOf:
    """What makes the rows of a robot by the readable code."""
    return lambda reads: ReadableRows([tree, *(moved for moved, _ in _perturbations(spec))][: len(reads)], reads)


def moved_numbers(spec: RobotSpec) -> tuple[Floats, ...]:
    """All numbers (N,) of the robot as each draw moves it."""
    return tuple(numbers(tree) for tree, _ in _perturbations(spec))


def state_factors(spec: RobotSpec) -> tuple[StateFactors, ...]:
    """By what each draw multiplies each part of a state."""
    return tuple(factors for _, factors in _perturbations(spec))


@lru_cache(maxsize=16)
def _perturbations(spec: RobotSpec) -> tuple[tuple[Tree, StateFactors], ...]:
    """For each draw the robot off by 2 ulp everywhere, and factors of the parts of a state: those of a comparison."""
    draws = []
    for draw in range(DRAWS):
        rng = np.random.default_rng(draw)
        tree = reference.build(perturbed_spec(spec, rng))
        sizes = part_sizes(spec)
        draws.append((tree, {part: perturbation(rng, (sizes[part],)) for part in STATE_PARTS}))
    return tuple(draws)


def _times(states: States, factors: StateFactors) -> States:
    moved = {part: getattr(states, part) * off for part, off in factors.items() if getattr(states, part).size}
    return replace(states, **moved)


def _largest(entries: Floats) -> Floats:
    """The largest entry (n,) of each of n arrays."""
    largest: Floats = entries.reshape(len(entries), -1).max(axis=1, initial=0.0)
    return largest
