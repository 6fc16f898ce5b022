"""Stages: every operation once and in order, what they hand on in places of its own, and never another bit."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from leapcheck_reference import kernel
from leapcheck_reference.trace import compiled_program as compiled_module
from leapcheck_reference.trace.graph import Graph
from leapcheck_reference.trace.lowering import lower
from leapcheck_reference.trace.partition import MEMORY, STAGE, Partition, by_branches, partition
from leapcheck_reference.trace.record import record
from tests.reference import generic_states
from tests.reference.trace.kernel_cases import RIGID_BODY, made, same_bits, states


def graph_of(robot: str) -> Graph:
    return by_branches(lower(record(generic_states.case(robot).tree, RIGID_BODY)))


def stage_of(parts: Partition) -> dict[int, int]:
    return {i: number for number, part in enumerate(parts.stages) for i in part}


@pytest.mark.parametrize("stage", [1, 7, 100, STAGE, 10**6])
def test_every_operation_once_and_in_order(stage: int) -> None:
    graph = graph_of("pupper_leg")
    parts = partition(graph, stage=stage)
    steps = [i for part in parts.stages for i in part]
    assert steps == [i for i, node in enumerate(graph.nodes) if node.op not in MEMORY]
    sizes = [len(part) for part in parts.stages]
    assert max(sizes) <= stage
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("stage", [1, 7, 100, 400])
@pytest.mark.parametrize("robot", ["pupper_leg", "mini_cheetah"])
def test_what_a_later_stage_needs_is_there(robot: str, stage: int) -> None:
    """Runs the stages on paper: a value is read from this stage, from a result or from a place that still holds it."""
    graph = graph_of(robot)
    parts = partition(graph, stage=stage)
    results = set(parts.results)
    holds: dict[int, int] = {}
    for part in parts.stages:
        known: set[int] = set()
        written: dict[int, int] = {}
        for i in part:
            for a in (graph.without_sign(a) for a in graph.nodes[i].arguments):
                assert graph.nodes[a].op in MEMORY or a in known | results or holds[parts.carried[a]] == a
            known.add(i)
            if i in parts.carried:
                assert i not in results
                assert parts.carried[i] not in written
                written[parts.carried[i]] = i
        holds |= written
    assert max(parts.carried.values(), default=-1) < parts.carried_count <= len(parts.carried)


def test_places_are_used_again() -> None:
    parts = partition(graph_of("mini_cheetah"), stage=100)
    assert parts.carried_count < len(parts.carried) / 2


def test_results_are_the_distinct_entries_or_what_is_asked_for() -> None:
    graph = graph_of("pupper_leg")
    parts = partition(graph)
    assert parts.result_count == len(graph.distinct)
    assert {node: places[0] for node, places in parts.results.items()} == {node: i for i, node in enumerate(graph.distinct)}
    asked = [*graph.distinct[:3], graph.distinct[1]]
    again = partition(graph, asked)
    assert again.result_count == 4
    assert again.results[graph.distinct[1]] == (1, 3)


def test_a_record_without_operations() -> None:
    parts = partition(Graph((), {}, {}))
    assert parts == Partition(((),), {}, 0, {}, 0)


@pytest.mark.parametrize("stage", [1, 30, 333])
def test_stages_change_no_bit(stage: int, monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setenv("LEAPCHECK_CACHE", str(tmp_path))
    monkeypatch.setattr(compiled_module, "partition", partial(partition, stage=stage))
    given = states("pupper_leg", 5)
    rows = np.arange(150) % 5
    q, v = given["q"][rows], given["v"][rows]
    assert same_bits(kernel(generic_states.case("pupper_leg").tree, RIGID_BODY)(q, v), made("pupper_leg")(q, v))
