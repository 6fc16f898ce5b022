"""Engines in a process of their own: conventions converted, batches in flight, libraries refused, and no process left behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from leapcheck.engines.errors import EngineError
from leapcheck.engines.outside import user
from leapcheck.engines.outside.engine import OutsideEngine
from leapcheck.engines.outside.load import load_engine
from leapcheck.engines.outside.user import user_engine
from leapcheck.engines.registry import make_engine
from leapcheck.quantities import CANONICAL
from leapcheck.sampling import States, generated_states, join_states
from leapcheck_models.robots import load
from tests.harness.engines.engine_cases import error, near_states
from tests.harness.processes import alive, wait_for

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "tests" / "examples" / "engines"
HEADERS = ROOT / "harness" / "leapcheck" / "engines" / "outside"
PROGRAM = f"pipe:{sys.executable} {EXAMPLES / 'pipe_program.py'}"
FORCES = ("mass_matrix", "bias_force", "gravity_force")
OF_MUJOCO = (
    *("coriolis_force", "forward_dynamics", "contact_jacobians", "contact_bias_accelerations"),
    *("inverse_dynamics", "minverse", "com_jacobian", "com_bias_acceleration", "frame_jacobians", "frame_jacobian_rates"),
)
NAMES = ("mass_matrix", "gravity_force", "kinetic_energy", "potential_energy")

OWN = """
from dataclasses import replace
import mujoco, numpy as np, pinocchio as pin
from leapcheck.engines.mujoco import build as mujoco_build
from leapcheck.engines.pinocchio import build as pinocchio_build

class InMujoco:
    conventions = {"quaternion": "wxyz", "base_velocity": "mixed", "order": "linear first"}
    def __init__(self, spec):
        self.m = mujoco_build.model_from_mjcf(spec, spec)
        self.d = mujoco.MjData(self.m)
        self.bodies = [self.m.body(body.name).id for body in spec.bodies]
        self.sites = [self.m.site(p.name).id for p in spec.contact_points if p.computed]
    def at(self, q, v=0.0, tau=0.0):
        self.d.qpos[:], self.d.qvel[:], self.d.qfrc_applied[:] = q, v, tau
        mujoco.mj_kinematics(self.m, self.d); mujoco.mj_comPos(self.m, self.d); mujoco.mj_crb(self.m, self.d)
        mujoco.mj_comVel(self.m, self.d)
    def mass_matrix(self, q):
        self.at(q)
        M = np.zeros((self.m.nv, self.m.nv))
        mujoco.mj_fullM(self.m, self.d, M)
        return M
    def bias_force(self, q, v):
        self.at(q, v)
        h = np.zeros(self.m.nv)
        mujoco.mj_rne(self.m, self.d, 0, h)
        return h
    def gravity_force(self, q):
        return self.bias_force(q, 0.0)
    def coriolis_force(self, q, v):
        return self.bias_force(q, v) - self.bias_force(q, 0.0)
    def forward_dynamics(self, q, v, tau):
        return np.linalg.solve(self.mass_matrix(q), tau - self.bias_force(q, v))
    def contact_jacobians(self, q):
        self.at(q)
        J = np.zeros((len(self.sites), 3, self.m.nv))
        for k, site in enumerate(self.sites):
            mujoco.mj_jacSite(self.m, self.d, J[k], None, site)
        return J
    def contact_bias_accelerations(self, q, v):
        self.at(q, v)
        a, Jdot = np.zeros((len(self.sites), 3)), np.zeros((3, self.m.nv))
        for k, site in enumerate(self.sites):
            mujoco.mj_jacDot(self.m, self.d, Jdot, None, self.d.site_xpos[site], self.m.site_bodyid[site])
            a[k] = Jdot @ v
        return a
    def inverse_dynamics(self, q, v, vdot):
        self.at(q, v)
        self.d.qacc[:] = vdot
        tau = np.zeros(self.m.nv)
        mujoco.mj_rne(self.m, self.d, 1, tau)
        return tau + self.m.dof_armature * vdot
    def minverse(self, q):
        return np.linalg.inv(self.mass_matrix(q))
    def frame_rows(self, function):
        places = [(self.d.xpos[b], b) for b in self.bodies]
        places += [(self.d.site_xpos[s], self.m.site_bodyid[s]) for s in self.sites]
        J = np.zeros((len(places), 6, self.m.nv))
        for k, (point, body) in enumerate(places):
            function(self.m, self.d, J[k, 3:], J[k, :3], point, body)
        return J
    def frame_jacobians(self, q):
        self.at(q)
        return self.frame_rows(mujoco.mj_jac)
    def frame_jacobian_rates(self, q, v):
        self.at(q, v)
        return self.frame_rows(mujoco.mj_jacDot)
    def com_jacobian(self, q):
        self.at(q)
        J = np.zeros((3, self.m.nv))
        mujoco.mj_jacSubtreeCom(self.m, self.d, J, 0)
        return J
    def com_bias_acceleration(self, q, v):
        self.at(q, v)
        Jdot, a = np.zeros((3, self.m.nv)), np.zeros(3)
        for body in range(1, self.m.nbody):
            mujoco.mj_jacDot(self.m, self.d, Jdot, None, self.d.xipos[body], body)
            a += self.m.body_mass[body] / self.m.body_subtreemass[0] * (Jdot @ v)
        return a

