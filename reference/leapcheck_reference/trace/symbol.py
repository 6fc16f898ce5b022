"""The tracing scalar: stands for a number in an algorithm and records what is done with it.

Equal operations are recorded once. Products with 0 and 1, sums with 0 and double negations are never formed, and signs
are moved outwards; none of it changes a bit of a finite result (but the sign of a zero). Constants are folded: as
floats in the program's order, or as exact rationals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_reference.dual import OUTER
from leapcheck_reference.trace.graph import Graph, Node, Number, Op, prune

ZERO, ONE = 0, 1
"""Nodes of the constants 0 and 1, the first ones of every record."""

LEAST = 2.0**-500
"""Numbers of this size are zero to `Symbol.sign`; its square is still a normal double."""


class Recorder:
    """Nodes recorded so far; makes the symbols of inputs and of constants in one arithmetic of constants."""

    def __init__(self, number: Callable[[Any], Number] = float) -> None:
        """Takes the arithmetic of constants: `float`, or `Fraction` for exact rationals."""
        self._number = number
        self._nodes: list[Node] = []
        self._known: dict[Op, dict[Any, int]] = {op: {} for op in Op}
        self._constants: dict[float, Symbol] = {}
        self._inputs: dict[str, tuple[int, ...]] = {}
        self._input_count = 0
        self._zero, _ = self.constant(0.0), self.constant(1.0)

    def symbol(self, value: Any) -> Symbol:
        """The value itself where it is a symbol, else the symbol of a constant."""
        return value if isinstance(value, Symbol) else self.constant(value)

    def constant(self, value: Any) -> Symbol:
        """The symbol of a constant."""
        if type(value) is not float:  # a rational's hash takes longer than its symbol
            return self._constant(self._number(value))
        symbol = self._constants.get(value)
        if symbol is None:
            symbol = self._constants[value] = self._constant(self._number(value))
        return symbol

    def _constant(self, number: Number) -> Symbol:
        negative = number < 0
        return Symbol(self, self._constant_node(-number if negative else number), negative, number)

    def _constant_node(self, value: Number) -> int:
        key = value if isinstance(value, float) else value.as_integer_ratio()
        return self._node(Op.CONSTANT, key, (), value)

    def input(self, name: str, *shape: int) -> Array:
        """Array of new symbols for an input block of that shape."""
        self._inputs[name] = shape
        block = np.empty(shape, dtype=object)
        for place in np.ndindex(*shape):
            block[place] = Symbol(self, self._node(Op.INPUT, self._input_count, (), self._input_count), False)
            self._input_count += 1
        return block

    def graph(self, outputs: Mapping[str, Any]) -> Graph:
        """The record behind the outputs: arrays (or single ones) of symbols and numbers."""
        places = {name: self._places(np.asarray(values, dtype=object)) for name, values in outputs.items()}
        return prune(Graph(tuple(self._nodes), dict(self._inputs), places))

    def _places(self, values: Array) -> np.ndarray[Any, np.dtype[np.int64]]:
        numbers = np.empty(values.shape, dtype=np.int64)
        for place, value in np.ndenumerate(values):
            symbol = value if isinstance(value, Symbol) else self.constant(value)
            numbers[place] = self.signed_node(symbol)
        return numbers

    def node(self, number: int) -> Node:
        """The operation of a node."""
        return self._nodes[number]

    def signed_node(self, symbol: Symbol) -> int:
        """The node of a symbol with its sign in it."""
        if not symbol.negative or symbol.node == ZERO:
            return symbol.node
        if symbol.number is not None:
            return self._constant_node(symbol.number)
        return self._operation(Op.NEG, (symbol.node,))

    def add(self, a: Symbol, b: Symbol) -> Symbol:
        """a + b."""
        m, n = a.node, b.node
        if m == ZERO or n == ZERO:
            return b if m == ZERO else a
        if a.number is not None and b.number is not None:
            return self.constant(a.number + b.number)
        if a.negative == b.negative:
            return Symbol(self, self._operation(Op.ADD, (m, n) if m <= n else (n, m)), a.negative)
        if m == n:
            return self._zero
        plus, minus = (n, m) if a.negative else (m, n)
        if (minus, plus) in self._known[Op.SUB]:
            return Symbol(self, self._operation(Op.SUB, (minus, plus)), True)
        return Symbol(self, self._operation(Op.SUB, (plus, minus)), False)

    def multiply(self, a: Symbol, b: Symbol) -> Symbol:
        """a b."""
        m, n = a.node, b.node
        if m <= ONE or n <= ONE:
            if m == ZERO or n == ZERO:
                return self._zero
            factor, other = (a, b) if m == ONE else (b, a)
            return -other if factor.negative else other
        if a.number is not None and b.number is not None:
            return self.constant(a.number * b.number)
        return Symbol(self, self._operation(Op.MUL, (m, n) if m <= n else (n, m)), a.negative != b.negative)

    def divide(self, a: Symbol, b: Symbol) -> Symbol:
        """a / b."""
        if b.node == ZERO:
            raise ZeroDivisionError("division by a constant zero")
        if a.node == ZERO:
            return self._zero
        if b.node == ONE:
            return -a if b.negative else a
        if a.number is not None and b.number is not None:
            return self.constant(a.number / b.number)
        return Symbol(self, self._operation(Op.DIV, (a.node, b.node)), a.negative != b.negative)

    def root(self, a: Symbol) -> Symbol:
        """Square root; of a constant rational only where it is rational too."""
        value = a.number
        if isinstance(value, Fraction):
            p, q = math.isqrt(value.numerator), math.isqrt(value.denominator)
            if p * p == value.numerator and q * q == value.denominator:
                return self.constant(Fraction(p, q))
        elif value is not None:
            return self.constant(math.sqrt(value))
        return self.apply(Op.SQRT, a)

    def apply(self, op: Op, *arguments: Symbol) -> Symbol:
        """An operation that has no law of signs or constants."""
        return Symbol(self, self._operation(op, tuple(self.signed_node(a) for a in arguments)), False)

    def sine(self, a: Symbol) -> Symbol:
        """sin a, an odd function."""
        value = a.number
        if value is not None and (value == 0 or self._number is float):
            return self.constant(math.sin(value))
        return Symbol(self, self._operation(Op.SIN, (a.node,)), a.negative)

    def cosine(self, a: Symbol) -> Symbol:
        """cos a, an even function."""
        value = a.number
        if value is not None and (value == 0 or self._number is float):
            return self.constant(math.cos(value))
        return Symbol(self, self._operation(Op.COS, (a.node,)), False)

    def _operation(self, op: Op, arguments: tuple[int, ...]) -> int:
        return self._node(op, arguments, arguments, None)

    def _node(self, op: Op, key: Any, arguments: tuple[int, ...], value: Any) -> int:
        """Number of the node, made where there was none with this key among those of its operation."""
        known = self._known[op]
        number = known.get(key)
        if number is None:
            number = known[key] = len(self._nodes)
            self._nodes.append(Node(op, arguments, value))
        return number


class Symbol:
    """One scalar of a record: a node, with or without a minus sign; `number` is what a constant stands for, else None."""

    __slots__ = ("negative", "node", "number", "recorder")

    def __init__(self, recorder: Recorder, node: int, negative: bool, number: Number | None = None) -> None:
        self.recorder = recorder
        self.node = node
        self.negative = negative
        self.number = number

    def __add__(self, other: Any) -> Any:
        if type(other) is Symbol:
            return self.recorder.add(self, other)
        if isinstance(other, OUTER):
            return NotImplemented
        return self if other == 0 else self.recorder.add(self, self.recorder.constant(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, OUTER):
            return NotImplemented
        return self + (-other)

    def __rsub__(self, other: Any) -> Any:
        return (-self) + other

    def __mul__(self, other: Any) -> Any:
        if type(other) is Symbol:
            return self.recorder.multiply(self, other)
        if isinstance(other, OUTER):
            return NotImplemented
        return self if other == 1 else self.recorder.multiply(self, self.recorder.constant(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, OUTER):
            return NotImplemented
        return self.recorder.divide(self, self._symbol(other))

    def __rtruediv__(self, other: Any) -> Any:
        return self.recorder.divide(self._symbol(other), self)

    def __neg__(self) -> Symbol:
        if self.node == ZERO:
            return self
        return Symbol(self.recorder, self.node, not self.negative, None if self.number is None else -self.number)

    def __abs__(self) -> Symbol:
        if self.number is not None:
            return -self if self.negative else self
        return self.recorder.apply(Op.ABS, self)

    def __eq__(self, other: object) -> bool:
        """Whether both are known to be the same number: the same constant, or the same record."""
        if type(other) is Symbol:
            return (self.node, self.negative) == (other.node, other.negative)
        return self.number is not None and self.number == other

    def __hash__(self) -> int:
        return hash((self.node, self.negative))

    def __le__(self, other: Any) -> bool:
        """Of constants only; TypeError for a symbol whose number is not known."""
        return float(self) <= float(other)

    def __float__(self) -> float:
        if self.number is None:
            raise TypeError("a traced scalar has no value: an algorithm that is to be traced may not branch on one")
        return float(self.number)

    def sin(self) -> Symbol:
        """Sine, recorded."""
        return self.recorder.sine(self)

    def cos(self) -> Symbol:
        """Cosine, recorded."""
        return self.recorder.cosine(self)

    def sign(self) -> Symbol:
        """x / sqrt(x^2 + LEAST^2), recorded: to rounding the sign of zero and of what is beyond 1e8 LEAST."""
        if self.number is not None:
            return self.recorder.constant((self.number > 0) - (self.number < 0))
        size: Symbol = (self * self + LEAST * LEAST).sqrt()
        return self.recorder.divide(self, size)

    def sqrt(self) -> Symbol:
        """Square root, recorded."""
        return self.recorder.root(self)

    def _symbol(self, other: Any) -> Symbol:
        return other if isinstance(other, Symbol) else self.recorder.constant(other)


def largest(values: Sequence[Symbol], recorder: Recorder) -> Symbol:
    """The largest of some symbols that are not negative, 0 of none; not a number where one is not."""
    unknown = [value for value in values if value.number is None]
    known = max((float(value) for value in values if value.number is not None), default=0.0)
    total = recorder.constant(known)
    for value in unknown:
        total = value if total == 0.0 else recorder.apply(Op.MAX, total, value)
    return total
