"""Double-double arithmetic on the machine against arb: every operation, sines of all angles, batches, planted structure."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx

from leapcheck_models.arrays import Array
from leapcheck_reference.trace import double_double_native, native
from leapcheck_reference.trace.balls import ball_values
from leapcheck_reference.trace.double_double_arithmetic import LARGEST
from leapcheck_reference.trace.double_double_native import double_double_machine, double_double_module, lanes
from leapcheck_reference.trace.double_double_program import program
from leapcheck_reference.trace.graph import Graph
from leapcheck_reference.trace.symbol import Recorder
from tests.reference.trace.term_magnitudes import magnitudes

BITS = 400
STATES = 500
ROUNDING = 2.0**-106
OPERATION = 4 * ROUNDING  # relative to the terms' magnitude; measured worst 3.2 (a quotient of sums), with and without FMA
SINE = 4 * ROUNDING  # relative to the value; measured worst 2.4
SINE_FLOOR = 1e-38  # absolute, next to multiples of pi/2
RECORD = ROUNDING  # in units of the running error bound; measured worst 0.37


def graph_of(function: Callable[[Array], dict[str, Any]], inputs: int = 3) -> Graph:
    recorder = Recorder(Fraction)
    return recorder.graph(function(recorder.input("x", inputs)))


def pairs(graph: Graph, states: Array) -> dict[str, tuple[Array, Array]]:
    """High and low parts of each output."""
    machine = double_double_machine(program(graph, lanes()))
    parts = [{name: np.full((len(states), *places.shape), np.nan) for name, places in graph.outputs.items()} for _ in range(2)]
    machine.evaluate([states], [array for part in parts for array in part.values()])
    return {name: (parts[0][name], parts[1][name]) for name in graph.outputs}


def error(part: tuple[Any, Any], true: Any) -> float:
    """Distance of a pair from the true value."""
    with ctx.workprec(BITS):
        return float(abs(arb(float(part[0])) + arb(float(part[1])) - true).upper())


@cache
def library_without_fma(width: int) -> native.Library:
    return native.Library(native.object_code(double_double_module(width, fused=False)))


@pytest.fixture(params=["fma", "no_fma"])
def arithmetic(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the CPU's FMA, and without."""
    if request.param == "no_fma":
        monkeypatch.setattr(double_double_native, "_library", library_without_fma)


# A genuine pair x y, a number z over many magnitudes, a constant that is no double; and by what the error is divided.
OPERATIONS: dict[str, tuple[Callable[[Array], Any], Callable[[Array], Any]]] = {
    "product": (lambda x: (x[0] * x[1]) * (x[1] * x[2]), lambda x: x[0] * x[1] * x[1] * x[2]),
    "sum": (lambda x: x[0] * x[1] + x[1] * x[2], lambda x: abs(x[0] * x[1]) + abs(x[1] * x[2])),
    "difference": (lambda x: x[0] * x[1] - x[2], lambda x: abs(x[0] * x[1]) + abs(x[2])),
    "minus_first": (lambda x: -x[0] * x[1] - x[2], lambda x: abs(x[0] * x[1]) + abs(x[2])),
    "minus_both": (lambda x: -(x[0] * x[1]) - x[1] * x[2], lambda x: abs(x[0] * x[1]) + abs(x[1] * x[2])),
    "four_terms": (
        lambda x: x[0] * x[1] - x[2] + Fraction(1, 3) * x[1] - x[2] * x[1],
        lambda x: abs(x[0] * x[1]) + abs(x[2]) + abs(x[1]) + abs(x[2] * x[1]),
    ),
    "scaled": (lambda x: x[0] * x[1] * Fraction(1, 3), lambda x: x[0] * x[1] / 3),
    "minus_scaled": (lambda x: -(x[0] * x[1]) * Fraction(1, 3), lambda x: x[0] * x[1] / 3),
    "shifted": (lambda x: Fraction(1, 3) - x[0] * x[1], lambda x: 1 + abs(x[0] * x[1])),
    "minus_constant": (lambda x: x[0] * x[1] - Fraction(1, 3), lambda x: 1 + abs(x[0] * x[1])),
    "quotient": (lambda x: (x[0] * x[1]) / (x[1] * x[1] + x[0] * x[0]), lambda x: x[0] * x[1] / (x[1] * x[1] + x[0] * x[0])),
    "reciprocal": (lambda x: Fraction(1, 3) / (x[0] * x[1]), lambda x: 1 / (x[0] * x[1])),
    "root": (lambda x: (x[0] * x[0] + x[1] * x[1]).sqrt(), lambda x: math.hypot(x[0], x[1])),
}


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.usefixtures("arithmetic")
def test_operations(name: str) -> None:
    operation, magnitude = OPERATIONS[name]
    graph = graph_of(lambda x: {"y": operation(x)})
    rng = np.random.default_rng(7)
    states = rng.normal(size=(STATES, 3)) * 10.0 ** rng.uniform(-6, 6, size=(STATES, 3))
    high, low = pairs(graph, states)["y"]
    worst = 0.0
    for state in range(STATES):
        true = ball_values(graph, {"x": states[state]}, BITS)["y"][()]
        worst = max(worst, error((high[state], low[state]), true) / abs(magnitude(states[state])))
    assert worst <= OPERATION