class InPinocchio:
    def __init__(self, spec):
        joint = lambda body: replace(body.joint, limits=(-9.0, 9.0)) if body.joint.axis else body.joint
        spec = replace(spec, bodies=tuple(replace(body, joint=joint(body)) for body in spec.bodies))  # no joint as a circle
        self.model = pinocchio_build.model_from_urdf(spec)
        pinocchio_build.write_exact_values(spec, self.model)
        self.data = self.model.createData()
        joints = list(self.model.names)[2:]
        self.conventions = {"quaternion": "xyzw", "order": "linear first", "joints": joints}
    def mass_matrix(self, q):
        M = pin.crba(self.model, self.data, q)
        return np.triu(M) + np.triu(M, 1).T
    def bias_force(self, q, v):
        return pin.nonLinearEffects(self.model, self.data, q, v)
    def forward_dynamics(self, q, v, tau):
        return pin.aba(self.model, self.data, q, v, tau)
"""

IN_WORLD = """
import numpy as np
import leapcheck_reference as reference

def rotation(quaternion):
    x, y, z, w = quaternion
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * K + 2 * K @ K

class InWorld:
    conventions = {"quaternion": "xyzw", "base_velocity": "world", "order": "angular first"}
    def __init__(self, spec):
        self.tree = reference.build(spec)
    def split(self, q):
        R, T = rotation(q[3:7]), np.eye(len(q) - 1)
        T[:3, :3] = T[3:6, 3:6] = R
        return np.r_[q[:3], q[6], q[3:6], q[7:]], T
    def mass_matrix(self, q):
        own, T = self.split(q)
        return T @ reference.mass_matrix(self.tree, own) @ T.T
    def bias_force(self, q, u):
        own, T = self.split(q)
        v, Tdot_v = T.T @ u, np.zeros(len(u))
        Tdot_v[3:6] = np.cross(u[:3], u[3:6])  # d/dt (R v_B) at constant v_B
        M = reference.mass_matrix(self.tree, own)
        return T @ (reference.bias_force(self.tree, own, v) - M @ T.T @ Tdot_v)
    def gravity_force(self, q):
        own, T = self.split(q)
        return T @ reference.gravity_force(self.tree, own)
