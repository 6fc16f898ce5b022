"""The order of evaluation: the same operations, arguments first, fewer values alive, and never another bit."""

from __future__ import annotations

import numpy as np
import pytest

from leapcheck_reference.trace.graph import Graph, Node, Op
from leapcheck_reference.trace.lowering import lower
from leapcheck_reference.trace.partition import by_branches
from leapcheck_reference.trace.record import record
from tests.reference import generic_states
from tests.reference.trace.kernel_cases import QUANTITIES, RIGID_BODY, states
from tests.reference.trace.numpy_program import NumpyProgram

pytestmark = pytest.mark.quick


def alive(graph: Graph) -> float:
    """Mean number of values that wait for their last use."""
    last = {a: i for i, node in enumerate(graph.nodes) for a in node.arguments}
    computed = [i for i, node in enumerate(graph.nodes) if node.arguments]
    return sum(last.get(i, i) - i for i in computed) / len(computed)


@pytest.mark.parametrize("robot", ["mini_cheetah", "pupper_leg", "random:20", "random:53", "box"])
def test_the_same_operations_in_another_order(robot: str) -> None:
    graph = lower(record(generic_states.case(robot).tree, QUANTITIES))
    ordered = by_branches(graph)
    assert ordered.counts() == graph.counts()
    assert all(a < i for i, node in enumerate(ordered.nodes) for a in node.arguments)
    assert len(set(ordered.nodes)) == len(set(graph.nodes))
    given = {name: states(robot, 3)[name] for name in graph.inputs}
    expected, found = NumpyProgram(graph)(given), NumpyProgram(ordered)(given)
    assert expected.keys() == found.keys()
    assert all(np.array_equal(found[name], values) for name, values in expected.items())


def test_values_are_computed_shortly_before_they_are_needed() -> None:
    graph = lower(record(generic_states.case("mini_cheetah").tree, RIGID_BODY))
    assert alive(by_branches(graph)) < 0.7 * alive(graph)  # measured 0.3


def test_the_argument_that_needs_more_registers_comes_first() -> None:
    x, y, z = (Node(Op.INPUT, (), i) for i in range(3))
    nodes = (x, y, Node(Op.MUL, (0, 1)), z, Node(Op.ADD, (2, 3)))
    ordered = by_branches(Graph(nodes, {"x": (3,)}, {"y": np.array(4)}))
    assert [node.op for node in ordered.nodes] == [Op.INPUT, Op.INPUT, Op.MUL, Op.INPUT, Op.ADD]


def test_results_come_in_the_order_of_their_joints() -> None:
    inputs = [Node(Op.INPUT, (), i) for i in range(4)]
    nodes = (*inputs, *(Node(Op.SQRT, (i,)) for i in (3, 1, 0, 2)))
    ordered = by_branches(Graph(nodes, {"q": (4,)}, {"y": np.array([4, 5, 6, 7])}))
    read = [ordered.nodes[node.arguments[0]].value for node in ordered.nodes if node.op is Op.SQRT]
    assert read == [0, 1, 2, 3]
    assert [ordered.nodes[ordered.nodes[i].arguments[0]].value for i in ordered.outputs["y"]] == [3, 1, 0, 2]
