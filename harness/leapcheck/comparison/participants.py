"""Engines as participants of a comparison: what each answers for a block of states, in the slots of the in-house side."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from time import perf_counter
from typing import Protocol

import numpy as np

from leapcheck.comparison.in_house import InHouse
from leapcheck.comparison.slots import in_slots
from leapcheck.coordinates import conventions
from leapcheck.coordinates.conventions import Convention
from leapcheck.engines.answers import answers_of
from leapcheck.engines.errors import EngineError
from leapcheck.engines.foreign import ForeignEngine
from leapcheck.engines.projection import Assembly, OwnStates, Projection, identity, own_names
from leapcheck.engines.protocol import Engine
from leapcheck.quantities import takes_part
from leapcheck.rounding import scale_free
from leapcheck.sampling import STATE_PARTS, UNIT, States
from leapcheck_models.arrays import Floats
from leapcheck_reference.trace.compiled_program import SLOTS
from leapcheck_reference.trace.graph import Graph
from leapcheck_reference.trace.key import key_of
from leapcheck_reference.trace.symbol import Recorder

PART = 256
"""States whose raw numbers are made and turned into slots before the next ones: they stay in the second-level cache."""

SAMPLE, SAMPLE_EVERY = 2, 64
"""The first so many states of every so many units are also asked of the engine by its own calls for points."""

OWN_CALLS = 64 * float(np.finfo(float).eps)
"""Largest difference between both ways, relative to the largest entry or term, per metre from the world's origin; measured:
5e-15.
"""

SOLVED_IN_DOUBLES = frozenset({"contact_inertia", "operational_inertia_inverse", "constrained_forward_dynamics"})
"""Quantities that are too many operations to trace, or take a factorization that looks at its numbers."""

SOLVED_HERE = frozenset(
    {
        *("forward_dynamics", "contact_inertia", "minverse"),
        *(f"forward_dynamics_derivative_{by}" for by in ("q", "v", "tau")),
    }
)
"""Quantities that need a solver where the engine does not know the gears."""


class Participant(Protocol):
    """What an engine answers, in slots. `seconds` sums up what the engine's own evaluation took."""

    quantities: tuple[str, ...]
    seconds: float

    def __call__(self, states: States) -> Floats:
        """Slots (blocks, slots, lanes) of a block of states; those of quantities that it does not answer are zero."""

    def one(self, quantity: str, states: States) -> Floats:
        """The slots of one quantity alone, all others zero: asked where several together have failed."""


def participants(engine: Engine, in_house: InHouse) -> list[Participant]:
    """How the engine answers the in-house side's quantities: those that can be traced from its own numbers, and the others."""
    others = tuple(name for name in in_house.quantities if name in engine.quantities)
    result: list[Participant] = []
    if isinstance(engine, ForeignEngine):
        traceable = tuple(name for name in others if _is_traceable(name, engine.convention))
        others = tuple(name for name in others if name not in traceable)
        result += [OwnNumbers(engine, traceable, in_house)] if traceable else []
    return [*result, AnsweringEngine(engine, others, in_house)] if others else result


class AnsweringEngine:
    """An engine behind the protocol: its canonical arrays brought into slots."""

    def __init__(self, engine: Engine, quantities: tuple[str, ...], in_house: InHouse) -> None:
        self.quantities = quantities
        self.seconds = 0.0
        self._engine = engine
        self._shapes = {name: in_house.slot_map.of[name].place.shape for name in quantities}
        role = f"answers {' '.join(quantities)}".encode()
        self._into_slots = in_house.slot_program(role, partial(self._graph, in_house))

    def __call__(self, states: States) -> Floats:
        """Slots of what `evaluate` answers; EngineError as `answers_of`."""
        start = perf_counter()
        answers = answers_of(self._engine, states, self._shapes)
        self.seconds += perf_counter() - start
        return self._into_slots(answers)

    def one(self, quantity: str, states: States) -> Floats:
        """Slots of one answer, in memory of their own."""
        zeros = {name: np.zeros((len(states), *shape)) for name, shape in self._shapes.items()}
        return self._into_slots(zeros | answers_of(self._engine, states, {quantity: self._shapes[quantity]})).copy()

    def _graph(self, in_house: InHouse) -> Graph:
        recorder = Recorder(float)
        answers = {name: recorder.input(name, *shape) for name, shape in self._shapes.items()}
        return recorder.graph({SLOTS: np.array(in_slots(in_house.slot_map, answers, recorder), dtype=object)})


