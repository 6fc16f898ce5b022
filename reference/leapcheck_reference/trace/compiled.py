"""A record compiled for this CPU: evaluates batches of states in NumPy layout, and blocks of states in compact layout."""

from __future__ import annotations

import ctypes
import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from leapcheck_reference.trace import native
from leapcheck_reference.trace.cache import cached
from leapcheck_reference.trace.graph import Graph, Op
from leapcheck_reference.trace.llvm import blocks_module
from leapcheck_reference.trace.lowering import lowered
from leapcheck_reference.trace.order import by_branches
from leapcheck_reference.trace.partition import GROUP, partition
from leapcheck_reference.trace.rows import rows_module

Floats = NDArray[np.float64]

ALIGNMENT = 64
"""Bytes of the widest vector: stores that do not straddle two cache lines are twice as fast."""

LONGEST = 40_000
"""Operations of the longest record that is compiled: beyond, the compiler takes many seconds."""

SLOTS = "slots"
"""Name of the output whose entries are wanted as compact results one by one, in their order."""

ADDRESS = ctypes.c_void_p
FUNCTION = ctypes.CFUNCTYPE(None, ADDRESS, ADDRESS, ADDRESS, ctypes.c_int64)


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """Where the entries of one output stand in compact layout.

    For each entry, in an array of the output's shape: `place` among a state's compact numbers, or -1; `factor`: 1 or -1, the
    sign, and for place -1 the constant itself.
    """

    place: NDArray[np.int64]
    factor: Floats


def compiled(key: bytes, make: Callable[[], Graph], lanes: int | None = None) -> CompiledProgram | None:
    """The compiled record that `make` gives, from the cache where the same key was compiled before on such a CPU.

    `lanes` is the number of states in a vector, by default the widest that the CPU has. None for a record of more than
    `LONGEST` operations.
    """
    width = lanes or native.vector_width()
    whole_key = b"program %d " % width + native.target_key() + key
    content = cached(whole_key, lambda: _content(lowered(make()), width))
    return CompiledProgram(content) if content else None