"""

C_ENGINE = """
#include <string.h>
#include "leapcheck_engine.h"
int leapcheck_abi(void) { return ABI; }
const char *leapcheck_describe(void) { return DESCRIPTION; }
const char *leapcheck_error(void) { return "no more\\nmemory"; }
int leapcheck_evaluate(const char *quantity, size_t n, const double *q, const double *v, const double *tau, double *out)
{
    (void)v; (void)tau;
    if (strcmp(quantity, "kinetic_energy") == 0) return 1;
    if (strcmp(quantity, "gravity_force") == 0) return 0;
    for (size_t i = 0; i < n; i++) {
        if (q[2 * i] > LIMIT) *(volatile int *)0 = 1;
        out[i] = q[2 * i];
    }
    return 0;
}
"""
GOOD = {
    "ABI": "1",
    "LIMIT": "1e9",
    "DESCRIPTION": 'LEAPCHECK_PRECISION "nq = 2; nv = 2; quantities = potential_energy kinetic_energy gravity_force"',
}
needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")


def written(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text, encoding="utf-8")


def library(folder: Path, **defined: str) -> str:
    """A shared library out of the text above."""
    written(folder, "own.c", C_ENGINE)
    words = [f"-D{name}={value}" for name, value in (GOOD | defined).items()]
    subprocess.run(["gcc", "-shared", "-fPIC", f"-I{HEADERS}", *words, "own.c", "-o", "libown.so"], cwd=folder, check=True)
    return "./libown.so"


@pytest.mark.parametrize(
    ("module", "engine", "quantities"),
    [
        (OWN, "InMujoco", (*FORCES, *OF_MUJOCO)),
        (OWN, "InPinocchio", ("mass_matrix", "bias_force", "forward_dynamics")),
        (IN_WORLD, "InWorld", FORCES),
    ],
)  # fmt: skip
def test_declared_conventions_are_converted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, engine: str, quantities: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "own.py", module)
    spec = load("mini_cheetah_armature")
    states = near_states(spec, 24)
    found = load_engine(f"own:{engine}", spec)
    assert found.quantities == set(quantities)
    expected = make_engine("reference", spec).evaluate(states, quantities)
    M = make_engine("reference", spec).evaluate(states, ("mass_matrix",))["mass_matrix"]
    for name, answer in found.evaluate(states, quantities).items():
        assert error(name, answer, expected[name], M, states.v) < 1e-11, name


@needs_gcc
@pytest.mark.parametrize("version", ["1", "2"])
def test_a_library_of_version_1_is_not_asked_for_what_takes_accelerations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    """2: its source was built with the header of version 2."""
    monkeypatch.chdir(tmp_path)
    described = "quantities = potential_energy inverse_dynamics"
    path = library(tmp_path, DESCRIPTION=f'LEAPCHECK_PRECISION "nq = 2; nv = 2; {described}"', ABI=version)
    spec = load("two_link_arm")
    engine, states = load_engine(path, spec), generated_states(spec, 16, 0, 0)
    assert engine.quantities == {"potential_energy"}
    words = "inverse_dynamics: version 1 of the C ABI hands over no vdot: define leapcheck_evaluate_states"
    assert any(line.endswith(words) for line in engine.not_compared)
    np.testing.assert_array_equal(engine.evaluate(states, ("potential_energy",))["potential_energy"], states.q[:, 0])


ECHO = """
#include <string.h>
#include "leapcheck_engine.h"
int leapcheck_abi(void) { return LEAPCHECK_ABI; }
const char *leapcheck_describe(void) { return LEAPCHECK_PRECISION "nq = 2; nv = 2; quantities = inverse_dynamics bias_force "
    "inverse_dynamics_with_contacts"; }
int leapcheck_evaluate_states(const char *quantity, const leapcheck_states *states, leapcheck_real *out)
{
    int inverse = strcmp(quantity, "inverse_dynamics") == 0;
    if (inverse && !states->vdot) return 1;
    int contacts = strcmp(quantity, "inverse_dynamics_with_contacts") == 0;
    if (contacts && !states->contact_forces) return 1;
    for (size_t k = 0; k < 2 * states->n; k++)
        if (contacts)
            out[k] = states->contact_forces[3 * (k / 2) + 1 + k % 2];
        else
            out[k] = states->q[k] + 10 * states->v[k] + 100 * states->tau[k] + (inverse ? 1000 * states->vdot[k] : 0);
    return 0;
}
"""
"""Version 2 of the ABI: an answer that has each part of a state in it."""


@needs_gcc
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_a_library_of_version_2_is_handed_each_part_of_a_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, precision: str
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "echo.c", ECHO)
    define = ["-DLEAPCHECK_FLOAT32"] if precision == "float32" else []
    command = ["gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{HEADERS}", *define]
    subprocess.run([*command, "echo.c", "-o", "libecho.so"], cwd=tmp_path, check=True)
    spec = load("two_link_arm")
    engine, states = load_engine("./libecho.so", spec), generated_states(spec, 64, 0, 0)
    contacts = "inverse_dynamics_with_contacts"
    assert engine.quantities == {"inverse_dynamics", "bias_force", contacts}
    found = engine.evaluate(states, ("bias_force", "inverse_dynamics", contacts))
    sums = states.q + 10 * states.v + 100 * states.tau
    tolerance = 1e-12 if precision == "float64" else 1e-5
    np.testing.assert_allclose(found["bias_force"], sums, rtol=tolerance, atol=tolerance * np.abs(sums).max())
    largest = 1000 * np.abs(states.vdot).max()
    np.testing.assert_allclose(found["inverse_dynamics"], sums + 1000 * states.vdot, rtol=tolerance, atol=tolerance * largest)
    np.testing.assert_allclose(found[contacts], states.contact_forces[:, 1:], rtol=tolerance)


def test_header_and_docstring_list_every_quantity() -> None:
    header, page = (HEADERS / "leapcheck_engine.h").read_text(encoding="utf-8"), user.__doc__ or ""
    assert [name for name in CANONICAL if f" {name} " not in header] == []
    assert [name for name in CANONICAL if f"`{name}(" not in page] == []


PIPE = """
import json, struct, sys
import numpy as np
KNOWN, LEAVES = 1, "--leaves" in sys.argv
def read(n):
    found = sys.stdin.buffer.read(n)
    if len(found) < n: sys.exit(0)
    return found
