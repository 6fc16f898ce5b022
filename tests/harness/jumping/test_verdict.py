"""Verdicts of planted figures on each side of each threshold."""

import itertools
import math

import pytest

from leapcheck.jumping.judging.rules import RULES, SLIPPING, figure_text
from leapcheck.jumping.judging.thresholds import DIRECTIONS, JumpVerdict, Thresholds
from leapcheck.jumping.judging.verdict import STRONG_ENOUGH, WIDE, judge_jump
from leapcheck.jumping.measures.estimates import Estimate, Value
from leapcheck.jumping.measures.ledgers import Ledger
from leapcheck.jumping.robustness.statistics import success_interval
from leapcheck_models.robots import load
from leapcheck_reference.simulate.actuator import drives
from tests.harness.jumping.judged_cases import GOOD, Run, Varied, case, estimate

pytestmark = pytest.mark.quick

GO, MARGINAL, NO_GO = JumpVerdict.GO, JumpVerdict.MARGINAL, JumpVerdict.NO_GO
NEAR = 1e-3
"""Distance of a planted value from its threshold; the planted error bars are 1e-6."""


def test_a_jump_within_all_thresholds_is_go() -> None:
    found = case()
    assert found.verdict is GO
    assert found.reasons == found.remedies == ()
    assert found.sentence.startswith("GO: ")
    assert "torque 0.50" in found.sentence


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.figure)
def test_each_rule_has_its_two_thresholds(rule: object) -> None:
    limits = Thresholds()
    sign = 1.0 if DIRECTIONS[rule.threshold] else -1.0
    marginal = getattr(limits, f"{rule.threshold}_marginal")
    no_go = rule.scale * getattr(limits, f"{rule.threshold}_no_go")
    planted = {
        marginal - sign * NEAR: GO,
        marginal + sign * NEAR: MARGINAL,
        no_go - sign * NEAR: MARGINAL,
        no_go + sign * NEAR: NO_GO if rule.outcome else MARGINAL,
    }
    for value, verdict in planted.items():
        found = case({rule.figure: value})
        assert found.verdict is verdict, value
        assert [reason.item for reason in found.reasons] == ([] if verdict is GO else [rule.figure])
        if verdict is not GO:
            reason = found.reasons[0]
            assert reason.value == pytest.approx(value)
            assert reason.threshold == (no_go if value == no_go + sign * NEAR else marginal)
            assert rule.predicts in reason.text
            assert reason.simulator == "b"  # equals: the last name
            assert reason.dt == 1e-3
            assert found.remedies


@pytest.mark.parametrize(
    ("figure", "value", "verdict"),
    [
        ("torque_use", 0.8, GO),
        ("torque_use", 1.0, MARGINAL),
        ("limit_margin", 0.0, MARGINAL),
        ("limit_margin", 0.05, MARGINAL),
        ("trunk_clearance", 0.0, NO_GO),
        ("trunk_clearance", 0.01, MARGINAL),
        ("clearance", 0.0, MARGINAL),
        ("clearance", 0.011, GO),
    ],
)
def test_above_means_above_and_a_margin_of_zero_is_a_hit(figure: str, value: float, verdict: JumpVerdict) -> None:
    assert case({figure: {"a": (value, 0.0)}}, simulators=("a",)).verdict is verdict


@pytest.mark.parametrize("figure", ["pitch_off", "roll_touch_down"])
def test_attitude_counts_by_its_size(figure: str) -> None:
    assert case({figure: -10.0}).verdict is GO
    assert case({figure: -20.0}).verdict is MARGINAL
    assert case({figure: -60.0}).verdict is MARGINAL  # the landing succeeds all the same
    assert "above 45" in case({figure: -60.0}).sentence
    assert case({figure: {"a": (-60.0, 1.0), "b": (-20.0, 1.0)}}).verdict is MARGINAL


def test_a_barrel_roll_that_misses_its_turn_is_a_no_go_and_says_which_way() -> None:
    assert case({"roll_off": -44.0}).verdict is GO
    short = case({"roll": 170.0, "roll_off": -190.0})
    assert short.verdict is NO_GO
    assert "roll faster: the trunk rolls by 170 deg" in short.remedies


