"""A record of arithmetic: what an algorithm did to its inputs, operation by operation, equal operations once."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import copysign
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Number = float | Fraction
Places = NDArray[np.int64]


class Op(StrEnum):
    """Operations of a record. The arguments of every one are numbers of nodes before it."""

    INPUT = "input"
    CONSTANT = "constant"
    ADD = "+"
    SUB = "-"
    MUL = "*"
    DIV = "/"
    NEG = "neg"
    SQRT = "sqrt"
    SIN = "sin"
    COS = "cos"
    ABS = "abs"
    MAX = "max"
    ROUND = "round"
    ODD = "odd"
    FLIP = "flip"


ARITHMETIC = (Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.SQRT)
"""What `operation_count` counts; sines and cosines are counted apart, and a sign is no operation."""

OPERATORS: Mapping[Op, Callable[..., Any]] = {
    Op.ADD: operator.add,
    Op.SUB: operator.sub,
    Op.MUL: operator.mul,
    Op.DIV: operator.truediv,
    Op.NEG: operator.neg,
}
"""What Python's operators do on any scalar; the other operations are functions of a kind of scalar."""


class Node(NamedTuple):
    """One operation on earlier nodes; `value` is a constant's number or an input's place among all inputs.

    ROUND is to the nearest whole number, ties to even. For a whole number k, ODD(k, a, b) is b where k is odd and a where it
    is even, and FLIP(k, a) is -a where floor(k / 2) is odd and a where it is even: what sines and cosines need of a quadrant.
    MAX is of numbers that are not negative, and NaN where an argument is.
    """

    op: Op
    arguments: tuple[int, ...] = ()
    value: Number | int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """Nodes in an order in which each comes after its arguments.

    `inputs` and `outputs` name blocks of numbers: an input's shape (its entries are numbered on through all inputs in
    this order), and for each entry of an output its node.
    """

    nodes: tuple[Node, ...]
    inputs: Mapping[str, tuple[int, ...]]
    outputs: Mapping[str, Places]

    def nonnegative_nodes(self) -> frozenset[int]:
        """Absolute values, the constants that are, and the largest of such: nodes without a sign bit, even where they are NaN."""
        signless: set[int] = set()
        for i, node in enumerate(self.nodes):
            constant = node.op is Op.CONSTANT and copysign(1.0, float(node.value or 0.0)) > 0.0
            if node.op is Op.ABS or constant or (node.op is Op.MAX and signless.issuperset(node.arguments)):
                signless.add(i)
        return frozenset(signless)

    def counts(self) -> Counter[Op]:
        """How often each operation occurs."""
        return Counter(node.op for node in self.nodes)

    @property
    def operation_count(self) -> int:
        """Number of + - * / and sqrt."""
        counts = self.counts()
        return sum(counts[op] for op in ARITHMETIC)

    @property
    def input_count(self) -> int:
        """Numbers that go in."""
        return sum(int(np.prod(shape, dtype=int)) for shape in self.inputs.values())

    @property
    def distinct(self) -> tuple[int, ...]:
        """The nodes behind the outputs, each once, without signs and constants, in the order of first use: compact layout."""
        seen = dict.fromkeys(self.without_sign(int(node)) for places in self.outputs.values() for node in places.flat)
        return tuple(node for node in seen if self.nodes[node].op is not Op.CONSTANT)

    def without_sign(self, node: int) -> int:
        """The node itself, or what it is the negative of."""
        return self.nodes[node].arguments[0] if self.nodes[node].op is Op.NEG else node

    def subgraph(self, outputs: Iterable[str]) -> Graph:
        """The part of the record behind some of the outputs; inputs stay as they are."""
        return prune(Graph(self.nodes, self.inputs, {name: self.outputs[name] for name in outputs}))


def prune(graph: Graph) -> Graph:
    """The graph without the nodes that no output needs."""
    needed = [False] * len(graph.nodes)
    for places in graph.outputs.values():
        for i in places.ravel().tolist():
            needed[i] = True
    for i in reversed(range(len(graph.nodes))):
        if needed[i]:
            for a in graph.nodes[i].arguments:
                needed[a] = True
    return graph if all(needed) else renumber(graph, [i for i, is_needed in enumerate(needed) if is_needed])


def renumber(graph: Graph, order: list[int]) -> Graph:
    """The graph with only the nodes of `order`, in that order (arguments before what needs them)."""
    number = [-1] * len(graph.nodes)
    for place, i in enumerate(order):
        number[i] = place
    old = graph.nodes
    nodes = tuple(Node(old[i].op, tuple([number[a] for a in old[i].arguments]), old[i].value) for i in order)
    numbers = np.array(number, dtype=np.int64)
    return Graph(nodes, graph.inputs, {name: numbers[places] for name, places in graph.outputs.items()})
