"""A record as a NumPy program over registers, for short runs and long records; the same bits as the compiled kernel."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from math import prod
from typing import Any, NamedTuple

import numpy as np

from leapcheck_models.arrays import Floats
from leapcheck_reference.trace.graph import Graph, Op, Places

WIDTHS = (1, 32, 256, 1024)
"""States in a block: the first of these that holds all, or the last. NumPy's calls cost as much as 500 numbers each."""

PADDING = 8
"""Registers are this much longer than a block: at a distance of 2^13 bytes they would push each other out of the cache."""


def _odd(k: Floats, a: Floats, b: Floats, out: Floats) -> None:
    np.copyto(out, np.where(k.astype(np.int64) & 1, b, a))


def _flip(k: Floats, a: Floats, out: Floats) -> None:
    np.copyto(out, np.where(k.astype(np.int64) & 2, -a, a))


def _larger(a: Floats, b: Floats, out: Floats) -> None:
    np.maximum(a, b, out=out)  # as a third argument it is deprecated


FUNCTIONS: Mapping[Op, Callable[..., Any]] = {
    Op.ADD: np.add,
    Op.SUB: np.subtract,
    Op.MUL: np.multiply,
    Op.DIV: np.divide,
    Op.NEG: np.negative,
    Op.SQRT: np.sqrt,
    Op.ABS: np.absolute,
    Op.MAX: _larger,
    Op.ROUND: np.rint,
    Op.ODD: _odd,
    Op.FLIP: _flip,
}
"""What is called for each operation, with its arguments and where the result goes."""


class Step(NamedTuple):
    """One operation on registers."""

    op: Op
    arguments: tuple[int, ...]
    out: int


class RegisterProgram(NamedTuple):
    """Steps, the register of each node, and how many registers there are; the first `kept` are never used twice."""

    steps: tuple[Step, ...]
    register: Places
    kept: int
    registers: int


class NumpyProgram:
    """Evaluates a record on many states: what `CompiledProgram` does, without its block interface. For several threads too."""

    def __init__(self, graph: Graph) -> None:
        """Takes a graph without sines and cosines, see `lowering`; ValueError for one that has them."""
        if unknown := {node.op for node in graph.nodes} - FUNCTIONS.keys() - {Op.INPUT, Op.CONSTANT}:
            raise ValueError(f"a NumPy program has no {', '.join(sorted(unknown))}: give lowered(graph)")
        self.inputs = dict(graph.inputs)
        self.outputs = {name: places.shape for name, places in graph.outputs.items()}
        self.operations = graph.operation_count
        self._graph = graph
        self._program = allocate(graph)
        self._memory = threading.local()

    def __reduce__(self) -> tuple[type[NumpyProgram], tuple[Graph]]:
        return NumpyProgram, (self._graph,)

    def __call__(self, inputs: Mapping[str, Floats], out: Mapping[str, Floats] | None = None) -> dict[str, Floats]:
        """Each output (n, *shape) at the n states of inputs (n, *shape); written into C-ordered `out` where given."""
        n = len(next(iter(inputs.values())))
        answers = self.arrays(n) if out is None else dict(out)
        states = np.concatenate([inputs[name].reshape(n, prod(shape)) for name, shape in self.inputs.items()], axis=1)
        block = self._block(n)
        for start in range(0, n, block.width):
            part = slice(start, start + block.width)
            kept = block.evaluate(states[part])
            for name, places in self._graph.outputs.items():
                rows = answers[name][part].reshape(len(kept), places.size)
                np.take(kept, self._program.register[places.ravel()], axis=1, out=rows, mode="clip")  # "raise" would copy
        return answers

    def arrays(self, n: int) -> dict[str, Floats]:
        """Uninitialised arrays (n, *shape) for the outputs."""
        return {name: np.empty((n, *shape)) for name, shape in self.outputs.items()}

    def _block(self, count: int) -> _Block:
        """This thread's registers for that many states."""
        width = next((width for width in WIDTHS if width >= count), WIDTHS[-1])
        blocks: dict[int, _Block] = self._memory.__dict__.setdefault("blocks", {})
        if width not in blocks:
            blocks[width] = _Block(self._graph, self._program, width)
        return blocks[width]


class _Block:
    """The program with registers for up to `width` states."""

    def __init__(self, graph: Graph, program: RegisterProgram, width: int) -> None:
        self.width = width
        registers = np.zeros((program.registers, width + PADDING))[:, :width]
        operands = list(registers)
        for i, node in enumerate(graph.nodes):
            if node.op is Op.CONSTANT:
                constant = registers[program.register[i]]
                constant[:] = float(node.value or 0.0)
                operands[program.register[i]] = constant[:1].reshape(())  # as fast as an array, and leaves the cache alone
        self._calls = [
            (FUNCTIONS[op], (*(operands[a] for a in arguments), operands[out])) for op, arguments, out in program.steps
        ]
        self._inputs = registers[: graph.input_count]
        self._kept = registers[: program.kept]

    def evaluate(self, states: Floats) -> Floats:
        """The registers that are kept (n, kept). What is not finite goes through without a warning."""
        n = len(states)
        self._inputs[:, :n] = states.T
        self._inputs[:, n:] = states[-1:].T  # in the rest of a block nothing may overflow that does not in a state
        with np.errstate(all="ignore"):
            for function, operands in self._calls:
                function(*operands)
        return np.ascontiguousarray(self._kept[:, :n].T)


def allocate(graph: Graph) -> RegisterProgram:
    """The program of a graph: inputs, constants and outputs are kept, any other register is free after its last use."""
    register = _fixed_registers(graph)
    kept = max(graph.input_count, int(register.max(initial=-1)) + 1)
    last = {a: i for i, node in enumerate(graph.nodes) for a in node.arguments}
    free: list[int] = []
    steps, registers = [], kept
    for i, node in enumerate(graph.nodes):
        if node.op in (Op.INPUT, Op.CONSTANT):
            continue
        arguments = tuple(int(register[a]) for a in node.arguments)
        free += {a for a, of in zip(arguments, node.arguments, strict=True) if a >= kept and last[of] == i}
        if register[i] < 0:
            registers += not free
            register[i] = free.pop() if free else registers - 1
        steps.append(Step(node.op, arguments, int(register[i])))
    return RegisterProgram(tuple(steps), register, kept, registers)


def _fixed_registers(graph: Graph) -> Places:
    """Registers of inputs, in their order, then of constants, then of outputs; -1 for any other node."""
    register = np.full(len(graph.nodes), -1, dtype=np.int64)
    constants = [i for i, node in enumerate(graph.nodes) if node.op is Op.CONSTANT]
    for i, node in enumerate(graph.nodes):
        if node.op is Op.INPUT and node.value is not None:
            register[i] = int(node.value)
    outputs = {int(i): None for nodes in graph.outputs.values() for i in nodes.flat}
    for number, i in enumerate(dict.fromkeys([*constants, *(i for i in outputs if register[i] < 0)])):
        register[i] = graph.input_count + number
    return register
