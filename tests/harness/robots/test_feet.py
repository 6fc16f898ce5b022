"""Feet of a user's MJCF, against where MuJoCo itself has its sites and geoms; and the command that repeats a choice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np

import leapcheck as lc
from leapcheck.api.comparison import comparison_setup
from leapcheck.api.options import CompareOptions
from leapcheck.comparison.plan import repeat_text
from leapcheck.engines.file_engines import FileRequest
from leapcheck.engines.registry import make_engine
from leapcheck.robots.load import read_robot_file
from leapcheck_models.robots import load
from leapcheck_models.urdf import urdf_text
from tests.harness.robots.files import MULTI
from tests.harness.robots.near import near_states

SITES = MULTI.replace(
    '<geom class="foot" pos="0 0 -0.2" mass="0.05"/>',
    '<geom class="foot" name="ball" pos="0 0 -0.2" mass="0.05"/><site name="toe" pos="0.03 0.01 -0.2"/>',
)
PLACED = 1e-14  # m; measured: 2.2e-16
POSITIONS = 1e-13  # m; measured: 4.4e-15, states near the origin


def test_sites_and_geoms_stand_where_mujoco_has_them(tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    path.write_text(SITES)
    file = read_robot_file(str(path), ["toe", "ball"])
    assert file is not None
    assert [(p.name, p.body, p.radius) for p in file.spec.contact_points] == [("toe", "shank", 0.0), ("ball", "shank", 0.02)]
    m = mujoco.MjModel.from_xml_string(SITES)
    d = mujoco.MjData(m)
    states = near_states(file.spec, 8)
    answers = [
        FileRequest("mujoco-file", file).build().evaluate(states, ("contact_positions",)),
        make_engine("reference", file.spec).evaluate(states, ("contact_positions",)),
    ]
    for i, q in enumerate(states.q):
        d.qpos[:] = q
        mujoco.mj_kinematics(m, d)
        true = np.array([d.site("toe").xpos, d.geom("ball").xpos])
        for answer in answers:
            assert np.abs(answer["contact_positions"][i] - true).max() <= POSITIONS


def test_points_of_a_table_stand_in_the_frame_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    path.write_text(SITES)
    (tmp_path / "robot.toml").write_text('[[points]]\nname = "own"\non = "shank"\nposition = [0.03, 0.01, -0.2]')
    (own,), (site,) = lc.load(path).contact_points, lc.load(path, feet="toe").contact_points
    assert np.abs(np.subtract(own.position, site.position)).max() <= PLACED


def test_a_live_model_has_feet_too() -> None:
    m = mujoco.MjModel.from_xml_string(SITES)
    assert [p.name for p in lc.load(m, feet=["toe"]).contact_points] == ["toe"]


def test_the_command_that_repeats_a_run_names_the_feet(tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    path.write_text(SITES)
    options = CompareOptions(engines=("reference", "mujoco-file"), feet=("toe", "ball"), states=8)
    plan = comparison_setup(str(path), (), options).plan
    assert plan.command.endswith("--states 8 --seed 0 --feet toe ball")
    assert "robot.xml --feet toe ball --engines reference" in repeat_text(plan, ["reference"], "mass_matrix", 3)
    assert "feet=('toe', 'ball')" in repeat_text(replace(plan, only_in_python=("states",)), ["reference"], "mass_matrix", 3)


def test_names_of_points_survive_the_way_out_and_back(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    feet = {point.name for point in load("mini_cheetah").contact_points if point.is_foot}
    path.write_text(urdf_text(load("mini_cheetah")))
    assert {point.name for point in lc.load(path).contact_points} == feet
