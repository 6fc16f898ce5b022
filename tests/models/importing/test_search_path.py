"""Files that a model names lie below its own folder or the user's: whatever a name tries, nothing else is reached."""

from __future__ import annotations

from pathlib import Path

import pytest

from leapcheck_models.search_path import ROS_VARIABLE, VARIABLE, inside, search_path

pytestmark = pytest.mark.quick

ESCAPES = (
    "../secret.stl",
    "meshes/../../secret.stl",
    "{root}/secret.stl",
    "package://../secret.stl",
    "package://robot/../../secret.stl",
    "package:///{root}/secret.stl",
    "link.stl",
    "folder/secret.stl",
    "package://link.stl",
    "package://folder/secret.stl",
)


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model's folder and one that the user named, both with links that lead to a secret beside them."""
    (tmp_path / "secret.stl").write_text("secret")
    for name in ("robot", "named"):
        folder = tmp_path / name
        (folder / "meshes").mkdir(parents=True)
        (folder / "link.stl").symlink_to(tmp_path / "secret.stl")
        (folder / "folder").symlink_to(tmp_path)
    monkeypatch.setenv(VARIABLE, str(tmp_path / "named"))
    monkeypatch.delenv(ROS_VARIABLE, raising=False)
    return tmp_path / "robot"


@pytest.mark.parametrize("name", ESCAPES)
def test_no_name_leads_out(name: str, model: Path) -> None:
    with pytest.raises(ValueError, match="lies outside the model's folder"):
        inside(model, name.format(root=model.parent), "the mesh")


def test_a_named_folder_is_searched_behind_the_models_own(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = model.parent / "named"
    (named / "part.stl").write_text("named")
    assert inside(model, "part.stl", "the mesh") == named / "part.stl"
    assert inside(model, "package://meshes/../part.stl", "the mesh") == named / "part.stl"
    (model / "part.stl").write_text("own")
    assert inside(model, "part.stl", "the mesh") == model / "part.stl"
    monkeypatch.setenv(VARIABLE, str(model.parent / "none"))
    with pytest.raises(ValueError, match="is no folder"):
        search_path()


@pytest.mark.parametrize("name", ["", "a\0b"])
def test_names_that_are_none_are_refused(name: str, model: Path) -> None:
    with pytest.raises(ValueError, match="give the path of a file"):
        inside(model, name, "the mesh")
