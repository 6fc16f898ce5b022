"""The register machine: every operation, any number of states, places used again, threads, the cache's form."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import leapcheck_reference as reference
from leapcheck_models.arrays import Array
from leapcheck_reference.trace.graph import Graph, Node, Op, prune
from leapcheck_reference.trace.interpreted_program import InterpretedProgram
from leapcheck_reference.trace.lowering import lower
from leapcheck_reference.trace.machine_program import MachineProgram
from leapcheck_reference.trace.record import record
from leapcheck_reference.trace.register_machine import LANES
from leapcheck_reference.trace.register_program import register_program
from tests.reference import generic_states
from tests.reference.trace.numpy_program import NumpyProgram

CLOSE = 1e-13  # of the largest entry, against the readable code with libm's sines; measured worst 2.2e-14
QUANTITIES = ("mass_matrix", "bias_force", "contact_jacobians", "forward_dynamics", "kinetic_energy")


def graph_of(robot: str, quantities: tuple[str, ...] = QUANTITIES) -> Graph:
    return lower(record(generic_states.case(robot).tree, quantities))


def interpreted(graph: Graph) -> InterpretedProgram:
    """The program as it comes out of the cache."""
    return InterpretedProgram(MachineProgram.from_bytes(register_program(graph).as_bytes()))


def states(robot: str, count: int) -> dict[str, Array]:
    cases = [generic_states.case(robot, seed) for seed in range(1, count + 1)]
    return {name: np.array([getattr(at, name) for at in cases]) for name in ("q", "v", "tau")}


@pytest.mark.parametrize("robot", generic_states.ROBOTS)
def test_gives_what_the_readable_code_gives(robot: str) -> None:
    given = states(robot, 3)
    answers = interpreted(graph_of(robot))(given)
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


@pytest.mark.parametrize("count", [0, 1, 2, LANES, LANES + 1, 3 * LANES + 7])
def test_a_state_gives_the_same_bits_in_any_company(count: int) -> None:
    few = states("pupper_leg", 5)
    program = interpreted(graph_of("pupper_leg"))
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
        "max": Node(Op.MAX, (9, b)),  # of numbers that are not negative
        "round": Node(Op.ROUND, (a,)),
        "odd": Node(Op.ODD, (k, a, b)),
        "flip": Node(Op.FLIP, (k, a)),
    }
    nodes = (*(Node(Op.INPUT, (), i) for i in range(3)), *operations.values())
    outputs = {name: np.array(3 + i) for i, name in enumerate(operations)}
    answers = interpreted(Graph(nodes, {"x": (3,)}, outputs))({"x": np.array([[-2.5, 3.0, k] for k in range(-4, 5)])})
    for i, whole in enumerate(range(-4, 5)):
        assert answers["odd"][i] == (3.0 if whole % 2 else -2.5)
        assert answers["flip"][i] == (2.5 if math.floor(whole / 2) % 2 else -2.5)
    expected = {"add": 0.5, "sub": -5.5, "mul": -7.5, "div": -2.5 / 3.0, "neg": 2.5, "sqrt": math.sqrt(3.0)}
    for name, value in (expected | {"abs": 2.5, "max": 3.0, "round": -2.0}).items():
        assert np.array_equal(answers[name], np.full(9, value))


def test_what_is_not_finite_goes_through_in_silence() -> None:
    given = states("pupper_leg", 3)
    given["q"][1], given["v"][2, 0] = np.nan, np.inf
    answers = interpreted(graph_of("pupper_leg"))(given)
    assert np.isfinite(answers["mass_matrix"][0]).all()
    assert np.isnan(answers["mass_matrix"][1]).any()
    assert not np.isfinite(answers["bias_force"][2]).all()


def test_outputs_may_be_constants_inputs_and_signs() -> None:
    nodes = (Node(Op.INPUT, (), 1), Node(Op.CONSTANT, (), -1.5), Node(Op.NEG, (0,)))
    program = interpreted(Graph(nodes, {"x": (2,)}, {"all": np.array([[0, 1], [2, 0]]), "one": np.array(1)}))
    answers = program({"x": np.array([[7.0, 2.0], [8.0, 3.0]])})
    assert answers["all"].tolist() == [[[2.0, -1.5], [-2.0, 2.0]], [[3.0, -1.5], [-3.0, 3.0]]]
    assert answers["one"].tolist() == [-1.5, -1.5]


def test_places_are_used_again() -> None:
    graph = graph_of("mini_cheetah", ("mass_matrix", "bias_force"))
    program = register_program(graph)
    assert program.size < 8 * LANES * len(graph.nodes) / 3


def random_graph(seed: int) -> Graph:
    """Four hundred operations, constants in any place; every tenth node is an output, some with a sign."""
    rng = np.random.default_rng(seed)
    nodes = [
        *(Node(Op.INPUT, (), i) for i in range(4)),
        *(Node(Op.CONSTANT, (), x) for x in (0.1, 3.0, -1.7, 0.0)),
        Node(Op.ROUND, (0,)),
    ]
    for op in rng.choice([Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.NEG, Op.SQRT, Op.ABS, Op.MAX, Op.ROUND, Op.FLIP, Op.ODD], 400):
        arguments = [int(len(nodes) * rng.random() ** 0.5) for _ in range(3)]
        if op in (Op.SQRT, Op.MAX):  # of numbers that are not negative
            nodes += [Node(Op.ABS, (a,)) for a in arguments[:2]]
            arguments = [len(nodes) - 2, len(nodes) - 1]
        if op in (Op.FLIP, Op.ODD):
            arguments[0] = 8
        count = {Op.ODD: 3, **dict.fromkeys((Op.NEG, Op.SQRT, Op.ABS, Op.ROUND), 1)}.get(Op(op), 2)
        nodes.append(Node(Op(op), tuple(arguments[:count])))
    last = len(nodes)
    nodes += [Node(Op.NEG, (i,)) for i in range(0, last, 20)]
    outputs = {"some": np.arange(0, last, 10)[:40].reshape(-1, 2), "signed": np.arange(last, len(nodes)), "constant": np.array(5)}
    return prune(Graph(tuple(nodes), {"x": (3,), "y": ()}, outputs))


@pytest.mark.parametrize("seed", range(20))
def test_random_records_have_numpys_bits(seed: int) -> None:
    graph, rng = random_graph(seed), np.random.default_rng(seed)
    given = {"x": 2.0 * rng.normal(size=(LANES + 5, 3)), "y": rng.normal(size=LANES + 5)}
    program = interpreted(graph)
    expected, rows = NumpyProgram(graph)(given), program(given)
    vectors = program.results(given).swapaxes(1, 2).reshape(-1, program.entry_count)[: LANES + 5]
    assert all(np.array_equal(rows[name], expected[name], equal_nan=True) for name in expected)
    flat = np.concatenate([expected[name].reshape(LANES + 5, -1) for name in graph.outputs], axis=1)
    assert np.array_equal(vectors, flat, equal_nan=True)


def test_inputs_may_lie_anyhow() -> None:
    program, given = interpreted(graph_of("pupper_leg")), states("pupper_leg", 3)
    expected = program(given)
    strewn = {"q": np.asfortranarray(given["q"]), "v": np.repeat(given["v"], 2, axis=0)[::2], "tau": given["tau"].tolist()}
    answers = program({name: np.asarray(values) for name, values in strewn.items()})
    assert all(np.array_equal(answers[name], expected[name]) for name in expected)


def test_writes_into_given_arrays() -> None:
    program, given = interpreted(graph_of("pupper_leg")), states("pupper_leg", 4)
    out = program.arrays(4)
    answers = program(given, out)
    assert all(answers[name] is out[name] for name in out)
    assert all(np.array_equal(out[name], values) for name, values in program(given).items())


def test_threads() -> None:
    program, given = interpreted(graph_of("pupper_leg")), states("pupper_leg", 40)
    expected = program(given)
    with ThreadPoolExecutor(4) as pool:
        for answers in pool.map(lambda _: program(given), range(16)):
            assert all(np.array_equal(answers[name], values) for name, values in expected.items())


def test_sines_are_refused() -> None:
    with pytest.raises(ValueError, match="has no cos, sin: give lowered"):
        interpreted(record(generic_states.case("pupper_leg").tree, ("mass_matrix",)))
