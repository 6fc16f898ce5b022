"""Files appear whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from leapcheck.system.whole_file import whole_file, write_whole


def test_bytes_text_and_what_writes_by_path_arrive(tmp_path: Path) -> None:
    write_whole(tmp_path / "a.bin", b"\x00\xff")
    write_whole(tmp_path / "a.txt", "Größe\n")
    with whole_file(tmp_path / "a.csv") as scratch:
        assert scratch.suffix == ".csv"
        scratch.write_text("x,y\n")
        assert not (tmp_path / "a.csv").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.bin", "a.csv", "a.txt"]
    assert (tmp_path / "a.bin").read_bytes() == b"\x00\xff"
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "Größe\n"
    assert (tmp_path / "a.csv").stat().st_mode & 0o777 == 0o644


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    old = tmp_path / "a.txt"
    old.write_text("old")
    old.chmod(0o600)
    with pytest.raises(ZeroDivisionError), whole_file(old) as scratch:
        scratch.write_text(f"half {1 / 0}")
    assert (old.read_text(), list(tmp_path.iterdir())) == ("old", [old])
    write_whole(old, "new")
    assert (old.read_text(), old.stat().st_mode & 0o777) == ("new", 0o600)
    with pytest.raises(FileNotFoundError):
        write_whole(tmp_path / "no_folder" / "a.txt", "")