while True:
    _, head, body = struct.unpack("<4sIQ", read(16))
    header, payload, out = json.loads(read(head)), read(body), b""
    if header["ask"] == "hello":
        reply = {"name": "echo", "quantities": ["inverse_dynamics"], "protocol": KNOWN}
        if "--new" in sys.argv:
            assert header["frames"][0] == "upper_arm" and (header["links"], header["rotors"], header["constraints"]) == (2, 0, 0)
            reply |= {"protocol": header["protocol"], "quantities": [n for n, s in header["shapes"].items() if s == [2]]}
        elif header["protocol"] != KNOWN:
            if LEAVES: sys.exit(3)
            reply = {"error": "version " + str(header["protocol"]) + " is unknown"}
    else:
        given = {n: np.ndarray(s, d, payload, o) for n, d, s, o in header["arrays"]}
        out = np.ascontiguousarray(given["vdot"] if "vdot" in given else given["tau"]).tobytes()
        out += bytes(header["answer_bytes"] - len(out))
        reply = {}
    text = json.dumps(reply).encode()
    sys.stdout.buffer.write(struct.pack("<4sIQ", b"LEAP", len(text), len(out)) + text + out)
    sys.stdout.buffer.flush()
"""


@pytest.mark.parametrize(("words", "version"), [("", 1), (" --leaves", 1), (" --new", 2)])
def test_a_program_of_either_version_of_the_protocol(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, version: int
) -> None:
    """One of version 1 that refuses, or leaves at, what it does not know; one of version 2, by the shapes in its hello."""
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "echo.py", PIPE)
    spec = load("two_link_arm")
    engine, states = load_engine(f"pipe:{sys.executable} echo.py{words}", spec), generated_states(spec, 16, 0, 0)
    assert isinstance(engine, OutsideEngine)
    assert engine.protocol == version
    assert "inverse_dynamics" in engine.quantities
    assert version == 1 or {"com_position", "mass_matrix"}.isdisjoint(engine.quantities)
    np.testing.assert_array_equal(engine.evaluate(states, ("inverse_dynamics",))["inverse_dynamics"], states.vdot)


def test_a_version_of_the_protocol_that_there_is_not_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "echo.py", PIPE.replace("KNOWN, LEAVES = 1", "KNOWN, LEAVES = 3"))
    with pytest.raises(EngineError, match="version 2 is unknown"):
        load_engine(f"pipe:{sys.executable} echo.py", load("two_link_arm"))
    written(tmp_path, "echo.py", PIPE.replace('"protocol": KNOWN}', '"protocol": 3}'))
    with pytest.raises(EngineError, match="speaks version 3 of the protocol: use 1 to 2"):
        load_engine(f"pipe:{sys.executable} echo.py", load("two_link_arm"))


def test_undeclared_conventions_are_the_canonical_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "own.py", IN_WORLD.replace("conventions =", "undeclared ="))
    spec = load("mini_cheetah_armature")
    states = near_states(spec, 8)
    found = load_engine("own:InWorld", spec).evaluate(states, ("mass_matrix",))["mass_matrix"]
    assert np.abs(found - make_engine("reference", spec).evaluate(states, ("mass_matrix",))["mass_matrix"]).max() > 0.1


def test_a_description_overrides_what_the_engine_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "code").mkdir()
    written(tmp_path / "code", "own.py", IN_WORLD.replace('"angular first"', '"linear first"'))
    written(tmp_path / "code", "own.toml", 'python = "own:InWorld"\n[conventions]\norder = "angular first"\n')
    spec = load("mini_cheetah_armature")
    states = near_states(spec, 8)
    found = load_engine("code/own.toml", spec).evaluate(states, ("mass_matrix",))["mass_matrix"]
    np.testing.assert_allclose(
        found, make_engine("reference", spec).evaluate(states, ("mass_matrix",))["mass_matrix"], atol=1e-13
    )


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ('{"joints": ["elbow"]}', "conventions: joints leave out 'shoulder': name each joint that moves"),
        ('{"joints": ["elbow", "knee"]}', "conventions: joints name 'knee', which the robot lacks: it has shoulder, elbow"),
        ('{"joints": ["elbow", "elbow", "shoulder"]}', "conventions: joints name 'elbow' twice"),
        ('{"joints": 3}', "conventions: joints are 3: give a list of names"),
        ('{"order": "first"}', 'conventions: order is \'first\': use "angular first" or "linear first"'),
        ("3", "conventions are 3: give a table"),
    ],
)
def test_wrong_conventions_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, declared: str, message: str) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "own.py", f"def make(spec):\n    return dict(conventions={declared}, potential_energy=lambda q: 0.0)\n")
    with pytest.raises(EngineError, match=f"^engine 'own:make': {message}"):
        load_engine("own:make", load("two_link_arm"))


def test_a_misspelt_quantity_is_a_limit_or_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = "dict(massmatrix=abs, potential_energy=lambda q: 0.0)"
    written(tmp_path, "own.py", f"def make():\n    return {made}\nwrong = lambda: dict(massmatrix=abs)\n")
    engine = load_engine("own:make", load("box"))
    words = "engine 'own:make': dict has 'massmatrix': did you mean 'mass_matrix'?"
    assert isinstance(engine, OutsideEngine)
    assert engine.not_compared == (words,)
    with pytest.raises(EngineError, match="holds one robot only"):  # a factory without an argument
        engine.rebuild(load("two_link_arm"))
    with pytest.raises(EngineError, match=words.replace("make", "wrong").replace("?", "[?]")):
        load_engine("own:wrong", load("box"))


def test_what_cannot_be_converted_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written(
        tmp_path,
        "own.py",
        "def make(spec):\n    return dict(conventions={'base_velocity': 'world'}, bias_force=lambda q, v: v)\n",
    )
    with pytest.raises(EngineError, match="bias_force in a base velocity in world axes cannot be converted without mass_matrix"):
        load_engine("own:make", load("box"))


@pytest.mark.parametrize("words", ["", " --memory"])
def test_batches_in_flight_come_back_in_order(words: str) -> None:
    spec = load("two_link_arm")
    blocks = [generated_states(spec, 256, seed, 0) for seed in range(3)]
    engine = load_engine(PROGRAM + words, spec)
    assert isinstance(engine, OutsideEngine)
    engine.submit(blocks[0], NAMES)
    engine.submit(blocks[1], NAMES)
    with pytest.raises(RuntimeError, match="2 batches are in flight: collect one first"):
        engine.submit(blocks[2], NAMES)
    found = [{name: values.copy() for name, values in engine.collect().items()}]
    engine.submit(blocks[2], NAMES)
    found += [{name: values.copy() for name, values in engine.collect().items()} for _ in range(2)]
    for states, answers in zip(blocks, found, strict=True):
        for name, values in engine.evaluate(states, NAMES).items():
            np.testing.assert_array_equal(answers[name], values)


@pytest.mark.parametrize("words", ["", " --memory"])
def test_many_states_go_through_in_batches(words: str) -> None:
    spec = load("two_link_arm")
    states = join_states([generated_states(spec, 20_000, 0, unit) for unit in range(50)])
    engine = load_engine(PROGRAM + words, spec)
    expected = make_engine("reference", spec).evaluate(states[12_000:], NAMES)
    for name, values in engine.evaluate(states, NAMES).items():
        np.testing.assert_allclose(values[12_000:], expected[name], rtol=1e-9, atol=1e-9)
    assert engine.evaluate(states[:0], NAMES)["mass_matrix"].shape == (0, 2, 2)


def test_a_robot_of_other_sizes_is_refused() -> None:
    with pytest.raises(EngineError, match="it has nq = 2, robot 'box' has 7: compare it with its own robot"):
        load_engine(PROGRAM, load("box"))


def test_a_python_factory_is_remade_in_the_same_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    written(
        tmp_path, "own.py", "import os\ndef make(spec):\n    return dict(potential_energy=lambda q: os.getpid() + spec.nv / 10)\n"
    )
    engine = load_engine("own:make", load("two_link_arm"))
    assert isinstance(engine, OutsideEngine)
    other = engine.rebuild(load("box"))

    def answer(engine: OutsideEngine, robot: str) -> float:
        states = generated_states(load(robot), 1, 0, 0)
        return float(engine.evaluate(states, ("potential_energy",))["potential_energy"][0])

    first, second, again = answer(engine, "two_link_arm"), answer(other, "box"), answer(engine, "two_link_arm")
    assert (first, second) == (again, pytest.approx(first + 0.4))
    with pytest.raises(EngineError, match="holds one robot only"):
        load_engine(PROGRAM, load("two_link_arm")).rebuild(load("box"))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how much memory another process has")
def test_a_leak_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    leaking = "def make(spec):\n    kept = []\n    def leaks(q):\n        kept.append(b'x' * 2**20)\n        return 0.0\n"
    written(tmp_path, "own.py", f"{leaking}    return dict(potential_energy=leaks, kinetic_energy=lambda q, v: 0.0)\n")
    written(tmp_path, "own.toml", 'python = "own:make"\nmemory = 0.05\n')
    spec = load("two_link_arm")
    engine, states = load_engine("own.toml", spec), generated_states(spec, 30, 0, 0)
    engine.evaluate(states, ("potential_energy",))
    engine.evaluate(states, ("potential_energy",))
    with pytest.raises(EngineError, match=r"had grown by 0\.0\d+ GiB since its first answer and was ended while answering pot"):
        engine.evaluate(states, ("potential_energy",))
    for _ in range(5):
        engine.evaluate(states, ("kinetic_energy",))


LEAKS = {
    "in one call": "[kept.append(bytearray(b'x' * 2**20)) for _ in range(4000)]",
    "in a child": "kept.append(subprocess.Popen([sys.executable, 'leak.py'])); time.sleep(60)",
}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how much memory another process has")
@pytest.mark.parametrize("leak", LEAKS)
def test_a_leak_is_stopped_in_the_middle_of_a_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, leak: str) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "leak.py", "kept = []\nwhile True:\n    kept.append(b'x' * 2**20)\n")
    head = "import subprocess, sys, time\nkept = []\ndef make(spec):\n"
    written(tmp_path, "own.py", f"{head}    def leaks(q):\n        if q[0] < 7: return 0.0\n        {LEAKS[leak]}\n"
            "        return 0.0\n    return dict(potential_energy=leaks)\n")  # fmt: skip
    written(tmp_path, "own.toml", 'python = "own:make"\nmemory = 0.3\n')
    spec = load("two_link_arm")
    engine, states = load_engine("own.toml", spec), generated_states(spec, 1, 0, 0)
    engine.evaluate(states, ("potential_energy",))
    states.q[0, 0] = 7.0
    with pytest.raises(
        EngineError, match=r"had grown by 0\.\d+ GiB since its first answer and was ended while answering pot"
    ) as caught:
        engine.evaluate(states, ("potential_energy",))
    grown = float(str(caught.value).partition("grown by ")[2].split()[0])
    assert 0.3 <= grown < 0.6  # a look every 20 ms, at 5 GiB a second


MISDEEDS = {
    "standard input is closed": "os.closerange(0, 1)",
    "standard output is closed": "os.closerange(1, 2)",
    "standard output is another": "os.dup2(os.open('/dev/null', os.O_WRONLY), 1)",
    "sys.stdout is nothing": "sys.stdout = None",
    "a copy goes on beside it": "os.fork()",
}
RAISED = ("KeyboardInterrupt", "GeneratorExit", "SystemExit(3)", "type('Own', (BaseException,), {})")


@pytest.mark.parametrize("misdeed", MISDEEDS)
def test_an_engine_that_spoils_its_process_still_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, misdeed: str) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "own.py", f"import os, sys\ndef make(spec):\n    def f(q):\n        {MISDEEDS[misdeed]}\n"
            "        return float(q[0])\n    return dict(potential_energy=f)\n")  # fmt: skip
    spec = load("two_link_arm")
    engine, states = load_engine("own:make", spec), generated_states(spec, 3, 0, 0)
    for k in range(3):
        answer = engine.evaluate(states[k : k + 1], ("potential_energy",))["potential_energy"]
        assert answer.tolist() == states.q[k : k + 1, 0].tolist()


@pytest.mark.parametrize("raised", RAISED)
@pytest.mark.parametrize("hosted", [True, False])
def test_whatever_is_raised_is_an_error_of_the_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, raised: str, hosted: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "own.py", f"def make(spec):\n    def f(q):\n        raise {raised}\n    return dict(potential_energy=f)\n")
    spec = load("two_link_arm")
    expected, engine = EngineError, load_engine("own:make", spec)
    if not hosted:
        own: dict[str, Any] = {}
        exec((tmp_path / "own.py").read_text(), own)
        engine = user_engine(own["make"], spec, "own:make")
        if raised == "KeyboardInterrupt":  # in this process it is the user's Ctrl-C
            expected = KeyboardInterrupt
    with pytest.raises(expected, match=r"^$" if expected is KeyboardInterrupt else "engine 'own:make'"):
        engine.evaluate(generated_states(spec, 1, 0, 0), ("potential_energy",))


def test_what_is_asked_after_an_interrupt_is_not_answered_by_what_came_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The judge asks again when a run is interrupted: answers to the batches before were on their way."""
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "own.py", "import os, signal\ndef make(spec):\n    def f(q):\n"
            "        if q[0] == 7: os.kill(os.getppid(), signal.SIGINT)\n"
            "        return float(q[0])\n    return dict(potential_energy=f)\n")  # fmt: skip
    spec = load("two_link_arm")
    engine, states = load_engine("own:make", spec), generated_states(spec, 256, 0, 0)
    states.q[100, 0] = 7.0
    monkeypatch.setattr("leapcheck.engines.outside.link.FIRST", 32)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started the tests may ignore it
    try:
        with pytest.raises(KeyboardInterrupt):
            engine.evaluate(states, ("potential_energy",))
    finally:
        signal.signal(signal.SIGINT, before)
    states.q[100, 0] = 8.0
    answer = engine.evaluate(states[100:132], ("potential_energy",))["potential_energy"]
    assert answer.tolist() == states.q[100:132, 0].tolist()


