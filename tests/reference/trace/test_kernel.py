"""The public kernels: one bit pattern for every target, width, batch and place in it; the readable code's errors."""

from __future__ import annotations

import gc
import resource
import shutil
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from inspect import getdoc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leapcheck_reference as reference
from leapcheck_models.robots import load
from leapcheck_models.spec import CONFIGURATION_SIZE, JointType
from leapcheck_reference import Kernel, build, kernel
from leapcheck_reference.trace import kernel as kernel_module
from leapcheck_reference.trace.c_robot import robot_function
from leapcheck_reference.trace.interpreted_program import InterpretedProgram
from tests.reference import generic_states
from tests.reference.trace import kernel_cases, test_c99
from tests.reference.trace.kernel_cases import (
    DYNAMICS,
    EVERYTHING,
    QUANTITIES,
    RIGID_BODY,
    SCALARS,
    dealt,
    evaluated,
    made,
    same_bits,
    states,
)

LANES = (2, 4, 8)
NOT_OPTIMISED = ("-std=c99", "-O0", "-ffp-contract=off")  # a seventh of the compiler's work; test_c99 has -O2
BATCHES = 2500
GROWTH = 16 * 1024  # bytes of Python's and NumPy's memory after so many batches; measured 600
RESIDENT = 8 * 1024  # KiB of the process; one result lost per batch would be 50 MiB; measured 0


@pytest.fixture
def without_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leapcheck_reference.trace.kernel.compile_program", lambda *_: None)


@pytest.mark.parametrize("robot", generic_states.robots_with_one_large("random:40"))
def test_the_bits_of_the_interpreted_program(robot: str) -> None:
    check_interpreted(robot, EVERYTHING if robot == "tree4_5" else dealt(robot, QUANTITIES))


@pytest.mark.slow
@pytest.mark.parametrize("robot", generic_states.ROBOTS)
def test_the_bits_of_the_interpreted_program_of_all_quantities(robot: str) -> None:
    check_interpreted(robot, EVERYTHING if robot == "random:20" else QUANTITIES)


def check_interpreted(robot: str, quantities: tuple[str, ...]) -> None:
    given = states(robot, 11)
    answers = evaluated(made(robot, quantities), given)
    program = kernel(generic_states.case(robot).tree, quantities, compile_code=False)
    assert isinstance(program._program, InterpretedProgram)
    assert same_bits(answers, evaluated(program, given))


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")
@pytest.mark.parametrize("robot", ["random:20", "random:26", "falling_rod"])
def test_the_bits_of_the_c_source(tmp_path: Path, robot: str) -> None:
    quantities = (*RIGID_BODY, *SCALARS, *DYNAMICS[:2])
    at, given = generic_states.case(robot), states(robot, 11)
    function = robot_function(at.spec, quantities)
    entry = test_c99.compiled(function, tmp_path, "gcc", NOT_OPTIMISED)
    answers = evaluated(made(robot, quantities), given)
    for i in range(11):
        expected = test_c99.called(entry, function.graph, {name: values[i] for name, values in given.items()})
        assert same_bits({name: answers[name][i] for name in expected}, expected)


@pytest.mark.parametrize("robot", ["pupper_leg", "random:20", "random:53", "box"])
def test_the_bits_of_any_vector_width(robot: str) -> None:
    check_widths(robot, QUANTITIES if robot in ("pupper_leg", "box") else dealt(robot, QUANTITIES))


@pytest.mark.slow
@pytest.mark.parametrize("robot", ["mini_cheetah", "random:20", "random:53"])
def test_the_bits_of_any_vector_width_of_all_quantities(robot: str) -> None:
    check_widths(robot, QUANTITIES)


def check_widths(robot: str, quantities: tuple[str, ...]) -> None:
    given = states(robot, 21)
    narrow, *wider = [evaluated(made(robot, quantities, lanes), given) for lanes in LANES]
    assert all(same_bits(narrow, answers) for answers in wider)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("count", [0, 1, 2, 3, 7, 8, 9, 16, 31, 33, 67, 130])
def test_a_state_gives_the_same_bits_in_any_company(count: int, lanes: int) -> None:
    function, few = made("pupper_leg", QUANTITIES, lanes), states("pupper_leg", 5)
    alone = [evaluated(function, few, slice(i, i + 1)) for i in range(5)]
    rows = np.random.default_rng(count).integers(0, 5, count)
    answers = evaluated(function, few, rows)
    for name, shape in ((name, array.shape[1:]) for name, array in alone[0].items()):
        assert answers[name].shape == (count, *shape)
        assert np.array_equal(answers[name], np.concatenate([one[name] for one in alone])[rows])


