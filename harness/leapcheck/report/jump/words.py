"""How the reports of a jump write verdicts, figures with their error bars, and what a jump study leaves out."""

from __future__ import annotations

import math

from leapcheck.jumping.judging.thresholds import JumpVerdict
from leapcheck.report.words import DASH, Mark

PLUS_MINUS = "\N{PLUS-MINUS SIGN}"
ARROW = "\N{RIGHTWARDS ARROW}"
VERDICT_MARKS = {
    JumpVerdict.GO: Mark("GO", "✓", "good"),
    JumpVerdict.MARGINAL: Mark("MARGINAL", "!", "warn"),
    JumpVerdict.NO_GO: Mark("NO-GO", "✗", "bad"),
    JumpVerdict.UNDECIDED: Mark("UNDECIDED", "?", "warn"),
}
MOTORS = "motors respond instantly: no inductance, no current loop, no heating; resistance and magnets do not change"
BATTERY = "the battery is a voltage source with a series resistance: no state of charge, temperature or protection circuit"
ELECTRICAL = (MOTORS, BATTERY)
"""Of what no simulator here models, what concerns motors and batteries."""
NOT_SIMULATED = (
    "links and feet are rigid: no flexible legs, gears or trunk",
    MOTORS,
    "gears have damping and smoothed dry friction, but no backlash, cogging or elasticity",
    "the ground is rigid in shape and has one friction coefficient; ground and feet deform only as each contact model says",
    "links pass through each other: only the robot's contact points touch, and only the ground",
    "the controller sees the true state: no estimator, no drift; sensor errors only as varied in the Monte Carlo",
    BATTERY,
)
"""What no simulator here models; every report lists it."""
NO_SPREAD = 1e-10
"""Simulators that differ by less than this (m, rad, J, ...) do not differ."""


def plain_number(value: float, digits: int = 4) -> str:
    """The value to `digits` significant digits without an exponent where it can be helped; a dash for NaN."""
    if math.isnan(value):
        return DASH
    if value == 0 or not math.isfinite(value):
        return f"{value:g}".replace("-0", "0")
    if not 1e-4 <= abs(value) < 1e6:
        mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
        return f"{mantissa}e{int(exponent)}"
    return f"{value:.{max(digits - 1 - math.floor(math.log10(abs(value))), 0)}f}"


def brief(value: float) -> str:
    """A number that was given or set: as short as four digits can say it."""
    return f"{value:.4g}"


def with_error(value: float, error: float) -> str:
    """The value with its error bar: as many decimals as two digits of the error ask for; without a bar four digits."""
    if math.isnan(value) or not math.isfinite(error) or error < 0:
        return plain_number(value)
    if error == 0:
        return plain_number(value, 6)
    if error < 1e-7 and abs(value) <= error:
        return f"0 {PLUS_MINUS} {plain_number(error, 1)}"
    if error <= 1e-6 * abs(value) or not 1e-7 <= error < 1e6:
        return f"{plain_number(value, 6)} {PLUS_MINUS} {plain_number(error, 2)}"
    decimals = max(1 - math.floor(math.log10(error)), 0)
    return f"{value:.{decimals}f} {PLUS_MINUS} {error:.{decimals}f}"


def between(low: float, high: float) -> str:
    """The two ends of a spread, with two digits of the width between them; empty where it is negligible."""
    width = high - low
    if not math.isfinite(width) or width <= 1e-9 * max(abs(low), abs(high)) or width < NO_SPREAD:
        return ""
    if not 1e-7 <= width < 1e6:
        return f"{plain_number(low, 3)} to {plain_number(high, 3)}"
    decimals = max(1 - math.floor(math.log10(width)), 0)
    return f"{low:.{decimals}f} to {high:.{decimals}f}".replace("-0 ", "0 ")


def sentence(text: str, verdict: JumpVerdict) -> str:
    """A sentence of the judgement without the verdict's word before it, which stands above it in large type."""
    rest = with_signs(text.removeprefix(f"{verdict}: "))
    return rest[:1].upper() + rest[1:] + ("" if rest.endswith((".", "!", "?")) else ".")


def with_signs(text: str) -> str:
    """+- and -> as the signs for them."""
    return text.replace(" +- ", f" {PLUS_MINUS} ").replace(" -> ", f" {ARROW} ")


def unit_text(unit: str) -> str:
    """The unit; nothing for a pure number."""
    return "" if unit == "1" else unit


def seconds(value: float) -> str:
    """A time in s or, below a tenth, in ms."""
    if math.isnan(value):
        return DASH
    return f"{value * 1e3:.4g} ms" if 0 < abs(value) < 0.1 else f"{value:.4g} s"
