"""Several jumps in a row: the plan repeated, each jump measured on its own, the verdict that of the worst."""

from dataclasses import replace
from functools import cache, partial

import numpy as np
import pytest

from leapcheck.jumping.act import planned_act
from leapcheck.jumping.judging.thresholds import JumpVerdict
from leapcheck.jumping.judging.verdict import JumpJudgement
from leapcheck.jumping.measures.estimates import Estimate
from leapcheck.jumping.options import ROLLS, Flip, JumpOptions
from leapcheck.jumping.planning.plan import plan_jump
from leapcheck.jumping.planning.records import JumpPlan, JumpRequest
from leapcheck.jumping.runs import estimates_of, simulate_everywhere
from leapcheck.jumping.series import SAME_POSE, SETTLE, judge_series, repeated_plan
from leapcheck.jumping.setup import JumpSetup
from leapcheck.simulators.log import PER_STEP, JumpLog, log_part
from leapcheck_models.robots import load
from leapcheck_reference.simulate.actuator import drives

SPEC = load("mini_cheetah")
JUMPS, AWAY = 2, 0.15
LESS_FAR = 0.03  # m by which a simulated jump is off the plan's distance; measured 0.011
LESS_HIGH = 0.01  # m of the height; measured 0.001


@cache
def plan() -> JumpPlan:
    return plan_jump(SPEC, JumpRequest(height=0.1, distance=AWAY), drives(SPEC))


@cache
def setup() -> JumpSetup:
    return JumpSetup(SPEC, planned_act(plan(), jumps=JUMPS), ("rigid",), dt=2e-3, levels=1)


@cache
def log() -> JumpLog:
    logs, failures = simulate_everywhere(setup())
    assert not failures
    return logs["rigid"][0]


def judge(figures: tuple[Estimate, ...], _: object) -> JumpJudgement:
    """NO-GO where the robot has fallen."""
    tilt = next(figure for figure in figures if figure.key == "final_tilt")
    verdict = JumpVerdict.NO_GO if tilt.value > 30.0 else JumpVerdict.GO
    return JumpJudgement(verdict, (), (), f"{verdict}: it tilts")


def series(of: JumpLog) -> tuple[tuple[Estimate, ...], JumpJudgement, tuple[str, ...]]:
    assert setup().act is not None
    return judge_series(SPEC, {"rigid": [of]}, JUMPS, setup().act.duration, partial(estimates_of, setup()), judge)


def test_the_targets_of_the_second_jump_are_those_of_the_first() -> None:
    whole = repeated_plan(plan(), JUMPS)
    length = whole.duration / JUMPS
    assert plan().duration + SETTLE <= length < plan().duration + SETTLE + 0.011
    t = np.linspace(1e-3, plan().duration - 1e-3, 50)
    for first, second, single in zip(*(vars_of(p, s) for p, s in ((whole, t), (whole, t + length), (plan(), t))), strict=True):
        np.testing.assert_allclose(second, first, atol=1e-9)
        np.testing.assert_allclose(first, single, atol=1e-9)
    assert (np.diff(whole.times) >= 0.0).all()
    assert [phase.name for phase in whole.phases] == JUMPS * [phase.name for phase in plan().phases]
    assert whole.q[-1, 0] == pytest.approx(JUMPS * (plan().q[-1, 0] - plan().q[0, 0]))


def vars_of(p: JumpPlan, t: np.ndarray) -> tuple[np.ndarray, ...]:
    rows = p.commands(t)
    return rows.q, rows.qd, rows.torque, rows.kp


def test_one_jump_is_the_plan_itself_and_another_end_is_refused() -> None:
    assert repeated_plan(plan(), 1) is plan()
    q = plan().q.copy()
    q[-1, plan().joint_q] += 2.0 * SAME_POSE
    with pytest.raises(ValueError, match="--jumps 2: the plan ends in another pose"):
        repeated_plan(replace(plan(), q=q), 2)