def test_a_turn_about_the_vertical_counts_by_its_size_and_is_an_outcome() -> None:
    assert case({"yaw_off": -9.0}).verdict is GO
    assert case({"yaw_off": -11.0}).verdict is MARGINAL
    missed = case({"yaw_off": -31.0})
    assert missed.verdict is NO_GO
    assert "faces another way" in missed.sentence
    assert any("ask for +31 deg of turn more" in remedy for remedy in missed.remedies)
    assert case({"yaw_off": {"a": (-31.0, 1.0), "b": (-1.0, 1.0)}}).verdict is MARGINAL  # it turns in one of the simulators


@pytest.mark.parametrize(
    ("figure", "value", "error", "verdict"),
    [
        ("thermal_load", 0.99, 0.02, MARGINAL),
        ("thermal_load", 1.01, 0.02, MARGINAL),
        ("thermal_load", 1.03, 0.02, NO_GO),
        ("torque_use", 0.79, 0.02, MARGINAL),
        ("torque_use", 0.77, 0.02, GO),
        ("clearance", 0.011, 0.002, MARGINAL),
        ("trunk_clearance", -0.001, 0.002, MARGINAL),
        ("trunk_clearance", -0.003, 0.002, NO_GO),
        ("limit_margin", 0.06, 0.02, MARGINAL),
        ("final_tilt", 29.0, 2.0, MARGINAL),
    ],
)
def test_a_verdict_that_flips_within_its_error_bar_is_marginal(
    figure: str, value: float, error: float, verdict: JumpVerdict
) -> None:
    found = case({figure: {"a": (value, error)}}, simulators=("a",))
    assert found.verdict is verdict
    if verdict is MARGINAL:
        assert found.reasons[0].flips
        assert any("time steps" in remedy for remedy in found.remedies)


def test_a_verdict_that_flips_over_the_simulators_is_marginal() -> None:
    found = case({"final_tilt": {"a": (120.0, 1e-3), "b": (20.0, 1e-3)}})
    assert found.verdict is MARGINAL
    assert found.reasons[0].simulator == "a"
    assert found.reasons[0].flips
    assert (found.reasons[0].spread_low, found.reasons[0].spread_high) == (20.0, 120.0)
    assert any("contact model" in remedy for remedy in found.remedies)
    assert case({"final_tilt": {"a": (120.0, 1e-3), "b": (110.0, 1e-3)}}).verdict is NO_GO


@pytest.mark.parametrize(("fallen", "verdict"), [(1, MARGINAL), (2, MARGINAL), (3, NO_GO), (5, NO_GO)])
def test_a_fall_in_most_simulators_is_a_no_go(fallen: int, verdict: JumpVerdict) -> None:
    tilts = {name: (90.0 if k < fallen else 0.2, 1e-3) for k, name in enumerate("abcde")}
    found = case({"final_tilt": tilts})
    assert found.verdict is verdict
    assert found.reasons[0].flips is (verdict is MARGINAL)
    uncertain = tilts | {"c": (90.0, 80.0)}  # an error bar that reaches to where it stands
    assert case({"final_tilt": uncertain}).verdict is (NO_GO if fallen == 5 else MARGINAL)


def test_the_verdict_does_not_depend_on_the_order_of_simulators() -> None:
    names = ("a", "b", "c")
    planted = {
        "torque_use": dict(zip(names, [(1.2, 0.1), (0.7, 0.2), (1.2, 0.1)], strict=True)),
        "voltage_use": dict(zip(names, [(1.1, 0.01), (1.3, 0.01), (1.2, math.nan)], strict=True)),
        "clearance": dict(zip(names, [(0.1, 0.01), (0.005, 0.01), (-0.01, 0.001)], strict=True)),
    }
    logs = {"a": [Run(stopped="a stopped")], "b": [Run()], "c": [Run(stopped="c stopped")]}
    books = {name: [Ledger("energy", 1.0, 1.0, "J", 1e-3, "")] for name in names}
    found = [
        case(
            {key: {name: by[name] for name in order} for key, by in planted.items()},
            order,
            logs={name: logs[name] for name in order},
            books={name: books[name] for name in order},
        )
        for order in itertools.permutations(names)
    ]
    assert all(str(judgement) == str(found[0]) for judgement in found)


