"""The reference's algorithms as CasADi expressions: their record replayed on CasADi's scalars."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import casadi as ca

from leapcheck_reference.trace.graph import OPERATORS, Graph, Op
from leapcheck_reference.trace.record import record
from leapcheck_reference.tree import Tree

OPERATIONS: Mapping[Op, Callable[..., Any]] = {**OPERATORS, Op.SQRT: ca.sqrt, Op.SIN: ca.sin, Op.COS: ca.cos}
"""What the mechanics of a tree needs: the others belong to rounding and to machine code."""


def expressions(tree: Tree, inputs: Mapping[str, Any], *quantities: str) -> dict[str, Any]:
    """Each quantity as an SX at `inputs` q (nq,), v (nv,), vdot (nv,), SX too; those of three axes as (first x second, third)."""
    graph = record(tree, quantities)
    values = _values(graph, inputs)
    answers = {}
    for name, places in graph.outputs.items():
        rows = places.reshape(-1, places.shape[-1]) if places.ndim > 1 else places[:, None]
        answers[name] = ca.vertcat(*(ca.horzcat(*(values[i] for i in row)) for row in rows.tolist()))
    return answers


def _values(graph: Graph, inputs: Mapping[str, Any]) -> list[Any]:
    """The value of each node."""
    numbers = [inputs[name][i] for name, shape in graph.inputs.items() for i in range(shape[0])]
    values: list[Any] = []
    for op, arguments, value in graph.nodes:
        if op is Op.INPUT:
            values.append(numbers[int(value or 0)])
        elif op is Op.CONSTANT:
            values.append(ca.SX(float(value or 0.0)))
        else:
            values.append(OPERATIONS[op](*(values[a] for a in arguments)))
    return values
