"""The in-house side of a comparison: values in slots, scales, expected rounding and the truth at a block of states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from pathlib import Path

import numpy as np

from leapcheck.comparison.slots import SlotMap, make_slot_map, slots_alone
from leapcheck.quantities import QUANTITIES
from leapcheck.rounding import (
    CANCELLING,
    DRAWS,
    cancelling_terms,
    largest_or_one,
    mass_weights,
    perturbation,
    perturbed_spec,
    rounding_unit,
    traced_movement,
    traced_scale,
)
from leapcheck.sampling import STATE_PARTS, States
from leapcheck_models.arrays import Array, Floats
from leapcheck_models.rotors import with_rotor_bodies, with_rotor_coordinates
from leapcheck_models.spec import RobotSpec, spec_hash
from leapcheck_reference import build
from leapcheck_reference.trace.cache import hash_of_files, load_or_make
from leapcheck_reference.trace.compiled_program import SLOTS
from leapcheck_reference.trace.graph import Graph
from leapcheck_reference.trace.kernel import Program, program
from leapcheck_reference.trace.native import aligned_array
from leapcheck_reference.trace.record import answers, inputs, trace
from leapcheck_reference.trace.symbol import Recorder, Symbol, largest
from leapcheck_reference.trace.truth import truth_program

SOURCES = ("coordinates/*.py", "quantities.py", "sampling.py", "rounding.py", "comparison/*.py", "engines/**/*.py")
"""Source that says how slots, scales and engines' own numbers are traced."""


@lru_cache(maxsize=1)
def code_hash() -> str:
    """Hash of that source: programs in the cache that another one made are not used."""
    return hash_of_files(Path(__file__).parent.parent, *SOURCES)


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """In-house values of a block of n states: blocks of `slots`; per quantity its `scale` and expected `rounding`, (n,) each,
    both for scale-free errors; `weights` are the slot-wise scales of M, in blocks (none without M).
    """

    slots: Floats
    scale: Mapping[str, Floats]
    rounding: Mapping[str, Floats]
    weights: Floats


