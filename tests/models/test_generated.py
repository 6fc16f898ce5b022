"""Generated files: the committed ones are what the specs give today, byte for byte."""

import dataclasses
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from leapcheck_models.generate import generated_files, write_robot_files
from leapcheck_models.robots import ROBOTS, load
from leapcheck_models.xml_text import file_stem, number

pytestmark = pytest.mark.quick

GENERATED = Path(__file__).parents[2] / "models" / "generated"
NUMBER = re.compile(r"-?[0-9][0-9.]*(e[+-][0-9]+)?")


def numeric_tokens(text: str) -> list[str]:
    """Every number that stands in an attribute or as text."""
    elements = ET.fromstring(text.encode()).iter()
    words = [word for e in elements for value in (*e.attrib.values(), e.text or "") for word in value.split()]
    return [word for word in words if NUMBER.fullmatch(word)]


@pytest.mark.parametrize("name", ROBOTS)
def test_committed_files_are_what_the_spec_gives(name: str) -> None:
    committed = {path.name: path.read_bytes() for path in (GENERATED / name).iterdir()}
    assert committed == {file: text.encode() for file, text in generated_files(load(name)).items()}


def test_every_committed_folder_is_a_robot() -> None:
    assert sorted(path.name for path in GENERATED.iterdir()) == sorted(ROBOTS)


@pytest.mark.parametrize("name", [*ROBOTS, "random:5"])
def test_same_spec_gives_the_same_bytes(name: str) -> None:
    assert generated_files(load(name)) == generated_files(load(name))
    assert generated_files(load(name), "armature") == generated_files(load(name), "armature")


@pytest.mark.parametrize("name", ROBOTS)
def test_numbers_are_the_shortest_that_read_back(name: str) -> None:
    for text in generated_files(load(name)).values():
        tokens = numeric_tokens(text)
        assert tokens
        assert [number(float(token)) for token in tokens] == tokens


def test_every_figure_of_the_spec_is_there_to_the_last_bit() -> None:
    spec = load("mini_cheetah")
    written = {file: {float(token) for token in numeric_tokens(text)} for file, text in generated_files(spec).items()}
    for body in spec.bodies:
        inertia = body.inertia
        figures = {inertia.mass, *inertia.com, *body.placement.p, *(body.joint.limits or ()), body.joint.damping}
        if body.rotor:
            figures |= {body.rotor.gear_ratio, body.rotor.inertia.mass, *body.rotor.inertia.rotational, *body.rotor.placement.p}
        assert figures | {*inertia.rotational} <= written["mini_cheetah.urdf"]
        assert figures | {*(inertia.nearest or inertia.rotational)} <= written["mini_cheetah.xml"]


def test_rotors_can_be_chosen(tmp_path: Path) -> None:
    spec = load("mini_cheetah")
    files = write_robot_files(spec, tmp_path, "armature")
    assert "Rotors are lumped" in files[0].read_text()
    assert "FR_abad_rotor" not in files[0].read_text()
    assert "leapcheck generate mini_cheetah -r armature -o DIR" in files[0].read_text()


def test_files_are_written_whole_into_a_new_folder(tmp_path: Path) -> None:
    files = write_robot_files(load("box"), tmp_path / "new" / "box")
    assert [file.name for file in files] == ["box.xml", "scene.xml", "box.urdf"]
    assert sorted(path.name for path in (tmp_path / "new" / "box").iterdir()) == ["box.urdf", "box.xml", "scene.xml"]
    assert b"\r" not in files[0].read_bytes()


def test_no_urdf_where_urdf_cannot_hold_the_robot() -> None:
    assert list(generated_files(load("random:3"))) == ["random_3.xml", "scene.xml"]  # ball joints


def test_command_names_the_robot_as_it_is_loaded() -> None:
    assert "leapcheck generate random:3 " in generated_files(load("random:3"))["scene.xml"]


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("arm", "arm"),
        ("a/../b c:7", "a_.._b_c_7"),
        ("scene", "scene_"),
        ("../..", "_.."),
        ("---", "robot"),
        ("\u03b8-1.2", "\u03b8-1.2"),
    ],
)
def test_file_names_are_harmless(name: str, stem: str, tmp_path: Path) -> None:
    spec = dataclasses.replace(load("box"), name=name)
    assert file_stem(spec) == stem
    assert all(path.parent == tmp_path for path in write_robot_files(spec, tmp_path))
