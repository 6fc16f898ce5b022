"""A scalar that holds the values of many states: the readable single-state algorithms run on a whole block at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_reference.dual import OUTER
from leapcheck_reference.scalar import clip, sign
from leapcheck_reference.sharing import share
from leapcheck_reference.tree import Tree


class Batch:
    """Values (n,) of one scalar in n states, doubles or objects, with the arithmetic that the algorithms ask for.

    Products with a constant 0 or 1 and sums with 0 are not formed, so structural zeros of the tree cost nothing; every
    other operation rounds as the same operation on floats does.
    """

    __slots__ = ("values",)

    def __init__(self, values: Array) -> None:
        self.values = values

    def __add__(self, other: Any) -> Any:
        if other.__class__ is Batch:
            return Batch(self.values + other.values)
        if other.__class__ is not float and isinstance(other, OUTER):
            return NotImplemented
        return self if other == 0.0 else Batch(self.values + other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if other.__class__ is Batch:
            return Batch(self.values - other.values)
        return self + (-other)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if other.__class__ is Batch:
            return Batch(self.values * other.values)
        if other.__class__ is not float and isinstance(other, OUTER):
            return NotImplemented
        if other == 0.0:
            return 0.0
        return self if other == 1.0 else Batch(self.values * other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if other.__class__ is not float and isinstance(other, OUTER):
            return NotImplemented
        return Batch(self.values / (other.values if isinstance(other, Batch) else other))

    def __rtruediv__(self, other: Any) -> Any:
        return 0.0 if other == 0.0 else Batch(other / self.values)

    def __neg__(self) -> Batch:
        return Batch(-self.values)

    def sin(self) -> Batch:
        """Sine in every state."""
        return Batch(np.sin(self.values))

    def cos(self) -> Batch:
        """Cosine in every state."""
        return Batch(np.cos(self.values))

    def clip(self, low: Any, high: Any) -> Batch:
        """At least `low` and at most `high` in every state."""
        if self.values.dtype.hasobject:
            return Batch(np.array([clip(x, low, high) for x in self.values], dtype=object))
        return Batch(np.clip(self.values, low, high))

    def sign(self) -> Batch:
        """Sign in every state."""
        signs = [sign(x) for x in self.values] if self.values.dtype.hasobject else np.sign(self.values)
        return Batch(np.asarray(signs, dtype=self.values.dtype))

    def sqrt(self) -> Batch:
        """Square root in every state."""
        return Batch(np.sqrt(self.values))


def evaluate_batch(function: Callable[..., Any], tree: Tree, *blocks: Array) -> Array:
    """`function(tree, q, ...)` at every row of the blocks (n, nq), (n, nv), ...: array (n, *shape of one result).

    The blocks are taken as valid states; single-state calls check them. Blocks of objects (arb balls) give objects, any others
    doubles.
    """
    n = len(blocks[0])
    arguments = [_batches(block) for block in blocks]
    result = np.asarray(function(tree, *arguments), dtype=object)
    objects = any(block.dtype.hasobject for block in blocks)
    values = np.empty((n, *result.shape), dtype=object if objects else float)
    for place, entry in np.ndenumerate(result):
        values[(slice(None), *place)] = entry.values if isinstance(entry, Batch) else entry
    return values


@share
def _batches(block: Array) -> Array:
    """A state of Batches, the same for the same block inside `sharing`."""
    row = np.empty(block.shape[1], dtype=object)
    for i, column in enumerate(np.ascontiguousarray(block.T)):
        row[i] = Batch(column)
    return row
