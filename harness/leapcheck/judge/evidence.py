"""What one engine answered over a block of states, and what it should have answered: all quantities together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

import leapcheck_reference as reference
from leapcheck.engines.protocol import Answers, Engine
from leapcheck.judge.matrices import FORMS, unpack
from leapcheck.quantities import QUANTITIES, Scale
from leapcheck.rounding import (
    ALLOWED_UNITS,
    CANCELLING,
    DRAWS,
    allowance,
    base_distance,
    perturbation,
    perturbed_spec,
    rounding_unit,
    scale_free,
    scales,
)
from leapcheck.sampling import States
from leapcheck_models.arrays import Floats
from leapcheck_models.rotors import with_rotor_bodies, with_rotor_coordinates
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.batch import evaluate_batch
from leapcheck_reference.quantities import quantity as reference_quantity
from leapcheck_reference.tree import Tree


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The `answers` of an engine and the in-house ones, `expected`: by quantity, (n, ...) each.

    `scale` makes errors scale-free; `allowed` (n,) is the scale-free error that rounding explains at each state. For
    MuJoCo's own quantities `spec` and `states` are those with the rotors as bodies, and `answers` hold M unpacked from
    MuJoCo's storage; `raw` keeps the numbers as they came.
    """

    spec: RobotSpec
    states: States
    engine: Engine
    answers: Mapping[str, Floats]
    expected: Mapping[str, Floats]
    scale: Mapping[str, Floats]
    allowed: Mapping[str, Floats]
    raw: Mapping[str, Floats]

    @property
    def quantities(self) -> tuple[str, ...]:
        """The quantities asked for."""
        return tuple(self.answers)

    @property
    def deviating(self) -> tuple[str, ...]:
        """The quantities that are off by more than rounding."""
        return tuple(name for name in self.answers if self.misfit(name, self.expected[name]) > 1.0)

    def error(self, quantity: str, value: Floats) -> Floats:
        """Largest scale-free difference (n,) of the answers from other values (n, ...), in the larger scale of both."""
        with np.errstate(all="ignore"):
            scale = np.fmax(self.scale[quantity], scales(quantity, np.abs(value)))
            if QUANTITIES[quantity].scale is Scale.ABSOLUTE:  # a robot of another size rounds by its own
                largest = np.abs(value).reshape(len(value), -1).max(axis=1, initial=1.0)
                scale = np.fmax(scale, largest.reshape(-1, *(1,) * (value.ndim - 1)))
            error = scale_free(self.answers[quantity] - value, scale)
        worst: Floats = error.reshape(len(error), -1).max(axis=1, initial=0.0)
        return worst

    def misfit(self, quantity: str, value: Floats) -> float:
        """The largest of these errors in units of what rounding explains; up to 1 the values agree with the answers."""
        return float((self.error(quantity, value) / self.allowed[quantity]).max(initial=0.0))

    def worst_error(self, quantity: str, value: Floats | None = None) -> float:
        """The largest scale-free error over all states, by default that of the in-house answers."""
        return float(self.error(quantity, self.expected[quantity] if value is None else value).max(initial=0.0))

    def of_quantities(self, quantities: Sequence[str]) -> Evidence:
        """The evidence on some of the quantities."""
        return self._part(self.states, lambda blocks: {name: blocks[name] for name in quantities})

    def at_states(self, rows: slice | Sequence[int]) -> Evidence:
        """The evidence at some of the states."""
        return self._part(rows_of(self.states, rows), lambda blocks: {name: block[rows] for name, block in blocks.items()})

    def _part(self, states: States, take: Callable[[Mapping[str, Floats]], Mapping[str, Floats]]) -> Evidence:
        blocks = (self.answers, self.expected, self.scale, self.allowed, self.raw)
        return Evidence(self.spec, states, self.engine, *map(take, blocks))


