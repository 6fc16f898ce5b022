"""Right but imprecise: answers of an arithmetic with fewer bits than double precision, or with noise of another origin.

A fault of the model moves the answers smoothly from state to state. Rounding does not: along a short line of states the
error jumps from one to the next, and where states or answers are rounded, numbers stay the same to the last bit under tiny
moves. Numbers that are all exact in single precision show it without asking again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

import numpy as np

from leapcheck.judge.belief import SOLVED_FOR, Hypothesis, rounding_fault
from leapcheck.judge.evidence import Evidence
from leapcheck.judge.jitter import Jitter, jitters
from leapcheck.judge.words import name_list
from leapcheck.quantities import QUANTITIES
from leapcheck_models.arrays import Floats

DOUBLE_BITS, SINGLE_BITS = 53, 24

FORMATS = ((11, np.float16), (SINGLE_BITS, np.float32))
"""Bits of the formats whose numbers are recognised, the coarsest first."""

EXACT = 0.99
"""Share of the numbers that must be exact in a format for all to count as its own."""

LEAST_NUMBERS = 20
"""Numbers (other than integers) that a format is recognised by at least."""

LEAST_JUMPS, SURE_JUMPS = 4.0, 12.0
"""Logarithms to base 2 of the jumps of the error, in units of the expected rounding, from which on they are no rounding of
double precision: alone, and besides other errors (whose robot may be worse conditioned).
"""

SINGLE_JUMPS = (21.0, 32.0)
"""Logarithms to base 2 of the jumps, in those units, that single precision makes (measured: 22.5 to 30.1)."""

MOST_JUMPS = 43.0
"""The same of the least precise arithmetic; beyond, answers are random."""

SINGLE_ALLOWANCE = 28.0
"""Logarithm to base 2 of the factor on the allowed errors in single precision (measured: 24.9 needed at most, by sums over
Jacobians on a random tree)."""

SPREAD = -1.0
"""The same added to the jumps measured (measured: -3.8 needed at most)."""


def diagnosis(evidence: Evidence) -> Hypothesis | None:
    """The hypothesis that the engine computes with fewer bits, and how many; None where the answers do not show it.

    It predicts nothing: `allowed_errors` says what it explains. Where the engine cannot be asked again (`evaluate` raises),
    only numbers that are exact in a coarser format show it.
    """
    levels = _levels(evidence)
    if not levels:
        return None
    coarse = replace(evidence, allowed=allowed_errors(evidence))
    beyond = [name for name in evidence.deviating if coarse.misfit(name, evidence.expected[name]) > 1.0]
    worst = max(levels, key=evidence.worst_error)
    words = _words(levels)
    if beyond:
        words = f"{words}; what is off beyond that has another cause"
    else:
        words = f"right but imprecise: {words}, error up to {evidence.worst_error(worst):.2g} of {QUANTITIES[worst].scale}"
    return rounding_fault(f"precision/{'float32' if _is_single(levels) else 'noise'}", words, details=_details(levels))


def allowed_errors(evidence: Evidence) -> Mapping[str, Floats]:
    """The scale-free error (n,) by quantity that rounding explains at each state, of an engine as imprecise as this one."""
    levels = _levels(evidence)
    if not levels:
        return evidence.allowed
    if _is_single(levels):
        return {name: rounding * 2.0**SINGLE_ALLOWANCE for name, rounding in evidence.allowed.items()}
    lost = {name: jitter.lost_bits + SPREAD for name, jitter in levels.items()}
    return {name: rounding * 2.0 ** lost.get(name, 0.0) for name, rounding in evidence.allowed.items()}


@lru_cache(maxsize=4)
def _levels(evidence: Evidence) -> dict[str, Jitter]:
    """How imprecise those answers are that are too imprecise for double precision, by quantity."""
    deviating = evidence.deviating
    exact = {name: bits for name in deviating if (bits := _exact_bits(evidence.raw[name]))}
    levels = {name: Jitter(float(DOUBLE_BITS - bits), True, True, bits) for name, bits in exact.items()}
    if len(levels) < len(deviating):
        asked = jitters(evidence, deviating)
        levels = {name: jitter for name, jitter in asked.items() if _is_noise(evidence, name, jitter)} | levels
    return {name: levels[name] for name in deviating if name in levels}


def _is_noise(evidence: Evidence, name: str, jitter: Jitter) -> bool:
    """Whether the jumps are larger than rounding in double precision can be, and smaller than those of random numbers."""
    misfit = evidence.misfit(name, evidence.expected[name])
    all_there_is = bool(misfit <= 2.0 ** (jitter.lost_bits + SPREAD))
    return (LEAST_JUMPS if all_there_is else SURE_JUMPS) < jitter.lost_bits < MOST_JUMPS


def _exact_bits(numbers: Floats) -> int:
    """Bits of the coarsest format in which nearly all numbers are exact; 0 where there is none."""
    fractions = numbers[np.isfinite(numbers) & (np.round(numbers) != numbers)]
    if len(fractions) >= LEAST_NUMBERS:
        for bits, kind in FORMATS:
            with np.errstate(all="ignore"):
                if np.mean(fractions.astype(kind).astype(float) == fractions) >= EXACT:
                    return bits
    return 0


def _is_single(levels: Mapping[str, Jitter]) -> bool:
    """Whether all answers are as imprecise as single precision makes them, and none is random.

    In what is solved for, the robot's conditioning hides some of the bits: it counts where there is nothing else.
    """
    telling = [jitter for name, jitter in levels.items() if name not in SOLVED_FOR] or list(levels.values())
    return all(jitter.bits or jitter.repeats for jitter in levels.values()) and all(
        jitter.bits == SINGLE_BITS if jitter.bits else SINGLE_JUMPS[0] < jitter.lost_bits < SINGLE_JUMPS[1] for jitter in telling
    )


def _words(levels: Mapping[str, Jitter]) -> str:
    if _is_single(levels):
        return f"computes in single precision ({SINGLE_BITS} bits)"
    if any(jitter.bits for jitter in levels.values()):
        return f"computes in half precision ({FORMATS[0][0]} bits)"
    bits = DOUBLE_BITS - max(jitter.lost_bits for jitter in levels.values())
    what = (
        "its answers are good for"
        if all(j.repeats for j in levels.values())
        else "its answers differ when it is asked twice: good for"
    )
    return f"{what} about {bits:.0f} of {DOUBLE_BITS} bits"


def _details(levels: Mapping[str, Jitter]) -> str:
    """What shows it."""
    labels = {name: QUANTITIES[name].label for name in levels}
    exact = [labels[name] for name, jitter in levels.items() if jitter.bits]
    still = [labels[name] for name, jitter in levels.items() if jitter.still and not jitter.bits]
    jumping = {name: jitter for name, jitter in levels.items() if not jitter.bits}
    remarks = ['where it is meant, declare precision = "float32"'] if _is_single(levels) else []
    remarks += [f"the numbers of {name_list(exact)} are exact in that format"] if exact else []
    if jumping:
        largest = max(jitter.lost_bits for jitter in jumping.values())
        remarks.append(f"along short lines of states the error jumps by up to 2^{largest:.0f} times double rounding")
    if still:
        remarks.append(f"{name_list(still)} do not change at all under tiny moves")
    return "; ".join(remarks)
