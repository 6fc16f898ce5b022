"""C99: compiles without a warning as C and as C++, gives the kernel's bits, and says what it is."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leapcheck_models.arrays import Array
from leapcheck_models.spec import spec_hash
from leapcheck_reference.trace.c99 import CFunction, c_files, comment, identifier
from leapcheck_reference.trace.c_robot import CONTROLLER, robot_function
from leapcheck_reference.trace.graph import Graph, Node, Op
from leapcheck_reference.trace.record import record
from tests.reference import generic_states
from tests.reference.trace.numpy_program import NumpyProgram

WARNINGS = ("-Wall", "-Wextra", "-Werror", "-pedantic")
C99 = ("-std=c99", *WARNINGS, "-O2", "-ffp-contract=off")
COMPILERS = [
    pytest.param(name, marks=pytest.mark.skipif(shutil.which(name) is None, reason=f"no {name}")) for name in ("gcc", "clang")
]
BESIDES = ("inverse_dynamics", "forward_dynamics", "kinetic_energy", "total_mass")


def compiled(function: CFunction, folder: Path, compiler: str, options: Sequence[str] = C99) -> Any:
    """The function, loaded."""
    for name, text in c_files(function).items():
        (folder / name).write_text(text)
    library = folder / f"{function.name}.so"
    subprocess.run([compiler, *options, "-shared", "-fPIC", "-o", library, f"{function.name}.c", "-lm"], cwd=folder, check=True)
    return getattr(ctypes.CDLL(str(library)), function.name)


def called(entry: Any, graph: Graph, state: dict[str, Array]) -> dict[str, Array]:
    """Each output at one state."""
    out = {name: np.full(nodes.shape, np.nan) for name, nodes in graph.outputs.items()}
    given = [np.ascontiguousarray(state[name]) for name in graph.inputs]
    entry(*(array.ctypes.data_as(ctypes.c_void_p) for array in (*given, *out.values())))
    return out


def bits(array: Array) -> Array:
    return np.ascontiguousarray(array).view(np.int64)


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("robot", ["mini_cheetah", "two_link_arm", "box", "random:2", "random:26"])
def test_the_same_bits_as_the_numpy_program(tmp_path: Path, robot: str, compiler: str) -> None:
    at = generic_states.case(robot)
    function = robot_function(at.spec, CONTROLLER if robot == "mini_cheetah" else (*CONTROLLER, *BESIDES))
    entry, program = compiled(function, tmp_path, compiler), NumpyProgram(function.graph)
    for seed in range(1, 6):
        at = generic_states.case(robot, seed)
        state = {name: getattr(at, name) for name in function.graph.inputs}
        expected = program({name: values[None] for name, values in state.items()})
        for name, values in called(entry, function.graph, state).items():
            assert np.array_equal(bits(values), bits(expected[name][0])), name


@pytest.mark.parametrize("compiler", COMPILERS)
def test_every_operation_has_the_same_bits(tmp_path: Path, compiler: str) -> None:
    a, b, k = 0, 1, 2
    operations = {
        "abs_of": Node(Op.ABS, (a,)),
        "max_of": Node(Op.MAX, (a, b)),
        "sqrt_of": Node(Op.SQRT, (a,)),
        "round_of": Node(Op.ROUND, (a,)),
        "odd_of": Node(Op.ODD, (k, a, b)),
        "flip_of": Node(Op.FLIP, (k, a)),
        "div_of": Node(Op.DIV, (a, b)),
        "neg_of": Node(Op.NEG, (a,)),
    }
    nodes = (*(Node(Op.INPUT, (), i) for i in range(3)), *operations.values())
    graph = Graph(nodes, {"x": (3,)}, {name: np.array(3 + i) for i, name in enumerate(operations)})
    function = CFunction("operations", graph, ["every operation"], dict.fromkeys((*graph.inputs, *graph.outputs), ""))
    entry, program = compiled(function, tmp_path, compiler), NumpyProgram(graph)
    rng = np.random.default_rng(3)
    for k in (*range(-5, 6), 2**40 + 3, -(2**40) - 2):
        for x in (*rng.normal(scale=5.0, size=8), 0.5, 1.5, -2.5, 2.0**50 + 0.5, np.nan):
            state = np.array([x, rng.normal(), float(k)])
            expected = program({"x": state[None]})
            for name, value in called(entry, graph, {"x": state}).items():
                assert np.array_equal(value, expected[name][0], equal_nan=True), (name, state)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")
def test_nothing_undefined_happens_to_nan_and_infinity(tmp_path: Path) -> None:
    function = robot_function(generic_states.case("pupper_leg").spec, ("mass_matrix",))
    for name, text in c_files(function).items():
        (tmp_path / name).write_text(text)
    (tmp_path / "user.c").write_text(f"""
