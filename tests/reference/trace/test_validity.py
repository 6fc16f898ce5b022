"""The traced check of a batch: its value, what it costs, and the check of shapes beside it."""

from __future__ import annotations

import re

import numpy as np
import pytest

from leapcheck_models.spec import JointType
from leapcheck_reference.state import QUATERNION_TOLERANCE
from leapcheck_reference.trace.graph import Graph
from leapcheck_reference.trace.lowering import lower
from leapcheck_reference.trace.record import record
from leapcheck_reference.trace.validity import LIMIT, VALIDITY, batch, quaternion_places, raise_invalid, with_validity
from tests.reference import generic_states
from tests.reference.trace.kernel_cases import states
from tests.reference.trace.numpy_program import NumpyProgram

OFF = 4e-16  # of a quaternion that was divided by its norm; measured worst 3.4e-16


def checked(robot: str) -> Graph:
    tree = generic_states.case(robot).tree
    return with_validity(record(tree, ("mass_matrix", "gravity_force", "coriolis_force")), quaternion_places(tree))


def validity(robot: str, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return NumpyProgram(lower(checked(robot).subgraph([VALIDITY])))({"q": q, "v": v})[VALIDITY]


@pytest.mark.parametrize("robot", generic_states.ROBOTS)
def test_places_of_the_quaternions(robot: str) -> None:
    at = generic_states.case(robot)
    kinds = [body.joint.type for body in at.spec.bodies]
    places = quaternion_places(at.tree)
    assert len(places) == sum(kind in (JointType.FREE, JointType.BALL) for kind in kinds)
    assert all(abs(np.linalg.norm(at.q[first : first + 4]) - 1.0) <= 1e-15 for first in places)


@pytest.mark.parametrize("robot", ["mini_cheetah", "pupper_leg", "random:20", "random:53"])
def test_valid_states_are_valid(robot: str) -> None:
    given = states(robot, 9)
    found = validity(robot, given["q"], given["v"])
    assert (found >= 0.0).all()
    assert (found <= OFF).all()


@pytest.mark.parametrize("robot", ["mini_cheetah", "pupper_leg", "random:20"])
def test_what_is_not_finite_anywhere_is_told(robot: str) -> None:
    given = states(robot, 1)
    for name in ("q", "v"):
        width = given[name].shape[1]
        for bad in (np.nan, -np.nan, np.inf, -np.inf):
            rows = {other: np.repeat(given[other], width, axis=0) for other in ("q", "v")}
            rows[name][np.arange(width), np.arange(width)] = bad
            assert not (validity(robot, **rows) <= LIMIT).any()


def test_the_worst_quaternion_counts() -> None:
    given = states("random:20", 4)
    first, second = quaternion_places(generic_states.case("random:20").tree)[:2]
    q = given["q"].copy()
    q[1, first : first + 4] *= 1.0 + 1e-4
    q[2, second : second + 4] *= 1.0 - 2e-4
    q[3, first : first + 4] *= 0.0
    assert validity("random:20", q, given["v"]) == pytest.approx([0.0, 2.0001e-4, 3.9996e-4, 1.0], abs=1e-8)


def test_no_state_that_the_single_check_refuses_passes() -> None:
    at = generic_states.case("mini_cheetah")
    for factor in (1.0 + QUATERNION_TOLERANCE * 1.001, 1.0 - QUATERNION_TOLERANCE * 1.001):
        q = at.q.copy()
        q[3:7] *= factor
        assert validity("mini_cheetah", q[None], at.v[None])[0] > LIMIT


def test_costs_one_addition_an_input_and_few_operations_a_quaternion() -> None:
    graph = record(generic_states.case("mini_cheetah").tree, ("bias_force",))
    one = with_validity(graph, (3,)).operation_count - graph.operation_count
    none = with_validity(graph, ()).operation_count - graph.operation_count
    assert none == 36 + 1
    assert one == 32 + 1 + 1  # the quaternion's square norm is there already


def test_a_record_of_no_inputs() -> None:
    graph = with_validity(Graph((), {"q": (0,)}, {}), ())
    assert NumpyProgram(graph)({"q": np.zeros((2, 0))})[VALIDITY].tolist() == [0.0, 0.0]


def test_a_batch_of_the_right_shape_is_not_copied() -> None:
    values = np.zeros((2, 3))
    assert batch("q", values, 3) is values
    assert batch("q", np.zeros((2, 3), dtype=np.int32), 3).dtype == np.float64
    for wrong in (np.zeros(3), np.zeros((3, 2)), 1.0, np.zeros((1, 2, 3))):
        with pytest.raises(ValueError, match=re.escape(f"q has shape {np.shape(wrong)}: give (n, 3)")):
            batch("q", wrong, 3)
    for wrong in (np.zeros((2, 3), dtype=bool), np.zeros((2, 3), dtype=complex), np.full((2, 3), "a")):
        with pytest.raises(ValueError, match=rf"^q holds {wrong.dtype}: give real numbers$"):
            batch("q", wrong, 3)


def test_suspected_states_that_are_valid_are_let_through() -> None:
    at = generic_states.case("mini_cheetah")
    raise_invalid(at.tree, {"q": at.q[None], "v": at.v[None]}, np.array([0]))
