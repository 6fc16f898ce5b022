"""Double-double arithmetic as LLVM IR text on vectors of states: a number is hi + lo, two vectors.

With u = 2^-53 and normalised operands (|lo| <= u |hi|), a product, quotient or root is right to 8 u^2 of its value, and a
sum of n products or values to 2 n (n + 3) u^2 of the sum of their magnitudes; in practice both are right to about u^2.
Products and sums come out as they are: `normalised` is for what is kept (Dekker 1971; Joldes, Muller and Popescu 2017).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import factorial

from leapcheck_reference.trace.llvm import hexadecimal

Pair = tuple[str, str]
"""Names of the two vectors of a number."""

Parts = tuple[float, float]
"""The two doubles of a constant."""


@dataclass(slots=True)
class Code:
    """Lines of one function in LLVM IR, on vectors of `lanes` doubles; every method returns the name of its result.

    With `fused` a product's error is one FMA; without, Dekker's splitting gives the same numbers by + - * alone.
    """

    lanes: int
    fused: bool
    lines: list[str] = field(default_factory=list)
    _count: int = 0

    @property
    def vector(self) -> str:
        """The type of a value in all lanes."""
        return f"<{self.lanes} x double>"

    def emit(self, instruction: str) -> str:
        """A new value."""
        self._count += 1
        self.lines.append(f"  %x{self._count} = {instruction}")
        return f"%x{self._count}"

    def label(self, name: str) -> None:
        """The begin of a block."""
        self.lines.append(f"{name}:")

    def effect(self, instruction: str) -> None:
        """An instruction without a value."""
        self.lines.append(f"  {instruction}")

    def number(self, value: float) -> str:
        """A constant in all lanes."""
        return "<" + ", ".join([f"double {hexadecimal(value)}"] * self.lanes) + ">"

    def add(self, a: str, b: str) -> str:
        """a + b."""
        return self.emit(f"fadd {self.vector} {a}, {b}")

    def sub(self, a: str, b: str) -> str:
        """a - b."""
        return self.emit(f"fsub {self.vector} {a}, {b}")

    def mul(self, a: str, b: str) -> str:
        """a b."""
        return self.emit(f"fmul {self.vector} {a}, {b}")

    def div(self, a: str, b: str) -> str:
        """a / b."""
        return self.emit(f"fdiv {self.vector} {a}, {b}")

    def neg(self, a: str) -> str:
        """-a."""
        return self.emit(f"fneg {self.vector} {a}")

    def unary(self, name: str, a: str) -> str:
        """One of LLVM's functions of one argument: sqrt, fabs."""
        return self.emit(f"call {self.vector} @llvm.{name}.v{self.lanes}f64({self.vector} {a})")

    def fma(self, a: str, b: str, c: str) -> str:
        """a b + c, rounded once with FMA and twice without."""
        if not self.fused:
            return self.add(self.mul(a, b), c)
        v = self.vector
        return self.emit(f"call {v} @llvm.fma.v{self.lanes}f64({v} {a}, {v} {b}, {v} {c})")

    def two_sum(self, a: str, b: str) -> Pair:
        """a + b exactly (Knuth)."""
        s = self.add(a, b)
        c = self.sub(s, a)
        return s, self.add(self.sub(a, self.sub(s, c)), self.sub(b, c))

    def two_difference(self, a: str, b: str) -> Pair:
        """a - b exactly."""
        s = self.sub(a, b)
        c = self.sub(s, a)
        return s, self.sub(self.sub(a, self.sub(s, c)), self.add(b, c))

    def normalise(self, a: Pair) -> Pair:
        """The same number with hi the double nearest to it (Dekker's sum).

        Exact for |hi| >= |lo|; where a sum has cancelled so far that this fails, the error is 2 u of lo.
        """
        s = self.add(*a)
        return s, self.sub(a[1], self.sub(s, a[0]))

    def product(self, a: Pair, b: Pair) -> Pair:
        """a b."""
        p, error = self.two_product(a[0], b[0])
        return p, self.fma(a[0], b[1], self.fma(a[1], b[0], error))

    def two_product(self, a: str, b: str) -> Pair:
        """The product of two doubles exactly."""
        p = self.mul(a, b)
        if self.fused:
            return p, self.fma(a, b, self.neg(p))
        (a1, a2), (b1, b2) = self._halves(a), self._halves(b)
        error = self.sub(self.mul(a1, b1), p)
        error = self.add(self.add(error, self.mul(a1, b2)), self.mul(a2, b1))
        return p, self.add(error, self.mul(a2, b2))

    def _halves(self, a: str) -> Pair:
        """Two numbers of 26 bits that sum to a (Dekker)."""
        c = self.mul(a, self.number(134217729.0))
        high = self.sub(c, self.sub(c, a))
        return high, self.sub(a, high)

    def sum(self, a: Pair, b: Pair, negative: bool = False) -> Pair:
        """a + b, or a - b."""
        s, error = self.two_difference(a[0], b[0]) if negative else self.two_sum(a[0], b[0])
        low = self.sub(a[1], b[1]) if negative else self.add(a[1], b[1])
        return s, self.add(low, error)

    def larger_sum(self, a: Pair, b: Pair) -> Pair:
        """a + b where |a| >= |b| is known or a is 0."""
        s = self.add(a[0], b[0])
        return s, self.add(self.add(a[1], b[1]), self.sub(b[0], self.sub(s, a[0])))

    def quotient(self, a: Pair, b: Pair) -> Pair:
        """a / b for a normalised b: the quotient of the high parts and its remainder's."""
        q = self.div(a[0], b[0])
        p, error = self.two_product(q, b[0])
        rest = self.sub(self.sub(a[0], p), error)
        rest = self.sub(self.add(rest, a[1]), self.mul(q, b[1]))
        return self.normalise((q, self.div(rest, b[0])))

    def root(self, a: Pair) -> Pair:
        """Square root of a normalised a; 0 of 0."""
        s = self.unary("sqrt", a[0])
        p, error = self.two_product(s, s)
        rest = self.add(self.sub(self.sub(a[0], p), error), a[1])
        low = self.div(rest, self.add(s, s))
        is_zero = self.emit(f"fcmp oeq {self.vector} {s}, zeroinitializer")
        mask = f"<{self.lanes} x i1>"
        return self.normalise((s, self.emit(f"select {mask} {is_zero}, {self.vector} zeroinitializer, {self.vector} {low}")))

    def polynomial(self, x: Pair, coefficients: Sequence[Parts], plain: int) -> Pair:
        """c0 + c1 x + ..., where every term is smaller than the one before; the last `plain` ones in plain double."""
        exact = len(coefficients) - plain
        low = self.number(0.0)
        for high, _ in reversed(coefficients[exact:]):
            low = self.fma(low, x[0], self.number(high))
        total = (low, self.number(0.0))
        for high, rest in reversed(coefficients[:exact]):
            total = self.larger_sum((self.number(high), self.number(rest)), self.product(total, x))
        return total


