"""The readable algorithms run on tracing scalars: one graph for any subset of quantities of any tree."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.quantities import SIZES, arguments, quantity
from leapcheck_reference.scalar import as_objects
from leapcheck_reference.sharing import sharing
from leapcheck_reference.trace.graph import Graph
from leapcheck_reference.trace.symbol import Recorder
from leapcheck_reference.tree import Tree, build


def record(tree: Tree, quantities: Sequence[str]) -> Graph:
    """What the algorithms of these quantities do to (q, v, ...), with the tree's float constants folded in program order.

    So it does bit for bit what they do on object arrays of Python floats, the tree's among them (`as_objects`).
    """
    recorder = Recorder(float)
    return recorder.graph(trace(tree, quantities, recorder))


def exact_record(spec: RobotSpec, quantities: Sequence[str]) -> Graph:
    """The same from the spec on in exact rationals: no constant is ever rounded."""
    recorder = Recorder(Fraction)
    return recorder.graph(trace(build(spec, scalar=recorder.constant), quantities, recorder))


def trace(tree: Tree, quantities: Sequence[str], recorder: Recorder) -> dict[str, Array]:
    """Each quantity as an array of symbols and numbers, over new inputs q, v, ... of the recorder."""
    return answers(tree, quantities, inputs(tree, quantities, recorder))


def inputs(tree: Tree, quantities: Sequence[str], recorder: Recorder) -> dict[str, Array]:
    """New inputs q, v, ... of the recorder, those that the quantities need."""
    return {name: recorder.input(name, SIZES[name](tree)) for name in arguments(quantities)}


def answers(tree: Tree, quantities: Sequence[str], symbols: Mapping[str, Array]) -> dict[str, Array]:
    """Each quantity as an array of symbols and numbers, at q, v, ... given as symbols."""
    constants = as_objects(tree)
    rows = {name: quantity(name) for name in quantities}
    with sharing():
        values = {name: row.kernel_function(constants, *(symbols[a] for a in row.arguments)) for name, row in rows.items()}
    return {name: np.asarray(value, dtype=object) for name, value in values.items()}
