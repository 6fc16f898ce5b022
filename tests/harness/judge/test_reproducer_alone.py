"""Reproducers of users' engines run with NumPy and the engine alone: nothing else can be imported where they run."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from leapcheck.coordinates.frame_derivatives import DERIVATIVES
from leapcheck.coordinates.frames import CONVERTED
from leapcheck.engines.outside.load import load_engine
from leapcheck.engines.outside.user import user_engine
from leapcheck.engines.protocol import Engine
from leapcheck.judge.evidence import evidence
from leapcheck.judge.reproducer.files import reproducer
from leapcheck.judge.shrinking.shrink import SmallestCase
from leapcheck.quantities import CORE, QuantityGroup, answer_shape, names_of_group
from leapcheck.records import Reproducer
from leapcheck.sampling import generated_states
from leapcheck.system.tables import Column, csv_bytes, parquet_bytes
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec
from tests.examples.engines import pipe_program

ARM = load("two_link_arm")
STATE = generated_states(ARM, 1, 7, 0)
WRONG, RIGHT = 2.1, pipe_program.M1
"""Mass of the first link (kg)."""

MODULE = """
import numpy as np
import pipe_program

pipe_program.M1 = MASS


class Arm:
    conventions = {"joints": ["elbow", "shoulder"]}

    def __init__(self, robot):
        forearm = robot.bodies[robot.body_index("forearm")]
        assert (robot.nv, forearm.parent, forearm.joint.type, robot.parent_index(forearm)) == (2, "upper_arm", "revolute", 0)

    def mass_matrix(self, q):
        return pipe_program.answer("mass_matrix", q[None, ::-1], None)[0, ::-1, ::-1]


class Blocks:
    quantities = ("mass_matrix",)

    def evaluate(self, states, quantities):
        return {name: pipe_program.answer(name, states.q, states.v) for name in quantities}


def mass_matrix(q):
    return pipe_program.answer("mass_matrix", q[None], None)[0]
"""

LIBRARY = """
#include <math.h>
#include "leapcheck_engine.h"
int leapcheck_abi(void) { return LEAPCHECK_ABI; }
const char *leapcheck_describe(void) { return LEAPCHECK_PRECISION "nq = 2; nv = 2; quantities = mass_matrix"; }
#ifdef BY_STATES
int leapcheck_evaluate_states(const char *quantity, const leapcheck_states *states, leapcheck_real *out) {
    const leapcheck_real *q = states->q;
#else
int leapcheck_evaluate(const char *quantity, size_t n, const leapcheck_real *q, const leapcheck_real *v,
                       const leapcheck_real *tau, leapcheck_real *out) {
#endif
    double c = 0.1 * cos(q[1]);
    out[0] = 0.055 + 0.0625 * MASS + 0.29 + 2 * c, out[1] = out[2] = 0.055 + c, out[3] = 0.055;
    return 0;
}
"""

CONTACTS = "inverse_dynamics_with_contacts"
WITH_CONTACTS = """
def with_contacts(given):
    q, v, f = given["q"], given["v"], given["contact_forces"]
    first, both = q[:, 0], q[:, 0] + q[:, 1]
    tau = np.einsum("nij,nj->ni", answer("mass_matrix", q, v), given["vdot"]) + answer("gravity_force", q, v)
    k = M2 * L1 * C2 * np.sin(q[:, 1])
    tau += np.stack([-k * (2.0 * v[:, 0] * v[:, 1] + v[:, 1] ** 2), k * v[:, 0] ** 2], axis=1)
    forearm = 0.4 * (np.cos(both) * f[:, 2] - np.sin(both) * f[:, 0])
    return tau SIGN np.stack([forearm + L1 * (np.cos(first) * f[:, 2] - np.sin(first) * f[:, 0]), forearm], axis=1)


"""


@pytest.fixture(scope="module")
def numpy_alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder from which NumPy can be imported and nothing else."""
    folder, packages = tmp_path_factory.mktemp("numpy_alone"), Path(np.__file__).parents[1]
    for name in ("numpy", "numpy.libs"):
        if (packages / name).is_dir():
            (folder / name).symlink_to(packages / name)
    return folder


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the comparison, with the example's program."""
    shutil.copy(pipe_program.__file__, tmp_path / "pipe_program.py")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    yield tmp_path
    for name in {"pipe_program", "arm_module"} & (set(sys.modules) - before):
        del sys.modules[name]


PYTHON = sys.executable


def case_of(name: str, engine: Any, quantity: str = "mass_matrix") -> Reproducer:
    """The files on one quantity at one state."""
    seen = evidence(ARM, engine, STATE, (quantity,))
    error, allowed = seen.worst_error(quantity), float(seen.allowed[quantity][0])
    case = SmallestCase(ARM, STATE, error, allowed, 0, (), engine, seen.answers[quantity][0])
    return reproducer(name, case, quantity, "leapcheck compare", cause="[model] the upper arm's mass is off.")


def outcome(script: str, packages: Path) -> tuple[int, str]:
    """Exit status and line of a script that finds the packages of one folder alone."""
    Path("reproducer.py").write_text(script, encoding="utf-8")
    command = [sys.executable, "-S", "reproducer.py"]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": str(packages)}, capture_output=True, text=True, timeout=60, check=False
    )
    said = [line for line in (done.stdout + done.stderr).splitlines(keepends=True) if PYTHON not in line.split(": can't open")]
    assert len(said) == 1, said
    return done.returncode, said[0]


