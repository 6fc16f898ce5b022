"""The tracing scalar: does to floats what the program says, keeps the algebra of signs and constants, records once."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leapcheck_reference.trace.graph import Graph, Op
from leapcheck_reference.trace.lowering import lower
from leapcheck_reference.trace.symbol import Recorder, Symbol, largest
from tests.reference.trace.numpy_program import NumpyProgram

pytestmark = pytest.mark.quick

COUNT = 3  # inputs of a drawn formula
CONSTANTS = (0.0, 1.0, -1.0, 0.1, -2.5, 3.0)
Formula = Callable[[list[Any]], Any]


def leaves() -> st.SearchStrategy[Formula]:
    inputs = st.integers(0, COUNT - 1).map(lambda k: lambda x: x[k])
    return inputs | st.sampled_from(CONSTANTS).map(lambda c: lambda _: c)


def joined(parts: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    two = st.tuples(st.sampled_from([operator.add, operator.sub, operator.mul]), parts, parts)
    one = st.tuples(st.sampled_from([operator.neg, abs]), parts)
    return two.map(lambda t: lambda x: t[0](t[1](x), t[2](x))) | one.map(lambda t: lambda x: t[0](t[1](x)))


FORMULAS = st.recursive(leaves(), joined, max_leaves=25)
NUMBERS = st.lists(st.floats(-1e3, 1e3), min_size=COUNT, max_size=COUNT)


def recorded(formula: Formula) -> Graph:
    recorder = Recorder()
    return recorder.graph({"y": formula(list(recorder.input("x", COUNT)))})


def value(graph: Graph, x: list[float]) -> float:
    return float(NumpyProgram(lower(graph))({"x": np.array([x])})["y"][0])


@given(FORMULAS, NUMBERS)
def test_any_formula_has_the_bits_that_floats_give(formula: Formula, x: list[float]) -> None:
    assert value(recorded(formula), x) == formula(x)


@given(FORMULAS, st.lists(st.fractions(-9, 9), min_size=COUNT, max_size=COUNT))
def test_constants_fold_exactly_in_rationals(formula: Formula, x: list[Fraction]) -> None:
    recorder = Recorder(Fraction)
    y = formula([recorder.constant(number) for number in x])
    expected = formula(x)
    number = y.number if isinstance(y, Symbol) else Fraction(y)
    if isinstance(expected, Fraction):
        assert number == expected


@given(FORMULAS)
def test_equal_operations_are_recorded_once(formula: Formula) -> None:
    graph = recorded(lambda x: formula(x) * formula(x) + x[0])
    assert len(set(graph.nodes)) == len(graph.nodes)
    assert graph.operation_count <= recorded(formula).operation_count + 2


@pytest.fixture
def x() -> Any:
    return Recorder().input("x", COUNT)


def test_nothing_is_done_for_zeros_ones_and_signs(x: Any) -> None:
    a, b, _ = x
    assert a + 0.0 == a
    assert 0.0 + a == a
    assert a * 1.0 == a
    assert a * -1.0 == -a
    assert a * 0.0 == 0.0
    minus = -a
    assert -minus == a
    assert a - a == 0.0
    assert (-a) * (-b) == a * b
    assert (-a) * b == -(a * b)
    assert (-a) + (-b) == -(a + b)
    assert a - b == -(b - a)
    assert a + b == b + a
    assert a / 1.0 == a
    assert a / -1.0 == -a
    assert 0.0 / a == 0.0
    assert (-a) / b == -(a / b)


def test_functions_keep_their_symmetry(x: Any) -> None:
    a = x[0]
    assert (-a).sin() == -a.sin()
    assert (-a).cos() == a.cos()
    assert np.array_equal(np.sin(x), [a.sin() for a in x])
    recorder = Recorder()
    assert recorder.constant(0.5).sin() == math.sin(0.5)
    assert recorder.constant(-0.5).cos() == math.cos(0.5)
    assert recorder.constant(2.0).sqrt() == math.sqrt(2.0)
    assert Recorder(Fraction).constant(Fraction(9, 4)).sqrt() == Fraction(3, 2)
    assert Recorder(Fraction).constant(2).sqrt().number is None
    assert Recorder(Fraction).constant(1).sin().number is None


def test_an_algorithm_may_not_branch_on_a_value(x: Any) -> None:
    for question in (float, math.exp, lambda a: a <= 1.0):
        with pytest.raises(TypeError, match="may not branch on one"):
            question(x[0])
    assert x[0] != 0.0
    assert float(x[0] * 0.0 + 2.0) == 2.0


def test_division_by_nothing_is_refused(x: Any) -> None:
    for zero in (0.0, 0, x[0] * 0.0):
        with pytest.raises(ZeroDivisionError, match="division by a constant zero"):
            x[1] / zero


def test_arrays_of_symbols_and_of_floats_mix(x: Any) -> None:
    A = np.arange(9.0).reshape(3, 3)
    for product in (A @ x, (x @ A.T), np.array([sum(A[i, j] * x[j] for j in range(3)) for i in range(3)])):
        assert product.dtype == object
        graph = x[0].recorder.graph({"y": product})
        found = NumpyProgram(graph)({"x": np.array([[0.3, -1.0, 2.0]])})["y"][0]
        assert found.tolist() == [
            0.0 * 0.3 + 1.0 * -1.0 + 2.0 * 2.0,
            (3.0 * 0.3 + 4.0 * -1.0) + 5.0 * 2.0,
            6.0 * 0.3 - 7.0 + 16.0,
        ]
    assert ((x + np.ones(3)) - np.ones(3) * x).shape == (3,)


def test_the_largest_of_some(x: Any) -> None:
    recorder = x[0].recorder
    assert largest([], recorder) == 0.0
    assert largest([recorder.constant(2.0), recorder.constant(3.0)], recorder) == 3.0
    y = largest([abs(x[0]), recorder.constant(1.5), abs(x[1])], recorder)
    graph = recorder.graph({"y": y})
    program = NumpyProgram(graph)
    assert program({"x": np.array([[1.0, -2.0, 0.0], [-3.0, 0.0, 0.0], [0.1, 0.2, 9.0]])})["y"].tolist() == [2.0, 3.0, 1.5]
    assert math.isnan(program({"x": np.array([[np.nan, 1.0, 0.0]])})["y"][0])
    assert graph.counts()[Op.MAX] == 2


def test_outputs_may_be_numbers_signs_and_empty(x: Any) -> None:
    graph = x[0].recorder.graph({"one": -x[1], "mixed": np.array([1, 2.5, x[0]], dtype=object), "none": np.zeros((0, 2))})
    answers = NumpyProgram(graph)({"x": np.array([[7.0, 8.0, 9.0]])})
    assert answers["one"].tolist() == [-8.0]
    assert answers["mixed"].tolist() == [[1.0, 2.5, 7.0]]
    assert answers["none"].shape == (1, 0, 2)