def test_nothing_is_written_beside_the_results() -> None:
    function = made("pupper_leg", QUANTITIES)
    given = states("pupper_leg", 30)
    for count in (1, 3, 8, 9, 21):
        memory = {name: np.full((count + 2, *array.shape[1:]), np.pi) for name, array in function.arrays(count).items()}
        out = {name: array[1:-1] for name, array in memory.items()}
        answers = evaluated_into(function, given, count, out)
        assert all(answers[name] is out[name] for name in out)
        assert same_bits(answers, evaluated(function, given, slice(0, count)))
        assert all((array[[0, -1]] == np.pi).all() for array in memory.values())


def evaluated_into(function: Kernel, given: dict[str, Any], count: int, out: dict[str, Any]) -> dict[str, Any]:
    return function(**{name: values[:count] for name, values in given.items()}, out=out)


def test_input_of_any_layout_and_type() -> None:
    function, given = made("pupper_leg", ("bias_force",)), states("pupper_leg", 9)
    expected = evaluated(function, {name: given[name] for name in ("q", "v")})
    assert same_bits(function(np.asfortranarray(given["q"]), given["v"].tolist()), expected)
    whole = np.arange(27).reshape(9, 3) % 4
    assert same_bits(function(whole, whole), function(1.0 * whole, 1.0 * whole))
    single = given["q"].astype(np.float32)
    assert same_bits(function(single, given["v"]), function(single.astype(float), given["v"]))


@pytest.mark.parametrize("size", [1, 5, 8, 21])
def test_a_bound_call_follows_its_arrays(size: int) -> None:
    function, given = made("mini_cheetah"), states("mini_cheetah", 30)
    inputs = {name: given[name][:size].copy() for name in ("q", "v")}
    out = function.arrays(size)
    run = function.bound(inputs, out)
    for first in (0, 4):
        for name, values in inputs.items():
            values[:] = given[name][first : first + size]
        run()
        assert same_bits(out, function(**inputs))
    inputs["q"][-1, 3:7] *= 1.1
    with pytest.raises(ValueError, match=rf"^state {size - 1}: q of 'mini_cheetah': the quaternion of body"):
        run()


def test_a_bound_call_keeps_what_it_needs() -> None:
    given = states("pupper_leg", 20)
    out = made("pupper_leg").arrays(20)
    run = kernel(generic_states.case("pupper_leg").tree, RIGID_BODY).bound({"q": 1.0 * given["q"], "v": 1.0 * given["v"]}, out)
    gc.collect()
    run()
    assert same_bits(out, made("pupper_leg")(given["q"], given["v"]))


def test_a_bound_call_copies_nothing() -> None:
    function = made("pupper_leg")
    q = np.zeros((4, 6))[:, ::2]
    with pytest.raises(ValueError, match=r"^q of 'pupper_leg' would be copied: give a C-ordered"):
        function.bound({"q": q, "v": np.zeros((4, 3))}, function.arrays(4))
    with pytest.raises(ValueError, match=r"^v of 'pupper_leg' is missing"):
        function.bound({"q": np.zeros((4, 3))}, function.arrays(4))


Break = Callable[[dict[str, Any]], None]


def broken(name: str, index: Any, value: Any) -> Break:
    def change(state: dict[str, Any]) -> None:
        state[name][index] = value

    return change


def stretched(state: dict[str, Any]) -> None:
    state["q"][3:7] *= 1.0 + 2e-9


@pytest.mark.usefixtures("either_target")
@pytest.mark.parametrize(
    "spoil",
    [
        *(
            broken(name, i, value)
            for name, i in (("q", 0), ("q", 5), ("q", 18), ("v", 0), ("v", 17))
            for value in (np.nan, np.inf)
        ),
        broken("v", 3, -np.inf),
        broken("q", slice(3, 7), 0.0),
        broken("q", slice(3, 7), (0.0, 0.0, 0.0, 1.0 - 1.5e-9)),
        broken("q", slice(3, 7), (1e150, 0.0, 0.0, 0.0)),
        stretched,
    ],
)
def test_the_readable_codes_words_for_a_bad_state(spoil: Break) -> None:
    at, given = generic_states.case("mini_cheetah"), states("mini_cheetah", 12)
    state = {"q": at.q.copy(), "v": at.v.copy()}
    spoil(state)
    with pytest.raises(ValueError, match="mini_cheetah") as readable:
        reference.bias_force(at.tree, state["q"], state["v"])
    for place in (0, 6, 11):
        batch = {name: given[name].copy() for name in state}
        for name, values in state.items():
            batch[name][place] = values
            batch[name][11] = values  # the first one is named
        with pytest.raises(ValueError, match=f"^state {place}: ") as compiled:
            kernel(at.tree, ("bias_force",))(**batch)
        assert str(compiled.value) == f"state {place}: {readable.value}"