def write_module(mass: float) -> None:
    shutil.rmtree("__pycache__", ignore_errors=True)  # bytecode is told apart by size and second: a mended file has both alike
    Path("arm_module.py").write_text(MODULE.replace("MASS", repr(mass)), encoding="utf-8")


def write_program(mass: float) -> None:
    text = Path(pipe_program.__file__).read_text(encoding="utf-8")
    changed = text.replace(f"G = {RIGHT}", f"G = {mass}")
    assert (changed == text) == (mass == RIGHT)
    Path("pipe_program.py").write_text(changed, encoding="utf-8")


def write_contacts(sign: str) -> None:
    """The arm's inverse dynamics with a force at its tip, in closed form."""
    text = Path(pipe_program.__file__).read_text(encoding="utf-8")
    text = text.replace('answer(place[0], given["q"], given["v"])', "with_contacts(given)").replace(
        "NAMES = [", f'NAMES = ["{CONTACTS}", '
    )
    Path("pipe_program.py").write_text(text.replace("def read_exactly", WITH_CONTACTS.replace("SIGN", sign) + "def read_exactly"))


def write_library(mass: float, *options: str) -> None:
    Path("arm.c").write_text(LIBRARY.replace("MASS", repr(mass)), encoding="utf-8")
    headers = Path(sys.modules[load_engine.__module__].__file__ or "").parent
    partial = Path("libarm.so.part")  # the library that is loaded keeps its file
    subprocess.run(["gcc", "-shared", "-fPIC", f"-I{headers}", *options, "arm.c", "-o", partial, "-lm"], check=True)
    partial.replace("libarm.so")


def write_recording(mass: float, name: str) -> None:
    first = pipe_program.M1
    pipe_program.M1 = mass
    q = np.vstack([STATE.q + 1.0, STATE.q])
    M = pipe_program.answer("mass_matrix", q, None).reshape(2, -1)
    pipe_program.M1 = first
    columns = {f"{key}_{i}": column.tolist() for key, rows in (("q", q), ("mass_matrix", M)) for i, column in enumerate(rows.T)}
    match Path(name).suffix:
        case ".npz":
            np.savez(name, q=q, mass_matrix=M.reshape(2, 2, 2))
        case ".csv":
            Path(name).write_bytes(csv_bytes({key: Column("float64", values) for key, values in columns.items()}))
        case _:
            Path(name).write_bytes(parquet_bytes({key: Column("float64", values) for key, values in columns.items()}))


KINDS: dict[str, Callable[[float], None]] = {
    "arm_module:Arm": write_module,
    "arm_module:Blocks": write_module,
    f"pipe:{PYTHON} pipe_program.py": write_program,
    f"pipe:{PYTHON} pipe_program.py --memory": write_program,
    "recorded.npz": lambda mass: write_recording(mass, "recorded.npz"),
    "recorded.csv": lambda mass: write_recording(mass, "recorded.csv"),
    "./libarm.so": write_library,
    "libarm.so": lambda mass: write_library(mass, "-DBY_STATES"),
}


