"""A record on python-flint's arb balls: every result is an interval that holds the true value, whatever was rounded."""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq
from numpy.typing import ArrayLike

from leapcheck_models.arrays import Array
from leapcheck_reference.trace.graph import OPERATORS, Graph, Node, Op, prune

BITS = 128
"""Working precision of `ball_values`; a double has 53."""

CONSTANT_BITS = 256
"""Working precision of `fold_constants`: far beyond double-double's 106."""

OPERATIONS: Mapping[Op, Callable[..., arb]] = {
    **OPERATORS,
    Op.SQRT: lambda a: a.sqrt(),
    Op.SIN: lambda a: a.sin(),
    Op.COS: lambda a: a.cos(),
    Op.ABS: abs,
    Op.MAX: lambda a, b: a.max(b),
}
"""What is a function of balls; rounding to whole numbers is not continuous and has no place in an exact record."""


def ball_values(graph: Graph, inputs: Mapping[str, ArrayLike], bits: int = BITS) -> dict[str, Array]:
    """Each output of the record as an array of arb balls that enclose its value at one state.

    The doubles of `inputs` (one array of the named shape for each input of the graph) are taken as exact, and so are
    rational constants. Raises ValueError for an input of another shape or an operation that balls do not have.
    """
    numbers = list(_numbers(graph, inputs))
    with ctx.workprec(bits):
        balls: list[arb] = []
        for node in graph.nodes:
            if node.op is Op.INPUT:
                balls.append(arb(numbers[int(node.value or 0)]))
            else:
                balls.append(_ball(node, [balls[a] for a in node.arguments]))
    outputs = {}
    for name, places in graph.outputs.items():
        outputs[name] = np.empty(places.shape, dtype=object)
        for entry, node_number in np.ndenumerate(places):
            outputs[name][entry] = balls[node_number]
    return outputs


def fold_constants(graph: Graph) -> Graph:
    """The graph with irrational constants (roots of constants and what was made of them) as rationals right to 250 bits."""
    nodes: list[Node] = []
    known: dict[int, arb] = {}
    with ctx.workprec(CONSTANT_BITS):
        for i, node in enumerate(graph.nodes):
            if node.op is Op.INPUT or not all(a in known for a in node.arguments):
                nodes.append(node)
                continue
            known[i] = _ball(node, [known[a] for a in node.arguments])
            nodes.append(node if node.op is Op.CONSTANT else Node(Op.CONSTANT, (), _middle(known[i])))
    return prune(Graph(tuple(nodes), graph.inputs, graph.outputs))


def _numbers(graph: Graph, inputs: Mapping[str, ArrayLike]) -> Iterator[float]:
    """The numbers of all inputs in their order."""
    for name, shape in graph.inputs.items():
        block = np.asarray(inputs[name], dtype=float)
        if block.shape != shape:
            raise ValueError(f"input '{name}' has shape {block.shape}: give one state, {shape}")
        yield from block.ravel().tolist()


def _ball(node: Node, arguments: list[Any]) -> arb:
    if node.op is Op.CONSTANT:
        value = Fraction(node.value)  # type: ignore[arg-type]
        return arb(fmpq(value.numerator, value.denominator))
    if node.op not in OPERATIONS:
        raise ValueError(f"a record with '{node.op}' cannot be evaluated on balls: take an exact record")
    return OPERATIONS[node.op](*arguments)


def _middle(ball: arb) -> Fraction:
    mantissa, exponent = ball.mid().man_exp()
    return int(mantissa) * Fraction(2) ** int(exponent)