def test_a_stopped_run_is_a_no_go_at_its_finest_step_only() -> None:
    stopped = Run(1e-3, "the controller stopped at t = 0.3 s: ValueError: no")
    found = case(logs={"a": [Run(), stopped], "b": [Run()]})
    assert (found.verdict, found.reasons[0].item, found.reasons[0].simulator) == (NO_GO, "run", "a")
    assert "no" in found.sentence
    assert case(logs={"a": [stopped, Run(5e-4)], "b": [Run()]}).verdict is MARGINAL
    assert judge_jump([], {}, {}).verdict is NO_GO


def test_runs_that_stopped_give_one_reason_with_the_first_to_stop() -> None:
    logs = {
        "a": [Run(2e-3, "late", (0.0, 0.4)), Run(1e-3, "a bit late", (0.0, 0.5))],
        "b": [Run(1e-3, "early", (0.0, 0.3))],
        "c": [Run(2e-3, "coarse", (0.0, 0.1)), Run(1e-3)],
    }
    found = case(logs=logs, simulators=("a", "b", "c"))
    assert [(reason.verdict, reason.simulator) for reason in found.reasons] == [(NO_GO, "b"), (MARGINAL, "c")]
    assert found.reasons[0].text == "the run in b stopped early, at a step of 1 ms: early; it stopped in a"
    assert "coarser step in c" in found.reasons[1].text
    assert found.reasons[1].dt == 2e-3


def test_simulators_that_failed_alike_give_one_reason() -> None:
    found = case(failures={"x": "x: no rotors", "y": "y: no rotors", "z": "z: no library"})
    assert [reason.text for reason in found.reasons] == ["no run of x, y: no rotors", "no run of z: no library"]
    assert len(found.remedies) == 2
    assert case(failures={"b": "b: out of memory"}).reasons[0].text == "not every run of b: out of memory"


def test_ledgers_of_one_sort_give_one_reason_with_the_worst() -> None:
    def book(what: str, residual: float, tolerance: float = 0.01) -> Ledger:
        return Ledger(what, residual, 10.0, "J", tolerance, "")

    books = {
        "a": [book("energy", 0.2), book("momentum", 0.3)],
        "b": [book("energy", 0.3, 0.02), book("momentum", 0.0)],
        "c": [book("energy", 0.1)],
    }
    found = case(books=books, simulators=("a", "b", "c"))
    assert [(reason.item, reason.simulator) for reason in found.reasons] == [("ledger", "a"), ("ledger", "a")]
    assert found.reasons[0].text == "the ledger of energy is out by 0.02 of its turnover in a, above 0.01; out too in b"
    assert found.reasons[1].text.endswith("in a, above 0.01")
    assert len(found.remedies) == 1
    assert case(books={**books, "b": [book("energy", math.nan)]}, simulators=("a", "b", "c")).reasons[0].simulator == "b"


@pytest.mark.parametrize("figure", ["trunk_clearance"])
def test_a_hit_at_every_step_size_is_one_whatever_its_depth(figure: str) -> None:
    """The depth to which a rigid contact gives way goes to zero: its error bar says nothing about whether there is contact."""

    def deep(coarse: float, fine: float) -> dict[str, Estimate]:
        value = Value(fine, 1e-3, 1.0, ((1e-3, coarse), (5e-4, fine)), "knee", 0.1)
        return {"a": Estimate(figure, "", {"a": value}, fine, 1e-3, fine, fine)}

    logs = {"a": [Run()]}
    for coarse, fine, verdict in ((-1e-5, -1e-6, NO_GO), (0.0, 0.0, NO_GO), (1e-4, -1e-6, MARGINAL), (-1e-6, 1e-4, MARGINAL)):
        others = [estimate(key, {"a": (x, 1e-6)}) for key, x in GOOD.items() if key != figure]
        assert judge_jump([*others, *deep(coarse, fine).values()], {}, logs).verdict is verdict, (coarse, fine)