@pytest.fixture(params=["compiled", "NumPy"])
def either_target(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "NumPy":
        monkeypatch.setattr("leapcheck_reference.trace.kernel.compile_program", lambda *_: None)


def test_what_the_readable_code_takes_is_taken() -> None:
    at = generic_states.case("mini_cheetah")
    for factor in (1.0 + 0.98e-9, 1.0 - 0.98e-9, 1.0):
        q = at.q.copy()
        q[3:7] *= factor
        reference.mass_matrix(at.tree, q)
        made("mini_cheetah", ("mass_matrix",))(q[None])
    huge = np.full((1, 3), 1e300)
    made("pupper_leg", ("mass_matrix",))(np.zeros((1, 3)), huge)  # what no quantity needs is not looked at


def test_every_quaternion_is_looked_at() -> None:
    at = generic_states.case("random:20")
    first = 0
    for body in at.spec.bodies:
        kind, size = body.joint.type, CONFIGURATION_SIZE[body.joint.type]
        if kind in (JointType.FREE, JointType.BALL):
            q = at.q[None].copy()
            q[0, first + size - 4 : first + size] *= 1.0 - 1e-8
            with pytest.raises(ValueError, match=f"^state 0: q of 'random_20': the quaternion of body '{body.name}' has norm"):
                made("random:20")(q, at.v[None])
        first += size


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"q": np.zeros(3)}, r"^q of 'pupper_leg' has shape \(3,\): give \(n, 3\)$"),
        ({"q": np.zeros((4, 4))}, r"^q of 'pupper_leg' has shape \(4, 4\): give \(n, 3\)$"),
        ({"v": np.zeros((4, 3, 1))}, r"^v of 'pupper_leg' has shape \(4, 3, 1\): give \(n, 3\)$"),
        ({"v": np.zeros((4, 3), dtype=complex)}, "^v of 'pupper_leg' holds complex128: give real numbers$"),
        ({"v": np.full((4, 3), None)}, "^v of 'pupper_leg' holds object: give real numbers$"),
        ({"q": np.full((4, 3), "1")}, "^q of 'pupper_leg' holds <U1: give real numbers$"),
        ({"v": None}, "^v of 'pupper_leg' is missing: bias_force, mass_matrix need it$"),
        ({"q": None}, "^q of 'pupper_leg' is missing"),
        ({"v": np.zeros((5, 3))}, "^v of 'pupper_leg' holds 5 states, q 4$"),
    ],
)
def test_a_bad_batch_is_refused(change: dict[str, Any], message: str) -> None:
    given = {"q": np.zeros((4, 3)), "v": np.zeros((4, 3))} | change
    with pytest.raises(ValueError, match=message):
        made("pupper_leg", ("bias_force", "mass_matrix"))(**given)


@pytest.mark.parametrize(
    "spoiled",
    [
        np.zeros((4, 4)),
        np.zeros((5, 3)),
        np.zeros((4, 3), dtype=np.float32),
        np.zeros((3, 4)).T,
        np.zeros((4, 6))[:, ::2],
        None,
    ],
)
def test_a_bad_array_for_results_is_refused(spoiled: Any) -> None:
    function = made("pupper_leg", ("bias_force", "mass_matrix"))
    q, out = np.zeros((4, 3)), function.arrays(4)
    with pytest.raises(ValueError, match=r"^out\['bias_force'\] is no writeable C-ordered array \(4, 3\) of doubles: take it"):
        function(q, q, out={**out, "bias_force": spoiled})
    read_only = out["mass_matrix"].view()
    read_only.flags.writeable = False
    with pytest.raises(ValueError, match=r"^out\['mass_matrix'\] is no writeable"):
        function(q, q, out={**out, "mass_matrix": read_only})


