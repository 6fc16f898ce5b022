"""What one engine answered over a block of states, and what it should have answered: all quantities together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

import leapcheck_reference as reference
from leapcheck.engines.answers import answers_apart, answers_of, shapes_of
from leapcheck.engines.errors import EngineError
from leapcheck.engines.protocol import Answers, Engine, precision_ratio
from leapcheck.judge.draws import PerturbedRobot, draws_of
from leapcheck.judge.matrices import FORMS, unpack
from leapcheck.quantities import QUANTITIES, Scale
from leapcheck.rounding import scale_free, scales
from leapcheck.sampling import States, take
from leapcheck_models.arrays import Floats
from leapcheck_models.rotors import with_rotor_bodies, with_rotor_coordinates
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.tree import Tree


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The `answers` of an engine and the in-house ones, `expected`: by quantity, (n, ...) each.

    `scale` makes errors scale-free; `allowed` (n,) is the scale-free error that rounding, in the precision that the engine
    declares, explains at each state. For
    MuJoCo's own quantities `spec` and `states` are those with the rotors as bodies, and `answers` hold M unpacked from
    MuJoCo's storage; `tree` is the spec's; `raw` keeps the numbers as they came.
    """

    spec: RobotSpec
    tree: Tree
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
        return worst_errors(quantity, self.answers[quantity], value, self.scale[quantity])

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
        return Evidence(self.spec, self.tree, states, self.engine, *map(take, blocks))


def evidence(spec: RobotSpec, engine: Engine, states: States, quantities: Sequence[str]) -> Evidence:
    """The evidence on some quantities of one kind, all canonical or all MuJoCo's own, of an engine over a block of states.

    EngineError where it fails on one of them.
    """
    raw = answers_apart(engine, states, shapes_of(spec, quantities))
    if QUANTITIES[quantities[0]].in_mujoco_coordinates:
        states, spec = in_rotor_coordinates(spec, states), with_rotor_bodies(spec).spec
    answers = {name: unpack(spec, raw[name], name) if name in FORMS else raw[name] for name in quantities}
    tree = reference.build(spec)
    return evidence_by(draws_of(spec, tree, states), tree, engine, answers, {name: raw[name] for name in quantities})


def evidence_by(draws: PerturbedRobot, tree: Tree, engine: Engine, answers: Answers, raw: Answers) -> Evidence:
    """The evidence that answers are at the states of some draws."""
    expected = {name: draws.value(name) for name in answers}
    scale = {name: scales(name, values) for name, values in expected.items()}
    allowed = {name: precision_ratio(engine) * draws.allowed_error(name) for name in answers}
    return Evidence(draws.spec, tree, draws.states, engine, answers, expected, scale, allowed, raw)


def in_rotor_coordinates(spec: RobotSpec, states: States) -> States:
    """The configurations of a robot, at rest, for the same robot with its rotors as bodies."""
    q = with_rotor_coordinates(spec, states.q)
    rest = np.zeros((len(q), spec.nv + sum(body.rotor is not None for body in spec.bodies)))
    return replace(states, q=q, v=rest, tau=rest, vdot=rest)


def worst_errors(quantity: str, answers: Floats, value: Floats, least: Floats | None = None) -> Floats:
    """Largest scale-free difference (n,) of answers from values (n, ...), in the larger scale of the values and `least`."""
    with np.errstate(all="ignore"):
        scale = scales(quantity, np.abs(value))
        scale = scale if least is None else np.fmax(least, scale)
        if QUANTITIES[quantity].scale is Scale.ABSOLUTE:  # a robot of another size rounds by its own
            largest = np.abs(value).reshape(len(value), -1).max(axis=1, initial=1.0)
            scale = np.fmax(scale, largest.reshape(-1, *(1,) * (value.ndim - 1)))
        error = scale_free(answers - value, scale)
    worst: Floats = error.reshape(len(error), -1).max(axis=1, initial=0.0)
    return worst


def ask_again(evidence: Evidence, states: States, quantities: Sequence[str]) -> Answers | None:
    """The engine's answers at other states; None where it cannot be asked.

    That is so for recordings, which raise, and for MuJoCo's own quantities, whose states are not the engine's.
    """
    if not quantities or QUANTITIES[quantities[0]].in_mujoco_coordinates:
        return None
    try:
        return answers_of(evidence.engine, states, shapes_of(evidence.spec, quantities))
    except EngineError:  # a user's engine at states that it does not have
        return None


def rows_of(states: States, rows: slice | Sequence[int]) -> States:
    """Some of the states."""
    if isinstance(rows, slice):
        return states[rows]
    return take(states, rows)
