"""Each cause of failure is named by the threshold that it breaks, and a flight in closed form has its figures."""

import math

import numpy as np
import pytest

from leapcheck.jumping.judging.rules import RULES, Rule, grade
from leapcheck.jumping.judging.thresholds import DIRECTIONS, JumpVerdict, Thresholds
from leapcheck.jumping.robustness.monte_carlo import LumpingCost
from leapcheck.jumping.robustness.outcome import FIGURE_NAMES, Recording, TrialOutcome, causes, outcome, outline_of
from tests.harness.jumping.monte_carlo_cases import SPEC

SOUND = {
    "take_off_time": 0.5, "take_off_speed": 2.0, "run_up_speed": 0.6, "rise": 0.3, "height": 0.2, "distance": 0.0,
    "pitch_touch_down": 1.0, "roll_touch_down": 0.0, "torque_use": 0.5, "voltage_use": 0.5, "line_use": math.nan,
    "slip_push": 0.0, "slip_landing": 0.0, "limit_margin": 0.1,
    "clearance": 0.05, "trunk_clearance": 0.06, "landing_height": 0.0, "rearmost_foot": 0.4,
    "turn": 1.0, "yaw": 1.0, "roll": 1.0, "final_tilt": 1.0,
    "final_speed": 0.01,
}  # fmt: skip
STEP = 1e-13  # s, m/s, m: differences of the samples of a parabola; largest seen 5.0e-15


def why(**changed: float) -> tuple[str, ...]:
    return causes(TrialOutcome(SOUND | changed, ""), 0.2, Thresholds())


def test_a_sound_jump_has_no_cause_of_failure() -> None:
    assert set(SOUND) == set(FIGURE_NAMES)
    assert why() == ()
    assert causes(TrialOutcome(SOUND | {"landing_height": 0.26}, ""), 0.2, Thresholds(), landing=0.4) == ()
    flip, once = TrialOutcome(SOUND | {"turn": -362.0}, ""), -2.0 * math.pi
    assert causes(flip, 0.2, Thresholds(), turn=once) == ()
    assert causes(flip, 0.2, Thresholds(), turn=0.0) == ("turned too far or not far enough",)
    assert causes(TrialOutcome(SOUND, ""), 0.2, Thresholds(), turn=once) == ("turned too far or not far enough",)
    assert causes(TrialOutcome(SOUND, ""), 0.2, Thresholds(), landing=0.4) == ("does not stand where it should",)
    assert causes(TrialOutcome(SOUND | {"yaw": 61.0}, ""), 0.2, Thresholds(), yaw=math.pi / 2) == ()
    assert causes(TrialOutcome(SOUND, ""), 0.2, Thresholds(), yaw=math.pi / 2) == ("faces another way",)
    assert causes(TrialOutcome(SOUND | {"roll": -350.0}, ""), 0.2, Thresholds(), roll=once) == ()
    assert causes(TrialOutcome(SOUND, ""), 0.2, Thresholds(), roll=once) == ("rolled too far or not far enough",)
    assert why(slip_push=0.2, slip_landing=0.2, clearance=-0.01, limit_margin=-0.01, roll_touch_down=50.0) == ()  # it succeeds
    assert why(height=0.101, pitch_touch_down=-44.9, slip_push=0.1, final_tilt=30.0, final_speed=0.5) == ()  # at the thresholds


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.figure in SOUND or rule.figure == "height_share"])
def test_a_failure_is_what_the_verdict_calls_a_no_go(rule: Rule) -> None:
    """At the threshold itself and on both sides of it; limits are not held against a varied jump, what they lead to is."""
    marginal, no_go = (getattr(Thresholds(), f"{rule.threshold}_{level}") for level in ("marginal", "no_go"))
    figure, unit = ("height", 0.2) if rule.figure == "height_share" else (rule.figure, 1.0)
    for x in (no_go - 1e-3, no_go, no_go + 1e-3):
        hopeless = grade(x, marginal, no_go, DIRECTIONS[rule.threshold]) is JumpVerdict.NO_GO
        assert bool(why(**{figure: unit * x})) is (hopeless and rule.outcome), x


@pytest.mark.parametrize(
    ("changed", "cause"),
    [
        ({"height": 0.099}, "jumped too low"),
        ({"pitch_touch_down": -45.1}, "tilted at touch-down"),
        ({"roll_touch_down": 45.1}, "tilted at touch-down"),
        ({"pitch_touch_down": math.nan}, "not yet landed"),
        ({"take_off_time": math.nan, "height": math.nan}, "no take-off"),
        ({"slip_push": 0.11}, "feet slipped in the push"),
        ({"slip_landing": 0.11}, "feet slipped in the landing"),
        ({"limit_margin": 0.0}, "joint stop hit"),
        ({"clearance": 0.0}, "leg hit the ground"),
        ({"final_tilt": 30.1}, "turned over"),
        ({"final_speed": 0.51}, "not at rest at the end"),
    ],
)
def test_what_breaks_a_threshold_is_named(changed: dict[str, float], cause: str) -> None:
    assert set(why(**{"final_tilt": 90.0} | changed)) == {cause, "turned over"}


def test_a_foot_in_the_gap_and_a_slow_run_up_are_failures() -> None:
    """Up to and at the NO-GO thresholds, 0 m beyond the gap and half of the speed; where neither is asked, nothing is failed."""
    assert why(rearmost_foot=-9.0, run_up_speed=-9.0) == ()
    for edge, expected in ((0.399, ()), (0.4, ("not beyond the gap",)), (0.9, ("not beyond the gap",))):
        assert causes(TrialOutcome(SOUND, ""), 0.2, Thresholds(), far_edge=edge) == expected
    for speed, expected in ((1.19, ()), (1.2, ("ran up too slowly",)), (2.0, ("ran up too slowly",))):
        assert causes(TrialOutcome(SOUND, ""), 0.2, Thresholds(), run_up=speed) == expected


