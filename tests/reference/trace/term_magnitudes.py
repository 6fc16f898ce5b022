"""Running error analysis of a record: how much one rounding of every operation's terms can move each output."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_reference.trace.graph import Graph, Node, Op


def magnitudes(graph: Graph, inputs: Mapping[str, Array]) -> dict[str, Array]:
    """For each output the first-order bound on its error in units of the relative error of an operation.

    As Higham 2002, section 3.3, but a sum's own error counts relative to its terms, as it is in double-double arithmetic.
    """
    numbers = np.concatenate([np.ravel(inputs[name]) for name in graph.inputs]).tolist()
    value: list[float] = []
    error: list[float] = []
    for node in graph.nodes:
        x, e = _step(node, numbers, [value[a] for a in node.arguments], [error[a] for a in node.arguments])
        value.append(x)
        error.append(e)
    return {name: np.array(error)[places] for name, places in graph.outputs.items()}


def _step(node: Node, numbers: list[float], x: list[float], e: list[float]) -> tuple[float, float]:
    if node.op is Op.INPUT:
        return numbers[int(node.value or 0)], 0.0
    if node.op is Op.CONSTANT:
        return float(node.value or 0), abs(float(node.value or 0))
    if node.op in (Op.ADD, Op.SUB):
        return x[0] + x[1] if node.op is Op.ADD else x[0] - x[1], sum(e) + abs(x[0]) + abs(x[1])
    if node.op is Op.MUL:
        return x[0] * x[1], abs(x[0]) * e[1] + abs(x[1]) * e[0] + abs(x[0] * x[1])
    if node.op is Op.DIV:
        return x[0] / x[1], (e[0] + abs(x[0] / x[1]) * e[1]) / abs(x[1]) + abs(x[0] / x[1])
    return _function(node.op, x[0], e[0])


def _function(op: Op, x: float, e: float) -> tuple[float, float]:
    if op is Op.NEG:
        return -x, e
    if op is Op.SQRT:
        return math.sqrt(x), e / (2.0 * math.sqrt(x)) + math.sqrt(x)
    s, c = math.sin(x), math.cos(x)
    return (s, e * abs(c) + abs(s)) if op is Op.SIN else (c, e * abs(s) + abs(c))
