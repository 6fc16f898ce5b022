"""Bit identity: with sines and cosines given, a record does what the readable code does on Python floats, every entry ==."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest

import leapcheck_reference as reference
from leapcheck_models.arrays import Array, Floats
from leapcheck_models.robots import load
from leapcheck_reference.mass_matrix import mass_matrix
from leapcheck_reference.quantities import QUANTITIES as QUANTITY_ROWS
from leapcheck_reference.rotation import axis_rotation, cross, quaternion_rotation, rotate_tensor, skew, symmetric
from leapcheck_reference.scalar import as_objects
from leapcheck_reference.trace.compiled_program import LONGEST, CompiledProgram
from leapcheck_reference.trace.graph import Graph
from leapcheck_reference.trace.kernel import program
from leapcheck_reference.trace.lowering import angles, with_given_sines
from leapcheck_reference.trace.record import record
from tests.reference import generic_states
from tests.reference.trace.kernel_cases import DYNAMICS, RIGID_BODY, SCALARS, STORED, dealt, states
from tests.reference.trace.numpy_program import NumpyProgram

STATES = 3
QUANTITIES = (*RIGID_BODY, *SCALARS, *STORED, *DYNAMICS, "contact_inertia")


def given_sines(graph: Graph, given: dict[str, Floats]) -> dict[str, Floats]:
    """The states with the standard library's sines and cosines of their angles."""
    found = NumpyProgram(angles(graph))(given)["angles"]
    return given | {name: np.vectorize(getattr(math, name), otypes=[float])(found) for name in ("sin", "cos")}


def readable(robot: str, quantity: str, given: dict[str, Floats], i: int) -> Array:
    """A quantity at one state on object arrays of Python floats, the tree's constants among them."""
    row = QUANTITY_ROWS[quantity]
    rows = [as_objects(given[name][i]) for name in row.arguments]
    answer = np.asarray(row.kernel_function(as_objects(generic_states.case(robot).tree), *rows), dtype=object)
    assert all(type(x) in (float, int) for x in answer.flat), quantity  # nothing went through an array of doubles
    return answer


WITHOUT_CONTACT_INERTIA = tuple(name for name in QUANTITIES if name != "contact_inertia")


@pytest.mark.parametrize("robot", generic_states.robots_with_one_large("random:57"))
def test_every_entry_is_the_readable_codes(robot: str) -> None:
    check_entries(robot, QUANTITIES if robot == "pupper_leg" else dealt(robot, WITHOUT_CONTACT_INERTIA))


@pytest.mark.slow
@pytest.mark.parametrize("robot", generic_states.ROBOTS)
def test_every_entry_of_all_quantities_is_the_readable_codes(robot: str) -> None:
    check_entries(robot, WITHOUT_CONTACT_INERTIA)


def check_entries(robot: str, quantities: tuple[str, ...]) -> None:
    tree = generic_states.case(robot).tree
    graph = record(tree, quantities)
    inputs = {name: states(robot, STATES)[name] for name in graph.inputs}
    sines = given_sines(graph, inputs)
    code = program(b"given sines" + pickle.dumps((tree, quantities)), lambda: with_given_sines(graph))
    assert isinstance(code, CompiledProgram) == (graph.operation_count <= LONGEST)
    answers = code({name: sines[name] for name in code.inputs})
    for name in quantities:
        for i in range(STATES):
            expected = readable(robot, name, inputs, i)
            assert answers[name][i].shape == expected.shape
            assert (answers[name][i] == expected).all(), name


def test_a_last_place_of_the_cosines_is_seen() -> None:
    graph = record(generic_states.case("two_link_arm").tree, ("mass_matrix",))
    inputs = {"q": states("two_link_arm", STATES)["q"]}
    sines = given_sines(graph, inputs)
    sines["cos"][2] = np.nextafter(sines["cos"][2], 2.0)
    answers = NumpyProgram(with_given_sines(graph))(sines)["mass_matrix"]
    same = [bool((answers[i] == readable("two_link_arm", "mass_matrix", inputs, i)).all()) for i in range(STATES)]
    assert same == [True, True, False]


def test_products_of_doubles_would_round_otherwise() -> None:
    """Why the tree's constants have to be Python floats, too: NumPy's products of matrices fuse or reorder."""
    at = generic_states.case("mini_cheetah")
    on_objects, on_doubles = mass_matrix(as_objects(at.tree), as_objects(at.q)), mass_matrix(at.tree, at.q)
    assert on_objects.dtype == object
    assert on_doubles.dtype == np.float64
    assert np.abs(on_objects.astype(float) - on_doubles).max() <= 1e-14 * np.abs(on_doubles).max()


def test_objects_are_the_same_numbers() -> None:
    tree = reference.build(load("random:20"))
    objects = as_objects(tree)
    assert objects.links[0].S.dtype == objects.regrouped.links[1].I.dtype == objects.gravity.dtype == object
    assert type(objects.regrouped.links[1].mass) is float
    assert (objects.regrouped.links[1].I == tree.regrouped.links[1].I).all()
    assert tree.links[0].S.dtype == np.float64  # left as it was
    assert objects.links[2].v == tree.links[2].v
    assert as_objects((np.float64(0.1), 3, "x", None)) == (0.1, 3, "x", None)


@pytest.mark.parametrize("wrap", [as_objects, np.asarray])
def test_arrays_out_are_of_the_kind_that_went_in(wrap: Any) -> None:
    a, b, unit = (wrap(np.array(x)) for x in ([0.3, -0.1, 0.7], [1.0, 2.0, -3.0], [0.5, -0.5, 0.5, 0.5]))
    R = quaternion_rotation(unit)
    inertia = symmetric([1.0, 0.1, 2.0, 0.3, 0.2, 3.0], like=a)
    found = (skew(a), cross(a, b), R, axis_rotation(wrap(np.array([0.6, 0.0, 0.8])), 0.4), inertia, rotate_tensor(R, inertia))
    assert {array.dtype for array in found} == {a.dtype}