class OwnNumbers:
    """An engine with coordinates of its own: conventions, assembly and slots traced around its raw numbers as one program."""

    def __init__(self, engine: ForeignEngine, quantities: tuple[str, ...], in_house: InHouse) -> None:
        self.quantities = quantities
        self.seconds = 0.0
        self._engine, self._in_house = engine, in_house
        convention = engine.convention
        names = sorted(own_names(convention, quantities))  # a set has another order in every process, and the key with it
        self._recipes = {name: engine.assembly.get(name, Assembly((name,), identity)) for name in names}
        self._raw = sorted({raw for recipe in self._recipes.values() for raw in recipe.raw})
        role = key_of(convention, quantities, self._recipes, {name: engine.raw_shapes[name] for name in self._raw})
        self._parts = [part for part in ("tau", "vdot") if takes_part(quantities, part)]
        self._own_states = in_house.program(b"states " + role, partial(_own_states, convention, self._parts))
        self._answers = in_house.slot_program(b"own " + role, partial(self._graph, in_house))
        self._memory: dict[int, dict[str, Floats]] = {}

    def __call__(self, states: States) -> Floats:
        """Slots of the engine's own numbers, turned into canonical ones."""
        own = self._own_states({name: getattr(states, name) for name in self._own_states.inputs})
        v, forces = own["own_v"], np.ascontiguousarray(states.contact_forces)  # those of a table need not be
        own_states = OwnStates(own["own_q"], v, own.get("own_tau", v), own.get("own_vdot", v), forces)
        sampled = np.flatnonzero((states.index // UNIT % SAMPLE_EVERY == 0) & (states.index % UNIT < SAMPLE))
        canonical = {name: getattr(states, name) for name in STATE_PARTS if name in self._answers.inputs}

        def inputs_of(part: slice) -> dict[str, Floats]:
            some = OwnStates(*(values[part] for values in own_states))
            raw = self.raw(some)
            if len(sample := [i - part.start for i in sampled if part.start <= i < part.stop]):
                raw_sample = {name: values[sample] for name, values in raw.items()}
                self._check_own_calls(OwnStates(*(values[sample] for values in some)), raw_sample)
            inputs = {name: values[part] for name, values in canonical.items()}
            for name, values in raw.items():
                inputs[f"raw_{name}"] = values
            return inputs

        return self._answers.by_parts(len(states), PART, inputs_of)

    def _check_own_calls(self, states: OwnStates, raw: Mapping[str, Floats]) -> None:
        """Compares what is assembled of raw numbers with the engine's own calls for the same; EngineError where they differ."""
        for name, own in self._engine.own_calls(states, self._recipes).items():
            recipe = self._recipes[name]
            assembled = recipe.assemble(*(raw[part] for part in recipe.raw))
            reach = 1.0 + np.abs(states.q).max()  # the world's origin is where both engines' Jacobians begin
            terms = np.abs(states.v).max(initial=0.0) ** recipe.speed_power
            off = float(scale_free(assembled - own, np.max([1.0, terms, np.abs(own).max(initial=0.0)])).max(initial=0.0))
            if not off <= OWN_CALLS * reach:
                raise EngineError(
                    f"engine '{self._engine.name}': {name} as assembled by leapcheck is off the engine's own call by {off:.3g}: "
                    "please report it with the robot"
                )

    def one(self, quantity: str, states: States) -> Floats:
        """The slots of one quantity: its own program, made for the occasion."""
        return OwnNumbers(self._engine, (quantity,), self._in_house)(states)

    def raw(self, states: OwnStates) -> dict[str, Floats]:
        """The engine's raw numbers, in memory that is kept from block to block: fresh pages cost more than the numbers."""
        n = len(states.q)
        if n not in self._memory:
            self._memory = {n: {name: np.empty((n, *self._engine.raw_shapes[name])) for name in self._raw}}
        start = perf_counter()
        self._engine.write_raw(states, self._memory[n])
        self.seconds += perf_counter() - start
        return self._memory[n]

    def _graph(self, in_house: InHouse) -> Graph:
        convention, recorder = self._engine.convention, Recorder(float)
        states = _symbolic_state(convention, recorder, self._parts)
        raw = {name: recorder.input(f"raw_{name}", *self._engine.raw_shapes[name]) for name in self._raw}
        own = {name: np.asarray(recipe.assemble(*(raw[part] for part in recipe.raw))) for name, recipe in self._recipes.items()}
        projection = Projection(convention, states, conventions.velocity_map(convention, states.q), own)
        answers = {name: np.asarray(projection.quantity(name), dtype=object) for name in self.quantities}
        return recorder.graph({SLOTS: np.array(in_slots(in_house.slot_map, answers, recorder), dtype=object)})


def _is_traceable(quantity: str, convention: Convention) -> bool:
    """Whether the quantity follows from the engine's own numbers by products and sums, and not too many."""
    return quantity not in SOLVED_IN_DOUBLES and (convention.is_square or quantity not in SOLVED_HERE)


def _symbolic_state(convention: Convention, recorder: Recorder, parts: Collection[str]) -> States:
    """One canonical state of symbols; v stands for tau where it is not among the parts."""
    spec = convention.spec
    q, v = recorder.input("q", spec.nq), recorder.input("v", spec.nv)
    tau = recorder.input("tau", spec.nv) if "tau" in parts else v
    return States(q, v, tau, np.zeros(1, dtype=np.int64), ("",), v)  # no answer is made of vdot itself


def _own_states(convention: Convention, parts: Collection[str]) -> Graph:
    """The record of a canonical state turned into the engine's coordinates; tau and vdot where they are among the parts."""
    recorder = Recorder(float)
    states = _symbolic_state(convention, recorder, parts)
    T = conventions.velocity_map(convention, states.q)
    own = {"own_q": conventions.configuration(convention, states.q), "own_v": conventions.product(T, states.v)}
    if "tau" in parts:
        turned = conventions.engine_force if convention.is_square else conventions.product
        own["own_tau"] = turned(T, states.tau)
    if "vdot" in parts:
        vdot, Tdot_v = recorder.input("vdot", convention.spec.nv), conventions.velocity_map_rate(convention, states.q, states.v)
        own["own_vdot"] = conventions.engine_acceleration(T, vdot, Tdot_v)
    return recorder.graph(own)
