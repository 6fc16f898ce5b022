"""The record: what is counted, what is kept, and what another order or a part of it leaves the same."""

from __future__ import annotations

import numpy as np
import pytest

from leapcheck_reference.trace.graph import Graph, Node, Op, prune, renumber
from leapcheck_reference.trace.lowering import lower
from leapcheck_reference.trace.record import record
from tests.reference import generic_states
from tests.reference.trace.kernel_cases import RIGID_BODY, states
from tests.reference.trace.numpy_program import NumpyProgram

pytestmark = pytest.mark.quick


@pytest.fixture
def small() -> Graph:
    """x0 + x1, its negative, its sine, a constant, and a product that nobody wants."""
    nodes = (
        Node(Op.INPUT, (), 0),
        Node(Op.INPUT, (), 1),
        Node(Op.ADD, (0, 1)),
        Node(Op.MUL, (0, 2)),
        Node(Op.NEG, (2,)),
        Node(Op.SIN, (2,)),
        Node(Op.CONSTANT, (), 0.5),
    )
    outputs = {"A": np.array([[2, 4], [6, 4]]), "b": np.array(5), "none": np.zeros((0, 3), dtype=np.int64)}
    return Graph(nodes, {"x": (2,)}, outputs)


def test_counts(small: Graph) -> None:
    assert small.operation_count == 2
    assert small.counts()[Op.SIN] == 1
    assert small.input_count == 2
    assert Graph((), {"q": (3,), "A": (2, 2), "s": ()}, {}).input_count == 8


def test_distinct_entries_are_without_signs_constants_and_repeats(small: Graph) -> None:
    assert small.distinct == (2, 5)
    assert small.without_sign(4) == small.without_sign(2) == 2


def test_pruned_of_what_nobody_needs(small: Graph) -> None:
    less = prune(small)
    assert [node.op for node in less.nodes] == [Op.INPUT, Op.INPUT, Op.ADD, Op.NEG, Op.SIN, Op.CONSTANT]
    assert less.outputs["A"].tolist() == [[2, 3], [5, 3]]
    assert less.outputs["none"].shape == (0, 3)
    assert prune(less) is less


def test_a_part_keeps_its_inputs(small: Graph) -> None:
    part = small.subgraph(["b"])
    assert [node.op for node in part.nodes] == [Op.INPUT, Op.INPUT, Op.ADD, Op.SIN]
    assert part.inputs == small.inputs
    assert list(part.outputs) == ["b"]


def test_renumbered(small: Graph) -> None:
    turned = renumber(small, [6, 1, 0, 2, 5, 4])
    assert turned.nodes[3] == Node(Op.ADD, (2, 1))
    assert turned.outputs["A"].tolist() == [[3, 5], [0, 5]]


def test_a_part_has_the_bits_of_the_whole() -> None:
    graph = lower(record(generic_states.case("random:20").tree, RIGID_BODY))
    given = {name: states("random:20", 3)[name] for name in graph.inputs}
    whole = NumpyProgram(graph)(given)
    for name in RIGID_BODY:
        part = graph.subgraph([name])
        assert np.array_equal(NumpyProgram(part)(given)[name], whole[name])
        assert part.operation_count < graph.operation_count
