"""A long record cut into stages whose machine code stays in a core's cache of decoded instructions.

A kernel runs the first stage over a few blocks of states, then the second, and so on: straight-line code of a whole
robot would be fetched anew for every block, which costs a third of the time. Values that a later stage needs go through memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from leapcheck_reference.trace.graph import Graph, Op

STAGE = 1800
"""Most operations of one stage; measured best between 1000 and 2000 on Zen 5, whose cache holds 6144 instructions."""

GROUP = 8
"""Blocks of states that a stage runs over: enough to pay for fetching its code, few enough to stay in the second-level cache."""

MEMORY = (Op.INPUT, Op.CONSTANT, Op.NEG)
"""Nodes that are no operations: they are read, or are the sign of a result."""


@dataclass(frozen=True, slots=True)
class Partition:
    """Stages as lists of nodes, in order; places in memory of the results and of the other values that stages hand on."""

    stages: tuple[tuple[int, ...], ...]
    results: Mapping[int, tuple[int, ...]]
    result_count: int
    carried: Mapping[int, int]
    carried_count: int


def partition(graph: Graph, results: Sequence[int] | None = None, stage: int = STAGE) -> Partition:
    """Stages of about equal length, in the order of the record: an algorithm's own order keeps few values alive.

    `results` are the nodes whose values are kept, in this order; by default `graph.distinct`.
    """
    kept = graph.distinct if results is None else results
    steps = [i for i, node in enumerate(graph.nodes) if node.op not in MEMORY]
    count = max(1, -(-len(steps) // stage))
    stages = tuple(tuple(int(i) for i in part) for part in np.array_split(np.array(steps, dtype=np.int64), count))
    places: dict[int, tuple[int, ...]] = {}
    for place, node in enumerate(kept):
        places[node] = (*places.get(node, ()), place)
    carried, carried_count = _carried(graph, stages, places)
    return Partition(stages, places, len(kept), carried, carried_count)


def _carried(graph: Graph, stages: Sequence[Sequence[int]], places: Mapping[int, tuple[int, ...]]) -> tuple[dict[int, int], int]:
    """A place for each value that a later stage needs and that is no result; free again after the last stage that needs it."""
    stage_of = {i: number for number, part in enumerate(stages) for i in part}
    last_use: dict[int, int] = {}
    for number, part in enumerate(stages):
        for a in (graph.unsigned(a) for i in part for a in graph.nodes[i].arguments):
            if stage_of.get(a, number) != number and a not in places:
                last_use[a] = number
    free: list[int] = []
    carried: dict[int, int] = {}
    count = 0
    for number, part in enumerate(stages):
        free += [carried[a] for a, last in last_use.items() if last == number - 1]
        for a in (i for i in part if i in last_use):
            count += not free
            carried[a] = free.pop() if free else count - 1
    return carried, count
