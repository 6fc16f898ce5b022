"""The in-house side of a comparison: values in slots, scales, expected rounding and the truth at a block of states."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial

import numpy as np

from leapcheck.compare.code_hash import code_hash
from leapcheck.compare.perturbation import DRAWS, ULPS, perturbation, perturbed_spec
from leapcheck.compare.slots import SlotMap, Slots, mass_weights, slot_map, slots_alone
from leapcheck.quantities import QUANTITIES, Scale
from leapcheck.states import Floats, States
from leapcheck_models.rotors import with_rotor_bodies, with_rotor_coordinates
from leapcheck_models.spec import RobotSpec, spec_hash
from leapcheck_reference import build
from leapcheck_reference.scalar import Array
from leapcheck_reference.trace import native
from leapcheck_reference.trace.cache import cached
from leapcheck_reference.trace.compiled import SLOTS, CompiledProgram
from leapcheck_reference.trace.graph import Graph
from leapcheck_reference.trace.kernel import Program, program
from leapcheck_reference.trace.memory import aligned
from leapcheck_reference.trace.record import answers, inputs, traced
from leapcheck_reference.trace.symbol import Recorder, Symbol, largest

FLOOR = ULPS * float(np.finfo(float).eps)
"""Least scale-free rounding expected of any value: that of storing it and its inputs."""

CANCELLING = ("bias_force", "coriolis_force")
"""Forces that may vanish while the terms they consist of do not, as in an arm stretched to 1e-12 rad."""

ENERGY = "kinetic_energy"


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
    """Some quantities of one robot, all canonical or all in MuJoCo's coordinates.

    The expected rounding is a backward-error view: an engine that is right to rounding returns the exact answer of a
    slightly different question. The in-house algorithms answer `DRAWS` such questions, with state and robot off by up to 2
    ulp everywhere; the largest movement of any entry is the unit in which errors are measured. Conditioning (a nearly
    singular leg, a light link behind a heavy one) is thereby part of the unit.
    """

    def __init__(self, spec: RobotSpec, quantities: Sequence[str], compile_code: bool) -> None:
        """Takes quantities of one kind of coordinates; `compile_code` where many states are to come."""
        self._gears = spec if QUANTITIES[quantities[0]].in_mujoco_coordinates else None
        self._spec = with_rotor_bodies(spec).spec if self._gears else spec
        self._compile = compile_code
        self.quantities = tuple(quantities)
        self.key = f"{code_hash()} {spec_hash(self._spec)} {' '.join(quantities)} ".encode()
        traced_once = cache(self._traced)
        self.slot_map: SlotMap = pickle.loads(cached(b"slots " + self.key, lambda: pickle.dumps(traced_once()[0])))
        self.slot_count = self.slot_map.count + len(quantities)
        self._program = self.slot_program(b"in-house", lambda: traced_once()[1])

    def __call__(self, states: States) -> Values:
        """The in-house values at the states."""
        n, count = len(states), len(self.quantities)
        found = self._program(self.inputs(states))
        end = self.slot_count + (1 + DRAWS) * count + 1
        figures = found[:, self.slot_count : end].swapaxes(0, 1).reshape(end - self.slot_count, -1)[:, :n]
        largest, energy = figures[:count], figures[-1]
        movement = figures[count:-1].reshape(DRAWS, count, n).max(axis=0)
        largest = np.where(largest == 0.0, 1.0, largest)
        rounding = np.maximum(FLOOR, movement / largest)
        if {"qM", "csr"} <= set(self.quantities):  # a moved robot has no simple bodies, so its CSR has other rows
            rounding[self.quantities.index("csr")] = rounding[self.quantities.index("qM")]
        for name in set(self.quantities) & set(CANCELLING):  # centripetal terms, each as large as 2 E_k per radian, cancel
            k = self.quantities.index(name)
            rounding[k] = np.maximum(rounding[k], FLOOR * (2.0 * energy / largest[k]))
        return Values(
            slots=found,
            scale=dict(zip(self.quantities, largest, strict=True)),
            rounding=dict(zip(self.quantities, rounding, strict=True)),
            weights=found[:, end:],
        )

    @property
    def ranges(self) -> list[slice]:
        """Slots of each quantity, in their order."""
        return [self.slot_map.of[name].range for name in self.quantities]

    def truth(self) -> Callable[[States], Floats]:
        """The slots in double-double as a function of a block of states; ImportError without llvmlite."""
        from leapcheck_reference.trace.truth import truth_program

        truth = truth_program(self._spec.name, self.key, self._exact_graph)
        into_blocks = self.slot_program(b"identity", partial(_identity, self.slot_count))
        memory: dict[int, dict[str, Floats]] = {}

        def slots(states: States) -> Floats:
            given, n = self.inputs(states), len(states)
            if n not in memory:
                memory.clear()
                memory[n] = truth.arrays(n)
            return into_blocks({"rows": truth(*(given[name] for name in truth.arguments), out=memory[n])[SLOTS]})

        return slots

    def program(self, role: bytes, make: Callable[[], Graph]) -> Program:
        """A record made executable, with or without a compiler; `role` tells it from the others of these quantities."""
        return program(self.key + role, make, compile_code=self._compile)

    def slot_program(self, role: bytes, make: Callable[[], Graph]) -> SlotProgram:
        """A record whose output is SLOTS made executable."""
        return SlotProgram(self.program(role, make), native.vector_width() if self._compile and native.is_available() else None)

    def inputs(self, states: States) -> dict[str, Floats]:
        """Arrays (n, width) of what the algorithms take; rotor coordinates included where the rotors are bodies."""
        q = with_rotor_coordinates(self._gears, states.q) if self._gears else states.q
        return {"q": np.ascontiguousarray(q), "v": states.v, "tau": states.tau}

    def _traced(self) -> tuple[SlotMap, Graph]:
        """The slots, and the record of: slots; scales and movements of the quantities; the kinetic energy; the weights of M."""
        recorder = Recorder(float)
        tree = build(self._spec)
        cancelling = not set(CANCELLING).isdisjoint(self.quantities)
        recorded = list(dict.fromkeys([*self.quantities, *([ENERGY] if cancelling else [])]))
        symbols = inputs(tree, recorded, recorder)
        exact = answers(tree, recorded, symbols)
        at = slot_map({name: exact[name] for name in self.quantities}, recorder)
        M = at.of.get("mass_matrix")
        weights = mass_weights([M.entry(slot) for slot in range(len(M.first))], exact["mass_matrix"]) if M else []
        slots = slots_alone(at, exact, recorder)
        # Draw after draw, so that what the quantities of one moved robot share is needed for a short while only.
        movements = [
            self._movement(at.of[name], exact[name], moved[name], recorder)
            for moved in (self._moved(draw, symbols) for draw in range(DRAWS))
            for name in self.quantities
        ]
        scales = [self._scale(at.of[name], slots, recorder) for name in self.quantities]
        energy = exact[ENERGY].item() if cancelling else recorder.constant(0.0)
        return at, recorder.graph({SLOTS: np.array([*slots, *scales, *movements, energy, *weights], dtype=object)})

    def _moved(self, draw: int, symbols: Mapping[str, Array]) -> dict[str, Array]:
        """Answers of the robot and at the state that a draw moves by up to `ULPS`."""
        rng = np.random.default_rng(draw)
        tree = build(perturbed_spec(self._spec, rng))
        off = {name: values * perturbation(rng, values.shape) for name, values in symbols.items()}
        return answers(tree, self.quantities, off)

    def _movement(self, of: Slots, exact: Array, moved: Array, recorder: Recorder) -> Symbol:
        """Largest movement of an entry, scale-free for M; 0 for answers of different shapes."""
        if moved.shape != exact.shape:
            return recorder.constant(0.0)
        entries = of.representatives
        movements = [recorder.symbol(moved[index]) - exact[index] for index in entries]
        if QUANTITIES[of.quantity].scale is Scale.DIAGONAL:
            weights = mass_weights(entries, exact)
            movements = [movement * weight for movement, weight in zip(movements, weights, strict=True)]
        return largest([abs(movement) for movement in movements], recorder)

    def _scale(self, of: Slots, slots: Sequence[Symbol], recorder: Recorder) -> Symbol:
        """What errors of a quantity are divided by; 1 for M, whose slots have weights of their own."""
        if QUANTITIES[of.quantity].scale is not Scale.LARGEST:
            return recorder.constant(1.0)
        return largest(
            [abs(slots[i]) for i in range(of.range.start, of.range.stop)] + [recorder.constant(of.largest_constant)], recorder
        )

    def _exact_graph(self) -> Graph:
        """The slots in exact rationals."""
        recorder = Recorder(Fraction)
        found = traced(build(self._spec, scalar=recorder.constant), self.quantities, recorder)
        return recorder.graph({SLOTS: np.array(slots_alone(self.slot_map, found, recorder), dtype=object)})


class SlotProgram:
    """A program whose results are slots; they lie in memory that the next call writes over."""

    def __init__(self, run: Program, lanes: int | None) -> None:
        """Takes the program, and the lanes of the blocks where it is one of NumPy: too long to be compiled as the others are."""
        self._run = run
        self._lanes = lanes
        self._memory: Floats | None = None

    def __call__(self, inputs: Mapping[str, Floats]) -> Floats:
        """Slots in blocks (blocks, slots, lanes), the last one filled up with the last state: lanes is the vector's width, or n
        where nothing is compiled.
        """
        needed = {name: inputs[name] for name in self._run.inputs}
        if isinstance(self._run, CompiledProgram):
            self._memory = self._run.results(needed, self._memory)
            return self._memory
        rows = self._run(needed)[SLOTS]
        lanes = self._lanes or len(rows)
        filled = rows[np.minimum(np.arange(-(-len(rows) // lanes) * lanes), len(rows) - 1)]
        return np.ascontiguousarray(filled.reshape(-1, lanes, rows.shape[1]).swapaxes(1, 2))

    def by_parts(self, n: int, size: int, inputs_of: Callable[[slice], Mapping[str, Floats]]) -> Floats:
        """The same for n states, `size` at a time: what makes the inputs of a part may write over those of the one before."""
        run = self._run
        if n <= size or not isinstance(run, CompiledProgram):
            return self(inputs_of(slice(0, n)))
        found = self._memory
        if found is None or found.shape[0] != -(-n // run.lanes):
            found = self._memory = aligned((-(-n // run.lanes), run.entry_count, run.lanes))
        for first in range(0, n, size):
            part = slice(first, min(first + size, n))
            inputs = inputs_of(part)
            run.results({name: inputs[name] for name in run.inputs}, found[first // run.lanes : -(-part.stop // run.lanes)])
        return found


def _identity(count: int) -> Graph:
    recorder = Recorder(float)
    return recorder.graph({SLOTS: recorder.input("rows", count)})
