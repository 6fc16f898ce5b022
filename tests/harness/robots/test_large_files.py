"""Model files that are large, or become so: refused or passed over in one line, in bounded time and memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from leapcheck.cli import main
from leapcheck.engines import trial_load
from leapcheck.robots.load import load
from leapcheck.robots.size import MOST_DOFS, MOST_PAIRS, coupled_pairs, excess_size
from leapcheck_models.importing.mjcf_size import MAX_EXPANDED, MAX_KEYFRAMES
from leapcheck_models.importing.urdf_records import MAX_LINKS

BODY = '<body><joint/><geom size="1"/></body>'
LINK = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'

MODELS = {
    "elements": ("<body><joint/>" + '<geom size="1"/>' * (MAX_EXPANDED + 1) + "</body>", "", "like <geom>"),
    "copies of elements": (f'<replicate count="1000"><body>{"<site/>" * 40}</body></replicate>', "", "like <site>"),
    "copies of bodies": (f'<replicate count="1000">{BODY * 3}</replicate>', "", "3000 elements like <body>"),
    "copies of copies": (f'<replicate count="50"><replicate count="50">{BODY}</replicate></replicate>', "", "copies"),
    "bodies": (BODY * (MAX_LINKS + 1), "", "elements like <body>"),
    "keyframes": (BODY, "<keyframe>" + '<key name="k"/>' * (MAX_KEYFRAMES + 1) + "</keyframe>", "like <key name='k'>"),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_model_that_becomes_large_is_refused_before_it_is_compiled(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    world, rest, words = MODELS[name]
    monkeypatch.setattr("mujoco.MjModel.from_xml_string", None)
    path = tmp_path / "robot.xml"
    path.write_text(f"<mujoco><worldbody>{world}</worldbody>{rest}</mujoco>")
    assert main(["lint", str(path)]) == 2
    said = capfd.readouterr().err
    assert said.startswith(f"leapcheck: file '{path}': ")
    assert said.count("\n") == 1
    assert words in said
    assert ": give a" in said


def test_attached_models_are_counted_wherever_they_are_attached(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Ten attach ten attach ten bodies, and so on: 10^6 bodies of six small files."""
    (tmp_path / "0.xml").write_text(f'<mujoco><worldbody><body name="root">{BODY * 10}</body></worldbody></mujoco>')
    for n in range(1, 6):
        attached = "".join(f'<attach model="m" body="root" prefix="{k}"/>' for k in range(10))
        asset = f'<asset><model name="m" file="{n - 1}.xml"/></asset>'
        (tmp_path / f"{n}.xml").write_text(f'<mujoco>{asset}<worldbody><body name="root">{attached}</body></worldbody></mujoco>')
    assert main(["lint", str(tmp_path / "2.xml")]) == 0
    assert "total mass" in capfd.readouterr().out
    assert main(["lint", str(tmp_path / "5.xml")]) == 2
    said = capfd.readouterr().err
    assert said.count("\n") == 1
    assert "copies counted: give at most 2000" in said


def urdf(links: int, *, chain: bool) -> str:
    """A URDF of that many links, one behind the other in a chain, or all on the world."""
    parents = ["world", *(f"l{i}" if chain else "world" for i in range(links - 1))]
    parts = [
        f'<link name="l{i}">{LINK}<joint name="j{i}" type="continuous"><parent link="{parent}"/><child link="l{i}"/></joint>'
        for i, parent in enumerate(parents)
    ]
    return f'<robot name="large"><link name="world"/>{"".join(parts)}</robot>'


def written(text: str, folder: Path) -> str:
    path = folder / "robot.urdf"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize(("links", "chain"), [(MOST_DOFS + 1, False), (120, True), (MAX_LINKS - 1, True)])
def test_a_robot_too_large_to_compare_is_refused(
    links: int, chain: bool, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["compare", written(urdf(links, chain=chain), tmp_path)]) == 2
    said = capfd.readouterr().err
    assert said.startswith("leapcheck: robot 'large': ")
    assert said.count("\n") == 1
    assert "a comparison takes at most" in said
    assert said.endswith(": compare a limb as a robot of its own, or fix joints\n")