def test_the_pitch_at_touch_down_is_judged_against_the_plans() -> None:
    """Whole turns, the planned rest of one and the start's pitch taken off; the same pitch is a tilt where it was not meant."""
    tilted = TrialOutcome(SOUND | {"pitch_touch_down": 80.0, "turn": -640.0, "final_tilt": 90.0}, "")
    assert "tilted at touch-down" in causes(tilted, 0.2, Thresholds(), turn=-2.0 * math.tau)
    assert causes(tilted, 0.2, Thresholds(), turn=math.radians(-640.0)) == ("turned over",)
    assert causes(tilted, 0.2, Thresholds(), turn=-2.0 * math.tau, start=math.radians(40.0))[0] == "turned over"


def test_the_trunk_is_told_from_the_legs_and_a_stop_from_all() -> None:
    assert why(clearance=-0.01, trunk_clearance=-0.01) == ("trunk hit the ground",)
    assert why(clearance=-0.02, trunk_clearance=-0.01) == ("trunk hit the ground", "leg hit the ground")
    assert causes(TrialOutcome(SOUND, "the simulation diverged"), 0.2, Thresholds()) == ("the simulation diverged",)


def test_a_flight_in_closed_form_has_its_figures() -> None:
    # weight doubled from 50 ms, nothing from 100 ms, weight again from 300 ms, by semi-implicit Euler as MuJoCo steps
    dt, g, weight = 1e-3, 9.81, SPEC.total_mass * 9.81
    upward = np.repeat([weight, 2.0 * weight, 0.0, weight], [50, 50, 200, 100])
    speed = np.concatenate([[0.0], np.cumsum((upward / weight - 1.0) * g * dt)])
    height = 0.3 + np.concatenate([[0.0], np.cumsum(speed[1:] * dt)])
    n, points = len(upward), 16
    q = np.tile(np.array(SPEC.pose("home")), (n + 1, 1))
    com = np.zeros((n, 3))
    com[:, 2] = height[:-1]
    com[:, 0] = 0.5 * 2.0 * (dt * np.arange(n)) ** 2  # 2 m/s^2
    run = Recording(
        dt=dt, q=q, com=com, centres=np.ones((n, points, 3)), spin=np.zeros((n, 4, 3)), upward=upward, weight=weight,
        torque_use=np.full(n, 0.4), voltage_use=np.full(n, 0.6), line_use=np.full(n, np.nan), final_speed=0.0, stopped="",
    )  # fmt: skip
    found = outcome(outline_of(SPEC), run).figures
    assert outcome(outline_of(SPEC), run, 0.2).figures["run_up_speed"] == pytest.approx(0.4, abs=2.0 * dt)
    assert found["run_up_speed"] == pytest.approx(2.0 * 0.05, abs=4.0 * dt)  # the push begins within a step or two
    off = 99.0 + (2.0 - 0.05) / 2.0  # the force falls from twice the weight to nothing in one step, through 5 % of the weight
    assert found["take_off_time"] == pytest.approx(off * dt, abs=STEP)
    assert found["take_off_speed"] == pytest.approx(np.interp(off, range(n), speed[:-1]), abs=STEP)
    apex = height[100] + speed[100] ** 2 / (2.0 * g)
    assert found["height"] == pytest.approx(apex - np.interp(off, range(n), height[:-1]), abs=STEP)
    assert found["rise"] == pytest.approx(apex - 0.3, abs=2 * g * dt * dt)  # the push begins within a step or two
    assert found["torque_use"] == 0.4
    assert found["clearance"] == pytest.approx(0.999)
    assert found["slip_push"] == found["slip_landing"] == 0.0
    assert found["pitch_touch_down"] == 0.0


def test_a_run_that_never_leaves_the_ground_has_no_flight() -> None:
    n = 50
    run = Recording(
        dt=1e-3, q=np.tile(np.array(SPEC.pose("home")), (n + 1, 1)), com=np.zeros((n, 3)), centres=np.zeros((n, 16, 3)),
        spin=np.zeros((n, 4, 3)), upward=np.full(n, 80.0), weight=80.0, torque_use=np.zeros(n), voltage_use=np.zeros(n),
        line_use=np.zeros(n), final_speed=0.0, stopped="",
    )  # fmt: skip
    found = outcome(outline_of(SPEC), run)
    assert math.isnan(found.figures["take_off_time"])
    assert math.isnan(found.figures["rise"])
    assert "no take-off" in causes(found, 0.2, Thresholds())


def test_what_lumped_rotors_cost_is_told_of_jumps_that_take_off() -> None:
    jump, none = {"take_off_speed": 2.0, "rise": 0.3}, {"take_off_speed": math.nan, "rise": math.nan}
    said = LumpingCost(jump, {"take_off_speed": 2.02, "rise": 0.3}).sentence
    assert "take-off speed 2.02 m/s for 2 (+1 %), rise 0.3 m for 0.3 (+0 %)" in said
    for exact, lumped in ((jump, none), (none, jump), (none, none)):
        said = LumpingCost(exact, lumped).sentence
        assert "nan" not in said
        assert "it does not take off with both" in said
    assert "not known: no such rotor." in LumpingCost({}, jump, "no such rotor").sentence
