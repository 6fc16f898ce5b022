"""A record compiled for this CPU: evaluates batches of states in NumPy layout, and blocks of states in compact layout."""

from __future__ import annotations

import ctypes
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from leapcheck_models.arrays import Floats
from leapcheck_reference.trace import native
from leapcheck_reference.trace.cache import load_or_make
from leapcheck_reference.trace.graph import Graph, Op
from leapcheck_reference.trace.llvm import blocks_module
from leapcheck_reference.trace.lowering import lower
from leapcheck_reference.trace.native import address, aligned_array
from leapcheck_reference.trace.partition import GROUP, Partition, by_branches, partition
from leapcheck_reference.trace.rows import Way, results_module, rows_module

LONGEST = 100_000
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


class MachineCall(NamedTuple):
    """A call that machine code makes: `addresses` of the function, of the tables of its inputs and of its outputs; then come
    what `scratch` gives in the calling thread, and 1. `alive` has to live as long.
    """

    addresses: tuple[int, int, int]
    scratch: Callable[[], int]
    alive: object


def compile_program(
    key: bytes, make: Callable[[], Graph], lanes: int | None = None, level: int = native.THOROUGH
) -> CompiledProgram | None:
    """The compiled record that `make` gives, from the cache where the same key was compiled before on such a CPU.

    `lanes` is the number of states in a vector, by default the widest that the CPU has; `level` how far LLVM goes. None for a
    record of more than `LONGEST` operations.
    """
    width = lanes or native.vector_width()
    source = _Source(b"program %d %d " % (width, level) + native.target_key(width) + key, make)

    def code_of_rows(way: Way) -> bytes:
        return load_or_make(way.encode() + b" of " + source.key, lambda: _code_of_rows(_lowered(source), width, level, way))

    content = load_or_make(source.key, lambda: _content(_lowered(source), width, level))
    return CompiledProgram(content, code_of_rows) if content else None


@dataclass(frozen=True, slots=True)
class _Source:
    """What `make` gives, known by its key."""

    key: bytes
    make: Callable[[], Graph] = field(compare=False)


@lru_cache(maxsize=1)  # the code of rows is wanted soon after the rest, or never
def _lowered(source: _Source) -> Graph:
    return lower(source.make())


