"""Rows to blocks and back: every number arrives once, whatever the sizes, signs and constants."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from leapcheck_reference.trace.compiled_program import CompiledProgram, compile_program
from leapcheck_reference.trace.graph import Graph, Node, Op
from leapcheck_reference.trace.partition import GROUP
from leapcheck_reference.trace.rows import PIECES, Piece, input_rows, pieces

LANES = (2, 4, 8)
SIZES = (0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31)


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEAPCHECK_CACHE", str(tmp_path_factory.getbasetemp() / "rows"))


def moved(sizes: tuple[int, ...], outputs: dict[str, np.ndarray]) -> Graph:
    """A record without operations: inputs of these sizes, and of each its negative; `outputs` number inputs from 1, or are 0."""
    count = sum(sizes)
    constant = Node(Op.CONSTANT, (), 0.0)
    inputs = [Node(Op.INPUT, (), i) for i in range(count)]
    signs = [Node(Op.NEG, (1 + i,)) for i in range(count)]
    places = {name: np.where(wanted < 0, count - wanted, wanted) for name, wanted in outputs.items()}
    return Graph((constant, *inputs, *signs), {f"x{k}": (size,) for k, size in enumerate(sizes)}, places)


def program_of(graph: Graph, lanes: int) -> CompiledProgram:
    code = compile_program(pickle.dumps(graph), lambda: graph, lanes)
    assert code is not None
    return code


def expected_of(wanted: np.ndarray, states: np.ndarray) -> np.ndarray:
    return np.sign(wanted) * np.concatenate([np.zeros((len(states), 1)), states], axis=1)[:, np.abs(wanted)]


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("size", SIZES)
def test_a_row_is_cut_into_vectors_that_cover_it(size: int, lanes: int) -> None:
    cut = pieces(size, lanes)
    assert {i for piece in cut for i in range(piece.first, piece.first + piece.width)} == set(range(size))
    assert all(piece.width == lanes for piece in cut) or cut == [Piece(0, size)]
    assert len(cut) == -(-size // lanes)


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("size", SIZES[1:])
def test_every_number_arrives(size: int, lanes: int) -> None:
    rng = np.random.default_rng(size)
    sizes = (3, size, 1)
    count = sum(sizes)
    outputs = {
        "same": np.arange(1, count + 1),
        "one": np.array(-count),
        "turned": -np.arange(count, 0, -1),
        "drawn": rng.integers(-count, count + 1, (2, size)),
        "constant": np.zeros(size, dtype=int),
    }
    program = program_of(moved(sizes, outputs), lanes)
    for n in (1, lanes, 3 * lanes, GROUP * lanes, (GROUP + 3) * lanes + 1):
        states = rng.normal(size=(n, count))
        parts = np.split(states, np.cumsum(sizes)[:-1], axis=1)
        answers = program({f"x{k}": np.ascontiguousarray(part) for k, part in enumerate(parts)})
        for name, wanted in outputs.items():
            assert np.array_equal(answers[name], expected_of(wanted, states)), (name, n)


def test_rows_longer_than_one_loop_writes() -> None:
    size = 8 * PIECES + 11
    wanted = np.random.default_rng(1).integers(-40, 41, size)
    program = program_of(moved((40,), {"long": wanted}), 8)
    states = np.random.default_rng(2).normal(size=(21, 40))
    assert np.array_equal(program({"x0": states})["long"], expected_of(wanted, states))


def test_inputs_are_numbered_on() -> None:
    graph = Graph((), {"q": (3,), "none": (0,), "A": (2, 2), "one": ()}, {})
    assert list(input_rows(graph)) == [("q", 3, 0), ("none", 0, 3), ("A", 4, 3), ("one", 1, 7)]