def test_remedies_settle_a_flip_only_where_it_decides() -> None:
    flip = {"turn_off": {"a": (200.0, 1e-3), "b": (90.0, 1e-3)}}
    assert any("decides the verdict" in remedy for remedy in case(flip).remedies)
    hopeless = case({**flip, "final_tilt": 90.0})
    assert hopeless.verdict is NO_GO
    assert not any("decides the verdict" in remedy for remedy in hopeless.remedies)
    half = case({"flight_time": {"a": (0.4, 1e-3)}})
    assert [remedy for remedy in half.remedies if "decides" in remedy] == [WIDE]


def test_a_simulator_that_gave_no_run_is_marginal_never_silent() -> None:
    found = case(failures={"mujoco": "mujoco: no module named mujoco"})
    assert (found.verdict, found.reasons[0].simulator) == (MARGINAL, "mujoco")
    assert "no module named mujoco" in found.sentence
    assert any("mujoco" in remedy for remedy in found.remedies)


def test_a_ledger_out_of_tolerance_is_a_no_go() -> None:
    def book(residual: float) -> dict[str, list[Ledger]]:
        return {"a": [Ledger("energy", residual, 10.0, "J", 0.01, "work = change")], "b": []}

    assert case(books=book(0.09)).verdict is GO
    found = case(books=book(0.11))
    assert (found.verdict, found.reasons[0].item, found.reasons[0].simulator) == (NO_GO, "ledger", "a")
    assert "energy" in found.reasons[0].text
    assert case(books=book(math.nan)).verdict is NO_GO


@pytest.mark.parametrize(
    ("successes", "count", "verdict"),
    [
        (100, 100, GO),
        (72, 72, GO),
        (71, 71, MARGINAL),
        (10, 10, MARGINAL),
        (99, 100, MARGINAL),
        (8, 10, MARGINAL),
        (7, 10, NO_GO),
    ],
)
def test_a_low_rate_of_success_is_a_no_go_and_too_few_jumps_are_not(successes: int, count: int, verdict: JumpVerdict) -> None:
    """Ten of ten say nothing against the jump: they only leave a failure rate of 31 % possible."""
    found = case(robustness=Varied(successes, count, success_interval(successes, count)))
    assert found.verdict is verdict
    assert f"{successes} of {count}" in found.sentence
    if verdict is not GO:
        assert found.reasons[0].item == "success"
        assert ("too few" in found.sentence) == (successes == count)
        assert any("72" in remedy for remedy in found.remedies)


def test_a_jump_that_does_not_take_off_or_land_is_a_no_go() -> None:
    stays = case({"take_off_speed": None, "flight_time": None})
    assert stays.verdict is NO_GO
    assert "does not leave the ground" in stays.sentence
    assert len(stays.reasons) == 1
    flies = case({"flight_time": None})
    assert flies.verdict is NO_GO
    assert "ends in the air" in flies.sentence
    half = case({"flight_time": {"a": (0.4, 1e-3)}})
    assert half.verdict is MARGINAL
    assert half.reasons[0].simulator == "b"


def test_a_run_that_stopped_is_not_blamed_for_what_it_did_not_reach() -> None:
    logs = {"a": [Run(stopped="the controller stopped at t = 0.2 s")]}
    found = case({"take_off_speed": None, "flight_time": None, "final_tilt": {"a": (1.0, math.nan)}}, ("a",), logs=logs)
    assert [reason.item for reason in found.reasons] == ["run"]
    half = case({"flight_time": {"a": (0.4, 1e-3)}}, logs={"a": [Run()], "b": [Run(stopped="it diverged")]})
    assert [reason.item for reason in half.reasons] == ["run"]


def test_one_step_size_alone_is_never_go() -> None:
    found = case({"voltage_use": {"a": (0.5, math.nan), "b": (0.5, 1e-3)}})
    assert (found.verdict, found.reasons[0].item) == (MARGINAL, "time step")
    assert "in a:" in found.reasons[0].text


