"""The block interface: distinct entries only, in blocks, with the bits of the rows; and what it refuses."""

from __future__ import annotations

import gc
import pickle
import weakref

import numpy as np
import pytest

from leapcheck_models.arrays import Floats
from leapcheck_reference import kernel
from leapcheck_reference.trace import compiled_program as compiled_module
from leapcheck_reference.trace import native
from leapcheck_reference.trace.compiled_program import SLOTS, CompiledProgram, compile_program
from leapcheck_reference.trace.graph import Graph, Node, Op
from leapcheck_reference.trace.native import ALIGNMENT, address, aligned_array
from leapcheck_reference.trace.partition import GROUP
from leapcheck_reference.trace.record import record
from leapcheck_reference.trace.validity import VALIDITY
from tests.reference import generic_states
from tests.reference.trace.kernel_cases import QUANTITIES, RIGID_BODY, made, states

ROBOTS = ("mini_cheetah", "pupper_leg", "random:20", "random:53", "falling_rod")


def batch(robot: str, count: int, program: CompiledProgram) -> dict[str, Floats]:
    rows = np.arange(count) % 5
    return {name: states(robot, 5)[name][rows] for name in program.inputs}


@pytest.mark.parametrize(
    ("robot", "lanes"), [("mini_cheetah", 8), *((robot, lanes) for robot in ROBOTS[1:] for lanes in (2, 4, 8))]
)
def test_blocks_have_the_bits_of_rows(robot: str, lanes: int) -> None:
    function = made(robot, QUANTITIES, lanes)
    program = function.block
    for count in (lanes, (GROUP + 2) * lanes):
        given = batch(robot, count, program)
        inputs = program.blocks(given)
        results = aligned_array((len(inputs), program.entry_count, lanes))
        results[:] = np.nan
        program.evaluate_blocks(inputs, results)
        expand = program.expand(results)
        assert expand.pop(VALIDITY).max() <= 1e-15
        rows = function(**given)
        assert expand.keys() == rows.keys()
        assert all(np.array_equal(expand[name], rows[name]) for name in rows)


@pytest.mark.parametrize("robot", ROBOTS)
def test_entries_name_distinct_numbers_signs_and_constants(robot: str) -> None:
    program = made(robot, RIGID_BODY).block
    used = {int(place) for name in program.outputs for place in program.entries(name).place.flat}
    assert used - {-1} == set(range(program.entry_count))
    for name in RIGID_BODY:
        at = program.entries(name)
        assert at.place.shape == at.factor.shape == program.outputs[name]
        assert set(np.abs(at.factor[at.place >= 0])) <= {1.0}
    M = program.entries("mass_matrix")
    assert np.array_equal(M.place, M.place.T)


def test_a_third_of_the_entries_is_distinct() -> None:
    program = made("mini_cheetah").block
    entries = sum(int(np.prod(shape)) for shape in program.outputs.values())
    assert program.entry_count < entries / 3