@pytest.mark.parametrize("name", KINDS)
def test_the_error_is_there_then_gone_then_the_engine_is(name: str, here: Path, numpy_alone: Path) -> None:
    if name.endswith(".so") and shutil.which("gcc") is None:
        pytest.skip("no gcc")
    KINDS[name](WRONG)
    engine = load_engine(name, ARM)
    try:
        script = case_of(name, engine).script
    finally:
        getattr(engine, "close", lambda: None)()
    status, line = outcome(script, numpy_alone)
    assert (status, "the error is there: entry [0, 0] is " in line) == (1, True), line
    KINDS[name](RIGHT)
    status, line = outcome(script, numpy_alone)
    assert (status, "the error is gone: entry " in line) == (0, True), line
    for file in ("arm_module.py", "pipe_program.py", "recorded.npz", "recorded.csv", "libarm.so"):
        Path(file).unlink(missing_ok=True)
    assert outcome(script, numpy_alone)[0] == 2
    status, line = outcome(script, here / "nothing")
    assert (status, line) == (2, "could not run: No module named 'numpy': pip install numpy\n")


@pytest.mark.parametrize("option", ["", " --memory"])
def test_accelerations_and_contact_forces_go_through_the_pipe(option: str, here: Path, numpy_alone: Path) -> None:
    name = f"pipe:{PYTHON} pipe_program.py{option}"
    write_contacts("+")
    engine = load_engine(name, ARM)
    try:
        script = case_of(name, engine, CONTACTS).script
    finally:
        getattr(engine, "close", lambda: None)()
    assert outcome(script, numpy_alone)[0] == 1
    write_contacts("-")
    assert outcome(script, numpy_alone)[0] == 0