@pytest.mark.parametrize("chain", [False, True])
def test_of_a_large_robot_only_the_description_is_checked(
    chain: bool, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pinocchio's data of 2000 dofs would take 256 GB, MuJoCo's compiler minutes for the chain."""
    monkeypatch.setattr("leapcheck.robots.file_findings.mujoco_model", None)
    monkeypatch.setattr("leapcheck.robots.file_findings.pinocchio_model", None)
    monkeypatch.setattr("leapcheck.robots.file_findings.DEFAULTS", {"mujoco-file": None, "pinocchio-file": None})
    assert main(["lint", written(urdf(MAX_LINKS - 1, chain=chain), tmp_path)]) == 0
    said = capfd.readouterr().out
    assert f"file robot.urdf: it has {MAX_LINKS - 1} degrees of freedom, and a comparison takes at most {MOST_DOFS}" in said


def test_coupled_pairs_are_the_entries_of_the_mass_matrix() -> None:
    from leapcheck.engines.registry import make_engine
    from leapcheck.sampling import generated_states

    for name in ("pupper_leg", "mini_cheetah", "random:7"):
        spec = load(name)
        M = make_engine("reference", spec).evaluate(generated_states(spec, 16, 0, 0), ("mass_matrix",))["mass_matrix"]
        assert np.count_nonzero(np.tril(np.abs(M).max(axis=0))) <= coupled_pairs(spec) <= spec.nv * (spec.nv + 1) // 2
    assert coupled_pairs(load("pupper_leg")) == 6
    assert not excess_size(load("mini_cheetah"))


def test_the_longest_chain_that_is_compared(tmp_path: Path) -> None:
    longest = max(n for n in range(200) if n * (n + 1) // 2 <= MOST_PAIRS)
    assert not excess_size(load(written(urdf(longest, chain=True), tmp_path)))
    assert excess_size(load(written(urdf(longest + 1, chain=True), tmp_path)))


@pytest.fixture
def mesh_model(tmp_path: Path) -> Iterator[Path]:
    """An MJCF whose inertia follows from a mesh of 2 MB."""
    (tmp_path / "ball.stl").write_bytes(sphere(100))
    path = tmp_path / "robot.xml"
    path.write_text(
        '<mujoco><asset><mesh name="ball" file="ball.stl"/></asset><worldbody><body><joint/>'
        '<geom type="mesh" mesh="ball"/></body></worldbody></mujoco>'
    )
    return path


def sphere(rings: int) -> bytes:
    """A binary STL of about 4 rings^2 triangles."""
    a, b = np.meshgrid(np.linspace(0, np.pi, rings + 1), np.linspace(0, 2 * np.pi, 2 * rings + 1), indexing="ij")
    p = np.stack([np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), np.cos(a)], axis=-1)
    p[:, -1] = p[:, 0]
    p[0], p[-1] = (0, 0, 1), (0, 0, -1)
    upper = np.stack([p[:-1, :-1], p[1:, :-1], p[1:, 1:]], axis=2)[1:]
    lower = np.stack([p[:-1, :-1], p[1:, 1:], p[:-1, 1:]], axis=2)[:-1]
    corners = np.concatenate([upper.reshape(-1, 9), lower.reshape(-1, 9)])
    records = np.zeros(len(corners), dtype=[("numbers", "<f4", 12), ("unused", "<u2")])
    records["numbers"][:, 3:] = corners
    return bytes(80) + len(records).to_bytes(4, "little") + records.tobytes()


def test_a_mesh_within_the_limits_is_read(mesh_model: Path) -> None:
    assert mesh_model.with_name("ball.stl").stat().st_size > trial_load.LARGE_BYTES
    (body,) = load(mesh_model).bodies
    assert body.inertia.mass == pytest.approx(1000 * 4 / 3 * np.pi, rel=1e-2)  # of a polyhedron inside the ball


@pytest.mark.parametrize(
    ("limit", "value", "words"),
    [
        ("MOST_GIB", 0.01, "within 0.01 GiB and 60 s of CPU"),
        ("MOST_CPU_SECONDS", 0, "within 2 GiB and 0 s of CPU (its time was up)"),
    ],
)
def test_a_mesh_beyond_the_limits_is_refused(
    limit: str, value: float, words: str, mesh_model: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial_load, limit, value)
    assert main(["lint", str(mesh_model)]) == 2
    said = capfd.readouterr().err
    assert said.count("\n") == 1
    assert said.startswith(f"leapcheck: file '{mesh_model}': <mesh name='ball'> of ")
    assert f"bytes cannot be loaded {words}" in said
    assert said.endswith(": give its body an <inertial>, or a coarser mesh\n")
    assert sorted(path.name for path in mesh_model.parent.iterdir()) == ["ball.stl", "robot.xml"]
