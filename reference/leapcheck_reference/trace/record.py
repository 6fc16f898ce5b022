"""The readable algorithms run on tracing scalars: one graph for any subset of quantities of any tree."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import leapcheck_reference as reference
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.trace.graph import Graph
from leapcheck_reference.trace.symbol import Recorder
from leapcheck_reference.tree import Tree, build

SIZES: Mapping[str, Callable[[Tree], int]] = {
    "q": lambda tree: tree.nq,
    "v": lambda tree: tree.nv,
    "vdot": lambda tree: tree.nv,
    "tau": lambda tree: tree.nv,
}
"""The inputs that an algorithm may have besides the tree, in this order, and how many numbers each is."""


def arguments(quantities: Sequence[str]) -> tuple[str, ...]:
    """The inputs that the quantities need together; ValueError for a name that is no quantity of `leapcheck_reference`."""
    needed = {name for quantity in quantities for name in _arguments(quantity)}
    return tuple(name for name in SIZES if name in needed)


def record(tree: Tree, quantities: Sequence[str]) -> Graph:
    """What the algorithms of these quantities do to (q, v, ...), with the tree's float constants folded in program order."""
    return _recorded(tree, quantities, Recorder(float))


def exact_record(spec: RobotSpec, quantities: Sequence[str]) -> Graph:
    """The same from the spec on in exact rationals: no constant is ever rounded."""
    recorder = Recorder(Fraction)
    return _recorded(build(spec, scalar=recorder.constant), quantities, recorder)


def _recorded(tree: Tree, quantities: Sequence[str], recorder: Recorder) -> Graph:
    inputs = {name: recorder.input(name, SIZES[name](tree)) for name in arguments(quantities)}
    outputs = {name: _function(name)(tree, *(inputs[a] for a in _arguments(name))) for name in quantities}
    return recorder.graph(outputs)


def _function(quantity: str) -> Callable[..., Any]:
    function: Callable[..., Any] = getattr(reference, quantity)
    return function


def _arguments(quantity: str) -> list[str]:
    """Names of the inputs that a quantity's function cannot do without."""
    if quantity not in reference.__all__:
        raise ValueError(f"unknown quantity '{quantity}': give names of functions of leapcheck_reference, e.g. mass_matrix")
    parameters = list(inspect.signature(_function(quantity)).parameters.values())
    names = [p.name for p in parameters[1:] if p.default is inspect.Parameter.empty]
    if parameters[0].name != "tree" or not set(names) <= SIZES.keys():
        raise ValueError(f"'{quantity}' is no function of a tree and a state: it cannot be made a kernel")
    return names
