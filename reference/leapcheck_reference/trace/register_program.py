"""A record as a program of the register machine: every node its place in the memory of a block, every operation its words."""

from __future__ import annotations

import numpy as np

from leapcheck_reference.trace.graph import Graph, Op
from leapcheck_reference.trace.llvm import BINARY
from leapcheck_reference.trace.machine_program import MachineProgram
from leapcheck_reference.trace.native import ALIGNMENT
from leapcheck_reference.trace.register_machine import FREE, INSTRUCTIONS, LANES, STOP, Instruction

NUMBER = 8 * LANES
"""Bytes of a number in all lanes."""

BINARY_NUMBERS = {
    (op, first, second): INSTRUCTIONS[Instruction(op, (first, second))]
    for op in BINARY
    for first, second in ((False, False), (False, True), (True, False))
}
FREE_NUMBERS = {op: INSTRUCTIONS[Instruction(op, (False,) * count)] for op, count in FREE.items()}


def register_program(graph: Graph) -> MachineProgram:
    """The program of a lowered graph, in the order of its nodes; ValueError for one that has sines or cosines."""
    if unknown := {node.op for node in graph.nodes} - BINARY.keys() - FREE.keys() - {Op.INPUT, Op.CONSTANT}:
        raise ValueError(f"a program has no {', '.join(sorted(unknown))}: give lowered(graph)")
    return _RegisterEncoder(graph).program()


class _RegisterEncoder:
    """Gives every node its place: constants, inputs, constants in all lanes, results; values use places again."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._entries = [int(i) for places in graph.outputs.values() for i in places.flat]
        self._constants = [i for i, node in enumerate(graph.nodes) if node.op is Op.CONSTANT]
        self._start = -(-8 * len(self._constants) // ALIGNMENT) * ALIGNMENT
        self._place = {i: 8 * k for k, i in enumerate(self._constants)}
        self._count = graph.input_count
        for i, node in enumerate(graph.nodes):
            if node.op is Op.INPUT:
                self._place[i] = self._start + NUMBER * int(node.value or 0)
        self._filled = {i: self._next() for i in self._in_all_lanes()}
        for i in dict.fromkeys(graph.without_sign(i) for i in self._entries):
            if graph.nodes[i].op not in (Op.INPUT, Op.CONSTANT):
                self._place[i] = self._next()

    def program(self) -> MachineProgram:
        """The whole program."""
        words, graph = self._words(), self._graph
        unsigned = [graph.without_sign(i) for i in self._entries]
        places = [self._filled[i] if i in self._filled else self._place[i] for i in unsigned]
        return MachineProgram(
            words=np.array([*words, STOP], dtype=np.int32),
            constants=np.array([[graph.nodes[i].value] for i in self._constants], dtype=float).reshape(-1, 1),
            filled_places=np.array(list(self._filled.values()), dtype=np.int32),
            filled=np.array([[graph.nodes[i].value] for i in self._filled], dtype=float).reshape(-1, 1),
            first_input=self._start,
            size=self._start + NUMBER * max(1, self._count),
            operations=graph.operation_count,
            inputs=dict(graph.inputs),
            outputs={name: nodes.shape for name, nodes in graph.outputs.items()},
            entry_places=np.array(places, dtype=np.int32),
            entry_signs=np.array([1.0 if i == j else -1.0 for i, j in zip(self._entries, unsigned, strict=True)]),
        )

    def _next(self) -> int:
        self._count += 1
        return self._start + NUMBER * (self._count - 1)

    def _in_all_lanes(self) -> dict[int, None]:
        """Constants that are outputs, or operands of operations that take none from elsewhere."""
        nodes = self._graph.nodes
        used = [a for node in nodes if node.op in FREE for a in node.arguments]
        used += [
            a for node in nodes if node.op in BINARY for a in node.arguments[1:] if nodes[node.arguments[0]].op is Op.CONSTANT
        ]
        used += [self._graph.without_sign(i) for i in self._entries]
        return dict.fromkeys(i for i in used if nodes[i].op is Op.CONSTANT)

    def _words(self) -> list[int]:
        """The instructions; a value's place is free after its last use, and the place that was left last is taken first."""
        nodes, place, filled = self._graph.nodes, self._place, self._filled
        last = {a: i for i, node in enumerate(nodes) for a in node.arguments}
        constants, kept, free = set(self._constants), set(place), list[int]()
        words: list[int] = []
        for i, (op, arguments, _) in enumerate(nodes):
            if op is Op.INPUT or op is Op.CONSTANT or (op is Op.NEG and i not in last):
                continue
            if op in FREE_NUMBERS:
                words += (FREE_NUMBERS[op], *(filled[a] if a in constants else place[a] for a in arguments))
            else:
                a, b = arguments
                if a in constants:
                    words += (BINARY_NUMBERS[op, True, False], place[a], filled.get(b) or place[b])
                else:
                    words += (BINARY_NUMBERS[op, False, b in constants], place[a], place[b])
            for a in arguments:
                if last[a] == i and a not in kept:
                    free.append(place[a])
                    kept.add(a)
            if i not in place:  # a result has its place
                place[i] = free.pop() if free else self._next()
            words.append(place[i])
        return words
