"""The in-house side of a comparison: values in slots, scales, expected rounding and the truth at a block of states."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np

from leapcheck.compare.distances import distances
from leapcheck.compare.perturbation import DRAWS, ULPS, perturbed_spec
from leapcheck.compare.slots import SlotMap, mass_weights, slot_map, slots_alone
from leapcheck.quantities import QUANTITIES, Scale
from leapcheck.states import Floats, States, perturbed
from leapcheck_models.rotors import with_rotor_bodies, with_rotor_coordinates
from leapcheck_models.spec import RobotSpec, spec_hash
from leapcheck_reference import build
from leapcheck_reference.trace.cache import cached
from leapcheck_reference.trace.compiled import SLOTS, CompiledProgram
from leapcheck_reference.trace.graph import Graph
from leapcheck_reference.trace.kernel import Program, program
from leapcheck_reference.trace.record import traced
from leapcheck_reference.trace.symbol import Recorder

FLOOR = ULPS * float(np.finfo(float).eps)
"""Least scale-free rounding expected of any value: that of storing it and its inputs."""

CANCELLING = ("bias_force", "coriolis_force")
"""Forces that may vanish while the terms they consist of do not, as in an arm stretched to 1e-12 rad."""

ENERGY = "kinetic_energy"


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """In-house values of a block of n states: blocks of `slots`; per quantity its `scale` and expected `rounding`, (n,) each,
    both for scale-free errors; `weights` are the slot-wise scales of M, in blocks.
    """

    slots: Floats
    scale: Mapping[str, Floats]
    rounding: Mapping[str, Floats]
    weights: Floats | None


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
        self.key = f"{spec_hash(self._spec)} {' '.join(quantities)} ".encode()
        self.slot_map: SlotMap = pickle.loads(cached(b"slots " + self.key, lambda: pickle.dumps(self._traced()[0])))
        self.slot_count = self.slot_map.count + len(quantities)
        self._weights = len(self.slot_map.of["mass_matrix"].first) if "mass_matrix" in quantities else 0
        self._exact = self.slot_program(b"exact", lambda: self._traced()[1])
        self._moved = [self.slot_program(b"moved %d" % draw, partial(self._moved_graph, draw)) for draw in range(DRAWS)]

    def __call__(self, states: States) -> Values:
        """The in-house values at the states."""
        n = len(states)
        found = self._exact(self.inputs(states))
        weights = found[:, self.slot_count : self.slot_count + self._weights] if self._weights else None
        scale = {name: self._scale(name, found)[:n] for name in self.quantities}
        return Values(found, scale, self._rounding(states, found, scale, weights), weights)

    def truth(self) -> Callable[[States], Floats]:
        """The slots in double-double as a function of a block of states; ImportError without llvmlite."""
        from leapcheck_reference.trace.truth import truth_program

        truth = truth_program(self.key, lambda: self._graph(self._spec, Recorder(Fraction)))
        into_blocks = self.slot_program(b"identity", partial(_identity, self.slot_count))

        def slots(states: States) -> Floats:
            inputs = self.inputs(states)
            return into_blocks({"rows": truth(*(inputs[name] for name in truth.arguments))[SLOTS]})

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
        return {"q": np.ascontiguousarray(q), "v": states.v, "tau": states.tau}

    def _traced(self) -> tuple[SlotMap, Graph]:
        """The slots, and the record of: the slots, the weights of M's slots, the energy by which cancelling forces are judged."""
        recorder = Recorder(float)
        energy = [ENERGY] if not set(CANCELLING).isdisjoint(self.quantities) else []
        answers = traced(build(self._spec), list(dict.fromkeys([*self.quantities, *energy])), recorder)
        at = slot_map({name: answers[name] for name in self.quantities}, recorder)
        weights = mass_weights(at, answers["mass_matrix"]) if "mass_matrix" in self.quantities else []
        numbers = [*slots_alone(at, answers, recorder), *weights, *(answers[name].item() for name in energy)]
        return at, recorder.graph({SLOTS: np.array(numbers, dtype=object)})

    def _moved_graph(self, draw: int) -> Graph:
        return self._graph(perturbed_spec(self._spec, np.random.default_rng(draw)), Recorder(float))

    def _graph(self, spec: RobotSpec, recorder: Recorder) -> Graph:
        """The slots of another robot of the same structure, or of the same one in exact arithmetic."""
        tree = build(spec, scalar=recorder.constant) if recorder.is_exact else build(spec)
        answers = traced(tree, self.quantities, recorder)
        if "csr" in answers and answers["csr"].shape != self.slot_map.of["csr"].place.shape:
            del answers["csr"]  # a moved robot has no simple bodies, so its CSR has other rows: qM tells the same
        return recorder.graph({SLOTS: np.array(slots_alone(self.slot_map, answers, recorder), dtype=object)})

    def _scale(self, name: str, found: Floats) -> Floats:
        """What errors of a quantity are divided by, per state; 1 for M, whose slots have weights of their own."""
        if QUANTITIES[name].scale is not Scale.LARGEST:
            return np.ones(found.shape[0] * found.shape[2])
        slots = self.slot_map.of[name]
        largest = np.maximum(distances([found], slots.range, [(0, -1)])[0], slots.largest_constant)
        return np.where(largest == 0.0, 1.0, largest)

    def _rounding(self, states: States, found: Floats, scale: Mapping[str, Floats], weights: Floats | None) -> dict[str, Floats]:
        n = len(states)
        rounding = {name: np.full(n, FLOOR) for name in self.quantities}
        moved = [run(self.inputs(perturbed(states, draw, ULPS))) for draw, run in enumerate(self._moved)]
        pairs = [(0, 1 + draw) for draw in range(DRAWS)]
        for name in self.quantities:
            w = weights if QUANTITIES[name].scale is Scale.DIAGONAL else None
            off = distances([found, *moved], self.slot_map.of[name].range, pairs, w)
            rounding[name] = np.maximum(FLOOR, off.max(axis=0)[:n] / scale[name])
        if "csr" in rounding and "qM" in rounding:
            rounding["csr"] = rounding["qM"]
        for name in CANCELLING:
            if name in rounding:  # centripetal terms, each as large as 2 E_k per radian, cancel to a small force
                energy = found[:, self.slot_count + self._weights].ravel()[:n]
                rounding[name] = np.maximum(rounding[name], FLOOR * (2.0 * energy / scale[name]))
        return rounding


class SlotProgram:
    """A program whose results are slots; they lie in memory that the next call writes over."""

    def __init__(self, run: Program) -> None:
        self._run = run
        self._memory: Floats | None = None

    def __call__(self, inputs: Mapping[str, Floats]) -> Floats:
        """Slots in blocks (blocks, slots, lanes): lanes is the vector's width, or n where nothing is compiled."""
        needed = {name: inputs[name] for name in self._run.inputs}
        if isinstance(self._run, CompiledProgram):
            self._memory = self._run.results(needed, self._memory)
            return self._memory
        return np.ascontiguousarray(self._run(needed)[SLOTS].T)[None]


def _identity(count: int) -> Graph:
    recorder = Recorder(float)
    return recorder.graph({SLOTS: recorder.input("rows", count)})