def evidence(spec: RobotSpec, engine: Engine, states: States, quantities: Sequence[str]) -> Evidence:
    """The evidence on some quantities of one kind, all canonical or all MuJoCo's own, of an engine over a block of states."""
    raw = engine.evaluate(states, quantities)
    if QUANTITIES[quantities[0]].in_mujoco_coordinates:
        q, spec = with_rotor_coordinates(spec, states.q), with_rotor_bodies(spec).spec
        states = replace(states, q=q, v=np.zeros((len(q), spec.nv)), tau=np.zeros((len(q), spec.nv)))
    answers = {name: unpack(spec, raw[name], name) if name in FORMS else raw[name] for name in quantities}
    tree = reference.build(spec)
    expected = {name: value(name, tree, states) for name in quantities}
    scale = {name: scales(name, values) for name, values in expected.items()}
    allowed = {
        name: ALLOWED_UNITS * expected_rounding(spec, name, states, expected[name]) * allowance(base_distance(spec, states))
        for name in quantities
    }
    return Evidence(spec, states, engine, answers, expected, scale, allowed, {name: raw[name] for name in quantities})


def ask_again(evidence: Evidence, states: States, quantities: Sequence[str]) -> Answers | None:
    """The engine's answers at other states; None where it cannot be asked.

    That is so for recordings, which raise, and for MuJoCo's own quantities, whose states are not the engine's.
    """
    if not quantities or QUANTITIES[quantities[0]].in_mujoco_coordinates:
        return None
    try:
        return evidence.engine.evaluate(states, quantities)
    except Exception:  # whatever a user's engine raises at states that it does not have
        return None


def value(quantity: str, tree: Tree, states: States) -> Floats:
    """In-house values (n, ...) of a quantity of a robot, true or hypothetical; wild inputs give NaN."""
    function = reference_quantity("mujoco_mass_matrix" if quantity in FORMS else quantity).function
    with np.errstate(all="ignore"):
        return evaluate_batch(function, tree, *(getattr(states, part) for part in QUANTITIES[quantity].arguments))


def expected_rounding(spec: RobotSpec, quantity: str, states: States, exact: Floats | None = None) -> Floats:
    """Scale-free rounding (n,) to expect at each state: what state and robot off by 2 ulp everywhere change.

    `exact` are the values (n, ...) of the quantity, where they are known.
    """
    if exact is None:
        exact = value(quantity, reference.build(spec), states)
    scale = scales(quantity, exact)
    movement = np.zeros(len(states))
    for tree, off in _perturbations(spec):
        q, v, tau = (block * factors for block, factors in zip((states.q, states.v, states.tau), off, strict=True))
        moved = scale_free(value(quantity, tree, replace(states, q=q, v=v, tau=tau)) - exact, scale)
        movement = np.maximum(movement, moved.reshape(len(moved), -1).max(axis=1, initial=0.0))
    if quantity not in CANCELLING:
        return rounding_unit(quantity, movement, np.zeros(1))
    return rounding_unit(quantity, movement, value("kinetic_energy", reference.build(spec), states) / scale.reshape(len(scale)))


@lru_cache(maxsize=16)
def _perturbations(spec: RobotSpec) -> tuple[tuple[Tree, tuple[Floats, ...]], ...]:
    """For each draw the robot off by 2 ulp everywhere, and factors of q, v and tau: those of a comparison."""
    draws = []
    for draw in range(DRAWS):
        rng = np.random.default_rng(draw)
        tree = reference.build(perturbed_spec(spec, rng))
        draws.append((tree, tuple(perturbation(rng, (size,)) for size in (spec.nq, spec.nv, spec.nv))))
    return tuple(draws)


def rows_of(states: States, rows: slice | Sequence[int]) -> States:
    """Some of the states."""
    if isinstance(rows, slice):
        return states[rows]
    kind = tuple(states.kind[i] for i in rows)
    return States(states.q[rows], states.v[rows], states.tau[rows], states.index[rows], kind)
