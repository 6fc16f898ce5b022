"""States of the user's own: files give back the same bits, or one clear line."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from leapcheck.sampling import STATE_PARTS, States, generated_states
from leapcheck.state_files import read_states, state_table
from leapcheck.system.tables import pandas_frame
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec


@pytest.fixture
def cheetah() -> RobotSpec:
    return load("mini_cheetah")


def write(states: States, path: Path) -> Path:
    match path.suffix:
        case ".npz":
            np.savez(path, **{part: getattr(states, part) for part in STATE_PARTS})
        case ".csv":
            pandas_frame(state_table(states)).to_csv(path, index=False)
        case ".parquet":
            pandas_frame(state_table(states)).to_parquet(path, index=False)
    return path


@pytest.mark.parametrize("suffix", [".npz", ".csv", ".parquet"])
@pytest.mark.parametrize("robot", ["mini_cheetah", "two_link_arm", "random:27"])
def test_a_file_gives_back_the_same_bits(robot: str, suffix: str, tmp_path: Path) -> None:
    spec = load(robot)
    states = generated_states(spec, 100, 1, 0)
    read = read_states(spec, write(states, tmp_path / f"states{suffix}"))
    assert all(np.array_equal(getattr(read, part), getattr(states, part)) for part in STATE_PARTS)
    assert set(read.kind) == {"file"}
    assert np.array_equal(read.index, np.arange(100))


def test_velocity_and_force_may_be_left_out(cheetah: RobotSpec, tmp_path: Path) -> None:
    states = generated_states(cheetah, 5, 0, 0)
    np.savez(tmp_path / "q.npz", q=states.q)
    pandas_frame(state_table(states))[[f"q_{i}" for i in range(19)]].to_csv(tmp_path / "q.csv", index=False)
    for name in ("q.npz", "q.csv"):
        read = read_states(cheetah, tmp_path / name)
        assert np.array_equal(read.q, states.q)
        assert read.v.shape == read.tau.shape == (5, 18)
        assert not read.v.any()
        assert not read.tau.any()


def test_the_order_of_the_columns_does_not_matter(cheetah: RobotSpec, tmp_path: Path) -> None:
    states = generated_states(cheetah, 5, 0, 0)
    frame = pandas_frame(state_table(states))
    frame[sorted(frame.columns)].to_csv(tmp_path / "sorted.csv", index=False)  # q_10 before q_2
    assert np.array_equal(read_states(cheetah, tmp_path / "sorted.csv").q, states.q)


def test_integers_are_numbers(tmp_path: Path) -> None:
    np.savez(tmp_path / "ints.npz", q=np.array([[0, 1]]))
    assert read_states(load("two_link_arm"), tmp_path / "ints.npz").q.dtype == float


def arrays(**changes: object) -> Callable[[Path, States], None]:
    """Writes an .npz with some of its arrays replaced; None leaves one out."""

    def make(path: Path, states: States) -> None:
        parts = {"q": states.q, "v": states.v, "tau": states.tau} | changes
        np.savez(path, **{name: part(states) if callable(part) else part for name, part in parts.items() if part is not None})

    return make


def changed(part: str, row: int, column: int, value: float) -> Callable[[States], np.ndarray]:
    def make(states: States) -> np.ndarray:
        values = getattr(states, part).copy()
        values[row, column] = value
        return values

    return make


def table(change: Callable[[pd.DataFrame], pd.DataFrame]) -> Callable[[Path, States], None]:
    def make(path: Path, states: States) -> None:
        frame = change(pandas_frame(state_table(states)))
        if path.suffix == ".csv":
            frame.to_csv(path, index=False)
        else:
            frame.to_parquet(path, index=False)

    return make


def text(content: str) -> Callable[[Path, States], None]:
    return lambda path, _: path.write_text(content)


def truncated(path: Path, states: States) -> None:
    write(states, path)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def garbled(path: Path, states: States) -> None:
    np.savez_compressed(path, q=states.q)
    content = bytearray(path.read_bytes())
    content[200:260] = bytes(byte ^ 0xFF for byte in content[200:260])
    path.write_bytes(content)


def bare_array(path: Path, states: States) -> None:
    with path.open("wb") as file:
        np.save(file, states.q)


BAD_FILES: dict[str, tuple[str, Callable[[Path, States], None], tuple[str, ...]]] = {
    "no q": ("s.npz", arrays(q=None), ("holds no q", "(n, 19)")),
    "too narrow": ("s.npz", arrays(q=np.zeros((3, 18))), ("q has shape (3, 18)", "(3, 19)")),
    "flat": ("s.npz", arrays(q=np.zeros(19)), ("q has shape (19,)", "(19, 19)")),
    "a single number": ("s.npz", arrays(q=3.0), ("q has shape ()", "give numbers")),
    "no rows": ("s.npz", arrays(q=np.zeros((0, 19)), v=None, tau=None), ("no states", "give at least one")),
    "v of another length": ("s.npz", arrays(v=np.zeros((2, 18))), ("v has shape (2, 18)", "(4, 18)")),
    "tau too wide": ("s.npz", arrays(tau=np.zeros((4, 19))), ("tau has shape (4, 19)", "(4, 18)")),
    "complex": ("s.npz", arrays(q=np.zeros((4, 19), complex)), ("q has shape (4, 19) of complex128",)),
    "text numbers": ("s.npz", arrays(q=np.full((4, 19), "1.0")), ("q has shape (4, 19) of <U3",)),
    "pickled": ("s.npz", arrays(q=np.array([None] * 4, dtype=object)), ("no .npz of plain number arrays", "np.savez")),
    "NaN in q": ("s.npz", arrays(q=changed("q", 2, 8, np.nan)), ("row 2", "q holds NaN", "finite")),
    "infinite v": ("s.npz", arrays(v=changed("v", 3, 0, np.inf)), ("row 3", "v holds NaN or infinity")),
    "no robot's speed": ("s.npz", arrays(v=changed("v", 3, 5, -2e9)), ("row 3", "v holds 2e+09", "at most 1e+09", "SI units")),
    "quaternion not normalised": ("s.npz", arrays(q=changed("q", 1, 3, 9.0)), ("row 1", "trunk_joint", "normalise")),
    "quaternion off by 2e-9": ("s.npz", arrays(q=lambda s: s.q * np.where(np.arange(19) < 7, 1 + 2e-9, 1)), ("norm off 1",)),
    "zero quaternion": ("s.npz", arrays(q=np.zeros((4, 19))), ("row 0", "trunk_joint", "off 1 by 1", "normalise")),
    "no archive": ("s.npz", text("q = 1"), ("no .npz of plain number arrays",)),
    "empty archive": ("s.npz", text(""), ("no .npz of plain number arrays",)),
    "a bare array": ("s.npz", bare_array, ("no .npz of plain number arrays",)),
    "truncated archive": ("s.npz", truncated, ("no .npz of plain number arrays",)),
    "garbled archive": ("s.npz", garbled, ("no .npz of plain number arrays",)),
    "empty csv": ("s.csv", text(""), ("no table of numbers", "q_0")),
    "words in csv": ("s.csv", table(lambda f: f.assign(q_4="straight")), ("no table of numbers", "straight")),
    "a hole in csv": ("s.csv", table(lambda f: f.assign(v_4=None)), ("row 0", "v holds NaN")),
    "a column missing": ("s.csv", table(lambda f: f.drop(columns="q_18")), ("q has shape (4, 18)", "(4, 19)")),
    "columns from 1": ("s.csv", table(lambda f: f.drop(columns="q_0").assign(q_19=0.0)), ("columns of q are numbered 1 to 19",)),
    "no q in csv": ("s.csv", table(lambda f: f[["index", "kind"]]), ("holds no q",)),
    "header only": ("s.csv", table(lambda f: f[:0]), ("no states",)),
    "ragged csv": ("s.csv", text("q_0,q_1\n1,2\n1,2,3,4\n"), ("no table of numbers",)),
    "truncated parquet": ("s.parquet", truncated, ("no table of numbers",)),
    "csv called parquet": ("s.parquet", text("q_0\n1\n"), ("no table of numbers",)),
    "lists in parquet": ("s.parquet", table(lambda f: f.assign(q_3=[[1.0], [2.0, 3.0], [], [1.0]])), ("no table of numbers",)),
    "unknown suffix": ("s.txt", text("1 2 3"), ("unknown kind of file '.txt'", ".npz, .csv or .parquet")),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_file(case: str, cheetah: RobotSpec, tmp_path: Path) -> None:
    name, make, words = BAD_FILES[case]
    path = tmp_path / name
    make(path, generated_states(cheetah, 4, 0, 0))
    with pytest.raises(ValueError, match=re.escape(str(path))) as caught:
        read_states(cheetah, path)
    message = str(caught.value)
    for word in words:
        assert word in message


@pytest.mark.parametrize("name", ["missing.npz", "missing.csv", "folder.npz"])
def test_missing_file(name: str, cheetah: RobotSpec, tmp_path: Path) -> None:
    (tmp_path / "folder.npz").mkdir()
    with pytest.raises(FileNotFoundError, match=r"no such file of states: give a \.npz, \.csv or \.parquet") as caught:
        read_states(cheetah, tmp_path / name)
    assert name in str(caught.value)
