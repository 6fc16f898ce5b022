"""A robot named by the folder of its file, as in MuJoCo's Menagerie."""

from dataclasses import replace
from pathlib import Path

import pytest

from leapcheck.robots.load import load
from leapcheck_models.mjcf import mjcf_text
from leapcheck_models.robots import load as named
from leapcheck_models.urdf import urdf_text

SPEC = named("mini_cheetah_armature")


def test_the_file_that_is_no_scene_is_the_robot(tmp_path: Path) -> None:
    folder = tmp_path / "maker_dog"
    (folder / "urdf").mkdir(parents=True)
    (folder / "urdf" / "dog.urdf").write_text(urdf_text(SPEC))
    assert load(folder).source == "URDF dog.urdf"
    for name in ("dog", "scene", "dog_mjx"):
        (folder / f"{name}.xml").write_text(mjcf_text(replace(SPEC, name=name), "armature"))
    assert load(str(folder)).name == "dog"
    (folder / "dog_with_arm.xml").write_text(mjcf_text(SPEC, "armature"))
    assert load(folder).name == "dog"


def test_several_files_or_none_are_listed(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="name the file of the robot: no URDF or MJCF"):
        load(tmp_path)
    for name in ("a.xml", "b.xml"):
        (tmp_path / name).write_text(mjcf_text(SPEC, "armature"))
    with pytest.raises(ValueError, match=r"name the file of the robot: a.xml, b.xml"):
        load(tmp_path)


def test_a_folder_in_the_way_shadows_no_robot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As models/generated/mini_cheetah does for one who stands in models/generated."""
    (tmp_path / "two_link_arm").mkdir()
    monkeypatch.chdir(tmp_path)
    assert load("two_link_arm").name == "two_link_arm"
