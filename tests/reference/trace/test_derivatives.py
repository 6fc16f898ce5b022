"""Derivatives of the record against the complex step on the readable code, Pinocchio's analytic ones, and by hand."""

from __future__ import annotations

import math

import numpy as np
import pinocchio as pin
import pytest

from leapcheck_reference import (
    bias_force,
    contact_jacobians,
    contact_positions,
    forward_dynamics,
    inverse_dynamics,
    mass_matrix,
)
from leapcheck_reference.quantities import arguments
from leapcheck_reference.trace import derivatives
from leapcheck_reference.trace.graph import Graph, Op
from leapcheck_reference.trace.lowering import lower
from leapcheck_reference.trace.record import exact_record, record
from leapcheck_reference.trace.symbol import Recorder, Symbol
from tests.reference.generic_states import Array, Case, case, derivative, gradient, rate, relative
from tests.reference.test_pinocchio_truth import in_pinocchio, pinocchio_model
from tests.reference.trace.numpy_program import NumpyProgram

ID_Q, ID_V = "inverse_dynamics_derivative_q", "inverse_dynamics_derivative_v"
FD_Q, FD_V, FD_TAU = (f"forward_dynamics_derivative_{x}" for x in ("q", "v", "tau"))
FREE_OF_ROTORS = ("mini_cheetah_armature", "two_link_arm", "tree4_5", "box", *(f"random:{n}" for n in (26, 39, 54)))

SMALL = ("mini_cheetah", "pupper_leg", "falling_rod", *(f"random:{n}" for n in (2, 20, 24, 26, 29, 53)))  # few enough operations
LEAST = 0.1  # SI: least scale, for derivatives that are zero but for rounding (one slide's by its velocity)
ROUNDING = 1e-13  # of the largest entry; measured worst 5.2e-15
SOLVED = 1e-12  # of the largest entry, through M^-1; measured worst 4.3e-14
PINOCCHIO = 1e-13  # of the largest entry; measured worst 3.7e-15
PINOCCHIO_SOLVED = 5e-12  # of the largest entry, through M^-1; measured worst 3.4e-13


def of_record(graph: Graph, at: Case) -> dict[str, Array]:
    """The quantities of a record at a state."""
    state = {name: getattr(at, name)[None] for name in graph.inputs}
    return {name: values[0] for name, values in NumpyProgram(lower(graph))(state).items()}


def evaluated(at: Case, *quantities: str) -> list[Array]:
    return list(of_record(record(at.tree, quantities), at).values())


def velocity_gradient(at: Case, function: object) -> Array:
    return np.stack([derivative(function, (at.v, unit)) for unit in np.eye(at.tree.nv)], axis=-1)


def test_inverse_dynamics_against_the_complex_step(case: Case) -> None:
    by_q, by_v = evaluated(case, ID_Q, ID_V)
    expected = gradient(case.spec, lambda q: inverse_dynamics(case.tree, q, case.v, case.vdot), case.q)
    assert relative(by_q, expected, LEAST) <= ROUNDING
    expected = velocity_gradient(case, lambda v: bias_force(case.tree, case.q, v))
    assert relative(by_v, expected, LEAST) <= ROUNDING


@pytest.mark.parametrize("name", SMALL)
def test_forward_dynamics_against_the_complex_step_on_articulated_bodies(name: str) -> None:
    at = case(name)
    by_q, by_v, by_tau = evaluated(at, FD_Q, FD_V, FD_TAU)
    expected = gradient(at.spec, lambda q: forward_dynamics(at.tree, q, at.v, at.tau), at.q)
    assert relative(by_q, expected, LEAST) <= SOLVED
    expected = velocity_gradient(at, lambda v: forward_dynamics(at.tree, at.q, v, at.tau))
    assert relative(by_v, expected, LEAST) <= SOLVED
    assert relative(by_tau, np.linalg.inv(mass_matrix(at.tree, at.q))) <= SOLVED
    np.testing.assert_array_equal(by_tau, by_tau.T)


@pytest.mark.parametrize("name", ["mini_cheetah", "tree4_5", "random:2", "random:24", "random:26"])
def test_along_the_tangents_contact_positions_move_as_the_jacobians_say_and_q_as_it_should(name: str) -> None:
    """Of every joint type, positions of bases included, on which no dynamics depend."""
    at = case(name)
    recorder = Recorder(float)
    q = recorder.input("q", at.tree.nq)
    outputs = {"J": contact_positions(at.tree, q), "qdot": q}
    along = derivatives.tangents(at.tree, q)
    actual = of_record(recorder.graph({name: derivatives.derivative(x, along) for name, x in outputs.items()}), at)
    assert relative(actual["J"], contact_jacobians(at.tree, at.q)) <= ROUNDING
    assert relative(actual["qdot"], np.array([rate(at.spec, at.q, unit) for unit in np.eye(at.tree.nv)]).T) <= ROUNDING


