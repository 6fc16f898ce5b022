"""The readable algorithms run on tracing scalars: one graph for any subset of quantities of any tree."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

import leapcheck_reference as reference
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.scalar import Array, as_objects
from leapcheck_reference.trace import derivatives
from leapcheck_reference.trace.graph import Graph
from leapcheck_reference.trace.symbol import Recorder, Symbol
from leapcheck_reference.tree import Tree, build

SIZES: Mapping[str, Callable[[Tree], int]] = {
    "q": lambda tree: tree.nq,
    "v": lambda tree: tree.nv,
    "vdot": lambda tree: tree.nv,
    "tau": lambda tree: tree.nv,
}
"""The inputs that an algorithm may have besides the tree, in this order, and how many numbers each is."""


FORMS: Mapping[str, Callable[..., Any]] = {
    "forward_dynamics": reference.factored_forward_dynamics,
    "inverse_dynamics_derivative_q": derivatives.inverse_dynamics_derivative_q,
    "inverse_dynamics_derivative_v": derivatives.inverse_dynamics_derivative_v,
    "forward_dynamics_derivative_q": derivatives.forward_dynamics_derivative_q,
    "forward_dynamics_derivative_v": derivatives.forward_dynamics_derivative_v,
    "forward_dynamics_derivative_tau": derivatives.forward_dynamics_derivative_tau,
    "qM": lambda tree, q: reference.sparse_mass_matrix(tree, q).qM,
    "csr": lambda tree, q: reference.sparse_mass_matrix(tree, q).csr,
}
"""Quantities that are not the function of their name in `leapcheck_reference`: forward dynamics as the shorter straight line,
derivatives of inverse and forward dynamics, and both storage forms of M."""


def arguments(quantities: Sequence[str]) -> tuple[str, ...]:
    """The inputs that the quantities need together; ValueError for a name that is no quantity of `leapcheck_reference`."""
    needed = {name for quantity in quantities for name in _arguments(quantity)}
    return tuple(name for name in SIZES if name in needed)


def record(tree: Tree, quantities: Sequence[str]) -> Graph:
    """What the algorithms of these quantities do to (q, v, ...), with the tree's float constants folded in program order.

    So it does bit for bit what they do on object arrays of Python floats, the tree's among them (`as_objects`).
    """
    recorder = Recorder(float)
    return recorder.graph(traced(tree, quantities, recorder))


def exact_record(spec: RobotSpec, quantities: Sequence[str]) -> Graph:
    """The same from the spec on in exact rationals: no constant is ever rounded."""
    recorder = Recorder(Fraction)
    return recorder.graph(traced(build(spec, scalar=recorder.constant), quantities, recorder))


def traced(tree: Tree, quantities: Sequence[str], recorder: Recorder) -> dict[str, Array]:
    """Each quantity as an array of symbols and numbers, over new inputs q, v, ... of the recorder."""
    return answers(tree, quantities, inputs(tree, quantities, recorder))


def inputs(tree: Tree, quantities: Sequence[str], recorder: Recorder) -> dict[str, Array]:
    """New inputs q, v, ... of the recorder, those that the quantities need."""
    return {name: recorder.input(name, SIZES[name](tree)) for name in arguments(quantities)}


def answers(tree: Tree, quantities: Sequence[str], symbols: Mapping[str, Array]) -> dict[str, Array]:
    """Each quantity as an array of symbols and numbers, at q, v, ... given as symbols.

    Raises ValueError for a quantity that is no array and no number.
    """
    constants = as_objects(tree)
    found = {name: _function(name)(constants, *(symbols[a] for a in _arguments(name))) for name in quantities}
    for name, values in found.items():
        if not isinstance(values, np.ndarray | Symbol | float | int | Fraction):
            raise ValueError(f"'{name}' gives {type(values).__name__}, no array of numbers: it cannot be made a kernel")
    return {name: np.asarray(values, dtype=object) for name, values in found.items()}


def _function(quantity: str) -> Callable[..., Any]:
    function: Callable[..., Any] = FORMS[quantity] if quantity in FORMS else getattr(reference, quantity)
    return function


def _arguments(quantity: str) -> list[str]:
    """Names of the inputs that a quantity's function cannot do without."""
    if quantity not in reference.__all__ and quantity not in FORMS:
        raise ValueError(f"unknown quantity '{quantity}': give names of functions of leapcheck_reference, e.g. mass_matrix")
    parameters = list(inspect.signature(_function(quantity)).parameters.values())
    names = [p.name for p in parameters[1:] if p.default is inspect.Parameter.empty]
    if parameters[0].name != "tree" or not set(names) <= SIZES.keys():
        raise ValueError(f"'{quantity}' is no function of a tree and a state: it cannot be made a kernel")
    return names
