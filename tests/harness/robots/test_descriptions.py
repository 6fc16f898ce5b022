"""Names of robot_descriptions, out of a cache that is filled by hand: the package's modules are read and never run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from leapcheck.robots.load import load, named_robot
from tests.harness.robots.files import HEAVY, URDF

pytestmark = pytest.mark.quick

REPOSITORIES = """
REPOSITORIES: Dict[str, Repository] = {
    "makers_ros": Repository(url="https://makers.invalid/ros.git", commit="0123", cache_path="makers"),
}
"""
MODULE = """
raise RuntimeError("imported")
from ._cache import clone_to_cache as _clone_to_cache
REPOSITORY_PATH: str = _clone_to_cache("makers_ros", commit=_getenv("ROBOT_DESCRIPTION_COMMIT", None))
PACKAGE_PATH: str = _path.join(REPOSITORY_PATH, "robots", "little")
"""
PATH = {
    "little_description": 'URDF_PATH: str = _path.join(PACKAGE_PATH, "urdf", "little.urdf")',
    "heavy_mj_description": 'MJCF_PATH = _path.join(\n    PACKAGE_PATH,\n    "heavy.xml",\n)',
    "xacro_description": 'XACRO_PATH = _path.join(PACKAGE_PATH, "a.xacro")',
    "gone_description": 'URDF_PATH = _path.join(PACKAGE_PATH, "gone.urdf")',
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, cache = tmp_path / "robot_descriptions", tmp_path / "cache"
    robot = cache / "makers" / "robots" / "little"
    (robot / "urdf").mkdir(parents=True)
    (robot / "urdf" / "little.urdf").write_text(URDF)
    (robot / "heavy.xml").write_text(HEAVY)
    folder.mkdir()
    (folder / "__init__.py").write_text('raise RuntimeError("imported")')
    (folder / "_repositories.py").write_text(REPOSITORIES)
    for name, line in PATH.items():
        (folder / f"{name}.py").write_text(f"{MODULE}{line}\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", str(cache))
    monkeypatch.delitem(sys.modules, "robot_descriptions", raising=False)


@pytest.mark.usefixtures("package")
def test_descriptions_are_loaded_by_name() -> None:
    assert (load("little_description").name, load("little_description").nv) == ("little", 8)
    assert load("little_description#fixed").nv == 2
    assert load("heavy_mj_description").name == "heavy"
    assert named_robot("little_description").name == "little_description"
    assert [point.name for point in load("little_description", ["tool"]).contact_points] == ["tool"]
    assert "robot_descriptions" not in sys.modules


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("litle_description", "did you mean 'little_description'?"),
        ("xacro_description", "as a xacro alone"),
        ("gone_description", "is not in the cache"),
        ("gone_description", "import robot_descriptions.gone_description"),
    ],
)
def test_what_is_missing_is_named(name: str, words: str) -> None:
    with pytest.raises(ValueError, match=name) as error:
        load(name)
    assert words in str(error.value)


def test_the_package_is_named_where_it_is_missing() -> None:
    with pytest.raises(ValueError, match="pip install robot_descriptions"):
        load("little_description")
