"""Balls from the record against the readable algorithms on balls of twice the bits, and what they refuse."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

import leapcheck_reference as reference
from leapcheck_reference.scalar import array_of
from leapcheck_reference.trace.balls import ball_values, fold_constants
from leapcheck_reference.trace.graph import Op
from leapcheck_reference.trace.record import exact_record
from leapcheck_reference.trace.symbol import Recorder
from tests.reference import generic_states

QUANTITIES = ("mass_matrix", "bias_force", "contact_positions", "contact_jacobians", "contact_bias_accelerations")
RADIUS = 1e-32  # at 128 bits, relative to the largest entry or 1; measured worst 3.5e-33 (random:40, depth 16)


def test_balls_of_the_record_enclose_the_readable_algorithms_values(case: generic_states.Case) -> None:
    state = {"q": case.q, "v": case.v}
    balls = ball_values(exact_record(case.spec, QUANTITIES), state)
    with ctx.workprec(256):
        tree = reference.build(case.spec, scalar=arb)
        for name in QUANTITIES:
            arguments = [state["q"]] if name in ("mass_matrix", "contact_positions", "contact_jacobians") else state.values()
            readable = np.asarray(getattr(reference, name)(tree, *(array_of(a, arb) for a in arguments)), dtype=object)
            assert balls[name].shape == readable.shape
            scale = max([1.0, *(abs(float(arb(x).mid())) for x in readable.flat)])
            for ball, value in zip(balls[name].flat, readable.flat, strict=True):
                assert ball.contains(arb(value).mid())
                assert float(ball.rad()) <= RADIUS * scale


def test_constants_are_exact() -> None:
    """(1/3) x - x / 3 is 0 for every x, to the precision asked for."""
    recorder = Recorder(Fraction)
    x = recorder.input("x", 2)
    graph = recorder.graph({"y": Fraction(1, 3) * x[0] - x[1] / 3})
    for bits in (64, 128, 512):
        ball = ball_values(graph, {"x": [1.0, 1.0]}, bits)["y"][()]
        assert ball.contains(0)
        assert 0.0 < float(ball.rad()) < 2.0 ** (2 - bits)


def test_irrational_constants_folded_are_right_to_250_bits() -> None:
    recorder = Recorder(Fraction)
    x = recorder.input("x")[()]
    root = recorder.constant(2).sqrt()
    graph = recorder.graph({"y": x * (root * root + root), "constant": -root})
    folded = fold_constants(graph)
    assert {node.op for node in folded.nodes} == {Op.INPUT, Op.CONSTANT, Op.MUL}
    with ctx.workprec(300):
        off = ball_values(folded, {"x": 1.0}, 300)["y"][()] - (2 + arb(2).sqrt())
        assert float(abs(off).upper()) <= 2.0**-250


def test_a_state_of_another_shape_is_refused() -> None:
    recorder = Recorder(Fraction)
    graph = recorder.graph({"y": recorder.input("x", 2).sum()})
    with pytest.raises(ValueError, match=r"input 'x' has shape \(3,\): give one state, \(2,\)"):
        ball_values(graph, {"x": [1.0, 2.0, 3.0]})


def test_a_record_that_rounds_is_refused() -> None:
    recorder = Recorder(Fraction)
    x = recorder.input("x")[()]
    graph = recorder.graph({"y": recorder.apply(Op.ROUND, x)})
    with pytest.raises(ValueError, match="'round' cannot be evaluated on balls"):
        ball_values(graph, {"x": 1.5})
