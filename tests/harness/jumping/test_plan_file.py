"""Plans from files: MIT's, which the Mini Cheetah has jumped, and a user's own; what is wrong with one is said."""

import csv
import math
from pathlib import Path

import numpy as np
import pytest

import leapcheck as lc
from leapcheck.jumping.act import act_on_ground, file_act
from leapcheck.jumping.judging.thresholds import JumpVerdict
from leapcheck.jumping.plan_file import read_plan
from leapcheck.jumping.plan_player import ONSET, plan_trajectory, start_pose
from leapcheck.jumping.sagittal import foot_positions, sagittal_places
from leapcheck_models.plans import PLANS
from leapcheck_models.robots import load
from leapcheck_reference.simulate.terrain import LEVEL

SPEC = load("mini_cheetah")
NAMES = [actuator.name for actuator in SPEC.actuators]
SIT = "time,front_hip,front_knee,rear_hip,rear_knee"


def plan_of(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_a_sagittal_plan_moves_left_and_right_alike_and_abads_outwards() -> None:
    places = sagittal_places(SPEC)
    assert {name: [NAMES[i] for i in place.actuators] for name, place in places.items()} == {
        f"{end}_{role}": [f"{legs}R_{role}", f"{legs}L_{role}"]
        for end, legs in (("front", "F"), ("rear", "H"))
        for role in ("abad", "hip", "knee")
    }
    assert places["front_abad"].signs == places["rear_abad"].signs == (-1.0, 1.0)  # a turn about +x takes a foot to the left


def test_the_flip_is_played_as_its_controller_does() -> None:
    with PLANS["mit-flip"].open() as lines:
        rows = list(csv.reader(line for line in lines if not line.startswith("#")))
    columns = {name: np.array([float(row[i]) for row in rows[1:]]) for i, name in enumerate(rows[0])}
    plan = read_plan("mit-flip", SPEC)
    played, knee, abad = plan_trajectory(plan), NAMES.index("HL_knee"), NAMES.index("FR_abad")
    assert plan.turn == pytest.approx(-5.340707)
    state = np.zeros(SPEC.nq), np.zeros(SPEC.nv)
    before, first, middle = (played(t, *state) for t in (1.9, 2.0, 2.3))
    assert before.q[knee] == first.q[knee] == columns["rear_knee"][0]
    assert before.torque[knee] == 0.0
    assert first.torque[knee] == pytest.approx(1.2 * columns["tau_rear_knee"][0] / 2)
    assert middle.torque[knee] == pytest.approx(1.2 * columns["tau_rear_knee"][300] / 2)
    assert middle.qd[knee] == pytest.approx(columns["d_rear_knee"][300])
    assert (middle.kp[knee], middle.kd[knee]) == (10.0, 1.0)
    half, end = played(2.625, *state), played(3.5, *state)
    assert half.q[knee] == pytest.approx((columns["rear_knee"][600] + 1.65) / 2)
    assert (half.torque[knee], half.kp[knee], half.kd[knee]) == (0.0, 25.0, 1.5)
    assert (end.q[knee], end.q[abad], end.q[abad + 3]) == (1.65, -0.2, 0.2)


def test_a_front_jump_tucks_clamps_and_lands() -> None:
    played = plan_trajectory(read_plan("mit-front-jump-pitchup-v2", SPEC))
    hip, rear, state = NAMES.index("FL_hip"), NAMES.index("HR_hip"), (np.zeros(SPEC.nq), np.zeros(SPEC.nv))
    assert played.q[:, hip][played.time < 0.7 + 0.24].min() >= -math.pi / 2.2 - 1e-12
    assert played(0.7 + 0.4, *state).q[hip] == -2.3
    assert played(0.7 + 0.4, *state).torque[hip] == 0.0 != played(0.7 + 0.4, *state).torque[rear]
    assert played(0.7 + 0.61, *state).q[rear] == pytest.approx(-1.25)
    assert played(0.7 + 0.655, *state).q[hip] == pytest.approx((-2.3 - 0.45) / 2)
    assert played(0.7 + 0.655, *state).kp[hip] == 20.0


def test_a_plan_begins_with_its_lowest_foot_on_the_ground() -> None:
    plan = read_plan("mit-flip", SPEC)
    heights = [position[2] for _, position in foot_positions(SPEC, start_pose(SPEC, plan.q[0]))]
    assert min(heights) == pytest.approx(0.0, abs=1e-15)
    assert max(heights) < 1e-12


@pytest.mark.parametrize(
    ("plan", "height"), [("mit-front-jump", "0.40"), ("mit-front-jump-pitchup", "0.40"), ("mit-front-jump-pitchup-v2", "0.45")]
)
def test_a_plan_that_lands_on_a_box_says_how_high(plan: str, height: str) -> None:
    assert f"{height} m higher" in " ".join(act_on_ground(SPEC, file_act(SPEC, plan, None), LEVEL).notes)


def test_a_full_plan_names_every_joint(tmp_path: Path) -> None:
    names = [f"q_{actuator.joint}" for actuator in SPEC.actuators]
    text = "# prepare = 0.0\n# factor = 2.0\n# [[segments]]\n# start = 0.1\n# end = 0.2\n# targets = { FR_knee_joint = 1.0 }\n"
    rows = [",".join(map(str, [t, *[0.5] * 12, 3.0])) for t in (0.0, 0.1, 0.2)]
    path = plan_of(tmp_path / "full.csv", text + "\n".join([",".join(["time", *names, "tau_FR_knee"]), *rows]) + "\n")
    played = plan_trajectory(read_plan(str(path), SPEC))
    assert played.time[0] == 0.0
    start, end = (played(t, np.zeros(SPEC.nq), np.zeros(SPEC.nv)) for t in (0.0, 0.3))
    assert (start.q[2], start.torque[2], end.q[2], end.torque[2]) == (0.5, 6.0, 1.0, 0.0)
    assert played.time[-1] == pytest.approx(0.2 + 1.0)
    assert ONSET < 1e-5


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("time,front_hip\n0,1\n1,1\n", "has no column 'front_knee': a plan has time and front_hip, front_knee"),
        (f"# kp = fast\n{SIT}\n", "header: Invalid value"),
        (f"# speed = 1\n{SIT}\n0,1,1,1,1\n1,1,1,1,1\n", "unexpected keyword argument 'speed': see docs/plans.md"),
        (f"# kp = -1\n{SIT}\n0,1,1,1,1\n1,1,1,1,1\n", "gains must be numbers of 0 or more"),
        (f"# least = {{ tail = 1 }}\n{SIT}\n0,1,1,1,1\n1,1,1,1,1\n", "moves 'tail': use front_abad"),
        (f"{SIT}\n0,1,1,1,1\n0,1,1,1,1\n", "'time' must rise"),
        (f"{SIT}\n0,1,1,1,1\n1,1,nan,1,1\n", "column 'front_knee', row 3"),
    ],
)
def test_a_broken_plan_is_refused_with_its_place(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says) as caught:
        read_plan(str(plan_of(tmp_path / "broken.csv", text)), SPEC)
    assert "broken.csv" in str(caught.value)


