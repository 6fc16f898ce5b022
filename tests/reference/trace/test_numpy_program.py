"""The NumPy program: every operation, any number of states, registers used again, threads, pickles."""

from __future__ import annotations

import math
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import leapcheck_reference as reference
from leapcheck_models.arrays import Array
from leapcheck_reference.trace.graph import Graph, Node, Op
from leapcheck_reference.trace.lowering import lower
from leapcheck_reference.trace.numpy_program import WIDTHS, NumpyProgram, allocate
from leapcheck_reference.trace.record import record
from tests.reference import generic_states

CLOSE = 1e-13  # of the largest entry, against the readable code with libm's sines; measured worst 2.2e-14
QUANTITIES = ("mass_matrix", "bias_force", "contact_jacobians", "forward_dynamics", "kinetic_energy")


def graph_of(robot: str, quantities: tuple[str, ...] = QUANTITIES) -> Graph:
    return lower(record(generic_states.case(robot).tree, quantities))


def states(robot: str, count: int) -> dict[str, Array]:
    cases = [generic_states.case(robot, seed) for seed in range(1, count + 1)]
    return {name: np.array([getattr(at, name) for at in cases]) for name in ("q", "v", "tau")}


@pytest.mark.parametrize("robot", generic_states.ROBOTS)
def test_gives_what_the_readable_code_gives(robot: str) -> None:
    given = states(robot, 3)
    answers = NumpyProgram(graph_of(robot))(given)
    tree = generic_states.case(robot).tree
    for i, (q, v, tau) in enumerate(zip(*given.values(), strict=True)):
        expected = {
            "mass_matrix": reference.mass_matrix(tree, q),
            "bias_force": reference.bias_force(tree, q, v),
            "contact_jacobians": reference.contact_jacobians(tree, q),
            "forward_dynamics": reference.forward_dynamics(tree, q, v, tau),
            "kinetic_energy": np.asarray(reference.kinetic_energy(tree, q, v)),
        }
        for name, value in expected.items():
            assert answers[name][i].shape == value.shape
            assert np.abs(answers[name][i] - value).max(initial=0.0) <= CLOSE * np.abs(value).max(initial=1.0), name


@pytest.mark.parametrize("count", [0, 1, 2, 33, *(width + 1 for width in WIDTHS)])
def test_a_state_gives_the_same_bits_in_any_company(count: int) -> None:
    few = states("pupper_leg", 5)
    program = NumpyProgram(graph_of("pupper_leg"))
    alone = [program({name: values[i : i + 1] for name, values in few.items()}) for i in range(5)]
    rows = np.arange(count) % 5
    answers = program({name: values[rows] for name, values in few.items()})
    for name, values in answers.items():
        assert values.shape == (count, *program.outputs[name])
        assert np.array_equal(values, np.concatenate([one[name] for one in alone])[rows])


def test_every_operation() -> None:
    a, b, k = 0, 1, 2
    operations = {
        "add": Node(Op.ADD, (a, b)),
        "sub": Node(Op.SUB, (a, b)),
        "mul": Node(Op.MUL, (a, b)),
        "div": Node(Op.DIV, (a, b)),
        "neg": Node(Op.NEG, (a,)),
        "sqrt": Node(Op.SQRT, (b,)),
        "abs": Node(Op.ABS, (a,)),
        "max": Node(Op.MAX, (a, b)),
        "round": Node(Op.ROUND, (a,)),
        "odd": Node(Op.ODD, (k, a, b)),
        "flip": Node(Op.FLIP, (k, a)),
    }
    nodes = (*(Node(Op.INPUT, (), i) for i in range(3)), *operations.values())
    outputs = {name: np.array(3 + i) for i, name in enumerate(operations)}
    answers = NumpyProgram(Graph(nodes, {"x": (3,)}, outputs))({"x": np.array([[-2.5, 3.0, k] for k in range(-4, 5)])})
    for i, whole in enumerate(range(-4, 5)):
        assert answers["odd"][i] == (3.0 if whole % 2 else -2.5)
        assert answers["flip"][i] == (2.5 if math.floor(whole / 2) % 2 else -2.5)
    expected = {"add": 0.5, "sub": -5.5, "mul": -7.5, "div": -2.5 / 3.0, "neg": 2.5, "sqrt": math.sqrt(3.0)}
    for name, value in (expected | {"abs": 2.5, "max": 3.0, "round": -2.0}).items():
        assert np.array_equal(answers[name], np.full(9, value))


def test_what_is_not_finite_goes_through_in_silence() -> None:
    given = states("pupper_leg", 3)
    given["q"][1], given["v"][2, 0] = np.nan, np.inf
    answers = NumpyProgram(graph_of("pupper_leg"))(given)
    assert np.isfinite(answers["mass_matrix"][0]).all()
    assert np.isnan(answers["mass_matrix"][1]).any()
    assert not np.isfinite(answers["bias_force"][2]).all()


def test_outputs_may_be_constants_inputs_and_signs() -> None:
    nodes = (Node(Op.INPUT, (), 1), Node(Op.CONSTANT, (), -1.5), Node(Op.NEG, (0,)))
    program = NumpyProgram(Graph(nodes, {"x": (2,)}, {"all": np.array([[0, 1], [2, 0]]), "one": np.array(1)}))
    answers = program({"x": np.array([[7.0, 2.0], [8.0, 3.0]])})
    assert answers["all"].tolist() == [[[2.0, -1.5], [-2.0, 2.0]], [[3.0, -1.5], [-3.0, 3.0]]]
    assert answers["one"].tolist() == [-1.5, -1.5]


def test_registers_are_used_again() -> None:
    graph = graph_of("mini_cheetah", ("mass_matrix", "bias_force"))
    program = allocate(graph)
    assert program.registers < len(graph.nodes) / 3
    kept = np.unique(np.concatenate([program.register[nodes.ravel()] for nodes in graph.outputs.values()]))
    assert kept.max() < program.kept


def test_writes_into_given_arrays() -> None:
    program, given = NumpyProgram(graph_of("pupper_leg")), states("pupper_leg", 4)
    out = program.arrays(4)
    answers = program(given, out)
    assert all(answers[name] is out[name] for name in out)
    assert all(np.array_equal(out[name], values) for name, values in program(given).items())


def test_threads_and_pickles() -> None:
    program, given = NumpyProgram(graph_of("pupper_leg")), states("pupper_leg", 40)
    expected = pickle.loads(pickle.dumps(program))(given)
    with ThreadPoolExecutor(4) as pool:
        for answers in pool.map(lambda _: program(given), range(16)):
            assert all(np.array_equal(answers[name], values) for name, values in expected.items())


def test_sines_are_refused() -> None:
    with pytest.raises(ValueError, match="has no cos, sin: give lowered"):
        NumpyProgram(record(generic_states.case("pupper_leg").tree, ("mass_matrix",)))