def test_shared_memory_cannot_be_made_shorter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever touches what is no longer there is ended by SIGBUS."""
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "own.py", "import os\ndef make(spec):\n    def f(q):\n        for n in os.listdir('/proc/self/fd'):\n"
            "            if 'memfd:leapcheck' in os.path.realpath(f'/proc/self/fd/{n}'): os.ftruncate(int(n), 0)\n"
            "    return dict(potential_energy=f)\n")  # fmt: skip
    spec = load("two_link_arm")
    with pytest.raises(EngineError, match="not permitted"):
        load_engine("own:make", spec).evaluate(generated_states(spec, 1, 0, 0), ("potential_energy",))


CHILDREN = {
    "a fork": "os.fork() or time.sleep(60)",
    "a program": "subprocess.Popen(['sleep', '60'])",
    "a program in a session of its own": "subprocess.Popen(['sleep', '60'], start_new_session=True)",
    "an orphan": "subprocess.run(['sh', '-c', 'setsid sleep 60 &'])",
    "one that keeps the pipes open": "subprocess.Popen(['sleep', '60'], close_fds=False)",
}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the environment of another process")
@pytest.mark.parametrize("child", CHILDREN)
@pytest.mark.parametrize("dies", [False, True])
def test_what_an_engine_starts_ends_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, child: str, dies: bool) -> None:
    """And a dead engine is seen at once, whoever holds its pipes."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LEAPCHECK_TEST_MARK", str(tmp_path))
    written(tmp_path, "own.py", f"import os, subprocess, sys, time\ndef make(spec):\n    def f(q):\n        {CHILDREN[child]}\n"
            f"        if {dies}: os.abort()\n        return 0.0\n    return dict(potential_energy=f)\n")  # fmt: skip
    spec = load("two_link_arm")
    engine, states = load_engine("own:make", spec), generated_states(spec, 1, 0, 0)
    if dies:
        with pytest.raises(EngineError, match="crashed with SIGABRT"):
            engine.evaluate(states, ("potential_energy",))
    else:
        engine.evaluate(states, ("potential_energy",))
    engine.close()
    assert not [pid for pid in marked(str(tmp_path)) if alive(pid)]