class InHouse:
    """Some quantities of one robot, all canonical or all in MuJoCo's coordinates."""

    def __init__(self, spec: RobotSpec, quantities: Sequence[str], compile_code: bool) -> None:
        """Takes quantities of one kind of coordinates; `compile_code` where many states are to come."""
        self._gears = spec if QUANTITIES[quantities[0]].in_mujoco_coordinates else None
        self._spec = with_rotor_bodies(spec).spec if self._gears else spec
        self._compile = compile_code
        self.quantities = tuple(quantities)
        self.key = f"{code_hash()} {spec_hash(self._spec)} {' '.join(quantities)} ".encode()
        trace_once = cache(self._trace)
        self.slot_map = SlotMap.from_bytes(load_or_make(b"slots " + self.key, lambda: trace_once()[0].as_bytes()))
        self.slot_count = self.slot_map.count + len(quantities)
        self._program = self.slot_program(b"in-house", lambda: trace_once()[1])

    def __call__(self, states: States) -> Values:
        """The in-house values at the states."""
        n, count = len(states), len(self.quantities)
        slots = self._program(self.inputs(states))
        end = self.slot_count + (2 + DRAWS) * count
        figures = slots[:, self.slot_count : end].swapaxes(0, 1).reshape(end - self.slot_count, -1)[:, :n]
        largest, terms = largest_or_one(figures[:count]), figures[-count:]
        movement = figures[count:-count].reshape(DRAWS, count, n).max(axis=0)
        rounding = list(rounding_unit(movement / largest, terms / largest))
        if {"qM", "csr"} <= set(self.quantities):  # a moved robot has no simple bodies, so its CSR has other rows
            rounding[self.quantities.index("csr")] = rounding[self.quantities.index("qM")]
        return Values(
            slots=slots,
            scale=dict(zip(self.quantities, largest, strict=True)),
            rounding=dict(zip(self.quantities, rounding, strict=True)),
            weights=slots[:, end:],
        )

    def truth(self) -> Callable[[States], Floats]:
        """The slots in double-double as a function of a block of states; they lie in memory that the next call writes over."""
        truth = truth_program(self._spec.name, self.key, self._exact_graph)
        memory: Floats | None = None

        def slots(states: States) -> Floats:
            nonlocal memory
            given = self.inputs(states)
            memory = truth.vectors(*(given[name] for name in truth.arguments), memory=memory)
            return memory

        return slots

    def program(self, role: bytes, make: Callable[[], Graph]) -> Program:
        """A record made executable, with or without a compiler; `role` tells it from the others of these quantities."""
        return program(self.key + role, make, compile_code=self._compile)

    def slot_program(self, role: bytes, make: Callable[[], Graph]) -> SlotProgram:
        """A record whose output is SLOTS made executable."""
        return SlotProgram(self.program(role, make))

    def inputs(self, states: States) -> dict[str, Floats]:
        """Arrays (n, width) of what the algorithms take; rotor coordinates included where the rotors are bodies."""
        q = with_rotor_coordinates(self._gears, states.q) if self._gears else states.q
        parts = {part: getattr(states, part) for part in STATE_PARTS}
        return parts | {"q": np.ascontiguousarray(q)}

    def _trace(self) -> tuple[SlotMap, Graph]:
        """The slots, and the record of: slots; scales, movements and cancelling terms of the quantities; the weights of M."""
        recorder = Recorder(float)
        tree = build(self._spec)
        sizing = [name for quantity in self.quantities for name in CANCELLING.get(quantity, ())]
        recorded = list(dict.fromkeys([*self.quantities, *sizing]))
        symbols = inputs(tree, recorded, recorder)
        exact = answers(tree, recorded, symbols)
        slot_map = make_slot_map({name: exact[name] for name in self.quantities}, recorder)
        M = slot_map.of.get("mass_matrix")
        weights = mass_weights([M.entry(slot) for slot in range(len(M.first))], exact["mass_matrix"]) if M else []
        slots = slots_alone(slot_map, exact, recorder)
        # Draw after draw, so that what the quantities of one moved robot share is needed for a short while only.
        movements = [
            traced_movement(name, exact[name], moved[name], slot_map.of[name].representatives, recorder)
            for moved in (self._moved_answers(draw, symbols) for draw in range(DRAWS))
            for name in self.quantities
        ]
        scales = [
            traced_scale(name, [*slots[own.range], recorder.constant(own.largest_constant)], recorder)
            for name, own in slot_map.of.items()
        ]

        def largest_of(entries: Array) -> Symbol:
            return largest([recorder.symbol(entry) for entry in entries.flat], recorder)

        terms = [recorder.symbol(cancelling_terms(self._spec, name, exact.__getitem__, largest_of)) for name in self.quantities]
        figures = [*slots, *scales, *movements, *terms, *weights]
        return slot_map, recorder.graph({SLOTS: np.array(figures, dtype=object)})

    def _moved_answers(self, draw: int, symbols: Mapping[str, Array]) -> dict[str, Array]:
        """Answers of the robot and at the state that a draw moves by up to `ULPS`."""
        rng = np.random.default_rng(draw)
        tree = build(perturbed_spec(self._spec, rng))
        off = {name: values * perturbation(rng, values.shape) for name, values in symbols.items()}
        return answers(tree, self.quantities, off)

    def _exact_graph(self) -> Graph:
        """The slots in exact rationals."""
        recorder = Recorder(Fraction)
        exact = trace(build(self._spec, scalar=recorder.constant), self.quantities, recorder)
        return recorder.graph({SLOTS: np.array(slots_alone(self.slot_map, exact, recorder), dtype=object)})


class SlotProgram:
    """A program whose results are slots; they lie in memory that the next call writes over."""

    def __init__(self, run: Program) -> None:
        self._run = run
        self._memory: Floats | None = None
        self.inputs = tuple(run.inputs)

    def __call__(self, inputs: Mapping[str, Floats]) -> Floats:
        """Slots in blocks (blocks, slots, lanes), the last one filled up with the last state."""
        self._memory = self._run.results({name: inputs[name] for name in self.inputs}, self._memory)
        return self._memory

    def by_parts(self, n: int, size: int, inputs_of: Callable[[slice], Mapping[str, Floats]]) -> Floats:
        """The same for n states, `size` at a time: what makes the inputs of a part may write over those of the one before."""
        run = self._run
        if n <= size:
            return self(inputs_of(slice(0, n)))
        slots = self._memory
        if slots is None or slots.shape[0] != -(-n // run.lanes):
            slots = self._memory = aligned_array((-(-n // run.lanes), run.entry_count, run.lanes))
        for first in range(0, n, size):
            part = slice(first, min(first + size, n))
            run.results(inputs_of(part), slots[first // run.lanes : -(-part.stop // run.lanes)])
        return slots
