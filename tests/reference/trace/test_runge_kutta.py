"""A Runge-Kutta step in one call: the bits of the plain loop, its order of convergence, and None where a condition fails."""

from __future__ import annotations

import numpy as np
import pytest

from leapcheck_models.arrays import Floats
from leapcheck_reference.simulate.plant import BoundProgram
from leapcheck_reference.trace import compiled_program
from leapcheck_reference.trace.graph import Graph
from leapcheck_reference.trace.runge_kutta import STAGES
from leapcheck_reference.trace.symbol import Recorder

START = np.array([1.0, -0.25])


def pendulum() -> Graph:
    """x'' = -k x with two more rates that are only summed up, one of them constant; it holds below x = "most"."""
    recorder = Recorder(float)
    (k, most), (x, v) = recorder.input("constants", 2), recorder.input("moved", 2)
    rates = np.array([v, -k * x, k * x * x + v * v, 1.5], dtype=object)
    return recorder.graph({"rates": rates, "conditions": np.array([most - x, most + x], dtype=object)})


def program(most: float = 2.0) -> BoundProgram:
    made = BoundProgram(b"a pendulum of the tests", pendulum)
    made.take(np.array([4.0, most]), START)
    return made


def looped(start: Floats, dt: float) -> tuple[Floats, Floats]:
    """(where a step leads, mean rates)."""
    made, rates, mean = program(), np.zeros(4), np.zeros(4)
    for a, b in STAGES:
        rates = made(np.array([4.0, 2.0]), start + dt * a * rates[:2])["rates"].copy()
        mean = mean + b * rates
    return start + dt * mean[:2], mean


def test_a_step_has_the_bits_of_the_loop() -> None:
    step = program().runge_kutta
    assert step is not None
    for dt in (0.1, 0.01):
        made = step(START, dt)
        assert made is not None
        moved, mean = looped(START, dt)
        np.testing.assert_array_equal(made.moved, moved)
        np.testing.assert_array_equal(made.mean, mean)


def test_its_error_falls_with_the_fourth_power_of_the_step() -> None:
    step = program().runge_kutta
    assert step is not None
    errors = []
    for steps in (20, 40):
        x = START.copy()
        for _ in range(steps):
            made = step(x, 1.0 / steps)
            assert made is not None
            x = made.moved.copy()
        errors.append(abs(x[0] - (START[0] * np.cos(2.0) + START[1] / 2.0 * np.sin(2.0))))
    assert errors[0] / errors[1] == pytest.approx(16.0, rel=0.1)


def test_it_ends_where_a_condition_is_not_met() -> None:
    """At the first stage, or where only a later one goes too far."""
    falling = np.array([0.9, 1.0])  # x grows: 0.95 at the second stage of a step of 0.1
    for most, holds in ((0.5, False), (0.92, False), (1.1, True), (np.nan, False)):
        step = program(most).runge_kutta
        assert step is not None
        assert (step(falling, 0.1) is not None) == holds


def test_a_record_that_is_interpreted_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_program, "LONGEST", 0)
    assert BoundProgram(b"a pendulum that is too long", pendulum).runge_kutta is None
