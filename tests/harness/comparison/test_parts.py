"""Parts of a run on disk: what is read back is what was written, bit by bit, or nothing."""

from __future__ import annotations

import io
import os
import pickle
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from leapcheck.comparison.engine_set import make_engine_set
from leapcheck.comparison.identity import digest, run_identity
from leapcheck.comparison.parts import DAMAGED, FOLDER, RUN_FILE, part_bytes, parts_in, result_from, shard_of
from leapcheck.comparison.plan import Plan, jobs
from leapcheck.comparison.results import BlockResult, part_result
from leapcheck.robots.load import NamedRobot, named_robot

PLAN = Plan(named_robot("two_link_arm"), ("reference", "mujoco", "faulty:not_a_number"), count=300)


@cache
def one() -> BlockResult:
    found = part_result(PLAN, make_engine_set(PLAN.spec, PLAN.engines, PLAN.quantities, compile_code=False), jobs(PLAN)[0])
    assert found.failures
    assert any(tally.heat for tally in found.tallies.values())
    return found


def test_what_is_read_is_what_was_written() -> None:
    again = result_from(part_bytes(one(), "run"), "run")
    assert pickle.dumps(again.failures) == pickle.dumps(one().failures)
    assert (again.states, again.seconds, list(again.tallies)) == (300, one().seconds, list(one().tallies))
    for mine, theirs in zip(again.tallies.values(), one().tallies.values(), strict=True):
        assert list(mine.heat) == list(theirs.heat)
        assert part_bytes(BlockResult(tallies={mine.rows: mine}), "") == part_bytes(
            BlockResult(tallies={theirs.rows: theirs}), ""
        )
        for name in ("error", "sample", "histogram", "kind_verdict", "near", "tolerance"):
            assert getattr(mine, name).dtype == getattr(theirs, name).dtype
            assert getattr(mine, name).tobytes() == getattr(theirs, name).tobytes()
        assert mine.rounding.q.tobytes() == theirs.rounding.q.tobytes()
        assert mine.absolute.kind.tolist() == theirs.absolute.kind.tolist()


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_part_counts_as_missing(seed: int, tmp_path: Path) -> None:
    """Cut short, emptied, or with bytes that are others: never read as a result that is a little off."""
    parts = parts_in(tmp_path / FOLDER, run_identity(PLAN), resume=False)
    parts.write(3, one())
    assert [number for number in range(5) if parts.read(number) is not None] == [3] == [*parts.whole]
    (path,) = (tmp_path / FOLDER).glob("part-*")
    rng, content = np.random.default_rng(seed), bytearray(path.read_bytes())
    if seed % 4 == 0:
        content = content[: rng.integers(len(content))]
    else:
        for place in rng.integers(len(content), size=1 + 20 * (seed % 4)):
            content[place] ^= int(rng.integers(1, 256))
    path.write_bytes(content)
    found = parts.read(3)
    assert found is None or part_bytes(found, "") == part_bytes(one(), "")  # a changed date of a zip's entry harms nothing


class Harmful:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, ("harm",)


def test_a_part_runs_no_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    buffer = io.BytesIO()
    np.savez(buffer, said=np.array([Harmful()], dtype=object), allow_pickle=True)
    for content in (buffer.getvalue(), pickle.dumps(Harmful())):
        with pytest.raises(DAMAGED):
            result_from(content, "run")
    assert not Path("harm").exists()


def test_parts_of_another_run_are_refused_and_named(tmp_path: Path) -> None:
    parts_in(tmp_path, run_identity(PLAN), resume=False).write(0, one())
    for other, named in (
        (Plan(NamedRobot(PLAN.spec), PLAN.engines, count=301), "states: '300 of seed 0' there, '301 of seed 0' here"),
        (Plan(named_robot("pupper_leg"), PLAN.engines, count=300), "robot: 'two_link_arm "),
    ):
        with pytest.raises(ValueError, match="parts there belong to another run") as refused:
            parts_in(tmp_path, run_identity(other), resume=True)
        assert named in str(refused.value)
        assert str(tmp_path / RUN_FILE) in str(refused.value)
        assert "give another --out, or delete" in str(refused.value)


def test_finished_parts_are_not_thrown_away_unasked(tmp_path: Path) -> None:
    parts_in(tmp_path, run_identity(PLAN), resume=False)
    parts_in(tmp_path, run_identity(PLAN), resume=False).write(0, one())  # none was there yet
    with pytest.raises(ValueError, match=r"holds 1 finished part of this run: continue with --resume, or delete"):
        parts_in(tmp_path, run_identity(PLAN), resume=False)
    parts = parts_in(tmp_path, run_identity(PLAN), resume=True)
    assert [parts.read(number) is not None for number in range(2)] == [True, False]


@pytest.mark.parametrize("content", ["", "[]", "{", "[" * 100_000, "\x00\xff", "3"])
def test_parts_of_which_nothing_is_said_belong_to_no_run(content: str, tmp_path: Path) -> None:
    parts_in(tmp_path, run_identity(PLAN), resume=False).write(0, one())
    (tmp_path / RUN_FILE).write_text(content, encoding="latin-1")
    with pytest.raises(ValueError, match=r"run.json: .*delete"):
        parts_in(tmp_path, run_identity(PLAN), resume=True)


def test_a_write_that_fails_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = parts_in(tmp_path, run_identity(PLAN), resume=False)

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device", str(tmp_path))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        parts.write(0, one())
    assert [path.name for path in tmp_path.iterdir()] == [RUN_FILE]


def test_the_folder_goes_as_a_whole(tmp_path: Path) -> None:
    parts = parts_in(tmp_path / FOLDER, run_identity(PLAN), resume=False)
    parts.write(0, one())
    parts.remove()
    assert list(tmp_path.iterdir()) == []


def test_an_edited_engine_is_another_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    engine = tmp_path / "dynamics_of_mine.py"
    engine.write_text("x = 1\n", encoding="utf-8")
    plan = Plan(NamedRobot(PLAN.spec), ("reference", "dynamics_of_mine:make"), count=300)
    before = run_identity(plan)
    engine.write_text("x = 2\n", encoding="utf-8")
    assert digest(run_identity(plan)) != digest(before)
    parts_in(tmp_path, before, resume=False)
    with pytest.raises(ValueError, match="source of the user's engines"):
        parts_in(tmp_path, run_identity(plan), resume=True)


@pytest.mark.parametrize("text", ["", "1", "0/3", "4/3", "1/0", "a/b", "1/3/5", "-1/3", "1.0/3", "1/9999999"])
def test_a_shard_is_written_as_k_of_n(text: str) -> None:
    with pytest.raises(ValueError, match="write it as k/n"):
        shard_of(text)
    assert shard_of("2/8") == (2, 8)