@pytest.mark.parametrize("count", [1, 5, 8, 29, 150])
def test_results_of_any_number_of_states(count: int) -> None:
    program = made("pupper_leg").block
    given = batch("pupper_leg", count, program)
    results = program.results(given)
    assert len(results) == -(-count // program.lanes)
    rows = program(given)
    assert all(np.array_equal(values[:count], rows[name]) for name, values in program.expand(results).items())
    assert all((values[count:] == rows[name][-1]).all() for name, values in program.expand(results).items())
    assert program.results(given, results) is results
    assert program.results(batch("pupper_leg", count + 8, program), results) is not results


def test_a_bound_call_follows_its_blocks() -> None:
    program = made("pupper_leg").block
    given = batch("pupper_leg", 4 * program.lanes, program)
    inputs = program.blocks(given)
    results, again = (aligned_array((4, program.entry_count, program.lanes)) for _ in range(2))
    run = program.bound_blocks(inputs, results)
    inputs[:] = inputs[::-1].copy()
    run()
    program.evaluate_blocks(program.blocks({name: values.copy() for name, values in given.items()}), again)
    assert np.array_equal(results, again[::-1])


def test_a_bound_call_keeps_its_arrays() -> None:
    program = made("pupper_leg").block
    given, out = batch("pupper_leg", 9, program), program.arrays(9)
    blocks, results = (
        program.blocks(batch("pupper_leg", program.lanes, program)),
        aligned_array((1, program.entry_count, program.lanes)),
    )
    calls = program.bound(given, out), program.bound_blocks(blocks, results)
    kept = [weakref.ref(array) for array in (*given.values(), *out.values(), blocks, results)]
    del given, out, blocks, results
    gc.collect()
    assert all(array() is not None for array in kept)
    del calls
    assert all(array() is None for array in kept)


def test_nothing_to_do() -> None:
    program = made("pupper_leg").block
    inputs = program.blocks(batch("pupper_leg", 0, program))
    results = aligned_array((0, program.entry_count, program.lanes))
    program.evaluate_blocks(inputs, results)
    assert program.expand(results)["mass_matrix"].shape == (0, 3, 3)


def test_wrong_blocks_are_refused() -> None:
    program = made("pupper_leg").block
    lanes, entries = program.lanes, program.entry_count
    inputs, results = program.blocks(batch("pupper_leg", 4 * lanes, program)), aligned_array((4, entries, lanes))
    shifted = aligned_array((5, 6, lanes)).reshape(-1)[1 : 1 + 4 * 6 * lanes].reshape(4, 6, lanes)
    for wrong in (inputs[:, :5], inputs[:, :, ::-1], shifted, aligned_array((4, 6, lanes + 1))):
        with pytest.raises(ValueError, match=rf"^inputs .* give an aligned C-ordered array \(4, 6, {lanes}\) of doubles$"):
            program.evaluate_blocks(wrong, results)
    single = aligned_array((4, entries, lanes)).ravel().view(np.float32)[: results.size].reshape(results.shape)
    read_only = results.view()
    read_only.flags.writeable = False
    for wrong in (results[:3], results.swapaxes(0, 1), aligned_array((4, entries + 1, lanes)), single, read_only):
        with pytest.raises(
            ValueError, match=rf"^results .* give an aligned C-ordered array \(4, {entries}, {lanes}\) of doubles$"
        ):
            program.evaluate_blocks(inputs, wrong)
    with pytest.raises(ValueError, match=rf"^{lanes + 1} states are no whole number of blocks: give a multiple of {lanes}$"):
        program.blocks(batch("pupper_leg", lanes + 1, program))


def test_slots_are_kept_in_the_order_asked_for() -> None:
    nodes = (Node(Op.INPUT, (), 0), Node(Op.INPUT, (), 1), Node(Op.ADD, (0, 1)), Node(Op.NEG, (2,)), Node(Op.CONSTANT, (), 1.5))
    graph = Graph(nodes, {"x": (2,)}, {SLOTS: np.array([4, 2, 0, 3, 2, 4, 1])})
    program = compile_program(pickle.dumps(graph), lambda: graph)
    assert program is not None
    x = np.random.default_rng(1).normal(size=(11, 2))
    found = program.results({"x": x}).swapaxes(1, 2).reshape(-1, 7)[:11]
    a, b = x.T
    assert np.array_equal(found, np.stack([1.5 + 0 * a, a + b, a, -(a + b), a + b, 1.5 + 0 * a, b], axis=1))


def test_too_long_a_record_is_interpreted(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setenv("LEAPCHECK_CACHE", str(tmp_path))
    tree = generic_states.case("pupper_leg").tree
    monkeypatch.setattr(compiled_module, "LONGEST", record(tree, RIGID_BODY).operation_count)
    assert compile_program(b"long", lambda: record(tree, RIGID_BODY)) is None  # its sines are operations, too
    with monkeypatch.context() as known:
        known.setattr(native, "object_code", None)  # known from the cache
        assert compile_program(b"long", lambda: record(tree, RIGID_BODY)) is None
    with pytest.raises(RuntimeError, match="the block interface needs compiled code"):
        _ = kernel(tree, RIGID_BODY).block


def test_memory_begins_at_a_cache_line() -> None:
    for shape in ((1,), (3, 5), (2, 3, 8)):
        array = aligned_array(shape)
        assert array.shape == shape
        assert array.flags.carray
        assert address(array) % ALIGNMENT == 0


def test_addresses_of_any_array() -> None:
    whole = np.zeros((4, 6))
    read_only = whole.view()
    read_only.flags.writeable = False
    for array in (whole, read_only, whole[1:], whole[:, ::2], whole[:0], whole.T, np.float64(1.0).reshape(1)):
        assert address(array) == array.__array_interface__["data"][0]
