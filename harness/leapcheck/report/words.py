"""How the reports write numbers, units, verdicts and names that others chose."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from leapcheck.quantities import QUANTITIES
from leapcheck.records import Run, TruthVerdict, Verdict, WorstState

SUPERSCRIPTS = str.maketrans("-0123456789T", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹ᵀ")


TIMES = "\N{MULTIPLICATION SIGN}"
DASH = "\N{EN DASH}"


@dataclass(frozen=True, slots=True)
class Mark:
    """How a verdict looks: its short word, its sign (never colour alone) and the name of its colour."""

    word: str
    sign: str
    tone: str


MARKS = {
    Verdict.AGREE: Mark("agree", "✓", "good"),
    Verdict.IMPRECISE: Mark("imprecise", "≈", "warn"),
    Verdict.DISCREPANCY: Mark("discrepancy", "✗", "bad"),
}
HEADLINES = {
    "discrepancy": Mark("Discrepancy", "✗", "bad"),
    "incomplete": Mark("Incomplete", "!", "bad"),
    "nothing": Mark("Could not run", "!", "bad"),
    "imprecise": Mark("Imprecise", "≈", "warn"),
    "agree": Mark("Agree", "✓", "good"),
    "known": Mark("Known discrepancy", "≈", "warn"),
    "worse": Mark("Worse", "✗", "bad"),
}


def unbroken(sentence: str) -> str:
    """The sentence with no line break inside a number such as 2 048."""
    return re.sub(r"(?<=\d) (?=\d{3}\b)", "\N{NO-BREAK SPACE}", sentence)


def headline(run: Run) -> Mark:
    """A whole run in a word: a discrepancy weighs more than a failure, and without comparisons nothing agrees.

    With a baseline a run that it accepts has known discrepancies, and one without any may be worse.
    """
    if run.discrepancies or any(c.verdict is Verdict.DISCREPANCY for c in run.comparisons):
        return HEADLINES["known" if run.baseline and not run.exit_status else "discrepancy"]
    if not run.comparisons and run.exit_status != 1:  # 1: a user's engine failed, which is a finding
        return HEADLINES["nothing"]
    if run.baseline and any(finding.fails for finding in run.baseline.findings):
        return HEADLINES["worse"]
    if run.failures or run.exit_status:
        return HEADLINES["incomplete"]
    near = any(row.verdict == TruthVerdict.IMPRECISE and row.margin < 1.0 for row in run.verdicts)
    return HEADLINES["imprecise" if near else "agree"]


def short(text: str, length: int) -> str:
    """The text cut to `length` characters, an ellipsis where something is missing."""
    return text if len(text) <= length else text[: length - 1] + "…"


def number(value: float) -> str:
    """The value to two significant digits: 0, 3.2, 120, 2.1e-14, inf, nan."""
    if not math.isfinite(value):
        return str(float(value))
    if value == 0 or 9.95 <= abs(value) < 9999.5:
        return f"{abs(value) and value:.0f}"
    if 0.00995 <= abs(value) < 9.95:
        return f"{value:#.2g}"
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def precise(value: float | None) -> str:
    """The value to all its digits; a dash for None."""
    return DASH if value is None else repr(float(value))


def precise_column(value: float) -> str:
    """`precise` with a space in place of the sign that a positive value does not have."""
    return precise(value) if math.copysign(1.0, value) < 0 else " " + precise(value)


def factor(value: float) -> str:
    """A ratio with a multiplication sign after it."""
    return f"{number(value)}{TIMES}"


def margin(value: float) -> str:
    """Tolerance over error: a ratio, or `exact` where the error is zero."""
    return "exact" if value == math.inf else factor(value)


def percent(value: float) -> str:
    """A share as per cent to two digits."""
    return f"{number(100 * value)} %"


def unit(text: str) -> str:
    """A unit or a formula with real superscripts: kg m^2 as kg m², M^-1 as M⁻¹, J^T as Jᵀ."""
    return re.sub(r"\^(-?\d+|T)", lambda match: match[1].translate(SUPERSCRIPTS), text)


def quantity_label(name: str) -> str:
    """A quantity in words; its own name where it is not one of ours."""
    return unit(QUANTITIES[name].label) if name in QUANTITIES else name


def state_text(worst: WorstState) -> str:
    """The state as JSON to copy: q, v and tau, each on a line, every digit."""
    rows = (
        ("q", worst.q),
        ("v", worst.v),
        ("tau", worst.tau),
        *((part, getattr(worst, part)) for part in ("vdot", "contact_forces") if getattr(worst, part)),
    )
    lines = (f'"{name}": [{", ".join(repr(float(x)) for x in row)}]' for name, row in rows)
    return "{" + ",\n ".join(lines) + "}"
