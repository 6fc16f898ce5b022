"""A long record cut into stages whose machine code stays in a core's cache of decoded instructions.

A kernel runs the first stage over a few blocks of states, then the second, and so on: straight-line code of a whole
robot would be fetched anew for every block, which costs a third of the time. Values that a later stage needs go through memory.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from leapcheck_reference.trace.graph import Graph, Op, renumber

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
    carried, carried_count = _carry_places(graph, stages, places)
    return Partition(stages, places, len(kept), carried, carried_count)


def _carry_places(
    graph: Graph, stages: Sequence[Sequence[int]], places: Mapping[int, tuple[int, ...]]
) -> tuple[dict[int, int], int]:
    """A place for each value that a later stage needs and that is no result; free again after the last stage that needs it."""
    stage_of = {i: number for number, part in enumerate(stages) for i in part}
    last_use: dict[int, int] = {}
    for number, part in enumerate(stages):
        for a in (graph.without_sign(a) for i in part for a in graph.nodes[i].arguments):
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


def by_branches(graph: Graph) -> Graph:
    """The graph with its nodes in the order in which results ask for them, results in the order of the last joint behind them.

    Joints are numbered branch by branch, so the leaf quantities of one leg come together, and what several legs add up to
    comes last: few values have to be kept, which is worth 8 % of the time of a quadruped's kernel.
    """
    last = _last_joints(graph)
    results = [int(i) for places in graph.outputs.values() for i in places.flat]
    wanted = sorted(dict.fromkeys(results), key=lambda i: last[i])
    return renumber(graph, _depth_first(graph, wanted))


def _last_joints(graph: Graph) -> list[float]:
    """For each node the largest relative place, within its input block, of an input that it depends on; -1 for none."""
    place: list[float] = []
    for shape in graph.inputs.values():
        size = prod(shape)
        place += [i / size for i in range(size)]
    last: list[float] = []
    for node in graph.nodes:
        if node.op is Op.INPUT:
            last.append(place[int(node.value or 0)])
        else:
            last.append(max((last[a] for a in node.arguments), default=-1.0))
    return last


def _depth_first(graph: Graph, wanted: list[int]) -> list[int]:
    """The nodes behind the wanted ones, arguments first, of two arguments first the one that needs more registers."""
    registers = _registers(graph)
    done = [False] * len(graph.nodes)
    order: list[int] = []
    stack = [(i, False) for i in reversed(wanted)]
    while stack:
        i, is_ready = stack.pop()
        if done[i]:
            continue
        if is_ready:
            done[i] = True
            order.append(i)
        else:
            stack.append((i, True))
            stack += [(a, False) for a in sorted(graph.nodes[i].arguments, key=registers.__getitem__) if not done[a]]
    return order


def _registers(graph: Graph) -> list[int]:
    """Registers that each node would need if it were a tree of its own (Sethi and Ullman 1970)."""
    needed: list[int] = []
    for node in graph.nodes:
        below = sorted((needed[a] for a in set(node.arguments)), reverse=True)
        needed.append(max((count + k for k, count in enumerate(below)), default=int(node.op is not Op.CONSTANT)))
    return needed