def angles() -> Array:
    """Tiny to 1e9 rad, of both signs, with the doubles next to multiples of pi/2."""
    rng = np.random.default_rng(3)
    multiples = np.concatenate([np.arange(1, 60), rng.integers(1, 6 * 10**8, 500)]) * (math.pi / 2)
    near = np.concatenate([multiples, np.nextafter(multiples, 0.0), np.nextafter(multiples, np.inf)])
    spread = 10.0 ** rng.uniform(-300, 9, 500), 10.0 ** rng.uniform(-3, 9, 1500)
    all_angles = np.concatenate([near, *spread, [0.0, LARGEST]])
    return all_angles * rng.choice([-1.0, 1.0], len(all_angles))


@pytest.mark.usefixtures("arithmetic")
def test_sines_and_cosines() -> None:
    graph = graph_of(lambda x: {"sin": np.sin(x[0]), "cos": np.cos(x[0])}, 1)
    states = angles()[:, None]
    parts = pairs(graph, states)
    worst = 0.0
    for state in range(len(states)):
        for name, balls in ball_values(graph, {"x": states[state]}, BITS).items():
            high, low = parts[name]
            off = max(0.0, error((high[state], low[state]), balls[()]) - SINE_FLOOR)
            worst = max(worst, off / abs(float(balls[()])) if off else 0.0)
    assert worst <= SINE


COMBINATIONS: tuple[Callable[[Any, Any, Array], Any], ...] = (
    lambda a, b, _: a + b,
    lambda a, b, _: a - b,
    lambda a, b, x: a * np.cos(b + x[0]),
    lambda a, _, x: np.sin(a + x[1]),
    lambda a, b, x: a / (2 + np.sin(b + x[2])),
)


def random_graph(seed: int) -> Graph:
    """Three hundred operations on whatever was there before, the latest with preference; every tenth is an output."""
    rng = np.random.default_rng(seed)

    def outputs(x: Array) -> dict[str, Any]:
        values = [*x, Fraction(1, 3), Fraction(-5, 7)]
        for combination in rng.choice(5, 300, p=[0.35, 0.35, 0.2, 0.05, 0.05]):
            a, b = (values[-1 - int(len(values) * rng.random() ** 3)] for _ in range(2))
            values.append(COMBINATIONS[combination](a, b, x))
        return {"late": values[10::10], "early": values[1]}

    return graph_of(outputs)


@pytest.mark.parametrize("seed", range(20))
def test_random_records(seed: int) -> None:
    """Every value finds its operands: places in memory are used again, terms packed, sums and products inlined."""
    graph = random_graph(seed)
    states = np.random.default_rng(seed).normal(size=(3, 3))
    parts = pairs(graph, states)
    worst = 0.0
    for state in range(3):
        bounds = magnitudes(graph, {"x": states[state]})
        for name, balls in ball_values(graph, {"x": states[state]}, BITS).items():
            high, low = (part[state] for part in parts[name])
            for entry, true in np.ndenumerate(balls):
                off = error((high[entry], low[entry]), true)
                worst = max(worst, off / bounds[name][entry] if off else 0.0)
    assert worst <= RECORD


def test_angles_beyond_the_reduction_give_no_number() -> None:
    graph = graph_of(lambda x: {"sin": np.sin(x[0])}, 1)
    high, _ = pairs(graph, np.array([[1.01 * LARGEST], [np.inf], [np.nan], [1.0]]))["sin"]
    assert np.isnan(high).tolist() == [True, True, True, False]


def test_root_of_zero() -> None:
    graph = graph_of(lambda x: {"y": x[0].sqrt()}, 1)
    high, low = pairs(graph, np.array([[0.0], [4.0], [-1.0]]))["y"]
    assert high[:2].tolist() == [0.0, 2.0]
    assert low[:2].tolist() == [0.0, 0.0]
    assert np.isnan(high[2])


def test_what_is_no_operation() -> None:
    """Outputs that are inputs, constants, negatives, empty, single, or the same twice."""

    def outputs(x: Array) -> dict[str, Any]:
        return {"input": -x[1], "constants": [1.5, 0, Fraction(-1, 3)], "none": np.zeros((0, 3)), "twice": [x[0] * x[1]] * 2}

    graph = graph_of(outputs, 2)
    states = np.random.default_rng(1).normal(size=(5, 2))
    parts = pairs(graph, states)
    assert parts["input"][0].tolist() == (-states[:, 1]).tolist()
    assert parts["constants"][0].tolist() == [[1.5, 0.0, -1 / 3]] * 5
    third = parts["constants"][1][0, 2]
    assert Fraction(-1 / 3) + Fraction(third) != Fraction(-1, 3)
    assert abs(float(Fraction(-1 / 3) + Fraction(third) - Fraction(-1, 3))) <= 2.0**-108
    assert parts["none"][0].shape == (5, 0, 3)
    assert (parts["twice"][0] == (states[:, 0] * states[:, 1])[:, None]).all()


def test_irrational_constants_are_no_work_for_the_machine() -> None:
    recorder = Recorder(Fraction)
    x = recorder.input("x")
    root = recorder.constant(2).sqrt()
    graph = recorder.graph({"y": x[()] * (root * root + root)})
    made = program(graph, lanes())
    assert len(made.constants) == 1
    with ctx.workprec(BITS):
        off = arb(made.constants[0][0]) + arb(made.constants[0][1]) - (2 + arb(2).sqrt())
        assert float(abs(off).upper()) <= 4 * 2.0**-107