def test_each_jump_goes_as_high_and_as_far_and_the_way_adds_up() -> None:
    act = setup().act
    assert act is not None
    jumps = []
    for k in range(JUMPS):
        length = round(act.duration / JUMPS / log().dt)
        seen = {e.key: e.value for e in estimates_of(setup(), {"rigid": [log_part(log(), k * length, (k + 1) * length)]})}
        assert seen["height"] == pytest.approx(0.1, abs=LESS_HIGH)
        assert seen["distance"] == pytest.approx(AWAY, abs=LESS_FAR)
        assert seen["final_tilt"] < 2.0
        jumps.append(seen)
    total = {e.key: e.value for e in series(log())[0]}["total_distance"]
    moved = log().q[-1, 0] - log().q[0, 0]
    assert total == pytest.approx(moved, abs=0.01)
    assert total > sum(seen["distance"] for seen in jumps)  # it goes on in the landings


def test_the_verdict_is_that_of_the_worst_jump() -> None:
    figures, judgement, lines = series(log())
    assert judgement.sentence == "GO: jump 1 of 2, the worst: it tilts"
    assert [line.partition(";")[0] for line in lines] == ["jump 1 of 2 is GO: it tilts", "jump 2 of 2 is GO: it tilts"]
    q = log().q.copy()
    q[-1, 3:7] = 0.0, 1.0, 0.0, 0.0  # on its back, at the very end
    figures, judgement, lines = series(replace(log(), q=q))
    assert judgement.verdict is JumpVerdict.NO_GO
    assert judgement.sentence == "NO-GO: jump 2 of 2, the worst: it tilts"
    assert {e.key: e.value for e in figures}["final_tilt"] == pytest.approx(180.0)


def test_a_part_of_a_log_has_its_own_rows() -> None:
    stopped = replace(log(), stopped="it diverged")
    first, last = log_part(stopped, 0, 10), log_part(stopped, 10, log().steps)
    assert (first.steps, len(first.time), first.stopped) == (10, 11, "")
    assert (last.steps, last.time[0], last.stopped) == (log().steps - 10, 0.0, "it diverged")
    np.testing.assert_array_equal(first.q[-1], last.q[0])
    for name in PER_STEP:
        np.testing.assert_array_equal(np.concatenate([getattr(first, name), getattr(last, name)]), getattr(log(), name))
    beyond = log_part(stopped, log().steps + 5, log().steps + 9)
    assert (beyond.steps, beyond.stopped) == (0, "it diverged")


@pytest.mark.parametrize(
    "other",
    [
        JumpOptions(height=0.2, jumps=3, pitch=10.0),
        JumpOptions(height=0.2, jumps=3, landing_height=0.1),
        JumpOptions(height=0.2, jumps=3, slope=5.0),
        JumpOptions(height=0.2, jumps=3, box=("0.1,0.5",)),
        JumpOptions(height=0.2, jumps=3, flip="left", planner="optimised"),
        JumpOptions(height=0.2, jumps=3, turn=90.0, planner="optimised"),
    ],
)
def test_what_is_not_planned_in_a_row_is_refused_by_name(other: JumpOptions) -> None:
    with pytest.raises(ValueError, match=r"^--\w[\w-]* with --jumps 3: .*--trajectory$"):
        other.check()


def test_jumps_are_counted_and_are_leapcheck_s_own() -> None:
    JumpOptions(height=0.2, distance=0.3, jumps=3).check()
    JumpOptions(height=0.2, distance=0.3, jumps=3, planner="optimised").check()
    for jumps in (0, -1, 21):
        with pytest.raises(ValueError, match=f"--jumps {jumps}: give 1 to 20"):
            JumpOptions(height=0.2, jumps=jumps).check()
    with pytest.raises(ValueError, match="--jumps does nothing here"):
        JumpOptions(plan="mit-flip", jumps=2).check()


@pytest.mark.parametrize("flip", list(ROLLS))
def test_a_barrel_roll_needs_the_optimised_planner(flip: Flip) -> None:
    JumpOptions(height=0.3, flip=flip, planner="optimised").check()
    with pytest.raises(
        ValueError, match=f"--flip {flip}: the quick planner pushes straight, with all feet: leave --planner quick"
    ):
        JumpOptions(height=0.3, flip=flip, planner="quick").check()
    with pytest.raises(ValueError, match="--turn does nothing here: a jump with --flip"):
        JumpOptions(height=0.3, flip=flip, turn=90.0, planner="optimised").check()
    with pytest.raises(ValueError, match="plan a barrel roll with --planner optimised"):
        plan_jump(SPEC, JumpRequest(height=0.3, roll=6.28), drives(SPEC))
