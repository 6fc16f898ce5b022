"""Files that a model names lie below its own folder or the user's: whatever a name tries, nothing else is reached."""

from __future__ import annotations

from pathlib import Path

import pytest

from leapcheck_models.importing.mjcf_file import read_mjcf
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


MORE_ESCAPES = (
    "./../secret.stl",
    "meshes/.././../secret.stl",
    "file://{root}/secret.stl",
    "~/secret.stl",
    "$HOME/secret.stl",
    "%2e%2e/secret.stl",
    "..%2fsecret.stl",
    "..\\secret.stl",
    "/etc/passwd",
    "/proc/self/environ",
    "meshes/../../../../../../../../../etc/passwd",
    "package://named/../../secret.stl",
    "..",
    "secret.stl",
)
PLACES = {
    "mesh": '<asset><mesh name="m" file="{}"/></asset>',
    "include": '<include file="{}"/>',
    "attached model": '<asset><model name="m" file="{}"/></asset>',
}
MOVING = '<worldbody><body name="b"><freejoint/><geom type="{}" {}/></body></worldbody>'
SECRET = '<mujoco><worldbody><body name="confidential"><freejoint/><geom size="1"/></body></worldbody></mujoco>'


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", [*ESCAPES, *MORE_ESCAPES])
def test_no_file_that_names_another_reads_it(name: str, place: str, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused in one line, or read without it: the secret would be read wherever it is a model."""
    (model.parent / "secret.stl").write_text(SECRET)
    monkeypatch.setenv("HOME", str(model.parent))
    body = MOVING.format("mesh", 'mesh="m"') if place == "mesh" else MOVING.format("sphere", 'size="1"')
    path = model / "robot.xml"
    path.write_text(f"<mujoco>{PLACES[place].format(name.format(root=model.parent))}{body}</mujoco>")
    try:
        file = read_mjcf(path)
        read = file.text.encode() + b"".join(file.assets.values())
    except (ValueError, FileNotFoundError) as error:
        read = str(error).encode()
    assert not any(word in read for word in (b"confidential", b"root:", b"PATH=", b"\n"))


def test_the_secret_is_read_where_it_may_be(model: Path) -> None:
    """What the test before would see."""
    (model / "open.xml").write_text(SECRET)
    (model / "robot.xml").write_text('<mujoco><include file="open.xml"/></mujoco>')
    assert "confidential" in read_mjcf(model / "robot.xml").text