class CompiledProgram:
    """Machine code of a record with the description of its inputs and outputs. Its methods may be called from several threads."""

    def __init__(self, content: bytes, code_of_rows: Callable[[Way], bytes]) -> None:
        """Takes what `compile_program` keeps in the cache, and gives for each way of writing rows once that is wanted."""
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
        self._into_blocks = FUNCTION(self._library.address("evaluate_results"))
        self._blocks = FUNCTION(self._library.address("evaluate_blocks"))
        self._code_of_rows, self._writers, self._lock = code_of_rows, dict[Way, Callable[..., None]](), threading.Lock()
        self._memory = threading.local()

    def __call__(self, inputs: Mapping[str, Floats], out: Mapping[str, Floats] | None = None) -> dict[str, Floats]:
        """Each output (n, *shape) at the n states of C-ordered inputs (n, *shape); written into `out` where given."""
        answers = self.arrays(len(next(iter(inputs.values())))) if out is None else dict(out)
        self._bound(Way.ROWS, inputs, answers)()
        return answers

    def bound(self, inputs: Mapping[str, Floats], out: Mapping[str, Floats]) -> Callable[[], None]:
        """A call without arguments that evaluates the states which C-ordered `inputs` then hold, into C-ordered `out`.

        For inner loops: addresses are looked up and entries that are the same at every state are written once, here, and
        nothing is checked.
        """
        self._write_constants(out)
        return self._bound(Way.VARYING, inputs, out)

    def machine_call(self, inputs: Mapping[str, Floats], out: Mapping[str, Floats]) -> MachineCall:
        """`bound` to one vector of states, for machine code that makes the call itself."""
        self._write_constants(out)
        sources, targets = [inputs[name] for name in self.inputs], [out[name] for name in self.outputs]
        self._writer(Way.VARYING)
        function, source, target = self._library.address(f"evaluate_{Way.VARYING}"), _table(sources, 0), _table(targets, 0)
        addresses = (function, ctypes.addressof(source), ctypes.addressof(target))
        return MachineCall(addresses, self._scratch, (self, sources, targets, source, target))

    def _write_constants(self, out: Mapping[str, Floats]) -> None:
        """Writes the entries that are the same at every state."""
        for name in self.outputs:
            layout = self.entries(name)
            out[name][...] = np.where(layout.place < 0, layout.factor, 0.0)

    def _bound(self, way: Way, inputs: Mapping[str, Floats], out: Mapping[str, Floats]) -> Callable[[], None]:
        sources, targets = [inputs[name] for name in self.inputs], [out[name] for name in self.outputs]
        n = len(sources[0])
        if 0 < n < self.lanes:
            return self._bound_to_few(sources, targets)
        calls = [(_table(sources, 0), _table(targets, 0), n // self.lanes)] if n else []
        if n % self.lanes:  # the last states, some of them once more: in any company a state gives the same bits
            calls.append((_table(sources, n - self.lanes), _table(targets, n - self.lanes), 1))
        scratch, rows = self._scratch, self._writer(way)

        def run(_alive: object = (sources, targets)) -> None:
            for source, target, blocks in calls:
                rows(source, target, scratch(), blocks)

        return run

    def _writer(self, way: Way) -> Callable[..., None]:
        """The function that evaluates rows in one way. Most programs never need both: the code is added once one is wanted."""
        with self._lock:
            if way not in self._writers:
                self._library.add(self._code_of_rows(way))
                self._writers[way] = FUNCTION(self._library.address(f"evaluate_{way}"))
            return self._writers[way]

    def _bound_to_few(self, sources: list[Floats], targets: list[Floats]) -> Callable[[], None]:
        """`bound` to less than a vector of states: the rest of the vector repeats the last one."""
        n = len(sources[0])

        def run() -> None:
            inputs, answers, evaluate = self._vector()
            for padded, source in zip(inputs, sources, strict=True):
                padded[:n], padded[n:] = source, source[-1]
            evaluate()
            for padded, target in zip(answers, targets, strict=True):
                target[...] = padded[:n]

        return run

    def arrays(self, n: int) -> dict[str, Floats]:
        """Uninitialised arrays (n, *shape) for the outputs, aligned for the fastest stores."""
        return {name: aligned_array((n, *shape)) for name, shape in self.outputs.items()}

    def entries(self, output: str) -> Entries:
        """Where the entries of an output stand in compact layout."""
        place, factor = self._entries[output]
        shape = self.outputs[output]
        return Entries(np.array(place, dtype=np.int64).reshape(shape), np.array(factor).reshape(shape))

    def blocks(self, inputs: Mapping[str, Floats]) -> Floats:
        """Inputs (n, *shape), n a multiple of `lanes`, as blocks (n / lanes, numbers, lanes)."""
        arrays = [(np.asarray(inputs[name], dtype=float), prod(shape)) for name, shape in self.inputs.items()]
        flat = [array.reshape(len(array), numbers) for array, numbers in arrays]
        rows = np.concatenate(flat, axis=1)
        if len(rows) % self.lanes:
            raise ValueError(f"{len(rows)} states are no whole number of blocks: give a multiple of {self.lanes}")
        blocks = aligned_array((len(rows) // self.lanes, self._input_count, self.lanes))
        blocks[:] = rows.reshape(-1, self.lanes, self._input_count).swapaxes(1, 2)
        return blocks

    def evaluate_blocks(self, inputs: Floats, results: Floats) -> None:
        """Writes the compact numbers (blocks, entry_count, lanes) of blocks (blocks, numbers, lanes) made by `blocks`."""
        self.bound_blocks(inputs, results)()

    def bound_blocks(self, inputs: Floats, results: Floats) -> Callable[[], None]:
        """A call without arguments that does `evaluate_blocks` on what the arrays then hold; they are checked once, here."""
        blocks = len(inputs)
        source = _address_of_blocks("inputs", inputs, (blocks, self._input_count, self.lanes), inputs.flags.c_contiguous)
        target = _address_of_blocks("results", results, (blocks, self.entry_count, self.lanes), results.flags.carray)
        evaluate, scratch = self._blocks, self._scratch

        def run(_alive: object = (inputs, results)) -> None:
            if blocks:
                evaluate(source, target, scratch(), blocks)

        return run

    def results(self, inputs: Mapping[str, Floats], memory: Floats | None = None) -> Floats:
        """Compact results (blocks, entry_count, lanes) at the n states of C-ordered inputs (n, *shape); the last block is filled
        up with its last state. They are written into `memory`, an earlier result, where its shape is right.
        """
        n = len(next(iter(inputs.values())))
        shape = (-(-n // self.lanes), self.entry_count, self.lanes)
        results_memory = memory if memory is not None and memory.shape == shape else aligned_array(shape)
        whole = n // self.lanes
        if whole:
            self._into_blocks(_table([inputs[name] for name in self.inputs], 0), address(results_memory), self._scratch(), whole)
        if n % self.lanes:
            rows = np.minimum(np.arange(whole * self.lanes, (whole + 1) * self.lanes), n - 1)
            last = [inputs[name][rows] for name in self.inputs]
            self._into_blocks(_table(last, 0), address(results_memory[whole:]), self._scratch(), 1)
        return results_memory

    def expand(self, results: Floats) -> dict[str, Floats]:
        """Each output (n, *shape) in NumPy layout out of compact numbers (blocks, entry_count, lanes)."""
        rows = results.swapaxes(1, 2).reshape(-1, self.entry_count)
        answers = {}
        for name in self.outputs:
            layout = self.entries(name)
            answers[name] = np.where(layout.place < 0, layout.factor, rows[:, layout.place] * layout.factor)
        return answers

    def _vector(self) -> tuple[list[Floats], list[Floats], Callable[[], None]]:
        """This thread's inputs and outputs of one vector of states, and the call that evaluates it."""
        memory = self._memory
        if not hasattr(memory, "vector"):
            inputs = {name: aligned_array((self.lanes, *shape)) for name, shape in self.inputs.items()}
            answers = self.arrays(self.lanes)
            memory.vector = list(inputs.values()), list(answers.values()), self._bound(Way.ROWS, inputs, answers)
        vector: tuple[list[Floats], list[Floats], Callable[[], None]] = memory.vector
        return vector

    def _scratch(self) -> int:
        """Address of this thread's memory for one group of blocks."""
        memory = self._memory
        if not hasattr(memory, "address"):
            memory.array = aligned_array((GROUP * (self._input_count + self.entry_count + self._carried), self.lanes))
            memory.address = address(memory.array)
        return int(memory.address)


def _address_of_blocks(name: str, array: Floats, shape: tuple[int, int, int], is_ordered: bool) -> int:
    """Address of an array that machine code may go through in vectors; ValueError for any other."""
    first, aligned_to = address(array), 8 * shape[2]
    if array.shape != shape or array.dtype != np.float64 or not is_ordered or (array.size and first % aligned_to):
        raise ValueError(f"{name} {array.shape}: give an aligned C-ordered array {shape} of doubles")
    return first


def _table(arrays: Sequence[Floats], first: int) -> ctypes.Array[ctypes.c_void_p]:
    """Addresses of one state's rows in some arrays, as C takes them."""
    return (ADDRESS * len(arrays))(*(address(array) + first * array.strides[0] for array in arrays))


def _content(graph: Graph, lanes: int, level: int) -> bytes:
    """Description in one line of JSON, then the machine code but for that of rows; nothing for a graph that is too long."""
    if graph.operation_count > LONGEST:
        return b""
    graph, parts = _parts(graph)
    description = {
        "inputs": dict(graph.inputs),
        "outputs": {name: places.shape for name, places in graph.outputs.items()},
        "lanes": lanes,
        "operations": graph.operation_count,
        "results": parts.result_count,
        "carried": parts.carried_count,
        "entries": {name: _places(graph, parts.results, places) for name, places in graph.outputs.items()},
    }
    ir = blocks_module(graph, lanes, parts) + results_module(graph, lanes, parts)
    return json.dumps(description).encode() + b"\n" + native.object_code(ir, lanes, level)


def _code_of_rows(graph: Graph, lanes: int, level: int, way: Way) -> bytes:
    graph, parts = _parts(graph)
    return native.object_code(rows_module(graph, lanes, parts, way), lanes, level)


def _parts(graph: Graph) -> tuple[Graph, Partition]:
    """The graph in the order of its branches, and its parts.

    One whose only output is SLOTS keeps its entries as compact results in that very order, constants and repeats included.
    """
    graph = by_branches(graph)
    if list(graph.outputs) != [SLOTS]:
        return graph, partition(graph, None)
    parts = partition(graph, [int(i) for i in graph.outputs[SLOTS].flat])
    return Graph(graph.nodes, graph.inputs, {}), parts


def _places(graph: Graph, results: Mapping[int, tuple[int, ...]], places: NDArray[np.int64]) -> tuple[list[int], list[float]]:
    place, factor = [], []
    for node in (int(i) for i in places.flat):
        constant = graph.nodes[node].op is Op.CONSTANT
        place.append(-1 if constant else results[graph.without_sign(node)][0])
        factor.append(float(graph.nodes[node].value or 0.0) if constant else -1.0 if graph.nodes[node].op is Op.NEG else 1.0)
    return place, factor
