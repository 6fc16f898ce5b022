"""MJCF made safe: includes and meshes below the file's folder are taken, scenery is left out, the whole refers to nothing."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from leapcheck_models.importing.mjcf_file import read_mjcf
from leapcheck_models.importing.mjcf_meshes import MAX_MESH_BYTES

MESH = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n"


def read(folder: Path, text: str) -> tuple[ET.Element, dict[str, bytes]]:
    (folder / "robot.xml").write_text(text)
    file = read_mjcf(folder / "robot.xml")
    return ET.fromstring(file.text), file.assets


def test_includes_inside_the_folder_are_put_in_their_place(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/leg.xml").write_text('<mujocoinclude><body name="leg"><geom size="1"/></body></mujocoinclude>')
    (tmp_path / "body.xml").write_text('<mujoco><worldbody><include file="parts/leg.xml"/></worldbody></mujoco>')
    root, _ = read(tmp_path, '<mujoco><option/><include file="body.xml"/><option gravity="0 0 0"/></mujoco>')
    assert [child.tag for child in root] == ["option", "worldbody", "option"]
    assert root.find("worldbody/body[@name='leg']/geom") is not None
    assert "include" not in {element.tag for element in root.iter()}


def test_a_scene_that_includes_a_robot_has_one_world(tmp_path: Path) -> None:
    """Pinocchio 4.1 reads the first of two worlds twice: every joint doubled."""
    (tmp_path / "arm.xml").write_text(
        '<mujoco><worldbody><body name="arm"><joint name="hinge"/><geom size="1"/></body></worldbody></mujoco>'
    )
    scene = '<mujoco><include file="arm.xml"/><worldbody><body name="lamp"><geom size="1"/></body></worldbody></mujoco>'
    root, _ = read(tmp_path, scene)
    assert [[body.get("name") for body in world] for world in root.findall("worldbody")] == [["arm", "lamp"]]


def test_a_mesh_is_read_where_an_inertia_follows_from_it(tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes/a.obj").write_bytes(MESH)
    root, assets = read(
        tmp_path,
        '<mujoco><compiler meshdir="meshes"/><asset><mesh file="a.obj"/><mesh name="unused" file="/etc/passwd"/></asset>'
        '<worldbody><body><joint/><geom type="mesh" mesh="a"/></body></worldbody></mujoco>',
    )
    assert assets == {"mesh_0.obj": MESH}
    assert [mesh.attrib for mesh in root.iter("mesh")] == [{"file": "mesh_0.obj", "name": "a"}]
    assert "meshdir" not in ET.tostring(root, encoding="unicode")


def test_meshes_of_bodies_with_an_inertial_are_scenery(tmp_path: Path) -> None:
    body = '<body><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/><geom type="mesh" mesh="a"/></body>'
    text = f'<mujoco><asset><mesh name="a" file="/no/such.stl"/></asset><worldbody>{body}</worldbody></mujoco>'
    root, assets = read(tmp_path, text)
    assert assets == {}
    assert not list(root.iter("geom"))


def test_scenery_goes(tmp_path: Path) -> None:
    root, _ = read(
        tmp_path,
        '<mujoco><size memory="9T"/><visual/><asset><texture file="/x.png"/><material name="m"/><hfield file="/y.png"/></asset>'
        '<worldbody><light/><camera/><geom type="hfield"/><body><geom size="1" material="m"/></body></worldbody>'
        "<sensor/></mujoco>",
    )
    assert [element.tag for element in root.iter()] == ["mujoco", "asset", "worldbody", "body", "geom"]
    assert root.find("worldbody/body/geom").attrib == {"size": "1"}


def test_any_other_reference_to_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"robot.xml': <key> refers to the file '/etc/passwd': take it out"):
        read(tmp_path, '<mujoco><keyframe><key file="/etc/passwd"/></keyframe></mujoco>')


def test_meshes_have_a_largest_size(tmp_path: Path) -> None:
    with (tmp_path / "a.stl").open("wb") as file:
        file.truncate(MAX_MESH_BYTES + 1)
    body = '<body><geom type="mesh" mesh="a"/></body>'
    with pytest.raises(ValueError, match=r"'a.stl' is too large"):
        read(tmp_path, f'<mujoco><asset><mesh name="a" file="a.stl"/></asset><worldbody>{body}</worldbody></mujoco>')


def test_a_file_has_a_largest_size(tmp_path: Path) -> None:
    with (tmp_path / "robot.xml").open("wb") as file:
        file.truncate(33 * 2**20)
    with pytest.raises(ValueError, match=r"robot.xml' is larger than 33554432 bytes"):
        read_mjcf(tmp_path / "robot.xml")


def test_bodies_and_joints_without_a_name_get_their_numbers(tmp_path: Path) -> None:
    root, _ = read(
        tmp_path,
        '<mujoco><worldbody><body><freejoint/><geom size="1"/><body name="arm"><joint/><joint name="body_3"/>'
        '<body><geom size="1"/></body></body></body></worldbody></mujoco>',
    )
    assert [body.get("name") for body in root.iter("body")] == ["body_1", "arm", "body_3"]
    assert [joint.get("name") for joint in root.iter() if "joint" in joint.tag] == ["joint_0", "joint_1", "body_3"]


def test_a_model_that_attaches_itself_is_refused(tmp_path: Path) -> None:
    text = '<mujoco><asset><model file="{}.xml"/></asset><worldbody><attach model="{}" body="b"/></worldbody></mujoco>'
    (tmp_path / "other.xml").write_text(text.format("robot", "robot"))
    with pytest.raises(ValueError, match=r"<model file='robot\.xml'> holds itself"):
        read(tmp_path, text.format("other", "other"))


def test_what_lies_elsewhere_is_read_where_the_user_named_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    robot, shared = tmp_path / "robot", tmp_path / "shared"
    for folder in (robot, shared / "meshes"):
        folder.mkdir(parents=True)
    (shared / "meshes/a.obj").write_bytes(MESH)
    (tmp_path / "secret.obj").write_bytes(MESH)
    text = (
        '<mujoco><asset><mesh name="a" file="{}"/></asset><worldbody><body><joint/><geom type="mesh" mesh="a"/></body>'
        "</worldbody></mujoco>"
    )
    names = ("../shared/meshes/a.obj", str(shared / "meshes/a.obj"), "package://meshes/a.obj", "meshes/a.obj")
    for name in names[:2]:
        with pytest.raises(ValueError, match=r"lies outside the model's folder: .* or name its folder in --search-path"):
            read(robot, text.format(name))
    monkeypatch.setenv("LEAPCHECK_SEARCH_PATH", str(shared))
    for name in names:
        assert read(robot, text.format(name))[1] == {"mesh_0.obj": MESH}, name
    for name in ("../secret.obj", str(tmp_path / "secret.obj"), "package://../secret.obj", "/etc/passwd"):
        with pytest.raises(ValueError, match="lies outside the model's folder"):
            read(robot, text.format(name))
    for folder, message in ((shared, "does not exist"), (robot, "lies outside the model's folder")):
        (folder / "link.obj").symlink_to(tmp_path / "secret.obj")
        with pytest.raises(ValueError, match=message):
            read(robot, text.format("link.obj"))
    monkeypatch.setenv("LEAPCHECK_SEARCH_PATH", str(tmp_path / "nowhere"))
    with pytest.raises(ValueError, match="nowhere' is no folder: name folders in --search-path"):
        read(robot, text.format(names[0]))


@pytest.mark.parametrize(
    ("compiler", "file", "folder"),
    [("", "m/a.obj", "sub/m"), ('<compiler meshdir=""/>', "m/a.obj", "sub/m"), ('<compiler meshdir="m"/>', "a.obj", "m/sub")],
)
def test_a_mesh_of_an_included_file_may_lie_beside_that_file(compiler: str, file: str, folder: str, tmp_path: Path) -> None:
    """Below the mesh folder first, then below the included file's folder in it: measured with MuJoCo 4.0."""
    places = {"other": tmp_path / folder, "first": tmp_path / ("m" if "m" in file or "m" in compiler else "")}
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/assets.xml").write_text(f'<mujoco><asset><mesh name="a" file="{file}"/></asset></mujoco>')
    body = '<worldbody><body><joint/><geom type="mesh" mesh="a"/></body></worldbody>'
    text = f'<mujoco>{compiler}<include file="sub/assets.xml"/>{body}</mujoco>'
    for place, content in zip(("other", "first"), (MESH, MESH + b"\n"), strict=True):
        places[place].mkdir(parents=True, exist_ok=True)
        (places[place] / "a.obj").write_bytes(content)
        root, assets = read(tmp_path, text)
        assert assets == {"mesh_0.obj": content}, place
        assert set(root.find("asset/mesh").attrib) == {"name", "file"}
