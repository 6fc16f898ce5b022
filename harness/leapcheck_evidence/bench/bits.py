"""Whether the compiled code computes, bit for bit, what the readable code computes on Python floats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from leapcheck.quantities import QUANTITIES
from leapcheck.sampling import States
from leapcheck_models.arrays import Floats
from leapcheck_reference import Tree
from leapcheck_reference.quantities import quantity
from leapcheck_reference.scalar import as_objects, sin_cos
from leapcheck_reference.trace.graph import Graph
from leapcheck_reference.trace.kernel import program
from leapcheck_reference.trace.key import key_of
from leapcheck_reference.trace.lowering import angles, with_given_sines
from leapcheck_reference.trace.record import record


def different_entries(tree: Tree, quantities: Sequence[str], states: States) -> tuple[int, int]:
    """How many entries of the quantities differ between the two, and of how many; both are given the same sines and cosines."""
    answers = _compiled_answers(tree, quantities, states)
    different = total = 0
    for name in quantities:
        readable = np.stack([_readable(tree, name, states, i) for i in range(len(states))])
        different += int((readable != answers[name]).sum())
        total += readable.size
    return different, total


def _compiled_answers(tree: Tree, quantities: Sequence[str], states: States) -> dict[str, Floats]:
    key, graph = key_of(tree, tuple(quantities)), record(tree, quantities)
    given = {"q": states.q, "v": states.v}
    values = _kernel_answers(b"angles" + key, angles(graph), given)["angles"]
    pairs = np.array([sin_cos(angle) for angle in values.ravel().tolist()]).reshape(*values.shape, 2)
    sines, cosines = np.ascontiguousarray(pairs[..., 0]), np.ascontiguousarray(pairs[..., 1])
    return _kernel_answers(b"given sines" + key, with_given_sines(graph), {**given, "sin": sines, "cos": cosines})


def _kernel_answers(key: bytes, graph: Graph, inputs: Mapping[str, Floats]) -> dict[str, Floats]:
    code = program(key, lambda: graph)
    return code({name: inputs[name] for name in code.inputs})


def _readable(tree: Tree, name: str, states: States, i: int) -> Any:
    """A quantity at one state, on object arrays of Python floats."""
    rows = [np.array(getattr(states, part)[i].tolist(), dtype=object) for part in QUANTITIES[name].arguments]
    return quantity(name).function(as_objects(tree), *rows)