def marked(mark: str) -> list[int]:
    """Processes with that value of our variable in their environment; this one got it too late to show it."""
    wanted = f"LEAPCHECK_TEST_MARK={mark}".encode()
    return [int(path.parent.name) for path in Path("/proc").glob("[0-9]*/environ") if wanted in content(path)]


def content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


@needs_gcc
def test_a_crash_of_a_library_is_narrowed_to_its_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    spec = load("two_link_arm")
    states = generated_states(spec, 256, 0, 0)
    worst = int(states.q[:, 0].argmax())
    second = float(np.sort(states.q[:, 0])[-2])
    engine = load_engine(library(tmp_path, LIMIT=repr(second)), spec)
    message = rf"crashed with SIGSEGV while answering potential_energy\(q\) at state {worst}: correct it"
    with pytest.raises(EngineError, match=message):
        engine.evaluate(states, ("potential_energy",))
    rest = [i for i in range(256) if i != worst]
    right = States(states.q[rest], states.v[rest], states.tau[rest], states.index[rest], ("",) * 255)
    np.testing.assert_array_equal(engine.evaluate(right, ("potential_energy",))["potential_energy"], right.q[:, 0])
    with pytest.raises(EngineError, match="kinetic_energy failed: no more memory: correct it"):
        engine.evaluate(states, ("kinetic_energy",))
    with pytest.raises(EngineError, match=r"gravity_force\(q\) at state 0 gave nan at entry \(1,\)"):  # it writes no answer
        engine.evaluate(states, ("gravity_force",))