def split(value: Fraction) -> Parts:
    """(hi, lo): hi is the double nearest to the value, lo the one nearest to the rest."""
    high = float(value)
    return high, float(value - Fraction(high))


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
    quadrant, r = _reduce(code, x)
    square = code.normalise(code.product(r, r))
    signs = [-1 if k % 2 else 1 for k in range(TERMS)]
    sine_terms = [split(Fraction(sign, factorial(2 * k + 1))) for k, sign in enumerate(signs)]
    cosine_terms = [split(Fraction(sign, factorial(2 * k))) for k, sign in enumerate(signs)]
    sine = code.product(r, code.polynomial(square, sine_terms, PLAIN_SINE))
    cosine = code.polynomial(square, cosine_terms, PLAIN_COSINE)
    return _rotate(code, quadrant, code.normalise(sine), code.normalise(cosine))


def _reduce(code: Code, x: Pair) -> tuple[str, Pair]:
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


def _rotate(code: Code, quadrant: str, sine: Pair, cosine: Pair) -> tuple[Pair, Pair]:
    """(sin, cos) of r + k pi/2 from those of r: swapped for odd k, with the quadrant's signs."""
    integers = f"<{code.lanes} x i64>"
    is_odd = code.emit(f"trunc {integers} {quadrant} to <{code.lanes} x i1>")
    after = code.emit(f"add {integers} {quadrant}, {_whole(code, 1)}")

    def choose(odd: Pair, even: Pair, sign_from: str) -> Pair:
        bit = code.emit(f"and {integers} {sign_from}, {_whole(code, 2)}")
        sign = code.emit(f"shl {integers} {bit}, {_whole(code, 62)}")
        pair = []
        for a, b in zip(odd, even, strict=True):
            value = code.emit(f"select <{code.lanes} x i1> {is_odd}, {code.vector} {a}, {code.vector} {b}")
            bits = code.emit(f"xor {integers} {code.emit(f'bitcast {code.vector} {value} to {integers}')}, {sign}")
            pair.append(code.emit(f"bitcast {integers} {bits} to {code.vector}"))
        return pair[0], pair[1]

    return choose(cosine, sine, quadrant), choose(sine, cosine, after)


def _whole(code: Code, value: int) -> str:
    return "<" + ", ".join([f"i64 {value}"] * code.lanes) + ">"
