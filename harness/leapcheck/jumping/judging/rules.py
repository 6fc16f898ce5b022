"""Figures compared with thresholds: a rule for each figure that is judged, and the reason it gives."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from leapcheck.jumping.judging.thresholds import DIRECTIONS, JumpVerdict, Thresholds
from leapcheck.jumping.measures.estimates import Estimate, Value

SLIPPING = 0.995
"""A foot slips where the friction it uses is this part of all there is: contact never gives more than the whole."""


UNSEEN = 1e-4
"""Part of a figure that three digits do not show."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a verdict is not GO. `text` is the whole of it in one line; `item` names the figure, ledger or test.

    `value` with its error bar `error` and the spread over simulators, `threshold` and `unit`, where it is a number; `simulator`
    is the worst one, or those that gave no run, and `dt` (s) its step. `flips`: within the error bar or the spread the verdict
    would be another.
    """

    verdict: JumpVerdict
    item: str
    text: str
    value: float = math.nan
    error: float = math.nan
    spread_low: float = math.nan
    spread_high: float = math.nan
    threshold: float = math.nan
    unit: str = ""
    simulator: str = ""
    dt: float = math.nan
    flips: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """How a figure is compared with a threshold: `scale` times the NO-GO one; `size`: by its absolute value.

    `predicts`: what happens beyond it. With an `outcome` the jump has then failed, a NO-GO. All else, drives that saturate or
    feet that slip, is part of the simulations: where these succeed all the same it is MARGINAL at most. `hit`: at or below 0
    something touches; where it does at every step size, the error bar of the depth does not matter.
    """

    figure: str
    threshold: str
    predicts: str
    scale: float = 1.0
    size: bool = False
    hit: bool = False
    outcome: bool = False


RULES = (
    Rule("final_tilt", "tilt", "the robot has fallen", outcome=True),
    Rule("turn_off", "turn", "it turns too far or not far enough", size=True, outcome=True),
    Rule("roll_off", "turn", "it rolls over too far or not far enough", size=True, outcome=True),
    Rule("yaw_off", "yaw", "it faces another way than asked", size=True, outcome=True),
    Rule("landing_off", "landing", "it does not stand on the box or step that it was to land on", size=True, outcome=True),
    Rule("beyond_gap", "beyond_gap", "a foot does not come beyond the gap", outcome=True),
    Rule("trunk_clearance", "trunk_clearance", "the trunk hits the ground", hit=True, outcome=True),
    Rule("height_share", "height", "it does not reach what is that high", outcome=True),
    Rule("run_up_share", "run_up", "it does not come as fast as the jump was to begin", outcome=True),
    Rule("distance_off", "distance", "it misses its place", size=True, outcome=True),
    Rule("final_speed", "speed", "it does not come to rest", outcome=True),
    Rule("thermal_load", "utilisation", "windings overheat, which no simulator models", outcome=True),
    Rule("torque_use", "utilisation", "drives saturate and give less than is asked"),
    Rule("voltage_use", "utilisation", "drives saturate and give less than is asked"),
    Rule("line_use", "utilisation", "drives saturate and give less than is asked"),
    Rule("friction_use", "utilisation", "feet slip", scale=SLIPPING),
    Rule("limit_margin", "limit_margin", "a joint hits its stop", hit=True),
    Rule("clearance", "clearance", "a leg or the trunk touches the ground", hit=True),
    Rule("pitch_off", "attitude", "it lands on one pair of feet first", size=True),
    Rule("roll_touch_down", "attitude", "it lands on one side first", size=True),
    Rule("slip_push", "slip", "it takes off elsewhere than planned"),
    Rule("slip_landing", "slip", "it stands elsewhere than planned"),
)
"""Outcomes first: they say whether the jump succeeds. All else only says what may make it fail."""


def reasons_under(rule: Rule, estimate: Estimate, thresholds: Thresholds) -> Iterator[Reason]:
    """The reason that an estimate gives under a rule; none if it is GO throughout its error bars and its spread.

    An outcome that fails beyond its error bar in more than half of the simulators is a NO-GO.
    """
    marginal: float = getattr(thresholds, f"{rule.threshold}_marginal")
    no_go: float = rule.scale * getattr(thresholds, f"{rule.threshold}_no_go")
    rising = DIRECTIONS[rule.threshold]
    if math.isnan(estimate.value):
        yield Reason(JumpVerdict.NO_GO, estimate.key, f"{estimate.label} is not a number: the run broke down", unit=estimate.unit)
        return
    lows, highs = zip(*(_ends(value, rule) for value in estimate.by_simulator.values()), strict=True)
    best, worst = (min(lows), max(highs)) if rising else (max(highs), min(lows))
    at_best, at_worst = (grade(x, marginal, no_go, rising) for x in (best, worst))
    if at_worst is JumpVerdict.GO:
        return
    threshold = no_go if at_worst is JumpVerdict.NO_GO else marginal
    if not rule.outcome:
        at_best, at_worst = (JumpVerdict.MARGINAL if x is JumpVerdict.NO_GO else x for x in (at_best, at_worst))
    grades = [grade(low if rising else high, marginal, no_go, rising) for low, high in zip(lows, highs, strict=True)]
    fails = rule.outcome and 2 * grades.count(JumpVerdict.NO_GO) > len(grades)
    verdict = JumpVerdict.NO_GO if fails else JumpVerdict.MARGINAL
    simulator, worst_value = _worst(estimate, rule, rising)
    flips = not fails and at_best is not at_worst
    yield Reason(
        verdict=verdict,
        item=estimate.key,
        text=_text(estimate, rule, threshold, simulator, flips),
        value=estimate.value,
        error=estimate.error,
        spread_low=estimate.spread_low,
        spread_high=estimate.spread_high,
        threshold=threshold,
        unit=estimate.unit,
        simulator=simulator,
        dt=worst_value.dt,
        flips=flips,
    )


def figure_text(estimate: Estimate) -> str:
    """A figure in words, three digits, with its error bar and its spread where they are seen in these."""
    unit = "" if estimate.unit == "1" else f" {estimate.unit}"
    bar = f" +- {estimate.error:.1g}" if estimate.error > UNSEEN * abs(estimate.value) else ""
    low, high = f"{estimate.spread_low:.3g}", f"{estimate.spread_high:.3g}"
    spread = f" ({low} to {high} over the simulators)" if low != high else ""
    return f"{estimate.value:.3g}{bar}{unit}{spread}"


def _text(estimate: Estimate, rule: Rule, threshold: float, simulator: str, flips: bool) -> str:
    """The reason in words: figure, place, value with error bar and spread, on which side of what it is, in which simulator."""
    value, rising = estimate.by_simulator[simulator], DIRECTIONS[rule.threshold]
    side = ("above" if rising else "at or below") if beyond(value.value, threshold, rising, rule.size) else "not safely clear of"
    where = f" ({value.where})" if value.where else ""
    which = f" in {simulator}" if flips and len(estimate.by_simulator) > 1 else ""
    flip = "; the verdict flips within its error bar and spread" if flips else ""
    return f"{estimate.label}{where} is {figure_text(estimate)}, {side} {threshold:g}{which}: {rule.predicts}{flip}"


def _ends(value: Value, rule: Rule) -> tuple[float, float]:
    """Lower and upper end of a value's error bar; of its size where that counts, of a hit at most 0."""
    error = 0.0 if math.isnan(value.error) else value.error
    if rule.size:
        return max(abs(value.value) - error, 0.0), abs(value.value) + error
    low, high = value.value - error, value.value + error
    if rule.hit and all(figure <= 0.0 for _, figure in value.by_step):
        return min(low, 0.0), min(high, 0.0)
    return low, high


def grade(x: float, marginal: float, no_go: float, rising: bool) -> JumpVerdict:
    """The verdict on one number."""
    if beyond(x, no_go, rising):
        return JumpVerdict.NO_GO
    return JumpVerdict.MARGINAL if beyond(x, marginal, rising) else JumpVerdict.GO


def beyond(x: float, threshold: float, rising: bool, size: bool = False) -> bool:
    """Whether x is on the bad side: above where larger is worse, else at or below."""
    x = abs(x) if size else x
    return x > threshold if rising else x <= threshold


def _worst(estimate: Estimate, rule: Rule, rising: bool) -> tuple[str, Value]:
    """The simulator with the worst value, its name deciding between equals."""

    def badness(pair: tuple[str, Value]) -> tuple[float, str]:
        low, high = _ends(pair[1], rule)
        return (high if rising else -low), pair[0]

    return max(estimate.by_simulator.items(), key=badness)