def test_a_figure_that_is_no_number_is_a_no_go() -> None:
    found = case({"torque_use": {"a": (math.nan, math.nan), "b": (0.5, 1e-3)}}, drives=drives(load("mini_cheetah")))
    assert found.verdict is NO_GO
    assert found.remedies
    assert not any("nan" in remedy for remedy in found.remedies)


def test_gravest_reasons_come_first_and_the_sentence_counts_the_rest() -> None:
    found = case({"torque_use": 0.9, "trunk_clearance": -0.01, "final_tilt": 20.0})
    assert [reason.verdict for reason in found.reasons] == [NO_GO, MARGINAL, MARGINAL]
    assert found.sentence.startswith("NO-GO: clearance of the trunk")
    assert found.sentence.endswith("and 2 more")
    assert "\n" not in found.sentence


def test_a_reason_shows_the_digits_that_tell() -> None:
    def said(by: dict[str, tuple[float, float]]) -> str:
        return figure_text(estimate("clearance", by))

    assert said({"a": (0.0123, 2e-4), "b": (0.0145, 1e-4)}) == "0.0134 +- 0.0002 m (0.0123 to 0.0145 over the simulators)"
    assert said({"a": (1.66, 3e-15), "b": (1.66 + 1e-9, 0.0)}) == "1.66 m"
    assert said({"a": (0.0, 1e-3), "b": (0.0, math.nan)}) == "0 m"
    assert said({"a": (0.0, 1e-3)}) == "0 +- 0.001 m"


def test_thresholds_are_the_users() -> None:
    mild = Thresholds(utilisation_marginal=0.95, utilisation_no_go=1.2)
    assert case({"torque_use": 0.9}, thresholds=mild).verdict is GO
    assert case({"torque_use": 1.1}, thresholds=mild).verdict is MARGINAL


def test_what_saturates_slips_or_touches_and_succeeds_in_every_simulator_is_marginal() -> None:
    """MIT's backflip asks for 1.45 times the peak torque, slips and dips a knee into the ground, on the robot too, and lands."""
    found = case({"torque_use": 1.45, "friction_use": 1.0, "clearance": -0.005, "limit_margin": -0.01, "slip_landing": 0.2})
    assert found.verdict is MARGINAL
    assert [reason.item for reason in found.reasons] == [
        "torque_use",
        "friction_use",
        "limit_margin",
        "clearance",
        "slip_landing",
    ]
    assert "drives saturate" in found.sentence
    fallen = case({"torque_use": 1.45, "final_tilt": 170.0})
    assert [reason.item for reason in fallen.reasons] == ["final_tilt", "torque_use"]
    assert fallen.sentence.startswith("NO-GO: tilt at the end")


def test_friction_counts_as_used_up_just_below_the_whole() -> None:
    """Contact gives no more than mu Fn: a foot that slips all along uses 1, not more."""
    assert SLIPPING < 1.0
    assert case({"friction_use": 0.999}).reasons[0].threshold == SLIPPING


def test_planted_figures_are_those_that_rules_name() -> None:
    assert {rule.figure for rule in RULES} <= set(GOOD)
    assert estimate("torque_use.FR_knee", {"a": (1.0, 0.1)}).key == "torque_use.FR_knee"


def test_drives_that_saturate_in_a_jump_that_succeeds_need_no_change() -> None:
    drives = {"torque_use": 1.4, "voltage_use": 1.2, "line_use": 1.1}
    assert case(drives).remedies == (STRONG_ENOUGH,)
    fallen = case({"torque_use": 1.4, "final_tilt": 90.0})
    assert STRONG_ENOUGH not in fallen.remedies
    assert any("lower the jump" in remedy for remedy in fallen.remedies)
    in_one = case({"torque_use": 1.4, "final_tilt": {"a": (1.0, 0.1), "b": (90.0, 0.1)}})
    assert in_one.verdict is MARGINAL
    assert any("lower the jump" in remedy for remedy in in_one.remedies)
