"""Sines and cosines as arithmetic: accuracy against arb, symmetry, and sines that are given."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import flint
import numpy as np
import pytest

import leapcheck_reference as reference
from leapcheck_models.arrays import Array
from leapcheck_models.robots import load
from leapcheck_reference.trace.graph import Graph, Op
from leapcheck_reference.trace.lowering import angles, lower
from leapcheck_reference.trace.record import record
from leapcheck_reference.trace.symbol import Recorder
from tests.reference.trace.numpy_program import NumpyProgram

STATES = 20_000
ULPS = 1.0  # to 1e5 rad; measured worst of 20 million 0.91
HUGE = 2e-14  # absolute, to 1e9 rad; measured worst 1.8e-14
PAIR = 45  # arithmetic operations of a sine and a cosine
QUANTITIES = ("mass_matrix", "bias_force", "contact_positions", "contact_jacobians", "contact_bias_accelerations")


def pair() -> Graph:
    recorder = Recorder(float)
    x = recorder.input("x")
    return recorder.graph({"sin": np.sin(x), "cos": np.cos(x)})


@pytest.fixture(scope="module")
def sine_and_cosine() -> Callable[[Array], tuple[Array, Array]]:
    program = NumpyProgram(lower(pair()))

    def evaluated(x: Array) -> tuple[Array, Array]:
        answers = program({"x": x})
        return answers["sin"], answers["cos"]

    return evaluated


def near_quadrants(rng: np.random.Generator, largest: float) -> Array:
    """Off a multiple of pi/2 by 1e-12 to 1e-3."""
    k = rng.integers(-int(largest * 2 / np.pi), int(largest * 2 / np.pi), STATES, endpoint=True)
    return k * (np.pi / 2) + rng.choice([-1.0, 1.0], STATES) * 10.0 ** rng.uniform(-12.0, -3.0, STATES)


ANGLES: dict[str, Callable[[np.random.Generator], Array]] = {
    "one turn": lambda rng: rng.uniform(-np.pi, np.pi, STATES),
    "ends of the quadrants": lambda rng: np.pi / 4 * (2 * rng.integers(-9, 9, STATES) + 1) + rng.uniform(-0.05, 0.05, STATES),
    "near a quadrant": lambda rng: near_quadrants(rng, 10.0),
    "near a far quadrant": lambda rng: near_quadrants(rng, 1e5),
    "nearest to a quadrant": lambda rng: rng.integers(-63_661, 63_661, STATES) * (np.pi / 2),
    "tiny": lambda rng: rng.choice([-1.0, 1.0], STATES) * 10.0 ** rng.uniform(-300.0, -1.0, STATES),
    "large": lambda rng: rng.uniform(-1e5, 1e5, STATES),
}


def exact(x: Array) -> tuple[list[flint.arb], list[flint.arb]]:
    pairs = [flint.arb(float(value)).sin_cos() for value in x]
    return [s for s, _ in pairs], [c for _, c in pairs]


def worst_error(values: Array, truth: list[flint.arb], unit: Callable[[float], float]) -> float:
    return max(float(abs(flint.arb(float(a)) - b).upper()) / unit(float(b.mid())) for a, b in zip(values, truth, strict=True))


@pytest.fixture
def many_bits() -> Any:
    before, flint.ctx.prec = flint.ctx.prec, 160
    yield
    flint.ctx.prec = before


@pytest.mark.usefixtures("many_bits")
@pytest.mark.parametrize("kind", ANGLES)
def test_one_ulp(sine_and_cosine: Callable[[Array], tuple[Array, Array]], kind: str) -> None:
    x = ANGLES[kind](np.random.default_rng(7))
    for values, truth in zip(sine_and_cosine(x), exact(x), strict=True):
        assert worst_error(values, truth, math.ulp) <= ULPS


@pytest.mark.usefixtures("many_bits")
def test_up_to_the_largest_angle(sine_and_cosine: Callable[[Array], tuple[Array, Array]]) -> None:
    rng = np.random.default_rng(8)
    x = np.concatenate([rng.uniform(-1e9, 1e9, STATES), [1e9, -1e9], rng.integers(1, 10**9, STATES) * 1.0])
    for values, truth in zip(sine_and_cosine(x), exact(x), strict=True):
        assert worst_error(values, truth, lambda _: 1.0) <= HUGE


@pytest.mark.parametrize("largest", [1e-5, 1.0, 10.0, 1e5, 1e9])
def test_odd_and_even_bit_for_bit(sine_and_cosine: Callable[[Array], tuple[Array, Array]], largest: float) -> None:
    x = np.random.default_rng(9).uniform(-largest, largest, STATES)
    (sine, cosine), (sine_of_minus, cosine_of_minus) = sine_and_cosine(x), sine_and_cosine(-x)
    assert np.array_equal(sine_of_minus, -sine)
    assert np.array_equal(cosine_of_minus, cosine)
    assert np.abs([sine, cosine]).max() <= 1.0


def test_values_that_must_be_exact(sine_and_cosine: Callable[[Array], tuple[Array, Array]]) -> None:
    x = np.array([0.0, -0.0, 5e-324, -1e-310, 1e-9, np.nan, np.inf])
    sine, cosine = sine_and_cosine(x)
    assert np.array_equal(sine[:5], x[:5])
    assert np.array_equal(cosine[:5], np.ones(5))
    assert np.isnan([sine[5:], cosine[5:]]).all()


def test_operations_of_a_pair() -> None:
    graph = lower(pair())
    assert graph.operation_count == PAIR
    assert (graph.counts()[Op.ROUND], graph.counts()[Op.ODD], graph.counts()[Op.FLIP]) == (1, 2, 2)


@pytest.mark.parametrize("robot", ["mini_cheetah_armature", "mini_cheetah", "random:7"])
def test_only_sines_are_replaced(robot: str) -> None:
    graph = record(reference.build(load(robot)), QUANTITIES)
    low = lower(graph)
    count = angles(graph).outputs["angles"].size
    assert low.operation_count == graph.operation_count + PAIR * count
    assert not {Op.SIN, Op.COS} & low.counts().keys()
    assert lower(low).nodes == low.nodes


def test_a_lone_cosine() -> None:
    recorder = Recorder(float)
    low = lower(recorder.graph({"cos": np.cos(recorder.input("x") * 2.0)}))
    assert NumpyProgram(low)({"x": np.array([1.0])})["cos"] == pytest.approx(math.cos(2.0), rel=1e-15)
