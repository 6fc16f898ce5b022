"""Sine and cosine in double-double as LLVM IR text: Cody and Waite's reduction, then Taylor's series to pi/4."""

from __future__ import annotations

from fractions import Fraction
from math import factorial

from leapcheck_reference.trace.double_double_arithmetic import Code, Pair, split

LARGEST = 2.0**30
"""Angle (rad) up to which sine and cosine are right; beyond it they are NaN."""

ROUNDER = 1.5 * 2.0**52
"""Added to a number below 2^51 it leaves the nearest whole number in the low bits."""

TERMS = 15
"""Of each series: the first one left out is below 3e-36 at pi/4."""

PLAIN_SINE, PLAIN_COSINE = 7, 6
"""How many of the last terms are in plain double: at pi/4 they are below 2^-53."""

PI = Fraction(0x3243F6A8885A308D313198A2E03707344A4093822299F31D0082EFA98EC4E6C89452821E638D01377BE5466CF34E90C6CC0AC29B7, 2**416)
"""Pi to 416 bits, in hexadecimal."""


def sine_cosine(code: Code, x: Pair) -> tuple[Pair, Pair]:
    """(sin x, cos x) for |x| <= `LARGEST`: right to 1e-31 of the value, and to 1e-38 where that is more."""
    quadrant, r = _reduced(code, x)
    square = code.normalised(code.product(r, r))
    signs = [-1 if k % 2 else 1 for k in range(TERMS)]
    sine_terms = [split(Fraction(sign, factorial(2 * k + 1))) for k, sign in enumerate(signs)]
    cosine_terms = [split(Fraction(sign, factorial(2 * k))) for k, sign in enumerate(signs)]
    sine = code.product(r, code.polynomial(square, sine_terms, PLAIN_SINE))
    cosine = code.polynomial(square, cosine_terms, PLAIN_COSINE)
    return _turned(code, quadrant, code.normalised(sine), code.normalised(cosine))


def _reduced(code: Code, x: Pair) -> tuple[str, Pair]:
    """(bits of k, x - k pi/2) with the whole number k nearest to x / (pi/2)."""
    is_near = code.emit(f"fcmp ole {code.vector} {code.unary('fabs', x[0])}, {code.number(LARGEST)}")
    near = code.emit(f"select <{code.lanes} x i1> {is_near}, {code.vector} {x[0]}, {code.vector} {code.number(float('nan'))}")
    rounder = code.number(ROUNDER)
    rounded = code.fma(near, code.number(float(2 / PI)), rounder)
    k = code.sub(rounded, rounder)
    first, rest = split(PI / 2)
    second = rest
    third = float(PI / 2 - Fraction(first) - Fraction(second))
    p1, e1 = code.two_product(k, code.number(first))
    p2, e2 = code.two_product(k, code.number(second))
    s, t = code.two_difference(code.sub(near, p1), e1)
    s, t2 = code.two_difference(s, p2)
    s, t3 = code.two_sum(s, x[1])
    small = code.sub(code.add(code.add(t, t2), t3), e2)
    small = code.sub(small, code.mul(k, code.number(third)))
    return code.emit(f"bitcast {code.vector} {rounded} to <{code.lanes} x i64>"), code.two_sum(s, small)


def _turned(code: Code, quadrant: str, sine: Pair, cosine: Pair) -> tuple[Pair, Pair]:
    """(sin, cos) of r + k pi/2 from those of r: swapped for odd k, with the quadrant's signs."""
    integers = f"<{code.lanes} x i64>"
    is_odd = code.emit(f"trunc {integers} {quadrant} to <{code.lanes} x i1>")
    after = code.emit(f"add {integers} {quadrant}, {_whole(code, 1)}")

    def chosen(odd: Pair, even: Pair, sign_from: str) -> Pair:
        bit = code.emit(f"and {integers} {sign_from}, {_whole(code, 2)}")
        sign = code.emit(f"shl {integers} {bit}, {_whole(code, 62)}")
        pair = []
        for a, b in zip(odd, even, strict=True):
            value = code.emit(f"select <{code.lanes} x i1> {is_odd}, {code.vector} {a}, {code.vector} {b}")
            bits = code.emit(f"xor {integers} {code.emit(f'bitcast {code.vector} {value} to {integers}')}, {sign}")
            pair.append(code.emit(f"bitcast {integers} {bits} to {code.vector}"))
        return pair[0], pair[1]

    return chosen(cosine, sine, quadrant), chosen(sine, cosine, after)


def _whole(code: Code, value: int) -> str:
    return "<" + ", ".join([f"i64 {value}"] * code.lanes) + ">"
