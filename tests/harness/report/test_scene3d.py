"""The 3D page as data: poses, forces and names as they stand in the page, against kinematics and the log."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import re
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from leapcheck.report.chart import ChartPhase
from leapcheck.report.jump.scene3d import (
    FORCE_STEP,
    LENGTH_STEP,
    QUATERNION_STEP,
    RATE,
    mean_forces,
    picture_places,
    plan_data,
    quaternions,
    scene_data,
    scene_page,
)
from leapcheck_models.robots import load
from leapcheck_reference import build, contact_positions, forward_kinematics
from tests.harness.report.jump_case import HOSTILE, PHASES, cut, jump_log, robot

POSITION = 0.51 * LENGTH_STEP  # m: rounded to the step
TURN = 2e-4  # rad; measured 1.0e-4 of quaternions rounded to 1e-4
SIZE = 200_000  # bytes; measured 78 kB for one run of 1.2 s, 12 kB of it script


@pytest.fixture(scope="module")
def log():
    return jump_log()


@pytest.fixture(scope="module")
def page(log):
    return scene_page(robot(), {"rigid": log, "soft": jump_log("soft", lift=0.1)}, tuple(ChartPhase(*phase) for phase in PHASES))


def data_of(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])


def test_poses_in_the_page_are_those_of_the_kinematics(log, page):
    data, tree = data_of(page), build(robot())
    run, places = data["runs"][0], picture_places(log)
    assert run["time"] == pytest.approx(log.time[places])
    for k in (0, 20, 40, len(places) - 1):
        pose = forward_kinematics(tree, log.q[places[k]], log.v[places[k]])
        rows = np.array(run["poses"][k]).reshape(-1, 7)
        np.testing.assert_allclose(rows[:, :3] * LENGTH_STEP, pose.p_WB, atol=POSITION)
        turned = Rotation.from_quat(rows[:, 3:] * QUATERNION_STEP, scalar_first=True)
        assert (turned.inv() * Rotation.from_matrix(pose.R_WB)).magnitude().max() < TURN
        points = np.array(run["points"][k]).reshape(-1, 3) * LENGTH_STEP
        np.testing.assert_allclose(points, contact_positions(tree, log.q[places[k]]), atol=POSITION)


def test_the_ghost_is_where_the_plan_is() -> None:
    """Of two rows at one time, the end of a phase and the begin of the next, the later counts."""
    q = np.tile(np.array(robot().pose("home")), (4, 1))
    q[:, 0] = [0.0, 0.1, 0.2, 0.3]
    plan = SimpleNamespace(times=np.array([0.0, 0.5, 0.5, 1.0]), q=q, duration=1.0)
    found = plan_data(robot(), plan)
    assert len(found["time"]) == 61
    x = np.array([row[0] for row in found["poses"]]) * LENGTH_STEP
    np.testing.assert_allclose(x[[0, 29, 30, 59, 60]], [0.0, 0.0, 0.2, 0.2, 0.3], atol=POSITION)


def test_forces_in_the_page_keep_the_impulse(log, page):
    places = picture_places(log)
    held = np.diff(np.append(log.time[places], log.time[-1]))
    means = mean_forces(log, places)
    total = (means[:-1] * held[:-1, None, None]).sum(0)
    np.testing.assert_allclose(total, (log.forces * log.dt).sum(0), atol=1e-9)  # N s; measured 3e-14
    shown = np.array(data_of(page)["runs"][0]["forces"]).reshape(means.shape) * FORCE_STEP
    np.testing.assert_allclose(shown, means, atol=0.51 * FORCE_STEP)


def test_pictures_are_60_a_second_with_first_and_last(log):
    places = picture_places(log)
    assert places[0] == 0
    assert places[-1] == log.steps
    assert len(places) == round(log.time[-1] * RATE) + 1
    assert np.diff(log.time[places]).max() < 1 / RATE + 2 * log.dt
    assert picture_places(cut(log, 0, "stopped")).tolist() == [0]


def test_a_run_that_broke_down_is_shown_up_to_there(log):
    for bad in (np.nan, np.inf, 1e7):
        q = log.q.copy()
        q[600:, 2] = bad
        broken = dataclasses.replace(log, q=q, stopped="rigid diverged")
        places = picture_places(broken)
        assert places[-1] == 599
        run = scene_data(robot(), {"rigid": broken})["runs"][0]
        assert run["stopped"] == "rigid diverged"
        assert len(run["poses"]) == len(run["forces"]) == len(places)
        json.dumps(run, allow_nan=False)
    q = log.q.copy()
    q[:] = np.nan
    with pytest.raises(ValueError, match="no run to show in 3D"):
        scene_page(robot(), {"rigid": dataclasses.replace(log, q=q)})
    with pytest.raises(ValueError, match="no run to show in 3D"):
        scene_page(robot(), {})


def test_every_robot_gets_shapes(log):
    tones = [shape["tone"] for body in scene_data(robot(), {"rigid": log})["bodies"] for shape in body["shapes"]]
    assert (tones.count("body"), tones.count("foot")) == (1, 4)
    bodies = scene_data(robot(), {"rigid": log})["bodies"]
    abad = next(body for body in bodies if body["name"] == "FR_abad")  # has no shapes: a stick to the hip
    assert [shape["kind"] for shape in abad["shapes"]] == ["capsule"]
    (stick,) = abad["shapes"]
    end = Rotation.from_quat(stick["q"], scalar_first=True).apply([0.0, 0.0, stick["size"][1] / 2]) + stick["p"]
    hip = next(body for body in robot().bodies if body.name == "FR_hip")
    np.testing.assert_allclose(end, hip.placement.p, atol=1e-12)
    assert load("mini_cheetah").bodies[0].shapes[0].kind == "box"


def test_names_are_data_and_nothing_else(log):
    hostile = dataclasses.replace(log, stopped=f"</script >{HOSTILE}")
    page = scene_page(robot(HOSTILE.replace("\u202e", "")), {HOSTILE: hostile}, (ChartPhase(HOSTILE, 0.0, 1.0),))
    assert "<script>alert" not in page
    assert not set("<>&") & set(re.search(r'id="data">(.*?)</script', page, re.S)[1])
    assert page.count("</script") == 2
    assert "\u202e" not in page
    assert "alert('x')" in data_of(page)["runs"][0]["name"]


def test_the_policy_allows_the_page_itself_and_nothing_else(page):
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1]
    script, style = re.search(r"<script>(.*?)</script>", page, re.S)[1], re.search(r"<style>(.*?)</style>", page, re.S)[1]
    digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (script, style)]
    allowed = f"style-src 'sha256-{digests[1]}'; script-src 'sha256-{digests[0]}'"
    assert policy == f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
    assert not re.search(r"https?://|\bsrc=|\bhref=|innerHTML|eval\(| style=", page)


def test_equal_runs_give_equal_text_of_modest_size(log):
    one = scene_page(robot(), {"rigid": log})
    assert one == scene_page(robot(), {"rigid": dataclasses.replace(log)})
    assert len(one.encode()) < SIZE


def test_a_leg_on_a_stand_has_a_scene_too():
    spec = load("pupper_leg")
    q, n = np.linspace(0.0, 0.5, 31)[:, None] * np.ones(spec.nq), 30
    points = tuple(point.name for point in spec.contact_points if point.computed)
    leg = dataclasses.replace(jump_log(duration=0.03), points=points, time=np.arange(31) * 1e-2, q=q, v=0 * q, dt=1e-2)
    leg = dataclasses.replace(leg, torque=np.zeros((n, 1)), forces=np.zeros((n, len(points), 3)))
    run = scene_data(spec, {"leg": leg})["runs"][0]
    pose = forward_kinematics(build(spec), q[-1], 0 * q[-1])
    rows = np.array(run["poses"][-1]).reshape(-1, 7)
    np.testing.assert_allclose(rows[:, :3] * LENGTH_STEP, pose.p_WB, atol=POSITION)
    assert scene_page(spec, {"leg": leg})


def test_quaternions_turn_as_their_matrices_do() -> None:
    given = np.random.default_rng(3).normal(size=(500, 4))
    given[:4] = np.eye(4)
    given /= np.linalg.norm(given, axis=1, keepdims=True)
    found = quaternions(Rotation.from_quat(given, scalar_first=True).as_matrix())
    np.testing.assert_allclose(np.abs((found * given).sum(axis=1)), 1.0, rtol=0.0, atol=1e-14)
