"""A record evaluated node by node with NumPy: what the machines and the compiled code are held against."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from leapcheck_models.arrays import Floats
from leapcheck_reference.trace.graph import Graph, Op

FUNCTIONS: Mapping[Op, Callable[..., Any]] = {
    Op.ADD: np.add,
    Op.SUB: np.subtract,
    Op.MUL: np.multiply,
    Op.DIV: np.divide,
    Op.NEG: np.negative,
    Op.SQRT: np.sqrt,
    Op.ABS: np.absolute,
    Op.MAX: np.maximum,
    Op.ROUND: np.rint,
    Op.ODD: lambda k, a, b: np.where(k.astype(np.int64) & 1, b, a),
    Op.FLIP: lambda k, a: np.where(k.astype(np.int64) & 2, -a, a),
}


class NumpyProgram:
    """The graph's outputs (n, *shape) at n states of its inputs (n, *shape)."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.outputs = {name: places.shape for name, places in graph.outputs.items()}

    def __call__(self, inputs: Mapping[str, Floats]) -> dict[str, Floats]:
        n = len(next(iter(inputs.values())))
        given = np.concatenate([inputs[name].reshape(n, -1) for name in self._graph.inputs], axis=1).T
        values: list[Any] = []
        with np.errstate(all="ignore"):
            for op, arguments, value in self._graph.nodes:
                if op is Op.INPUT:
                    values.append(given[int(value or 0)])
                elif op is Op.CONSTANT:
                    values.append(np.full(n, float(value or 0.0)))
                else:
                    values.append(FUNCTIONS[op](*(values[a] for a in arguments)))
        answers = {}
        for name, places in self._graph.outputs.items():
            rows = [values[i] for i in places.flat]
            answers[name] = np.stack(rows, axis=1).reshape(n, *places.shape) if rows else np.zeros((n, *places.shape))
        return answers
