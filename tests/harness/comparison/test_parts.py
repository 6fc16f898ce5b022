"""Parts of a run on disk: what is read back is what was written, bit by bit, or nothing."""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import shutil
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from leapcheck.comparison import identity
from leapcheck.comparison.engine_set import make_engine_set
from leapcheck.comparison.identity import difference, digest, run_identity
from leapcheck.comparison.parts import CHECKSUM_BYTES, DAMAGED, FOLDER, RUN_FILE, part_bytes, parts_in, result_from, shard_of
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


def test_a_damaged_part_counts_as_missing(tmp_path: Path) -> None:
    parts = parts_in(tmp_path / FOLDER, run_identity(PLAN), resume=False)
    parts.write(3, one())
    assert [number for number in range(5) if parts.read(number) is not None] == [3] == [*parts.whole]
    assert not parts.damaged
    (path,) = (tmp_path / FOLDER).glob("part-*")
    path.write_bytes(path.read_bytes()[:-1])
    assert parts.read(3) is None
    assert (parts.whole, parts.damaged) == (set(), {3})


def test_no_mutant_is_read_as_a_result() -> None:
    """Cut short, longer, or with bytes that are others, one or many: never a result that is a little off, never another error."""
    rng, content = np.random.default_rng(0), part_bytes(one(), "run")
    for trial in range(3000):
        mutant = bytearray(content)
        if trial % 8 == 0:
            mutant = mutant[: rng.integers(len(mutant))]
        elif trial % 8 == 1:
            mutant += rng.bytes(int(rng.integers(1, 50)))
        else:
            for place in rng.integers(len(mutant), size=int(rng.integers(1, 30))):
                mutant[place] ^= int(rng.integers(1, 256))
        with pytest.raises(ValueError, match="checksum"):
            result_from(bytes(mutant), "run")


def test_no_mutant_with_the_right_checksum_ends_in_another_error() -> None:
    """What someone else wrote with a checksum of its own: a result, or one of the errors that count as damage."""
    rng, content = np.random.default_rng(1), part_bytes(one(), "run")[CHECKSUM_BYTES:]
    for _ in range(300):
        mutant = bytearray(content)
        for place in rng.integers(len(mutant), size=int(rng.integers(1, 30))):
            mutant[place] ^= int(rng.integers(1, 256))
        with suppress(*DAMAGED):
            result_from(hashlib.sha256(mutant).digest() + mutant, "run")


def test_a_part_copied_over_another_is_damaged(tmp_path: Path) -> None:
    parts = parts_in(tmp_path, run_identity(PLAN), resume=False)
    parts.write(0, one())
    (tmp_path / "part-000001").write_bytes((tmp_path / "part-000000").read_bytes())
    assert parts.read(0) is not None
    assert parts.read(1) is None
    assert (parts.whole, parts.damaged) == ({0}, {1})


def test_two_runs_never_share_a_folder_but_shards_do(tmp_path: Path) -> None:
    first, second = (parts_in(tmp_path, run_identity(PLAN), resume=False) for _ in range(2))
    with first.lock(shared=True), second.lock(shared=True):
        pass
    with first.lock(shared=False):
        for shared in (False, True):
            with pytest.raises(ValueError, match="another run is at work there"), second.lock(shared):
                pass
    with second.lock(shared=False):
        pass


def test_an_edit_of_leapcheck_is_another_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever file it is: one that draws states is as good as one that reduces them."""
    before = run_identity(PLAN)
    copy = tmp_path / "leapcheck"
    shutil.copytree(identity.SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(identity, "SOURCE", copy)
    assert run_identity(PLAN) == before
    with (copy / "sampling.py").open("a", encoding="utf-8") as file:
        file.write("# edited\n")
    assert difference(before, run_identity(PLAN)).startswith("source of leapcheck: ")


class Harmful:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, ("harm",)


def test_a_part_runs_no_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    buffer = io.BytesIO()
    np.savez(buffer, said=np.array([Harmful()], dtype=object), allow_pickle=True)
    for content in (buffer.getvalue(), pickle.dumps(Harmful())):
        with pytest.raises(DAMAGED):
            result_from(hashlib.sha256(content).digest() + content, "run")
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
