"""Reproducers are run as their reader runs them: status 1 while the error is there, 0 when the engine is mended."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin
import pytest

from leapcheck.engines.mujoco import build as mujoco_build
from leapcheck.engines.mujoco.engine import MujocoEngine
from leapcheck.engines.outside.user import load_user_engine
from leapcheck.engines.pinocchio import build as pinocchio_build
from leapcheck.engines.pinocchio.engine import PinocchioEngine
from leapcheck.engines.protocol import Engine
from leapcheck.engines.registry import make_engine
from leapcheck.judge.evidence import evidence
from leapcheck.judge.reproducer.files import reproducer
from leapcheck.judge.reproducer.literals import comment, python_text, text_literal
from leapcheck.judge.reproducer.tables import robot_record
from leapcheck.judge.shrinking.models import part_of
from leapcheck.judge.shrinking.shrink import SmallestCase, smallest_case
from leapcheck.quantities import CORE, QUANTITIES, QuantityGroup, names_of_group
from leapcheck.records import Reproducer
from leapcheck.rounding import scale_free, scales
from leapcheck.sampling import generated_states
from leapcheck_models.mjcf import mjcf_text
from leapcheck_models.robots import load
from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.spec import RobotSpec
from leapcheck_models.spec_file import spec_of
from leapcheck_models.urdf import urdf_text

COMMAND = "leapcheck explain runs/example"

CLOSE = 0.05
"""Largest difference between a script's answer and the engine's, in units of what rounding allows; measured worst: 0.0083."""

ALONE = """
import runpy, sys
for name in ("leapcheck", "leapcheck_models", "leapcheck_reference"):
    sys.modules[name] = None
runpy.run_path(sys.argv[1], run_name="__main__")
"""


def heavier(text: str, tag: str, mass: str) -> str:
    """A model file with the shin too heavy by 1 %."""
    root = ET.fromstring(text)
    for link in root.iter(tag):
        if link.get("name") == "FR_knee":
            place = next(link.iter(mass)) if mass == "mass" else link.find(mass)
            assert place is not None
            key = "value" if mass == "mass" else "mass"
            place.set(key, repr(float(place.get(key, "nan")) * 1.01))
    return ET.tostring(root, encoding="unicode")


def mujoco_text(spec: RobotSpec) -> str:
    return heavier(mjcf_text(spec), "body", "inertial")


def pinocchio_text(spec: RobotSpec) -> str:
    return heavier(urdf_text(spec), "link", "mass")


class EditedMujoco(MujocoEngine):
    """Tells the text that it has read."""

    def __init__(self, spec: RobotSpec) -> None:
        self.model_text = mujoco_text(spec)
        m = mujoco.MjModel.from_xml_string(self.model_text)
        super().__init__("mujoco", spec, with_rotor_bodies(spec).spec, m, "an edited file", storage=True)


def edited_pinocchio(spec: RobotSpec) -> Engine:
    floating = [pin.JointModelFreeFlyer()] if spec.bodies[0].joint.type == "free" else []
    model = pin.buildModelFromXML(pinocchio_text(spec), *floating)
    full = with_rotor_bodies(spec).spec
    frames = pinocchio_build.contact_frames(full, model, links=True)
    return PinocchioEngine("pinocchio", spec, full, model, frames, "an edited file")


def run(folder: Path, text: str, *how: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_case.py").write_text(text, encoding="utf-8")
    return subprocess.run([sys.executable, *how, "test_case.py"], cwd=folder, capture_output=True, text=True, timeout=60)


def mended(text: str) -> str:
    """The heavier shin of the edited files put right."""
    wrong = repr(next(b for b in load("mini_cheetah").bodies if b.name == "FR_knee").inertia.mass * 1.01)
    assert wrong in text
    return text.replace(wrong, repr(float(wrong) / 1.01))


@pytest.mark.parametrize(
    ("name", "make", "model"),
    [("mujoco", EditedMujoco, lambda _: "the whole robot's"), ("pinocchio", edited_pinocchio, pinocchio_text)],
)
def test_an_edited_file(
    tmp_path: Path, name: str, make: Callable[[RobotSpec], Engine], model: Callable[[RobotSpec], str]
) -> None:
    """Shrunk to the shin, run without leapcheck, and run again with the file put right."""
    spec = load("mini_cheetah")
    small = smallest_case(spec, make, "bias_force", generated_states(spec, 48, 0, 0))
    assert [body.name for body in small.spec.bodies] == ["FR_knee"]
    found = reproducer(name, small, "bias_force", COMMAND, model(small.spec))
    assert (found.bodies, found.error) == (("FR_knee",), small.error)
    assert "trunk" in found.removed
    assert "FL_knee_rotor" in found.removed

    wrong = run(tmp_path, found.script, "-c", ALONE)
    assert wrong.returncode == 1, wrong.stderr
    error = float(re.findall(r"error (\S+) of the largest true entry", wrong.stdout)[0])
    assert error == pytest.approx(small.error, rel=1e-2)
    right = run(tmp_path, mended(found.script), "-c", ALONE)
    assert right.returncode == 0, right.stdout + right.stderr

    if name == "pinocchio":
        return  # the test as a file is the same in all but its last lines
    failing = run(tmp_path, found.test, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert (failing.returncode, "1 failed" in failing.stdout) == (1, True), failing.stdout
    passing = run(tmp_path, mended(found.test), "-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert (passing.returncode, "1 passed" in passing.stdout) == (0, True), passing.stdout


MODULE = """
from dataclasses import replace

