"""Full disks, folders that vanish, clocks that go back, file systems without locks: no byte of a result depends on them."""

from __future__ import annotations

import errno
import fcntl
import itertools
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from leapcheck.api.comparison import ComparisonSetup, comparison_setup
from leapcheck.api.options import CompareOptions
from leapcheck.comparison import parts
from tests.harness.comparison.full_disk import WORDS

ROOT = Path(__file__).parents[3]
PARTS = 3
"""Of 9000 states."""

FULL_AT = (4, 103, 202, 301, 1400)
"""Sizes of the disk in KiB, less and less too small: the run takes less than the last."""

EVERY_PAGE = (*range(4, 900, 4), 1400)


@pytest.fixture(autouse=True)
def many_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run of a few states has parts."""
    monkeypatch.setattr("leapcheck.comparison.plan.LONG_FROM", 1)
    monkeypatch.setattr("leapcheck.comparison.plan.JOB", 1)


def setup(out: Path) -> ComparisonSetup:
    """The run of `WORDS`."""
    options = CompareOptions(
        engines=("reference", "mujoco"), quantities=("mass_matrix",), states=9000, workers=1, out=out, resume=True
    )
    return comparison_setup("two_link_arm", (), options)


def may_mount() -> bool:
    """Whether this user may mount a disk in a name space of its own."""
    words = ["unshare", "-rm", "sh", "-c", "mount -t tmpfs -o size=4k none /mnt"]
    return shutil.which("unshare") is not None and subprocess.run(words, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not may_mount(), reason="no name space to mount a small disk in")
@pytest.mark.parametrize(
    "sizes", [FULL_AT, pytest.param((*range(4, 900, 4), 1400), marks=pytest.mark.slow)], ids=["some", "every page"]
)
def test_a_full_disk_is_one_line_and_the_run_goes_on(sizes: tuple[int, ...], tmp_path: Path) -> None:
    """Full at the first write, at a part, at the report, at the states: nothing half written is left."""
    disk = tmp_path / "disk"
    disk.mkdir()
    words = ["unshare", "-rm", sys.executable, "-m", "tests.harness.comparison.full_disk", str(disk), *map(str, sizes)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["size"] for row in rows] == list(sizes)
    assert {row["resumed"] for row in rows} == {0}
    assert {row["told"] for row in rows} == {""}
    assert len({row["digest"] for row in rows}) == 1
    full = [row for row in rows if row["status"] != 0]
    for row in full:
        assert row["status"] == 2
        assert row["said"].startswith(f"leapcheck: '{disk}/out/")
        assert row["said"].endswith("': No space left on device: make room there\n")
        assert row["said"].count("\n") == 1
        assert not [name for name in row["left"] if ".leapcheck-" in name]
    places = {row["said"].split("'")[1].removeprefix(f"{disk}/out/").split("-")[0] for row in full}
    assert {"parts/part", "states.parquet"} <= places
    assert rows[-1]["status"] == 0


@pytest.mark.parametrize("parts_done", [2, PARTS])
def test_a_folder_that_is_removed_in_mid_run(parts_done: int, tmp_path: Path) -> None:
    """One error that names the part; after the last part there is a report all the same."""

    def remove(done: int, total: int) -> None:
        assert total == PARTS
        if done == parts_done:
            shutil.rmtree(tmp_path / "out")

    if parts_done == PARTS:
        assert setup(tmp_path / "out").run(remove).exit_status == 0
        assert (tmp_path / "out" / "results.json").exists()
    else:
        with pytest.raises(FileNotFoundError, match=r"No such file or directory: '.*out/parts/part-000002'"):
            setup(tmp_path / "out").run(remove)
        assert setup(tmp_path / "out").run().exit_status == 0
    assert not [*tmp_path.rglob(".leapcheck-*"), *tmp_path.rglob("part-*")]


def interrupted(out: Path) -> None:
    """A run that ends after its second part."""

    def interrupt(done: int, _total: int) -> None:
        if done == 2:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        setup(out).run(interrupt)
    assert len([*out.glob("parts/part-*")]) == 2


@pytest.mark.parametrize("second", [0, 2**33])
def test_no_clock_matters(second: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of 1970 or of the year 2242, and a clock that runs backwards."""
    setup(tmp_path / "whole").run()
    interrupted(tmp_path / "out")
    for path in (*tmp_path.glob("out/**/*"), tmp_path / "out"):
        os.utime(path, (second, second))
    ticks = itertools.count(2**31, -1000)
    monkeypatch.setattr(time, "time", lambda: float(next(ticks)))
    read: list[int] = []
    setup(tmp_path / "out").run(lambda done, _total: read.append(done))
    assert read == [PARTS]  # the first two were there
    assert (tmp_path / "out" / "results.json").read_bytes() == (tmp_path / "whole" / "results.json").read_bytes()


@pytest.mark.parametrize("code", [errno.EBADF, errno.ENOLCK, errno.EOPNOTSUPP])
def test_a_file_system_without_locks_is_used_without(code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """NFS says EBADF for a folder, and ENOLCK where its daemon is missing."""

    def unable(_handle: int, _operation: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(fcntl, "flock", unable)
    interrupted(tmp_path / "out")
    assert setup(tmp_path / "out").run().exit_status == 0


def test_another_failure_of_the_lock_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_handle: int, _operation: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(fcntl, "flock", broken)
    with pytest.raises(OSError, match="Input/output error"):
        setup(tmp_path / "out").run()


def test_parts_that_cannot_be_moved_away_are_no_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where their folder is a mount of its own."""
    right = Path.replace

    def busy(path: Path, target: Path) -> Path:
        if path.name == parts.FOLDER:
            raise OSError(errno.EBUSY, "Device or resource busy", str(path))
        return right(path, target)

    monkeypatch.setattr(Path, "replace", busy)
    assert setup(tmp_path / "out").run().exit_status == 0
    assert (tmp_path / "out" / "results.json").exists()


def test_parts_that_cannot_be_deleted_are_no_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where NFS keeps a file that someone has open."""
    right = os.rmdir

    def not_empty(path: str, *, dir_fd: int | None = None) -> None:
        if Path(path).name == parts.FOLDER:
            raise OSError(errno.ENOTEMPTY, "Directory not empty", path)
        right(path, dir_fd=dir_fd)

    monkeypatch.setattr(os, "rmdir", not_empty)
    assert setup(tmp_path / "out").run().exit_status == 0
    assert not (tmp_path / "out" / parts.FOLDER).exists()


def test_the_words_of_the_full_disk_are_the_same_run() -> None:
    assert WORDS[1:] == ("two_link_arm", "--engines", "reference", "mujoco", "--quantities", "mass_matrix", "--states", "9000")
