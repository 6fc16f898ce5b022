"""Engines by name: what is imported when, and what is said when an engine cannot be had."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from leapcheck.engines.errors import EngineError, NotApplicable
from leapcheck.engines.registry import ENGINE_NAMES, make_engine
from leapcheck_models.robots import load

pytestmark = pytest.mark.quick


def test_names_are_the_engines_names() -> None:
    assert ENGINE_NAMES == ("reference", "mujoco", "mujoco-urdf", "pinocchio", "pinocchio-mjcf")
    assert [make_engine(name, load("two_link_arm")).name for name in ENGINE_NAMES] == list(ENGINE_NAMES)


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"unknown engine 'bullet': use one of reference, mujoco, .*, drake, mjx$"):
        make_engine("bullet", load("two_link_arm"))


@pytest.mark.parametrize(
    ("name", "absent", "package"),
    [
        ("mujoco", "mujoco", "mujoco"),
        ("pinocchio-mjcf", "pinocchio", "pin"),
        ("drake", "pydrake", "'leapcheck[drake]'"),
        ("mjx", "jax", "'leapcheck[mjx]'"),
        ("mjx", "mujoco.mjx", "'leapcheck[mjx]'"),
    ],
)
def test_a_missing_package_is_named_as_pip_knows_it(
    name: str, absent: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, absent, None)  # what Python itself does for a module that must not be found
    if absent == "mujoco.mjx":
        pytest.importorskip("jax", reason="the extra leapcheck[mjx] is not installed")
    for module in [m for m in sys.modules if m.startswith("leapcheck.engines.") and (absent in m or name in m)]:
        monkeypatch.delitem(sys.modules, module)
    stem = absent.rpartition(".")[2]
    for attribute in (f"{stem}_build", f"{stem}_engine", f"{name}_build", f"{name}_engine"):
        monkeypatch.delattr(f"leapcheck.engines.{attribute}", raising=False)
    expected = f"{name}: the package '{absent}' is not installed: pip install {package}"
    with pytest.raises(EngineError, match=f"^{re.escape(expected)}$"):
        make_engine(name, load("two_link_arm"))


def test_a_foreign_package_is_imported_only_when_used() -> None:
    code = (
        "import sys\n"
        "from leapcheck.engines.registry import make_engine\n"
        "from leapcheck_models.robots import load\n"
        "assert not {'mujoco', 'pinocchio', 'pydrake', 'jax'} & set(sys.modules), 'too early'\n"
        "make_engine('mujoco', load('two_link_arm'))\n"
        "assert 'mujoco' in sys.modules and not {'pinocchio', 'pydrake', 'jax'} & set(sys.modules), 'another one'\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_what_urdf_cannot_hold_is_a_reason_and_no_error() -> None:
    with pytest.raises(NotApplicable, match=r"^mujoco-urdf: URDF cannot hold 'random_1': joint 'joint_6' is a ball joint"):
        make_engine("mujoco-urdf", load("random:1"))
