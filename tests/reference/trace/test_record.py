"""Recording: which functions, with which inputs, how many operations; constants in floats or exact."""

from __future__ import annotations

import inspect
from fractions import Fraction

import numpy as np
import pytest

import leapcheck_reference as reference
from leapcheck_reference.quantities import QUANTITIES, arguments
from leapcheck_reference.trace.graph import Op
from leapcheck_reference.trace.record import exact_record, record
from tests.reference import generic_states
from tests.reference.trace.kernel_cases import RIGID_BODY

WITHOUT_STATE = ("sparsity_pattern", "total_mass")
NEEDS_ROTORS_AS_BODIES = ("cdof", "cinert", "crb")
REFUSED = (  # classes, functions of something else, and functions that give records of several arrays
    *("Kernel", "SparseMassMatrix", "Tree", "build", "dense_from_csr", "dense_from_legacy", "factorization", "kernel"),
    *("coriolis_normal_form", "inertial_parameters", "legacy_from_dense", "solution", "test_force_response", "with_rotor_bodies"),
    *(
        "bias_accelerations",
        "composite_inertias",
        "forward_accelerations",
        "forward_kinematics",
        "frame_accelerations",
        "layout",
        "sparse_mass_matrix",
    ),
)

M_OPERATIONS, ALL_OPERATIONS, ROTORS = 600, 3100, 1.2  # measured 538, 2933 and 1.05; the floor is 800 and 4000


def test_every_public_function_is_a_quantity_or_refused() -> None:
    assert {*reference.__all__} - {*QUANTITIES} == {*REFUSED}


@pytest.mark.parametrize("name", QUANTITIES)
def test_arguments_are_those_of_the_functions(name: str) -> None:
    for function in {QUANTITIES[name].function, QUANTITIES[name].kernel_function}:
        parameters = inspect.signature(function).parameters.values()
        needed = tuple(parameter.name for parameter in parameters if parameter.default is inspect.Parameter.empty)
        assert needed == ("tree", *QUANTITIES[name].arguments)


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_every_quantity_can_be_recorded(quantity: str) -> None:
    robot = "tree4_5" if quantity in NEEDS_ROTORS_AS_BODIES else "random:2"
    tree = generic_states.case(robot).tree
    graph = record(tree, (quantity,))
    assert list(graph.inputs) == list(arguments((quantity,)))
    assert bool(graph.inputs) != (quantity in WITHOUT_STATE)
    assert all(node.op is not Op.INPUT or 0 <= int(node.value or 0) < graph.input_count for node in graph.nodes)


@pytest.mark.parametrize("quantity", [*REFUSED, "mass", "", "__all__", "record"])
def test_any_other_is_refused_in_one_line(quantity: str) -> None:
    with pytest.raises(ValueError, match=f"'{quantity}'") as error:
        record(generic_states.case("random:2").tree, ("mass_matrix", quantity))
    assert len(str(error.value).splitlines()) == 1
    assert "use one of mass_matrix" in str(error.value)


def test_inputs_are_what_the_quantities_need_together() -> None:
    assert arguments(("mass_matrix",)) == ("q",)
    assert arguments(("inverse_dynamics",)) == ("q", "v", "vdot")
    assert arguments(("inverse_dynamics", "forward_dynamics")) == ("q", "v", "vdot", "tau")
    assert arguments(()) == ()


def test_operations_without_rotors_and_normalisation() -> None:
    tree = generic_states.case("mini_cheetah_armature").tree
    assert record(tree, ("mass_matrix",)).operation_count <= M_OPERATIONS
    assert record(tree, RIGID_BODY).operation_count <= ALL_OPERATIONS
    with_rotors = record(generic_states.case("mini_cheetah").tree, RIGID_BODY).operation_count
    assert with_rotors <= ROTORS * record(tree, RIGID_BODY).operation_count


def test_quantities_share_their_operations() -> None:
    tree = generic_states.case("mini_cheetah").tree
    apart = sum(record(tree, (name,)).operation_count for name in RIGID_BODY)
    assert record(tree, RIGID_BODY).operation_count < 0.9 * apart


def test_zeros_of_the_mass_matrix_are_constants() -> None:
    at = generic_states.case("mini_cheetah_armature")
    graph = record(at.tree, ("mass_matrix",))
    pattern = reference.sparsity_pattern(at.tree)
    for place, i in np.ndenumerate(graph.outputs["mass_matrix"]):
        node = graph.nodes[i]
        assert (node.op is Op.CONSTANT and node.value == 0.0) or pattern[place]
    lower = {int(i) for i in graph.outputs["mass_matrix"][np.tril_indices(at.tree.nv)]}
    assert {int(i) for i in graph.outputs["mass_matrix"].flat} == lower  # symmetric: the same nodes above


def test_constants_are_floats_or_exact() -> None:
    at = generic_states.case("pupper_leg")
    floats, exact = record(at.tree, ("mass_matrix",)), exact_record(at.spec, ("mass_matrix",))
    assert {type(node.value) for node in floats.nodes if node.op is Op.CONSTANT} == {float}
    assert {type(node.value) for node in exact.nodes if node.op is Op.CONSTANT} == {Fraction}


def test_equal_trees_give_equal_records() -> None:
    at = generic_states.case("random:20")
    one, other = record(at.tree, RIGID_BODY), record(reference.build(at.spec), RIGID_BODY)
    assert one.nodes == other.nodes
    assert all((one.outputs[name] == other.outputs[name]).all() for name in RIGID_BODY)
