"""A record as statements for double-double arithmetic: each a sum of signed products and values, or a function.

Sums and products that only one sum needs are no statements of their own: their terms are that sum's terms.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from leapcheck_reference.trace.graph import Graph, Op

SUMS = (Op.ADD, Op.SUB, Op.MUL)
"""Operations that are parts of sums of products."""

FUNCTIONS = (Op.DIV, Op.SQRT)
"""Operations that are statements as they are; sines and cosines come in pairs."""

LEAVES = (Op.INPUT, Op.CONSTANT)
"""Operations whose values are there before the first statement."""

NOBODY = -1
"""In the place of a target: of sine or cosine nobody wants."""


class Term(NamedTuple):
    """A signed product of two nodes, or a signed node (`second` is None)."""

    negative: bool
    first: int
    second: int | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """What gives the target nodes their values: the sum of the terms (`op` is ADD), or a function of them.

    SIN gives two targets, sine and cosine.
    """

    op: Op
    targets: tuple[int, ...]
    terms: tuple[Term, ...]

    @property
    def operands(self) -> Iterator[int]:
        """Nodes that are read, constants too."""
        for term in self.terms:
            yield term.first
            if term.second is not None:
                yield term.second


def statements(graph: Graph) -> list[Statement]:
    """Statements that compute the outputs (but their signs), each after those it needs.

    None comes earlier than needed (depth first from the outputs), so that few values are alive at a time. Raises
    ValueError for an operation that double-double arithmetic does not have.
    """
    made = {target: statement for statement in _all_statements(graph) for target in statement.targets}
    done = {i for i, node in enumerate(graph.nodes) if node.op in LEAVES}
    order: list[Statement] = []
    stack = [graph.without_sign(int(i)) for places in graph.outputs.values() for i in places.flat][::-1]
    while stack:
        node = stack[-1]
        if node in done:
            stack.pop()
        elif missing := [a for a in made[node].operands if a not in done]:
            stack.extend(reversed(missing))
        else:
            order.append(made[node])
            done.update(made[node].targets)
    return order


def _all_statements(graph: Graph) -> Iterator[Statement]:
    inlined = _inline_terms(graph)
    turns: dict[int, list[int]] = {}
    for i, node in enumerate(graph.nodes):
        if node.op in (Op.SIN, Op.COS):
            turns.setdefault(node.arguments[0], [NOBODY, NOBODY])[node.op is Op.COS] = i
        elif node.op in SUMS and i not in inlined:
            yield Statement(Op.ADD, (i,), tuple(_terms(graph, i, inlined)))
        elif node.op is Op.NEG:
            yield Statement(Op.ADD, (i,), (Term(True, *node.arguments),))
        elif node.op in FUNCTIONS:
            yield Statement(node.op, (i,), tuple(Term(False, a) for a in node.arguments))
        elif node.op not in (*LEAVES, *SUMS):
            raise ValueError(f"a record with '{node.op}' cannot be evaluated in double-double: take an exact record")
    for argument, targets in turns.items():
        yield Statement(Op.SIN, tuple(targets), (Term(False, argument),))


def _inline_terms(graph: Graph) -> set[int]:
    """Sums and products that are needed once, and that by a sum."""
    nodes = graph.nodes
    needed = Counter(a for node in nodes for a in node.arguments)
    by_sums = (a for node in nodes if node.op in (Op.ADD, Op.SUB) for a in node.arguments)
    return {a for a in by_sums if needed[a] == 1 and nodes[a].op in SUMS} - set(graph.distinct)


def _terms(graph: Graph, root: int, inlined: set[int]) -> Iterator[Term]:
    stack = [(root, False)]
    while stack:
        i, negative = stack.pop()
        node = graph.nodes[i]
        if i != root and i not in inlined:
            yield Term(negative, i)
        elif node.op is Op.MUL:
            yield Term(negative, *node.arguments)
        else:
            first, second = node.arguments
            stack += [(second, negative != (node.op is Op.SUB)), (first, negative)]