@needs_gcc
@pytest.mark.parametrize(
    ("defined", "message"),
    [
        ({"ABI": "7"}, "has version 7 of the ABI, this leapcheck has 1 to 2: build it with its leapcheck_engine.h"),
        ({"DESCRIPTION": '"quantities = potential_energy"'}, "the key 'precision' is missing"),
        ({"DESCRIPTION": 'LEAPCHECK_PRECISION "sizes = 3"'}, "'sizes = 3' is no entry: write key = value"),
        ({"DESCRIPTION": 'LEAPCHECK_PRECISION "nq = two"'}, "nq is 'two': give a whole number"),
        ({"DESCRIPTION": 'LEAPCHECK_PRECISION "nq = 19; quantities = potential_energy"'}, "it has nq = 19, robot "),
        ({"DESCRIPTION": 'LEAPCHECK_PRECISION "quantities = mass"'}, "answers 'mass', which is no quantity: use mass_matrix"),
        ({"leapcheck_evaluate": "another"}, "has no function leapcheck_evaluate: define it"),
        ({"leapcheck_evaluate": "another", "ABI": "2"}, "has no function leapcheck_evaluate_states: define it"),
    ],
)  # fmt: skip
def test_a_library_that_does_not_fit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, defined: dict[str, str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(EngineError, match=f"^engine './libown.so': .*{message}"):
        load_engine(library(tmp_path, **defined), load("two_link_arm"))


@pytest.mark.parametrize("hangs", [False, True])
def test_no_process_outlives_its_parent(tmp_path: Path, hangs: bool) -> None:
    written(tmp_path, "own.py", "import os, subprocess\ndef make(spec):\n    def f(q):\n"
            "        child = subprocess.Popen(['sleep', '60'], start_new_session=True)\n"
            "        open('pid', 'w').write(f'{os.getpid()} {child.pid}')\n"
            f"        while {hangs}: pass\n        return 0.0\n    return dict(potential_energy=f)\n")  # fmt: skip
    code = (
        "import time\nfrom leapcheck.engines.outside.load import load_engine\nfrom leapcheck.sampling import generated_states\n"
        "from leapcheck_models.robots import load\nspec = load('two_link_arm')\n"
        "load_engine('own:make', spec).evaluate(generated_states(spec, 1, 0, 0), ('potential_energy',))\ntime.sleep(60)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path)
    try:
        children = wait_for(lambda: [int(word) for word in (tmp_path / "pid").read_text().split()] or None)
        os.kill(parent.pid, signal.SIGKILL)
    finally:
        parent.wait()
    wait_for(lambda: not any(alive(child) for child in children) or None)
