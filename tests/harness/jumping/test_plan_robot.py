"""Which robot a plan was made for: plans of robots of known lengths and mass, made here by trigonometry alone."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from leapcheck.jumping.act import file_act
from leapcheck.jumping.plan_file import read_plan
from leapcheck.jumping.plan_robot import PlannedRobot, planned_robot
from leapcheck_models.arrays import Floats
from leapcheck_models.plans import PLANS
from leapcheck_models.robots import load

SPEC = load("mini_cheetah")
OWN = (0.38, 0.209, 0.195)
"""Mini Cheetah's distance of hips, thigh and shank (m)."""

MASS, RADIUS = 8.912, 0.02
EXACT = 1e-5
"""m; largest 4e-7, of the file's nine digits."""


def written(path: Path, lengths: tuple[float, float, float], mass: float = MASS, radius: float = 0.0) -> Path:
    """A plan of 0.4 s on four feet: the trunk rises, goes forward and pitches; the feet stay, or roll on a radius."""
    hips, thigh, shank = lengths
    t = np.linspace(0.0, 0.4, 401)
    phase = 0.5 * (1.0 - np.cos(math.pi * t / 0.4))
    x, z, pitch = 0.03 * phase, 0.06 * phase, 0.3 * phase
    columns: dict[str, Floats] = {"time": t, "base_x": x, "base_z": z, "base_pitch": pitch}
    for end, side in (("front", 1.0), ("rear", -1.0)):
        foot = np.array([side * hips / 2.0 + 0.02, -0.22])
        place = np.tile(foot, (len(t), 1))
        for _ in range(60):  # a rolling foot's place depends on the shank's angle
            columns[f"{end}_hip"], columns[f"{end}_knee"] = legs(place, x, z, pitch, side * hips / 2.0, thigh, shank)
            turn = pitch - columns[f"{end}_hip"] - columns[f"{end}_knee"]
            place[:, 0] = foot[0] + radius * (turn - turn[0])
        columns[f"force_{end}_z"] = -0.5 * mass * (9.81 + np.gradient(np.gradient(z, t), t))
    header = ",".join(columns)
    np.savetxt(path, np.stack([*columns.values()], axis=1), fmt="%.9g", delimiter=",", header=header, comments="")
    return path


def legs(place: Floats, x: Floats, z: Floats, pitch: Floats, hip: float, thigh: float, shank: float) -> tuple[Floats, Floats]:
    """Angles of hip and knee, positive for a foot that swings forward, by the law of cosines; the knee bends backward."""
    ahead = place[:, 0] - x - np.cos(pitch) * hip
    down = -(place[:, 1] - z + np.sin(pitch) * hip)
    reach = np.hypot(ahead, down)
    knee = math.pi - np.arccos((thigh**2 + shank**2 - reach**2) / (2.0 * thigh * shank))
    inner = np.arccos((thigh**2 + reach**2 - shank**2) / (2.0 * thigh * reach))
    return np.arctan2(ahead, down) + pitch - inner, knee


def robot_of(path: Path) -> PlannedRobot:
    found = planned_robot(SPEC, read_plan(str(path), SPEC))
    assert found is not None
    return found


@pytest.mark.parametrize("radius", [0.0, RADIUS])
def test_a_plan_of_this_robot_is_right(tmp_path: Path, radius: float) -> None:
    robot = robot_of(written(tmp_path / "plan.csv", OWN, radius=radius))
    assert robot.drift < EXACT
    assert robot.text == ""


@pytest.mark.parametrize(
    ("lengths", "words"),
    [
        ((0.30, 0.209, 0.195), ["hips 0.300 m apart (0.380 here)"]),
        ((0.38, 0.230, 0.195), ["knees 0.230 m below the hips (0.209 here)"]),
        ((0.38, 0.209, 0.175), ["feet 0.175 m from the knees (0.195 here)"]),
        ((0.45, 0.190, 0.215), ["hips 0.450 m apart", "knees 0.190 m", "feet 0.215 m"]),
    ],
)
def test_other_lengths_are_named(tmp_path: Path, lengths: tuple[float, float, float], words: list[str]) -> None:
    robot = robot_of(written(tmp_path / "plan.csv", lengths))
    assert robot.lengths == pytest.approx(lengths, abs=EXACT)
    assert robot.rest < EXACT < robot.drift
    assert robot.text.count(" here)") == len(words)
    assert all(word in robot.text for word in words)


def test_another_mass_is_named(tmp_path: Path) -> None:
    robot = robot_of(written(tmp_path / "plan.csv", OWN, mass=7.0))
    assert robot.mass == pytest.approx(7.0, rel=0.02)  # the trunk's height stands for the com's
    assert "7.0 kg (8.9 here)" in robot.text
    assert " m " not in robot.text


def test_feet_that_no_lengths_keep_in_place_are_said_to_move(tmp_path: Path) -> None:
    path = written(tmp_path / "plan.csv", OWN)
    head, *rows = path.read_text().splitlines()
    column = head.split(",").index("base_x")
    shifted = [row.split(",") for row in rows]
    for k, row in enumerate(shifted):
        row[column] = str(float(row[column]) + 0.02 * math.sin(40.0 * k))
    path.write_text("\n".join([head, *(",".join(row) for row in shifted)]) + "\n")
    assert "standing feet move by up to 0.02" in robot_of(path).text


@pytest.mark.parametrize(("plan", "mass"), [("mit-flip", 7.3), ("mit-front-jump", 7.3), ("mit-front-jump-pitchup", 9.7)])
def test_mit_s_plans_are_of_a_robot_with_its_hips_closer(plan: str, mass: float) -> None:
    robot = robot_of(PLANS[plan])
    assert robot.lengths == pytest.approx((0.27, 0.209, 0.175), abs=1.5e-3)
    assert robot.rest < 6e-4
    assert robot.mass == pytest.approx(mass, abs=0.1)
    assert "hips 0.27" in " ".join(file_act(SPEC, plan, None).notes)


def test_a_plan_without_trunk_or_forces_says_nothing(tmp_path: Path) -> None:
    path = written(tmp_path / "plan.csv", (0.30, 0.209, 0.195))
    path.write_text(path.read_text().replace("base_x", "unnamed"))
    assert planned_robot(SPEC, read_plan(str(path), SPEC)) is None
