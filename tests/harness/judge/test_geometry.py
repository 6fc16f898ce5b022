"""Mass that MuJoCo makes of the geometry of links without inertia is named with these links."""

from __future__ import annotations

from pathlib import Path

import leapcheck as lc

INERTIAL = '<inertial><mass value="2"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.04"/></inertial>'
SHAPES = {
    "sphere": '<sphere radius="0.03"/>',
    "box": '<box size="0.02 0.04 0.06"/>',
    "cylinder": '<cylinder radius="0.02" length="0.05"/>',
}


def leg(shape: str, y: float) -> str:
    """A shank on a hinge, and a foot of that shape, turned, fixed to it without an inertia."""
    collision = f'<collision><origin xyz="0 0 -0.01" rpy="0.3 0.2 0.1"/><geometry>{SHAPES[shape]}</geometry></collision>'
    return f"""
      <link name="{shape}_shank">{INERTIAL}</link><link name="{shape}_foot">{collision}</link>
      <joint name="{shape}_knee" type="continuous"><origin xyz="0 {y} 0"/><parent link="base"/><child link="{shape}_shank"/>
        <axis xyz="0 1 0"/></joint>
      <joint name="{shape}_ankle" type="fixed"><origin xyz="0 0 -0.2" rpy="0.1 0 0"/><parent link="{shape}_shank"/>
        <child link="{shape}_foot"/></joint>"""


def test_mass_made_of_geometry_is_named_with_its_links(tmp_path: Path) -> None:
    legs = "".join(leg(shape, 0.1 * y) for y, shape in enumerate(SHAPES))
    path = tmp_path / "robot.urdf"
    path.write_text(f'<robot name="r"><link name="base">{INERTIAL}</link>{legs}</robot>')
    run = lc.compare(path, engines=("reference", "mujoco-file"), states=64)
    assert len(run.record.diagnoses) == 2  # of the canonical quantities, and of MuJoCo's storage
    for diagnosis in run.record.diagnoses:
        assert diagnosis.engine == "mujoco-file"
        (cause,) = diagnosis.causes
        assert "(sphere_foot, box_foot, cylinder_foot) get one of their geometry at 1000 kg/m^3" in cause.words
        assert not diagnosis.unexplained
    places = [finding.place for finding in lc.lint(path) if finding.rule == "missing inertial"]
    assert places == [f"link '{shape}_foot'" for shape in SHAPES]


def test_the_inertia_that_is_there_stays(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    foot = leg("box", 0.1).replace('<link name="box_foot">', f'<link name="box_foot">{INERTIAL}')
    path.write_text(f'<robot name="r"><link name="base">{INERTIAL}</link>{foot}</robot>')
    run = lc.compare(path, engines=("reference", "mujoco-file"), states=64)
    assert not run.record.diagnoses


def test_a_rotational_inertia_without_mass_is_named_with_its_link(tmp_path: Path) -> None:
    """MuJoCo leaves it out of what carries the link; Pinocchio keeps it."""
    path = tmp_path / "robot.urdf"
    massless = INERTIAL.replace('mass value="2"', 'mass value="0"')
    foot = leg("box", 0.1).replace('<link name="box_foot">', f'<link name="box_foot">{massless}')
    path.write_text(f'<robot name="r"><link name="base">{INERTIAL}</link>{foot}</robot>')
    run = lc.compare(path, engines=("reference", "pinocchio-file", "mujoco-file"), states=64)
    assert {diagnosis.engine for diagnosis in run.record.diagnoses} == {"mujoco-file"}
    for diagnosis in run.record.diagnoses:
        (cause,) = diagnosis.causes
        assert "rotational inertias of links without mass (box_foot) are left out" in cause.words
        assert not diagnosis.unexplained