def test_parquet_needs_its_package_and_says_so(here: Path, numpy_alone: Path) -> None:
    write_recording(WRONG, "recorded.parquet")
    script = case_of("recorded.parquet", load_engine("recorded.parquet", ARM)).script
    assert outcome(script, numpy_alone) == (2, "could not run: No module named 'pyarrow': pip install numpy pyarrow\n")
    done = subprocess.run([sys.executable, "reproducer.py"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1, done.stderr


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")
def test_single_precision_that_is_put_right_is_gone(here: Path, numpy_alone: Path) -> None:
    write_library(WRONG, "-DLEAPCHECK_FLOAT32")
    engine = load_engine("./libarm.so", ARM)
    script = case_of("./libarm.so", engine).script
    getattr(engine, "close", lambda: None)()
    assert outcome(script, numpy_alone)[0] == 1
    write_library(RIGHT, "-DLEAPCHECK_FLOAT32")
    assert outcome(script, numpy_alone)[0] == 0


def test_what_is_handed_over_in_python(here: Path, numpy_alone: Path) -> None:
    """A class and a module go by their names; for an object there is a function to fill in."""
    write_module(WRONG)
    arm_module = importlib.import_module("arm_module")

    for source in (arm_module.Arm, arm_module):
        assert outcome(case_of("mine", user_engine(source, ARM)).script, numpy_alone)[0] == 1
    script = case_of("mine", user_engine({"mass_matrix": arm_module.mass_matrix}, ARM)).script
    status, line = outcome(script, numpy_alone)
    assert (status, "return your engine in make_engine" in line) == (2, True), line
    filled = script.replace(
        "    raise NotImplementedError", "    import arm_module\n    return arm_module\n    raise NotImplementedError"
    )
    assert outcome(filled, numpy_alone)[0] == 1


def test_an_answer_of_another_shape_could_not_be_compared(here: Path, numpy_alone: Path) -> None:
    write_module(WRONG)
    script = case_of("arm_module:Blocks", load_engine("arm_module:Blocks", ARM)).script
    Path("arm_module.py").write_text(MODULE.replace("MASS", "2.0").replace("states.v)", "states.v)[:, :1]"), encoding="utf-8")
    status, line = outcome(script, numpy_alone)
    assert (status, line) == (2, "could not run: ValueError: the answer has the shape (1, 2) instead of (2, 2)\n")


def test_a_stranger_reads_what_is_wrong_and_why(here: Path) -> None:
    write_module(WRONG)
    arm_module = importlib.import_module("arm_module")

    script = case_of("arm_module:mass_matrix", user_engine({"mass_matrix": arm_module.mass_matrix}, ARM)).script
    prose = " ".join(script.split('"""')[1].split())
    M = pipe_program.answer("mass_matrix", STATE.q, None)[0]
    assert "Mass matrix M of arm_module:mass_matrix is off by 0.0" in prose
    assert f"; true is {M[0, 0]:.12g}"[:-1] in prose
    assert "Entry [shoulder, shoulder] is" in prose
    assert "Why, by leapcheck: [model] the upper arm's mass is off." in prose
    assert "2 bodies, 2 degrees of freedom. The state: zero but for shoulder = " in prose
    assert "1 the error is there, 0 it is gone, 2 the engine could not be run" in prose


def check_converts_as_the_adapter(engine: Engine, spec: RobotSpec, functions: dict[str, Any], name: str, tolerance: float) -> str:
    """The file's text, whose conversion of the functions' answers is that of the engine."""
    state = generated_states(spec, 1, 7, 0)
    own = engine.evaluate(state, (name,))[name][0]
    space: dict[str, Any] = {"__name__": "reproducer"}
    text = reproducer("mine", SmallestCase(spec, state, 1.0, 1e-13, 0, (), engine), name, "").script
    exec(compile(text, "reproducer.py", "exec"), space)
    space["make_engine"] = lambda: SimpleNamespace(**functions)
    np.testing.assert_allclose(space["found"](), own, rtol=tolerance, atol=tolerance, err_msg=name)
    return text


@pytest.mark.parametrize("base_velocity", ["body", "world", "mixed"])
def test_answers_in_a_declared_convention_are_those_of_the_adapter(base_velocity: str) -> None:
    """Any numbers do: the file converts them as the adapter does."""
    spec = load("random:30")  # a floating base
    rng = np.random.default_rng(3)
    numbers = {name: rng.normal(size=answer_shape(name, spec)) for name in CORE}
    functions: dict[str, Any] = {name: lambda *_, value=value: value for name, value in numbers.items()}
    words = {"quaternion": "xyzw", "base_velocity": base_velocity, "order": "linear first"}
    engine = user_engine(functions | {"conventions": words}, spec, "mine")
    for name in CORE:
        check_converts_as_the_adapter(engine, spec, functions, name, 1e-13)


@pytest.mark.parametrize("frame", ["local", "world", "robot com", "spatial"])
def test_frames_in_a_declared_form_are_those_of_the_adapter(frame: str) -> None:
    spec = load("random:30")
    rng = np.random.default_rng(3)
    names = (*names_of_group(QuantityGroup.KINEMATICS), "com_position", "com_velocity", "operational_inertia_inverse")
    numbers = {name: rng.normal(size=answer_shape(name, spec)) for name in names}
    functions: dict[str, Any] = {name: lambda *_, value=value: value for name, value in numbers.items()}
    key = {"robot com": "frame_point", "spatial": "frame_acceleration"}.get(frame, "reference_frame")
    words = {"base_velocity": "mixed", "order": "linear first", "frame_order": "linear first", key: frame}
    engine = user_engine(functions | {"conventions": words}, spec, "mine")
    for name in names:
        text = check_converts_as_the_adapter(engine, spec, functions, name, 1e-12)
        assert name not in CONVERTED or f'{key} = "{frame}"' in text


@pytest.mark.parametrize("frame", ["local", "world", "com"])
def test_derivatives_of_frames_in_a_declared_form_are_those_of_the_adapter(frame: str) -> None:
    spec = load("random:25")
    rng = np.random.default_rng(3)
    names = (*names_of_group(QuantityGroup.KINEMATICS), *DERIVATIVES)
    numbers = {name: rng.normal(size=answer_shape(name, spec)) for name in names}
    functions: dict[str, Any] = {name: lambda *_, value=value: value for name, value in numbers.items()}
    key = "frame_point" if frame == "com" else "reference_frame"
    words = {"order": "linear first", "frame_order": "linear first", key: frame}
    engine = user_engine(functions | {"conventions": words}, spec, "mine")
    for name in DERIVATIVES:
        assert f'{key} = "{frame}"' in check_converts_as_the_adapter(engine, spec, functions, name, 1e-12)


def test_engines_that_are_leapcheck_s_own_adapters_have_no_files() -> None:
    case = SmallestCase(ARM, STATE, 0.1, 1e-13, 0)
    assert reproducer("drake", case, "mass_matrix", "").script == reproducer("Mine", case, "qM", "").script == ""
