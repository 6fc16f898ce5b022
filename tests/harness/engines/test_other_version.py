"""An engine in a process of its own, here with this environment's Python: the same numbers, and errors in words."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from leapcheck.engines import other_version
from leapcheck.engines.errors import EngineError
from leapcheck.engines.other_version.engine import Kind, OtherVersion, Package, RegistryOutOfReach, environment
from leapcheck.judge.evidence import evidence
from leapcheck.sampling import generated_states
from leapcheck_models.mjcf import mjcf_text
from leapcheck_models.robots import load
from leapcheck_models.urdf import urdf_text
from tests.mujoco_axes import IS_EXACT

HERE = Path(sys.executable)
TEXTS = {"mjcf": mjcf_text, "urdf": urdf_text}

GENERIC = pytest.mark.skipif(not IS_EXACT, reason="before 3.14 MuJoCo found principal axes to 1e-7 only")
"""Of robots whose inertias are not along the links' axes."""

CASES = [
    pytest.param("random:20", "mujoco", "mjcf", marks=GENERIC),
    ("tree4_7", "pin", "mjcf"),
    pytest.param("tree4_7", "mujoco", "urdf", marks=GENERIC),
    ("pupper_leg", "mujoco", "mjcf"),
    ("box", "mujoco", "urdf"),
    ("tree4_7", "pin", "urdf"),
    ("falling_rod", "pin", "urdf"),
]


@pytest.mark.parametrize(("robot", "package", "kind"), CASES)
def test_answers_are_right(robot: str, package: Package, kind: Kind) -> None:
    """All quantities in two blocks of states."""
    spec = load(robot)
    engine = OtherVersion(spec, HERE, package, TEXTS[kind](spec), kind)
    assert engine.name.startswith(package)
    asked = sorted(engine.quantities)
    for unit in (0, 1):
        states = generated_states(spec, 280, 5, unit)[:24]
        assert not evidence(spec, engine, states, asked).deviating
    engine.close()


def test_the_numbers_are_the_files_not_the_specs() -> None:
    spec = load("two_link_arm")
    engine = OtherVersion(spec, HERE, "mujoco", mjcf_text(spec).replace('gravity="0 0 -9.81"', 'gravity="0 0 -1.62"'), "mjcf")
    states = generated_states(spec, 16, 5, 0)
    assert set(evidence(spec, engine, states, sorted(engine.quantities)).deviating) == {
        "gravity_force", "bias_force", "forward_dynamics", "potential_energy"
    }  # fmt: skip
    engine.close()


def test_a_file_that_the_engine_refuses() -> None:
    with pytest.raises(EngineError, match="mujoco in its own environment: ValueError: XML Error"):
        OtherVersion(load("box"), HERE, "mujoco", "<mujoco><nonsense/></mujoco>", "mjcf")


def test_a_process_that_has_died() -> None:
    spec = load("box")
    engine = OtherVersion(spec, HERE, "mujoco", mjcf_text(spec), "mjcf")
    engine._process.kill()
    with pytest.raises(EngineError, match="has ended with status -9"):
        engine.evaluate(generated_states(spec, 4, 5, 0), ("mass_matrix",))
    engine.close()


def test_a_python_without_the_engine(tmp_path: Path) -> None:
    import venv

    venv.create(tmp_path / "bare", with_pip=False)
    bare = tmp_path / "bare" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    with pytest.raises(EngineError, match="its own environment"):
        OtherVersion(load("box"), bare, "mujoco", mjcf_text(load("box")), "mjcf")


@pytest.mark.slow
def test_a_registry_out_of_reach(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No index at all; what was begun is taken away."""
    for name, value in (("PIP_CONFIG_FILE", "/dev/null"), ("PIP_NO_INDEX", "1"), ("PIP_FIND_LINKS", "")):
        monkeypatch.setenv(name, value)
    with pytest.raises(RegistryOutOfReach, match=r"mujoco==3\.10\.0 cannot be installed"):
        environment("mujoco", "3.10.0", tmp_path)
    assert not list(tmp_path.iterdir())


def test_an_environment_is_made_once(tmp_path: Path) -> None:
    made = tmp_path / "mujoco-3.10.0" / "bin"
    made.mkdir(parents=True)
    assert environment("mujoco", "3.10.0", tmp_path) == made / "python"


@pytest.mark.slow
def test_a_version_that_does_not_exist(tmp_path: Path) -> None:
    """An error of the caller's, not a registry out of reach: no reason to skip."""
    with pytest.raises(EngineError) as caught:
        environment("mujoco", "3.10.999", tmp_path)
    if caught.type is RegistryOutOfReach:
        pytest.skip(str(caught.value))
    assert "3.10.999" in str(caught.value)


@pytest.mark.slow
def test_an_older_version_says_what_it_is(tmp_path: Path) -> None:
    """3.3.0's mj_jacDot leaves out w x pdot (mended in 3.3.1): found in Jdot v alone."""
    spec = load("tree4_7")
    try:
        python = environment("mujoco", "3.3.0", tmp_path)
    except RegistryOutOfReach as error:
        pytest.skip(str(error))
    engine = OtherVersion(spec, python, "mujoco", mjcf_text(spec), "mjcf")
    assert (engine.name, engine.version) == ("mujoco-3.3.0", "3.3.0")
    found = evidence(spec, engine, generated_states(spec, 16, 5, 0), sorted(engine.quantities))
    jdot = "contact_bias_accelerations"
    assert found.worst_error(jdot) > 0.1
    assert all(found.worst_error(name) < 1e-6 for name in found.quantities if name != jdot)
    engine.close()


def test_worker_needs_nothing_of_this_package() -> None:
    text = Path(other_version.__file__).with_name("worker.py").read_text()
    imports = [line.strip() for line in text.splitlines() if line.strip().startswith(("import ", "from "))]
    assert not [line for line in imports if "leapcheck" in line or "scipy" in line], imports
    assert np.count_nonzero(["numpy" in line for line in imports]) == 1