@pytest.mark.parametrize(
    ("quantities", "message"),
    [
        ((), "^no quantities: give names, e.g. mass_matrix$"),
        (("mass_matrix", "mass"), "^unknown quantity 'mass': use one of mass_matrix"),
        (("__doc__",), "^unknown quantity '__doc__'"),
        (("kernel",), "^unknown quantity 'kernel': use one of mass_matrix"),
        (("build",), "^unknown quantity 'build': use one of mass_matrix"),
        (("test_force_response",), "^unknown quantity 'test_force_response': use one of mass_matrix"),
        (("forward_kinematics",), "^unknown quantity 'forward_kinematics': use one of mass_matrix"),
        (("composite_inertias",), "^unknown quantity 'composite_inertias': use one of mass_matrix"),
        (("bias_force", "sparse_mass_matrix"), "^unknown quantity 'sparse_mass_matrix'"),
        (("total_mass",), "^total_mass of 'pupper_leg' depend on no state"),
    ],
)
def test_what_is_no_quantity_is_refused(quantities: tuple[str, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kernel(generic_states.case("pupper_leg").tree, quantities)


def test_a_robot_that_cannot_move() -> None:
    spec = load("falling_rod")
    rod = replace(spec.bodies[0], joint=replace(spec.bodies[0].joint, type=JointType.FIXED))
    tree = build(replace(spec, bodies=(rod,), poses=()))
    function, nothing = kernel(tree, ("contact_positions", "mass_matrix")), np.zeros((3, 0))
    answers = function(nothing)
    assert answers["mass_matrix"].shape == (3, 0, 0)
    assert np.array_equal(answers["contact_positions"], [reference.contact_positions(tree, np.zeros(0))] * 3)


@pytest.mark.usefixtures("without_compiler")
def test_without_compiled_code() -> None:
    function, given = kernel(generic_states.case("pupper_leg").tree, RIGID_BODY), states("pupper_leg", 9)
    inputs, out = {name: given[name].copy() for name in ("q", "v")}, function.arrays(9)
    function.bound(inputs, out)()
    assert same_bits(out, made("pupper_leg")(**inputs))
    assert function.operations == made("pupper_leg").operations
    with pytest.raises(RuntimeError, match=r"^the block interface needs compiled code"):
        _ = function.block


def test_operations_of_a_state() -> None:
    graph = kernel_module.record(generic_states.case("mini_cheetah").tree, RIGID_BODY)
    checks = 32 + 1 + 1  # the sum of the other inputs, times 0; a quaternion's square norm, which is there already, less 1
    assert made("mini_cheetah").operations == graph.operation_count + 12 * 45 + checks


def test_kernels_come_and_go() -> None:
    given = states("pupper_leg", 9)
    expected = evaluated(made("pupper_leg"), given)
    for _ in range(5):
        few = [kernel(generic_states.case("pupper_leg").tree, RIGID_BODY) for _ in range(2)]
        del few[0]
        gc.collect()
        assert same_bits(evaluated(few[0], given), expected)


def test_threads() -> None:
    function, given = made("mini_cheetah"), states("mini_cheetah", 30)
    sizes = [1, 3, 8, 30] * 25
    expected = {size: evaluated(function, given, slice(0, size)) for size in set(sizes)}
    with ThreadPoolExecutor(4) as pool:
        for size, answers in zip(sizes, pool.map(lambda n: evaluated(function, given, slice(0, n)), sizes), strict=True):
            assert same_bits(answers, expected[size])


def test_memory_does_not_grow() -> None:
    function, given = made("pupper_leg"), states("pupper_leg", 3)
    rows = np.arange(163) % 3
    q, v = given["q"][rows], given["v"][rows]
    out = function.arrays(len(rows))

    def batches(count: int) -> int:
        for _ in range(count):
            function(q, v)
            function(q, v, out=out)
            function(q[:3], v[:3])
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        before = batches(100)
        resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert batches(BATCHES) - before <= GROWTH
    finally:
        tracemalloc.stop()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - resident
    assert grown <= RESIDENT * (1024 if sys.platform == "darwin" else 1)


def test_the_example_of_the_docstring() -> None:
    words = getdoc(kernel) or ""  # without the indentation, which Python 3.13 takes away by itself
    lines = [line.strip() for line in words.splitlines() if line.startswith("    ")]
    names: dict[str, Any] = {"build": build, "load": load, "kernel": kernel} | states("mini_cheetah", 2)
    exec("\n".join(lines), names)
    assert names["answers"]["mass_matrix"].shape == (2, 18, 18)
    assert same_bits(names["answers"], kernel_cases.made("mini_cheetah", ("mass_matrix", "bias_force"))(names["q"], names["v"]))


def test_is_imported_when_it_is_asked_for() -> None:
    script = """
import sys
import leapcheck_reference
assert not any(name.startswith(("leapcheck_reference.trace", "llvmlite")) for name in sys.modules)
from leapcheck_reference import Kernel, kernel
assert leapcheck_reference.kernel is kernel and callable(kernel) and isinstance(Kernel, type)
"""
    subprocess.run([sys.executable, "-c", script], check=True)
    with pytest.raises(AttributeError, match=r"^module 'leapcheck_reference' has no attribute 'kernels'$"):
        _ = reference.kernels
