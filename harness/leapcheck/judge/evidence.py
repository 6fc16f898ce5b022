"""What one engine answered over a block of states, beside what it should have answered: all quantities together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

import leapcheck_reference as reference
from leapcheck.compare.errors import scale_free, scales
from leapcheck.compare.in_house import CANCELLING, FLOOR
from leapcheck.compare.perturbation import DRAWS, perturbation, perturbed_spec
from leapcheck.compare.tally import NEAR, REACH, TOLERANCE_UNITS, base_distance
from leapcheck.engines.protocol import Engine
from leapcheck.judge.storage import FORMS, unpacked
from leapcheck.quantities import QUANTITIES, Scale
from leapcheck.states import Floats, States
from leapcheck_models.rotors import with_rotor_bodies, with_rotor_coordinates
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.batch import evaluated
from leapcheck_reference.tree import Tree


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Answers `found` of an `engine` beside the in-house ones, `expected`: by quantity, (n, ...) each.

    `scale` makes errors scale-free; `allowed` (n,) is the scale-free error that rounding explains at each state. For
    MuJoCo's own quantities `spec` and `states` are those with the rotors as bodies, and M out of MuJoCo's storage is
    dense; `answers` keeps the numbers as they came.
    """

    spec: RobotSpec
    states: States
    engine: Engine
    found: Mapping[str, Floats]
    expected: Mapping[str, Floats]
    scale: Mapping[str, Floats]
    allowed: Mapping[str, Floats]
    answers: Mapping[str, Floats]

    @property
    def quantities(self) -> tuple[str, ...]:
        """The quantities that were asked for."""
        return tuple(self.found)

    @property
    def deviating(self) -> tuple[str, ...]:
        """The quantities that are off beyond rounding."""
        return tuple(name for name in self.found if self.misfit(name, self.expected[name]) > 1.0)

    def error(self, quantity: str, value: Floats) -> Floats:
        """Largest scale-free error (n,) of the found answers against others (n, ...), in the larger scale of both."""
        with np.errstate(all="ignore"):
            scale = np.fmax(self.scale[quantity], scales(quantity, np.abs(value)))
            if QUANTITIES[quantity].scale is Scale.ABSOLUTE:  # a robot of another size rounds by its own
                largest = np.abs(value).reshape(len(value), -1).max(axis=1, initial=1.0)
                scale = np.fmax(scale, largest.reshape(-1, *(1,) * (value.ndim - 1)))
            error = scale_free(self.found[quantity] - value, scale)
        worst: Floats = error.reshape(len(error), -1).max(axis=1, initial=0.0)
        return worst

    def misfit(self, quantity: str, value: Floats) -> float:
        """The largest of these errors in units of what rounding explains: up to 1 the found answers are as good as the others."""
        return float((self.error(quantity, value) / self.allowed[quantity]).max(initial=0.0))

    def worst_error(self, quantity: str, value: Floats | None = None) -> float:
        """The largest scale-free error over all states, against the in-house answers unless others are given."""
        return float(self.error(quantity, self.expected[quantity] if value is None else value).max(initial=0.0))

    def restricted(self, quantities: Sequence[str]) -> Evidence:
        """The same for some of the quantities."""
        return self._of(self.states, lambda blocks: {name: blocks[name] for name in quantities})

    def at(self, rows: slice | Sequence[int]) -> Evidence:
        """The same at some of the states."""
        return self._of(rows_of(self.states, rows), lambda blocks: {name: block[rows] for name, block in blocks.items()})

    def _of(self, states: States, taken: Callable[[Mapping[str, Floats]], Mapping[str, Floats]]) -> Evidence:
        blocks = (self.found, self.expected, self.scale, self.allowed, self.answers)
        return Evidence(self.spec, states, self.engine, *map(taken, blocks))


def evidence(spec: RobotSpec, engine: Engine, states: States, quantities: Sequence[str]) -> Evidence:
    """The evidence on some quantities of one kind, all canonical or all MuJoCo's own, of an engine over a block of states."""
    answers = dict(engine.evaluate(states, quantities))
    held, at = spec, states
    if QUANTITIES[quantities[0]].in_mujoco_coordinates:
        q, held = with_rotor_coordinates(spec, states.q), with_rotor_bodies(spec).spec
        at = replace(states, q=q, v=np.zeros((len(q), held.nv)), tau=np.zeros((len(q), held.nv)))
    found = {name: unpacked(held, answers[name], name) if name in FORMS else answers[name] for name in quantities}
    tree = reference.build(held)
    expected = {name: value(name, tree, at) for name in quantities}
    scale = {name: scales(name, expected[name]) for name in quantities}
    allowed = {name: TOLERANCE_UNITS * expected_rounding(held, name, at) * allowance(held, at) for name in quantities}
    return Evidence(held, at, engine, found, expected, scale, allowed, {name: answers[name] for name in quantities})


def value(quantity: str, tree: Tree, states: States) -> Floats:
    """In-house values (n, ...) of a quantity of a robot, or of a robot as it might be held; wild inputs give NaN."""
    function: Any = getattr(reference, "mujoco_mass_matrix" if quantity in FORMS else quantity)
    with np.errstate(all="ignore"):
        return evaluated(function, tree, *(getattr(states, part) for part in QUANTITIES[quantity].arguments))


def expected_rounding(spec: RobotSpec, quantity: str, states: States) -> Floats:
    """Scale-free rounding (n,) to expect at each state: what state and robot off by 2 ulp everywhere change (see `InHouse`)."""
    exact = value(quantity, reference.build(spec), states)
    scale = scales(quantity, exact)
    rounding = np.full(len(states), FLOOR)
    for draw, tree in enumerate(_perturbed(spec)):
        rng = np.random.default_rng(draw)
        q, v, tau = (block * perturbation(rng, block.shape[1:]) for block in (states.q, states.v, states.tau))
        moved = scale_free(value(quantity, tree, replace(states, q=q, v=v, tau=tau)) - exact, scale)
        rounding = np.maximum(rounding, moved.reshape(len(moved), -1).max(axis=1, initial=0.0))
    if quantity in CANCELLING:
        energy = value("kinetic_energy", reference.build(spec), states)
        rounding = np.maximum(rounding, FLOOR * 2.0 * energy / scale.reshape(len(scale)))
    return rounding


@lru_cache(maxsize=16)
def _perturbed(spec: RobotSpec) -> tuple[Tree, ...]:
    """The robot off by 2 ulp everywhere, once for each draw."""
    return tuple(reference.build(perturbed_spec(spec, np.random.default_rng(draw))) for draw in range(DRAWS))


def rows_of(states: States, rows: slice | Sequence[int]) -> States:
    """Some of the states."""
    if isinstance(rows, slice):
        return states[rows]
    kind = tuple(states.kind[i] for i in rows)
    return States(states.q[rows], states.v[rows], states.tau[rows], states.index[rows], kind)


def allowance(spec: RobotSpec, states: States) -> Floats:
    """How much more (n,) is excused far from the world's origin, as in a comparison."""
    distance = base_distance(spec, states)
    return np.where(distance > NEAR, 1.0 + distance / REACH, 1.0)