#include "{function.name}.h"
#include <math.h>
int main(void) {{
    const double values[] = {{NAN, INFINITY, -INFINITY, 1e300, -1e19}};
    for (int i = 0; i < 5; i++) {{
        const double q[3] = {{values[i], values[i], values[i]}};
        double M[3][3];
        {function.name}(q, M);
    }}
    return 0;
}}
""")
    sanitizers = ("-fsanitize=undefined,float-cast-overflow", "-fsanitize-undefined-trap-on-error")
    subprocess.run(["gcc", *C99, *sanitizers, "user.c", f"{function.name}.c", "-o", "user"], cwd=tmp_path, check=True)
    subprocess.run([tmp_path / "user"], check=True)


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")
def test_is_c_plus_plus_too(tmp_path: Path) -> None:
    function = robot_function(generic_states.case("pupper_leg").spec)
    compiled(function, tmp_path, "g++", ("-x", "c++", "-std=c++17", *WARNINGS))
    (tmp_path / "user.cpp").write_text(f'#include "{function.name}.h"\nauto entry = {function.name};\n')
    subprocess.run(["g++", "-std=c++11", *WARNINGS, "-c", "user.cpp"], cwd=tmp_path, check=True)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")
def test_needs_nothing_of_any_library(tmp_path: Path) -> None:
    function = robot_function(generic_states.case("random:2").spec)
    for name, text in c_files(function).items():
        (tmp_path / name).write_text(text)
    subprocess.run(["gcc", *C99, "-c", f"{function.name}.c"], cwd=tmp_path, check=True)
    listed = subprocess.run(["nm", "-u", f"{function.name}.o"], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert listed.stdout.replace("_GLOBAL_OFFSET_TABLE_", "").split() in ([], ["U"])


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")
def test_fast_mathematics_is_refused(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        compiled(robot_function(generic_states.case("box").spec), tmp_path, "gcc", ("-O2", "-ffast-math", "-w"))


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")
def test_a_name_and_a_source_of_any_kind(tmp_path: Path) -> None:
    spec = replace(generic_states.case("two_link_arm").spec, name='7 legs/*"', source="a*/ b /* c ??/ \\ \n#error")
    function = robot_function(spec, ("bias_force", "mass_matrix", "bias_force"))
    assert function.name == "_7_legs____dynamics"
    assert list(function.graph.outputs) == ["bias_force", "mass_matrix"]
    compiled(function, tmp_path, "gcc")


def test_the_header_says_what_it_is() -> None:
    spec = generic_states.case("mini_cheetah").spec
    header = c_files(robot_function(spec))["mini_cheetah_dynamics.h"]
    text = " ".join(header.replace("\n *", " ").split())
    for words in (
        spec_hash(spec),
        f"leapcheck generate mini_cheetah --c {' '.join(CONTROLLER)} -o DIR",
        "operations (+ - * / sqrt)",
        "q[0..6] v[0..5] trunk: p_WB (m), quaternion w x y z",
        "q[18] v[17] HL_knee: angle (rad)",
        "point 15: HL_foot",
        "contact_jacobians[16][3][18]: J (points, 3, nv): world velocity of each point is J v",
        "double (*MINI_CHEETAH_DYNAMICS_RESTRICT contact_jacobians)[3][18]",
    ):
        assert words in text


def test_one_quantity_names_the_function() -> None:
    spec = generic_states.case("mini_cheetah").spec
    assert list(c_files(robot_function(spec, ("mass_matrix",)))) == ["mini_cheetah_mass_matrix.h", "mini_cheetah_mass_matrix.c"]


def test_equal_robots_give_equal_text() -> None:
    spec = generic_states.case("random:2").spec
    assert c_files(robot_function(spec)) == c_files(robot_function(replace(spec)))


def test_constants_are_exact() -> None:
    constant = 0.1 + 0.2
    graph = Graph((Node(Op.CONSTANT, (), constant),), {"q": (1,)}, {"x": np.array(0)})
    source = c_files(CFunction("f", graph, [], {"q": "", "x": ""}))["f.c"]
    assert f"{constant.hex()}; /* {constant!r} */" in source


def test_sines_are_refused() -> None:
    graph = record(generic_states.case("two_link_arm").tree, ("mass_matrix",))
    with pytest.raises(ValueError, match=r"no .*cos.*give lowered"):
        CFunction("f", graph, [], {})


def test_identifiers_and_comments() -> None:
    assert [identifier(text) for text in ("a-b.c", "3d", "é")] == ["a_b_c", "_3d", "_"]
    assert comment(["x", "", "*/"]) == "/*\n * x\n *\n * * /\n */"
