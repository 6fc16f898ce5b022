"""The microbenchmark of the arithmetic bound executes what it counts."""

from __future__ import annotations

import re

import pytest

from leapcheck_evidence.bench.arithmetic import CHAINS, TURNS, UNROLLED, arithmetic, arithmetic_ir, contender, operations
from leapcheck_evidence.bench.measure import interleave
from leapcheck_reference.trace import native

LANES = native.vector_width()


@pytest.mark.parametrize("chains", CHAINS)
def test_it_counts_the_operations_of_its_loop(chains: int) -> None:
    loop = re.search(r"^loop:\n(.*?)^done:", arithmetic_ir(chains, LANES), re.MULTILINE | re.DOTALL)
    assert loop
    kinds = [len(re.findall(rf"= {kind} <{LANES} x double>", loop[1])) for kind in ("fadd", "fmul")]
    assert kinds == [chains * UNROLLED] * 2
    assert operations(chains, LANES, 7) == 7 * LANES * sum(kinds)
    assert not re.search(r"\b(load|store|call)\b", loop[1])


def test_every_step_of_every_chain_is_executed() -> None:
    """Sums of ones and products of twos count the steps; nothing rounds."""
    chains, turns = CHAINS[1], 3
    added, multiplied = arithmetic(chains, LANES).run(turns, addend=1.0, factor=2.0)
    assert added == chains * UNROLLED * turns
    assert multiplied == chains * 2.0 ** (UNROLLED * turns)


def test_a_timing_is_per_operation() -> None:
    one = arithmetic(CHAINS[-1], LANES)
    assert one.operations == operations(CHAINS[-1], LANES, TURNS)
    timed = contender(one, "bound")
    assert timed.count == one.operations
    assert interleave([timed], seconds=0.0)["bound"].minimum > 0.0
    assert f"{LANES} doubles wide" in one.statement
