"""Checks of whole batches of states: the messages of the single-state checks, and a traced form that costs next to nothing."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leapcheck_models.arrays import Floats
from leapcheck_models.spec import JointType
from leapcheck_reference.state import QUATERNION_TOLERANCE, configuration, vector
from leapcheck_reference.trace.graph import Graph, Node, Op
from leapcheck_reference.tree import Tree

VALIDITY = "validity"
"""Name of the output that `with_validity` adds: how far a state is from a valid one; NaN where an input is no finite number."""

LIMIT = 1.9 * QUATERNION_TOLERANCE
"""Largest valid value: |q|^2 - 1 is twice |q| - 1, and a little is left for rounding, since `raise_invalid` looks again."""


def with_validity(graph: Graph, quaternions: tuple[int, ...]) -> Graph:
    """The graph with the output VALIDITY: max over the quaternions of | |q|^2 - 1 |, and NaN for inputs that are not finite.

    `quaternions` are the places of their first numbers among all inputs. One addition an input, and at most eight operations a
    quaternion: the kernel itself says whether every state of a batch was valid.
    """
    nodes = list(graph.nodes)
    places = {int(node.value or 0): i for i, node in enumerate(nodes) if node.op is Op.INPUT}
    known = {node: i for i, node in enumerate(nodes)}

    def number(node: Node) -> int:
        """Of a node that may be there already, as a quaternion's square norm is."""
        if node not in known:
            known[node] = len(nodes)
            nodes.append(node)
        return known[node]

    inputs = [places[k] if k in places else number(Node(Op.INPUT, (), k)) for k in range(graph.input_count)]
    zero = number(Node(Op.CONSTANT, (), 0.0))
    seen = {first + i for first in quaternions for i in range(4)}  # their norm tells of them, too
    sums = [node for k, node in enumerate(inputs) if k not in seen] or [zero]
    while len(sums) > 1:  # pair by pair: one long chain would have the whole kernel wait for it
        pairs = [number(Node(Op.ADD, pair)) for pair in zip(sums[::2], sums[1::2], strict=False)]
        sums = pairs + sums[len(sums) // 2 * 2 :]
    (total,) = sums
    worst = number(Node(Op.MUL, (total, zero)))
    worst = number(Node(Op.ABS, (worst,)))  # 0, or NaN
    one = number(Node(Op.CONSTANT, (), 1.0))
    for first in quaternions:
        squares = [number(Node(Op.MUL, (inputs[first + i],) * 2)) for i in range(4)]
        square = squares[0]
        for term in squares[1:]:
            square = number(Node(Op.ADD, (square, term)))
        off = number(Node(Op.ABS, (number(Node(Op.SUB, (square, one))),)))
        worst = number(Node(Op.MAX, (worst, off)))
    return Graph(tuple(nodes), graph.inputs, {**graph.outputs, VALIDITY: np.array(worst)})


def quaternion_places(tree: Tree) -> tuple[int, ...]:
    """First number of each quaternion in q."""
    return tuple(link.q.stop - 4 for link in tree.links if link.type in (JointType.FREE, JointType.BALL))


def batch(name: str, values: Any, width: int) -> Floats:
    """`values` as a C-ordered array (n, width) of doubles; ValueError for another shape or for what is no number."""
    array = np.asarray(values)
    if array.ndim != 2 or array.shape[1] != width:
        raise ValueError(f"{name} has shape {array.shape}: give (n, {width})")
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{name} holds {array.dtype}: give real numbers")
    return np.ascontiguousarray(array, dtype=np.float64)


def writable_outputs(shapes: Mapping[str, tuple[int, ...]], out: Mapping[str, Floats], n: int) -> dict[str, Floats]:
    """The arrays of `out` to write n states to, in the order of `shapes`; ValueError for one that is missing or unfit."""
    for name, shape in shapes.items():
        array = out.get(name)
        if array is None or array.shape != (n, *shape) or array.dtype != np.float64 or not array.flags.carray:
            raise ValueError(f"out['{name}'] is no writeable C-ordered array {(n, *shape)} of doubles: take it from arrays({n})")
    return {name: out[name] for name in shapes}


def raise_invalid(tree: Tree, inputs: dict[str, Floats], rows: NDArray[np.intp]) -> None:
    """Raises the ValueError of the single-state check for the first invalid state of some; nothing where all are valid."""
    for row in rows:
        try:
            for name, values in inputs.items():
                if name == "q":
                    configuration(tree, values[row])
                else:
                    vector(f"{name} of '{tree.name}'", values[row], values.shape[1])
        except ValueError as error:
            raise ValueError(f"state {row}: {error}") from None