@pytest.mark.parametrize("name", FREE_OF_ROTORS)
def test_inverse_dynamics_are_pinocchios(name: str) -> None:
    """Both move q in body axes; Pinocchio's base has its linear velocity first: u = T v with a constant T."""
    at = case(name)
    model, _ = pinocchio_model(at.spec)
    q, T = in_pinocchio(at.spec, at.q)
    data = model.createData()
    expected = pin.computeRNEADerivatives(model, data, q, T @ at.v, T @ at.vdot)
    actual = evaluated(at, ID_Q, ID_V, "mass_matrix")
    for ours, theirs in zip(actual, expected, strict=True):
        whole = np.triu(theirs) + np.triu(theirs, 1).T if theirs is expected[2] else theirs
        assert relative(ours, T.T @ whole @ T) <= PINOCCHIO


@pytest.mark.parametrize("name", FREE_OF_ROTORS)
def test_forward_dynamics_are_pinocchios(name: str) -> None:
    at = case(name)
    model, _ = pinocchio_model(at.spec)
    q, T = in_pinocchio(at.spec, at.q)
    data = model.createData()
    expected = pin.computeABADerivatives(model, data, q, T @ at.v, T @ at.tau)
    for ours, theirs in zip(evaluated(at, FD_Q, FD_V, FD_TAU), expected, strict=True):
        assert relative(ours, T.T @ theirs @ T) <= PINOCCHIO_SOLVED


def test_together_they_share_what_they_can_and_say_the_same() -> None:
    at = case("mini_cheetah")
    together = record(at.tree, ("inverse_dynamics", ID_Q, ID_V, "mass_matrix"))
    alone = [record(at.tree, (name,)) for name in together.outputs]
    assert together.operation_count < 0.95 * sum(graph.operation_count for graph in alone)
    answers = of_record(together, at)
    for graph in alone:
        for name, value in of_record(graph, at).items():
            np.testing.assert_array_equal(value, answers[name])


@pytest.mark.parametrize(
    ("quantities", "most"),  # measured
    [((ID_Q,), 3045), ((ID_V,), 4221), ((ID_Q, ID_V, "mass_matrix"), 7700), ((FD_TAU,), 3386), ((FD_Q, FD_V, FD_TAU), 21820)],
)
def test_operation_counts_without_rotors(quantities: tuple[str, ...], most: int) -> None:
    assert record(case("mini_cheetah_armature").tree, quantities).operation_count <= most


def test_they_ask_for_no_more_than_they_need() -> None:
    assert arguments((ID_Q,)) == ("q", "v", "vdot")
    assert arguments((ID_V, FD_V)) == ("q", "v")
    assert arguments((FD_Q,)) == ("q", "v", "tau")
    assert arguments((FD_TAU,)) == ("q",)


def test_the_exact_record_has_them_too() -> None:
    at = case("two_link_arm")
    exact = of_record(exact_record(at.spec, (ID_Q, ID_V)), at)
    for name, value in of_record(record(at.tree, (ID_Q, ID_V)), at).items():
        assert relative(value, exact[name]) <= ROUNDING


def test_every_rule_of_differentiation() -> None:
    """f = sqrt(x^2 + 3 y) sin(x y) / y - cos(x) + x, along (1, 0) and (2, -1)."""
    recorder = Recorder(float)
    x, y = variables = recorder.input("x", 2)
    f = np.array([(x * x + 3.0 * y).sqrt() * (x * y).sin() / y - x.cos() + x, -x, Symbol(recorder, x.node, False)])
    rates = np.array([[1.0, 2.0], [0.0, -1.0]])
    graph = recorder.graph({"rate": derivatives.derivative(f, [(variables, rates)])})
    actual = NumpyProgram(lower(graph))({"x": np.array([[0.7, 1.3]])})["rate"][0]
    a, b = 0.7, 1.3
    root, s, c = math.sqrt(a * a + 3 * b), math.sin(a * b), math.cos(a * b)
    by_x = a / root * s / b + root * c + math.sin(a) + 1.0
    by_y = 1.5 / root * s / b + root * c * a / b - root * s / b**2
    assert relative(actual, np.array([[by_x, 2 * by_x - by_y], [-1.0, -2.0], [1.0, 2.0]])) <= ROUNDING


def test_what_moves_is_a_variable_of_its_own() -> None:
    """With u = x^2 held, d(u x) is u dx; with u moving alone it is x du."""
    recorder = Recorder(float)
    variables = recorder.input("x", 1)
    u = variables * variables
    held = [(variables, np.array([[1.0]])), (u, np.array([[0.0]]))]
    graph = recorder.graph(
        {
            "held": derivatives.derivative(u * variables, held),
            "alone": derivatives.derivative(u * variables, [(-u, np.array([[-1.0]]))]),
        }
    )
    answers = NumpyProgram(lower(graph))({"x": np.array([[3.0]])})
    assert (answers["held"].item(), answers["alone"].item()) == (9.0, 3.0)


def test_what_does_not_move_has_no_rate() -> None:
    recorder = Recorder(float)
    x, y = recorder.input("x", 2)
    rate = derivatives.derivative(np.array([y, recorder.constant(2.0), 1.0], dtype=object), [(np.array([x]), np.ones((1, 1)))])
    assert rate.tolist() == [[0], [0], [0]]


def test_an_operation_without_a_derivative_is_refused() -> None:
    recorder = Recorder(float)
    x = recorder.input("x", 1)
    rounded = np.array([recorder.apply(Op.ROUND, x[0])])
    with pytest.raises(ValueError, match="operation 'round' of the record has no derivative"):
        derivatives.derivative(rounded, [(x, np.ones((1, 1)))])
