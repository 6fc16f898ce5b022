"""Sites of an MJCF as frames: placements and Jacobians against MuJoCo's own on the file as it stands, and in all engines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

import leapcheck as lc
from leapcheck.api.comparison import comparison_setup
from leapcheck.api.options import CompareOptions
from leapcheck.comparison.plan import repeat_text
from leapcheck.engines.registry import make_engine
from leapcheck.quantities import QuantityGroup, names_of_group
from leapcheck_models.spec import JointType
from leapcheck_models.urdf import urdf_text
from tests.harness.engines.test_extra_engines import needs_drake
from tests.harness.robots.near import near_states

ARM = """
<mujoco model="arm">
  <compiler angle="radian"/>
  <worldbody>
    <site name="door" pos="1 0 0"/>
    <body name="base" pos="0.1 0.2 0.3" euler="0.1 0.2 0.3">
      <joint name="slide" type="slide" axis="1 0 0" ref="0.1"/>
      <geom type="box" size="0.1 0.1 0.05"/>
      <body name="arm" pos="0.2 0.1 0" quat="0.9 0.1 0.2 0.3">
        <joint name="shoulder" axis="1 0 0" pos="0.01 0 0.02" ref="0.3"/>
        <joint name="twist" axis="0 0 1" pos="0.02 0.01 0"/>
        <geom type="capsule" size="0.03" fromto="0 0 0 0 0 -0.2"/>
        <site name="camera" pos="0.03 0.01 -0.1" euler="0.4 -0.3 0.8"/>
        <body name="hand" pos="0 0 -0.2">
          <joint name="wrist" axis="0 1 0.1" pos="0 0 0.01" ref="-0.2"/>
          <geom type="box" size="0.02 0.03 0.1"/>
          <site name="hand" pos="0 0.02 -0.1" quat="0.5 0.7 -0.5 0.5"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
TWIST = '<joint name="twist" axis="0 0 1" pos="0.02 0.01 0"/>'
LINKS = {"camera": "camera", "hand": "hand_"}
"""The link of each site; the name of the second is a body's already."""
ENGINES = ("mujoco", "mujoco-urdf", "pinocchio", "pinocchio-mjcf")
ROUNDING = 1e-14  # states near the origin; measured: below 1e-15


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    path = tmp_path / "arm.xml"
    path.write_text(ARM)
    return path


def test_sites_are_links_without_mass_that_are_fixed_to_their_bodies(arm: Path) -> None:
    plain, spec = lc.load(arm), lc.load(arm, frames=["camera", "hand", "camera"])
    added = [body for body in spec.bodies if body not in plain.bodies]
    assert [(b.name, b.parent, b.joint.type, b.inertia.mass) for b in added] == [
        ("camera", "arm", JointType.FIXED, 0.0),
        ("hand_", "hand", JointType.FIXED, 0.0),
    ]
    assert spec.contact_points == plain.contact_points
    assert lc.load(mujoco.MjModel.from_xml_string(ARM), frames="camera,hand").bodies == spec.bodies


def test_sites_stand_and_move_as_mujoco_has_them(arm: Path) -> None:
    spec = lc.load(arm, frames=["camera", "hand"])
    states = near_states(spec, 8)
    answers = make_engine("reference", spec).evaluate(states, ("frame_placements", "frame_jacobians"))
    m = mujoco.MjModel.from_xml_string(ARM)
    d = mujoco.MjData(m)
    for i, q in enumerate(states.q):
        d.qpos[:] = q
        mujoco.mj_fwdPosition(m, d)
        for site, link in LINKS.items():
            k, J = spec.body_index(link), np.empty((6, m.nv))
            mujoco.mj_jacSite(m, d, J[3:], J[:3], m.site(site).id)
            placement = np.column_stack([d.site(site).xmat.reshape(3, 3), d.site(site).xpos])
            assert np.abs(answers["frame_placements"][i, k] - placement).max() <= ROUNDING
            assert np.abs(answers["frame_jacobians"][i, k] - J).max() <= ROUNDING


@pytest.mark.parametrize("engine", [*ENGINES, pytest.param("drake", marks=needs_drake)])
def test_engines_agree_on_sites(arm: Path, engine: str) -> None:
    run = lc.compare(arm, engines=("reference", engine), quantities="kinematics", frames="camera,hand", states=8)
    assert run.ok
    lacking = {"frame_jacobian_rates"} if engine == "drake" else set()  # it has no function for Jdot
    assert {c.quantity for c in run.record.comparisons} == {*names_of_group(QuantityGroup.KINEMATICS)} - lacking


@pytest.mark.parametrize("engine", ["mujoco-file", "pinocchio-file", pytest.param("drake-file", marks=needs_drake)])
def test_files_without_the_links_of_sites_are_compared_as_before(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(ARM.replace(TWIST, ""))  # Pinocchio takes one joint a link
    plain, framed = (lc.compare(path, engines=("reference", engine), frames=frames, states=8) for frames in ((), "camera,hand"))
    assert framed.ok
    assert [c.quantity for c in framed.record.comparisons] == [c.quantity for c in plain.record.comparisons]
    assert framed.record.comparisons


@pytest.mark.parametrize(
    ("word", "remedy"),
    [
        ("camra", r"did you mean 'camera'\? Its sites: camera, hand"),
        ("door", "name one of camera, hand"),
        ("arm", "it is a link, and every link is a frame already"),
    ],
)
def test_an_unknown_site_is_an_error_that_names_the_others(arm: Path, word: str, remedy: str) -> None:
    with pytest.raises(ValueError, match=rf"^file '.*arm\.xml': no site '{word}' on a body: {remedy}$"):
        lc.load(arm, frames=word)


def test_links_of_a_urdf_are_frames_already(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(urdf_text(lc.load("two_link_arm")))
    with pytest.raises(ValueError, match=r"^file '.*arm\.urdf': no site 'tip' on a body: .*every link is a frame already"):
        lc.load(path, frames="tip")


def test_the_command_that_repeats_a_run_names_the_frames(arm: Path) -> None:
    options = CompareOptions(engines=("reference", "mujoco"), feet=("camera",), frames=("camera", "hand"), states=8)
    plan = comparison_setup(str(arm), (), options).plan
    assert plan.command.endswith("--states 8 --seed 0 --feet camera --frames camera hand")
    assert "--frames camera hand --engines reference" in repeat_text(plan, ["reference"], "mass_matrix", 3)
    assert "frames=('camera', 'hand')" in repeat_text(replace(plan, only_in_python=("states",)), ["reference"], "mass_matrix", 3)