import leapcheck_reference as reference

SHARE = 1.0


def heavier(body):
    return replace(body, inertia=replace(body.inertia, mass=SHARE * body.inertia.mass)) if body.name == "HL_hip" else body


def engine(spec):
    tree = reference.build(replace(spec, bodies=tuple(map(heavier, spec.bodies))))
    return {"bias_force": lambda q, v: reference.bias_force(tree, q, v)}
"""


def test_a_module_of_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The factory gives a dict; the files run in the folder of the module."""
    module = tmp_path / "shrunk_case_dynamics.py"
    module.write_text(MODULE.replace("SHARE = 1.0", "SHARE = 1.001"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    target, spec = "shrunk_case_dynamics:engine", load("mini_cheetah")
    small = smallest_case(spec, partial(load_user_engine, target), "bias_force", generated_states(spec, 48, 0, 0))
    found = reproducer(target, small, "bias_force", COMMAND)
    assert {"HL_hip"} <= set(found.bodies) <= {"HL_abad", "HL_hip"}
    assert len(found.state) <= 1

    wrong = run(tmp_path, found.script)
    assert (wrong.returncode, f"{small.error:.3g}" in wrong.stdout) == (1, True), wrong.stdout + wrong.stderr
    failing = run(tmp_path, found.test, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert (failing.returncode, "1 failed" in failing.stdout) == (1, True), failing.stdout
    module.write_text(MODULE, encoding="utf-8")
    right = run(tmp_path, found.script)
    assert right.returncode == 0, right.stdout + right.stderr


ENGINES = ("mujoco", "mujoco-urdf", "pinocchio", "pinocchio-mjcf", "reference")

ROBOTS = {
    "leg": ENGINES,  # the Mini Cheetah with one leg: a floating base, rotors, an inertia that no body has
    "random:29": ENGINES,  # two roots, a rotor, armature, tilted gravity
    "random:20": ("mujoco", "pinocchio", "pinocchio-mjcf", "reference"),  # a ball joint, a fixed link: not for URDF
    "random:22": ("mujoco", "pinocchio"),  # a link fixed to the world, tilted gravity
    "box": ("mujoco", "pinocchio"),  # no joint but the base's
}


@pytest.mark.parametrize(("robot", "name"), [(robot, name) for robot, names in ROBOTS.items() for name in names])
def test_a_script_gives_the_engine_s_own_answer(robot: str, name: str) -> None:
    """Every quantity, at a generic state; right engines have no error there."""
    spec = one_leg() if robot == "leg" else load(robot)
    engine, state = make_engine(name, spec), generated_states(spec, 1, 7, 0)
    asked = [
        quantity
        for quantity in sorted(engine.quantities & {*CORE, *names_of_group(QuantityGroup.MUJOCO)})
        if not (quantity.startswith("contact_") and not any(point.computed for point in spec.contact_points))
        and not (QUANTITIES[quantity].in_mujoco_coordinates and name == "reference")
    ]
    for quantity in asked:
        seen = evidence(spec, engine, state, (quantity,))
        allowed = float(seen.allowed[quantity][0])
        made = reproducer(name, SmallestCase(spec, state, 0.0, allowed, 0), quantity, COMMAND)
        space: dict[str, object] = {"__name__": "reproducer"}
        exec(compile(made.script, "reproducer.py", "exec"), space)
        answer = np.asarray(space["found"](), dtype=float)
        own = seen.raw[quantity][0]
        assert answer.shape == own.shape, quantity
        assert np.abs(answer - own).max() <= CLOSE * allowed * max(1.0, np.abs(own).max()), quantity
        assert space["errors"](answer).max() <= allowed, quantity
        if not QUANTITIES[quantity].in_mujoco_coordinates:
            right = seen.expected[quantity]
            off = scale_free(np.full_like(right, 1e-3), scales(quantity, right))[0]
            np.testing.assert_allclose(space["errors"](right[0] + 1e-3), off, rtol=1e-6, err_msg=quantity)


@pytest.mark.parametrize("quantity", ["mass_matrix", "contact_jacobians", "bias_force", "kinetic_energy"])
@pytest.mark.parametrize(("name", "text"), [("mujoco-3.10.0", mjcf_text), ("mujoco-3.10.0", urdf_text), ("pin-4.0.0", urdf_text)])
def test_a_file_for_another_version(name: str, text: Callable[[RobotSpec], str], quantity: str) -> None:
    """Run in this version: the file's numbers are taken as they stand, and named is the version that is meant."""
    spec = replace(load("random:29"), gravity=(0.0, 0.0, -9.81))  # URDF has no word for another one
    spec = replace(spec, bodies=tuple(replace(b, joint=replace(b.joint, armature=0.0)) for b in spec.bodies))
    state = generated_states(spec, 1, 7, 0)
    allowed = float(evidence(spec, make_engine("reference", spec), state, (quantity,)).allowed[quantity][0])
    found = reproducer(name, SmallestCase(spec, state, 0.1, allowed, 0), quantity, COMMAND, text(spec))
    assert name.replace("-", "==") in found.script
    space: dict[str, object] = {"__name__": "reproducer"}
    exec(compile(found.script, "reproducer.py", "exec"), space)
    assert space["errors"](space["found"]()).max() <= allowed
    assert space["errors"](np.nan * space["found"]()).min() == np.inf


@pytest.mark.parametrize(("engine", "text"), [("mujoco", mjcf_text), ("mujoco-urdf", urdf_text), ("pinocchio-mjcf", mjcf_text)])
def test_nothing_is_written_over_a_file_of_another(engine: str, text: Callable[[RobotSpec], str]) -> None:
    spec = one_leg()
    case = SmallestCase(spec, generated_states(spec, 1, 0, 0), 0.1, 1e-13, 0)
    assert "\nINERTIAS = " in reproducer(engine, case, "mass_matrix", COMMAND).script
    assert "\nINERTIAS = " not in reproducer(engine, case, "mass_matrix", COMMAND, text(spec)).script


def test_a_version_without_its_file_has_no_files() -> None:
    assert example("mujoco-3.10.0").script == ""


def test_a_file_says_what_made_it_and_nothing_of_this_machine() -> None:
    found = example("mujoco")
    for text in (found.script, found.test):
        assert f"# Made by: {COMMAND}" in text
        assert str(Path.cwd()) not in text
        assert not re.search(r"(?<![\w.])/(home|root|tmp|usr|work)/", text)
        assert "leapcheck" not in text.replace(f"# Made by: {COMMAND}", "")


def test_equal_cases_give_equal_files() -> None:
    assert example("pinocchio") == example("pinocchio")


def test_what_a_robot_is_called_cannot_break_a_file() -> None:
    """Names with quotes, backslashes and words of Python."""
    spec = load("two_link_arm")
    text = '"""\\'
    name = "it's " + text + " \\N{BULLET}'''"
    spec = RobotSpec(
        name=name,
        bodies=tuple(
            type(body)(**{**{f: getattr(body, f) for f in body.__dataclass_fields__}, "name": f"{name} {i}", "parent": parent})
            for i, (body, parent) in enumerate(zip(spec.bodies, ("world", f"{name} 0"), strict=True))
        ),
    )
    state = generated_states(spec, 1, 0, 0)
    for engine in ("mujoco", "pinocchio", "my_module:factory"):
        found = reproducer(engine, SmallestCase(spec, state, 0.1, 1e-13, 0), "mass_matrix", 'say """\n import os')
        compile(found.script, "script", "exec")
        compile(found.test, "test", "exec")
        assert "\n import os" not in found.script
    space: dict[str, object] = {"__name__": "reproducer"}
    exec(reproducer("mujoco", SmallestCase(spec, state, 0.1, 1e-13, 0), "mass_matrix", "").script, space)
    assert space["errors"](space["found"]()).max() < 1e-13


@pytest.mark.parametrize("robot", ["mini_cheetah", "random:20", "random:29"])
def test_a_spec_is_read_back_from_its_plain_record(robot: str) -> None:
    spec = load(robot)
    again = spec_of(eval(python_text(robot_record(spec))))
    state = generated_states(spec, 1, 0, 0)
    for name in ("mass_matrix", "bias_force", "contact_positions"):
        answers = [make_engine("reference", robot).evaluate(state, (name,))[name] for robot in (spec, again)]
        assert np.array_equal(*answers)
    assert [p.name for p in again.contact_points] == [p.name for p in spec.contact_points]


def test_literals() -> None:
    value = [("a", (1.0, -2.5e-300)), ("b'\"", (np.pi,) * 12), ["", ()]]
    assert eval(python_text(value)) == value  # our own text
    assert max(map(len, python_text(value).splitlines())) <= 120
    assert eval(python_text(np.eye(9))) == np.eye(9).tolist()
    for text in ("a\nb\n", 'a"', 'a"""b', "a\\b", "\x00", ""):
        assert eval(text_literal(text)) == text
    assert all(line.startswith("# ") for line in comment("x\n" + 80 * "word ").splitlines())


def one_leg() -> RobotSpec:
    return part_of(load("mini_cheetah"), ["trunk", "FR_abad", "FR_hip", "FR_knee"])


def example(engine: str) -> Reproducer:
    spec = load("two_link_arm")
    return reproducer(engine, SmallestCase(spec, generated_states(spec, 1, 0, 0), 0.1, 1e-13, 0), "bias_force", COMMAND)


def test_exact_values_are_those_of_the_adapter() -> None:
    """An inertia that MuJoCo refuses: the script writes it as the adapter does, to the bit of the masses and coms."""
    spec = one_leg()
    full = with_rotor_bodies(spec).spec
    m = mujoco_build.model_from_mjcf(spec, full)
    state = generated_states(spec, 1, 7, 0)
    script = reproducer("mujoco", SmallestCase(spec, state, 0.1, 1e-13, 0), "mass_matrix", COMMAND).script
    written = re.search(r"^INERTIAS = (\[.*?^\])", script, re.MULTILINE | re.DOTALL)
    assert written
    for name, mass, com, _ in eval(written[1]):
        number = mujoco.mj_name2id(m, mujoco.mjtObj.mjOBJ_BODY, name)
        assert (m.body_mass[number], tuple(m.body_ipos[number])) == (mass, com)