def test_a_plan_says_how_far_it_is_to_turn(tmp_path: Path) -> None:
    rows = "0,0.1,0,-1,2,-1,2\n1,1.6,0.3,-1,2,-1,2\n"
    text = "time,base_yaw,base_pitch,front_hip,front_knee,rear_hip,rear_knee\n" + rows
    act = file_act(SPEC, str(plan_of(tmp_path / "turn.csv", text)), None)
    assert (act.yaw, act.turn) == (pytest.approx(1.5), pytest.approx(0.3))
    assert file_act(SPEC, "mit-flip", None).yaw is None


def test_a_plan_that_is_nowhere_or_for_another_robot_is_refused() -> None:
    with pytest.raises(FileNotFoundError, match="no plan 'mit-dive': give a CSV file, or one of mit-flip, mit-front-jump"):
        read_plan("mit-dive", SPEC)
    with pytest.raises(ValueError, match="no quadruped with three driven joints a leg"):
        read_plan("mit-flip", load("pupper_leg"))


@pytest.fixture(scope="module")
def flip() -> lc.JumpRun:
    return lc.jump("mini_cheetah", plan="mit-flip", engines=("mujoco", "spring-damper"), levels=1, workers=1)


def test_mit_s_flip_turns_once_and_lands(flip: lc.JumpRun) -> None:
    """On the robot it worked: the verdict may name what saturates, and no more."""
    assert flip.verdict is JumpVerdict.MARGINAL
    figures = {estimate.key: estimate for estimate in flip.study.estimates}
    assert all(value.value == pytest.approx(-360.0, abs=5.0) for value in figures["turn"].by_simulator.values())
    assert figures["final_tilt"].highest < 5.0
    assert figures["trunk_clearance"].lowest > 0.03
    assert flip.study.judgement.reasons[0].item == "torque_use"


def test_with_a_third_of_the_voltage_mit_s_flip_is_a_no_go() -> None:
    weak = lc.jump("mini_cheetah", plan="mit-flip", engines=("spring-damper",), levels=1, workers=1, battery_voltage=8.0)
    assert weak.verdict is JumpVerdict.NO_GO
    assert weak.study.judgement.reasons[0].item == "trunk_clearance"
