"""A record as a program of the double-double machine: places in the memory of a block, constants, words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from leapcheck_reference.trace.double_double_arithmetic import Parts, split
from leapcheck_reference.trace.double_double_machine import (
    QUOTIENT,
    ROOT,
    SINE_COSINE,
    STOP,
    FunctionInstruction,
    Kind,
    SumInstruction,
    instructions,
)
from leapcheck_reference.trace.double_double_statements import NOBODY, Statement, Term, statements
from leapcheck_reference.trace.graph import Graph, Op
from leapcheck_reference.trace.machine_program import MachineProgram
from leapcheck_reference.trace.native import ALIGNMENT

FUNCTIONS: Mapping[Op, FunctionInstruction] = {Op.DIV: QUOTIENT, Op.SQRT: ROOT, Op.SIN: SINE_COSINE}
KINDS = tuple(Kind)
CONSTANT_BYTES = 16


def program(graph: Graph, lanes: int) -> MachineProgram:
    """The program of an exact record; ValueError for an operation that double-double arithmetic does not have."""
    from leapcheck_reference.trace.balls import fold_constants  # python-flint takes its time, and most programs are kept

    folded = fold_constants(graph)
    return _Encoder(folded, statements(folded), lanes).program()


class _Encoder:
    """Gives every node its place, then writes the statements as words."""

    def __init__(self, graph: Graph, order: list[Statement], lanes: int) -> None:
        self._graph, self._order = graph, order
        self._numbers = instructions()
        constants = (self._constant(t) for s in order if s.op is Op.ADD for t in s.terms)
        self._constants = {pair: i for i, pair in enumerate(dict.fromkeys(pair for pair in constants if pair))}
        self._number_bytes = 16 * lanes
        self._start = -(-CONSTANT_BYTES * len(self._constants) // ALIGNMENT) * ALIGNMENT
        self._filled = sorted(_lane_constants(graph, order))
        self._slots = _slots(graph, order, self._filled)

    def program(self) -> MachineProgram:
        """The whole program."""
        words = [word for statement in self._order for word in self._words(statement)]
        entries = [int(i) for places in self._graph.outputs.values() for i in places.flat]
        filled = [split(self._graph.nodes[i].value) for i in self._filled]  # type: ignore[arg-type]
        return MachineProgram(
            words=np.array([*words, self._numbers[STOP]], dtype=np.int32),
            constants=np.array(list(self._constants), dtype=float).reshape(-1, 2),
            filled_places=np.array([self._place(i) for i in self._filled], dtype=np.int32),
            filled=np.array(filled, dtype=float).reshape(-1, 2),
            first_input=self._start,
            size=self._start + self._number_bytes * (1 + max(self._slots.values())),
            operations=self._graph.operation_count,
            inputs=dict(self._graph.inputs),
            outputs={name: places.shape for name, places in self._graph.outputs.items()},
            entry_places=np.array([self._place(self._graph.without_sign(i)) for i in entries], dtype=np.int32),
            entry_signs=np.array([-1.0 if self._graph.nodes[i].op is Op.NEG else 1.0 for i in entries]),
        )

    def _words(self, statement: Statement) -> Iterator[int]:
        targets = [self._place(target) for target in statement.targets]
        if statement.op is not Op.ADD:
            yield self._numbers[FUNCTIONS[statement.op]]
            yield from (self._place(term.first) for term in statement.terms)
            yield from targets
            return
        terms = sorted((self._term(term) for term in statement.terms), key=lambda term: KINDS.index(term[0]))
        for i in range(0, len(terms), 2):
            pair = terms[i : i + 2]
            yield self._numbers[SumInstruction(i == 0, tuple(kind for kind, _ in pair), i + 2 >= len(terms))]
            for _, places in pair:
                yield from places
        yield from targets

    def _term(self, term: Term) -> tuple[Kind, tuple[int, ...]]:
        pair, value = self._constant(term), self._variable(term)
        constant = () if pair is None else (CONSTANT_BYTES * self._constants[pair],)
        if constant:
            return (Kind.CONSTANT, constant) if value is None else (Kind.SCALED, (self._place(value), *constant))
        if term.second is None:
            return Kind.MINUS_VALUE if term.negative else Kind.VALUE, (self._place(term.first),)
        places = (self._place(term.first), self._place(term.second))
        return Kind.MINUS_PRODUCT if term.negative else Kind.PRODUCT, places

    def _constant(self, term: Term) -> Parts | None:
        """A constant term, or the constant factor of one, with the term's sign."""
        for i in term[1:]:
            if i is not None and self._graph.nodes[i].op is Op.CONSTANT:
                value = self._graph.nodes[i].value
                return split(-value if term.negative else value)  # type: ignore[operator, arg-type]
        return None

    def _variable(self, term: Term) -> int | None:
        """The last node of a term that is no constant."""
        variables = [i for i in term[1:] if i is not None and self._graph.nodes[i].op is not Op.CONSTANT]
        return variables[-1] if variables else None

    def _place(self, node: int) -> int:
        return self._start + self._number_bytes * self._slots[node]


def _lane_constants(graph: Graph, order: list[Statement]) -> set[int]:
    """Constants that are outputs, or operands of functions."""
    used = {a for statement in order if statement.op is not Op.ADD for a in statement.operands}
    used.update(int(i) for places in graph.outputs.values() for i in places.flat)
    return {i for i in used if graph.nodes[i].op is Op.CONSTANT}


def _slots(graph: Graph, order: list[Statement], filled: list[int]) -> dict[int, int]:
    """For every node a number's place: inputs first, then `filled`, values (their places are used again), results, NOBODY."""
    slots = {i: int(node.value or 0) for i, node in enumerate(graph.nodes) if node.op is Op.INPUT}
    count = graph.input_count
    for i in filled:
        slots[i] = count
        count += 1
    results = set(graph.distinct)
    values = _values(order, results)
    slots.update({i: count + place for i, place in values.items()})
    count += 1 + max(values.values(), default=-1)
    for i in (target for statement in order for target in statement.targets if target in results):
        slots[i] = count
        count += 1
    return {**slots, NOBODY: count}


def _values(order: list[Statement], results: set[int]) -> dict[int, int]:
    """Places of the nodes that are no results: the place left last is taken first, it is still in the cache."""
    last = {a: k for k, statement in enumerate(order) for a in statement.operands}
    places: dict[int, int] = {}
    free: list[int] = []
    count = 0
    for k, statement in enumerate(order):
        free += [places[a] for a in dict.fromkeys(statement.operands) if last[a] == k and a in places]
        for target in statement.targets:
            if target in results or target == NOBODY:
                continue
            if not free:
                free.append(count)
                count += 1
            places[target] = free.pop()
    return places