class CompiledProgram:
    """Machine code of a record with the description of its inputs and outputs. Its methods may be called from several threads."""

    def __init__(self, content: bytes) -> None:
        """Takes what `compiled` keeps in the cache."""
        head, object_code = content.split(b"\n", 1)
        description = json.loads(head)
        self.inputs: dict[str, tuple[int, ...]] = {name: tuple(shape) for name, shape in description["inputs"].items()}
        self.outputs: dict[str, tuple[int, ...]] = {name: tuple(shape) for name, shape in description["outputs"].items()}
        self.lanes: int = description["lanes"]
        self.operations: int = description["operations"]
        self.entry_count: int = description["results"]
        self._entries = description["entries"]
        self._carried: int = description["carried"]
        self._input_count = sum(prod(shape) for shape in self.inputs.values())
        self._library = native.Library(object_code)
        self._rows = FUNCTION(self._library.address("evaluate_rows"))
        self._into_blocks = FUNCTION(self._library.address("evaluate_results"))
        self._blocks = FUNCTION(self._library.address("evaluate_blocks"))
        self._memory = threading.local()

    def __call__(self, inputs: Mapping[str, Floats], out: Mapping[str, Floats] | None = None) -> dict[str, Floats]:
        """Each output (n, *shape) at the n states of C-ordered inputs (n, *shape); written into `out` where given."""
        n = len(next(iter(inputs.values())))
        answers = self.arrays(n) if out is None else dict(out)
        whole = n // self.lanes
        if whole:
            self._evaluate_rows([inputs[name] for name in self.inputs], [answers[name] for name in self.outputs], whole)
        if rest := n % self.lanes:
            rows = np.minimum(np.arange(whole * self.lanes, (whole + 1) * self.lanes), n - 1)
            padded = self.arrays(self.lanes)
            self._evaluate_rows([inputs[name][rows] for name in self.inputs], list(padded.values()), 1)
            for name, array in padded.items():
                answers[name][n - rest :] = array[:rest]
        return answers

    def arrays(self, n: int) -> dict[str, Floats]:
        """Uninitialised arrays (n, *shape) for the outputs, aligned for the fastest stores."""
        return {name: aligned((n, *shape)) for name, shape in self.outputs.items()}

    def entries(self, output: str) -> Entries:
        """Where the entries of an output stand in compact layout."""
        place, factor = self._entries[output]
        shape = self.outputs[output]
        return Entries(np.array(place, dtype=np.int64).reshape(shape), np.array(factor).reshape(shape))

    def blocks(self, inputs: Mapping[str, Floats]) -> Floats:
        """Inputs (n, *shape), n a multiple of `lanes`, as blocks (n / lanes, numbers, lanes)."""
        flat = [np.asarray(inputs[name], dtype=float).reshape(len(inputs[name]), -1) for name in self.inputs]
        rows = np.concatenate(flat, axis=1)
        if len(rows) % self.lanes:
            raise ValueError(f"{len(rows)} states are no whole number of blocks: give a multiple of {self.lanes}")
        blocks = aligned((len(rows) // self.lanes, self._input_count, self.lanes))
        blocks[:] = rows.reshape(-1, self.lanes, self._input_count).swapaxes(1, 2)
        return blocks

    def evaluate_blocks(self, inputs: Floats, results: Floats) -> None:
        """Writes the compact numbers (blocks, entry_count, lanes) of blocks (blocks, numbers, lanes) made by `blocks`."""
        blocks = len(inputs)
        for name, array, numbers in (("inputs", inputs, self._input_count), ("results", results, self.entry_count)):
            if array.shape != (blocks, numbers, self.lanes) or not array.flags.c_contiguous or address(array) % (8 * self.lanes):
                raise ValueError(f"{name} {array.shape}: give an aligned C-ordered array ({blocks}, {numbers}, {self.lanes})")
        if blocks:
            self._blocks(address(inputs), address(results), self._scratch(), blocks)

    def results(self, inputs: Mapping[str, Floats], memory: Floats | None = None) -> Floats:
        """Compact results (blocks, entry_count, lanes) at the n states of C-ordered inputs (n, *shape); the last block is filled
        up with its last state. They are written into `memory`, an earlier result, where its shape is right.
        """
        n = len(next(iter(inputs.values())))
        shape = (-(-n // self.lanes), self.entry_count, self.lanes)
        found = memory if memory is not None and memory.shape == shape else aligned(shape)
        whole = n // self.lanes
        if whole:
            self._evaluate_results([inputs[name] for name in self.inputs], found, whole)
        if n % self.lanes:
            rows = np.minimum(np.arange(whole * self.lanes, (whole + 1) * self.lanes), n - 1)
            self._evaluate_results([inputs[name][rows] for name in self.inputs], found[whole:], 1)
        return found

    def expanded(self, results: Floats) -> dict[str, Floats]:
        """Each output (n, *shape) in NumPy layout out of compact numbers (blocks, entry_count, lanes)."""
        rows = results.swapaxes(1, 2).reshape(-1, self.entry_count)
        answers = {}
        for name in self.outputs:
            at = self.entries(name)
            answers[name] = np.where(at.place < 0, at.factor, rows[:, at.place] * at.factor)
        return answers

    def _evaluate_rows(self, inputs: list[Floats], outputs: list[Floats], blocks: int) -> None:
        sources = (ADDRESS * len(inputs))(*map(address, inputs))
        targets = (ADDRESS * len(outputs))(*map(address, outputs))
        self._rows(sources, targets, self._scratch(), blocks)

    def _evaluate_results(self, inputs: list[Floats], results: Floats, blocks: int) -> None:
        sources = (ADDRESS * len(inputs))(*map(address, inputs))
        self._into_blocks(sources, address(results), self._scratch(), blocks)

    def _scratch(self) -> int:
        """Address of this thread's memory for one group of blocks."""
        if not hasattr(self._memory, "array"):
            self._memory.array = aligned((GROUP * (self._input_count + self.entry_count + self._carried), self.lanes))
        return address(self._memory.array)


def aligned(shape: tuple[int, ...]) -> Floats:
    """Uninitialised C-ordered array of doubles that begins at a cache line."""
    size = 8 * prod(shape)
    memory = np.empty(size + ALIGNMENT, dtype=np.uint8)
    start = -address(memory) % ALIGNMENT
    return memory[start : start + size].view(np.float64).reshape(shape)


def address(array: NDArray[np.generic]) -> int:
    """Address of an array's first number."""
    return int(array.__array_interface__["data"][0])


def _content(graph: Graph, lanes: int) -> bytes:
    """Description in one line of JSON, then the machine code; nothing for a graph that is too long.

    A graph whose only output is SLOTS keeps its entries as compact results in that very order, constants and repeats included.
    """
    if graph.operation_count > LONGEST:
        return b""
    slots = list(graph.outputs) == [SLOTS]
    graph = by_branches(graph)
    parts = partition(graph, [int(i) for i in graph.outputs[SLOTS].flat] if slots else None)
    if slots:
        graph = Graph(graph.nodes, graph.inputs, {})
    ir = blocks_module(graph, lanes, parts) + rows_module(graph, lanes, parts)
    description = {
        "inputs": dict(graph.inputs),
        "outputs": {name: places.shape for name, places in graph.outputs.items()},
        "lanes": lanes,
        "operations": graph.operation_count,
        "results": parts.result_count,
        "carried": len(parts.carried),
        "entries": {name: _places(graph, parts.results, places) for name, places in graph.outputs.items()},
    }
    return json.dumps(description).encode() + b"\n" + native.object_code(ir)


def _places(graph: Graph, results: Mapping[int, tuple[int, ...]], places: NDArray[np.int64]) -> tuple[list[int], list[float]]:
    place, factor = [], []
    for node in (int(i) for i in places.flat):
        constant = graph.nodes[node].op is Op.CONSTANT
        place.append(-1 if constant else results[graph.unsigned(node)][0])
        factor.append(float(graph.nodes[node].value or 0.0) if constant else -1.0 if graph.nodes[node].op is Op.NEG else 1.0)
    return place, factor
