"""The cache on disk: found again, never half, never another's; and what cannot be kept is made anew."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NoReturn

import pytest

from leapcheck_reference import kernel
from leapcheck_reference.trace import cache, native
from leapcheck_reference.trace import kernel as kernel_module
from leapcheck_reference.trace.cache import FOLDER_VARIABLE, folder, load_or_make
from tests.reference import generic_states
from tests.reference.trace.kernel_cases import made, same_bits, states

QUANTITIES = ("mass_matrix", "bias_force")
PROGRAM = """
import sys
import numpy as np
from leapcheck_models.robots import load
from leapcheck_reference import build, kernel
tree = build(load("pupper_leg"))
sys.stdout.buffer.write(kernel(tree, ("mass_matrix", "bias_force"))(np.ones((3, 3)), np.ones((3, 3)))["bias_force"].tobytes())
"""


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


def never(*_: object) -> NoReturn:
    raise AssertionError("made once more")


def test_what_was_made_is_found_again(own_folder: Path) -> None:
    assert load_or_make(b"key", lambda: b"content") == b"content"
    assert load_or_make(b"key", never) == b"content"
    assert load_or_make(b"other", lambda: b"") == b""
    assert load_or_make(b"other", never) == b""
    assert sorted(path.suffix for path in own_folder.iterdir()) == [".bin", ".bin"]


@pytest.mark.parametrize("target", ["compiled", "interpreted"])
def test_from_the_cache_nothing_is_traced(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if target == "interpreted":
        monkeypatch.setattr("leapcheck_reference.trace.kernel.compile_program", lambda *_: None)
    tree, given = generic_states.case("pupper_leg").tree, states("pupper_leg", 9)
    expected = kernel(tree, QUANTITIES)(given["q"], given["v"])
    monkeypatch.setattr(kernel_module, "record", never)
    monkeypatch.setattr(native, "object_code", never)
    assert same_bits(kernel(tree, QUANTITIES)(given["q"], given["v"]), expected)
    with pytest.raises(AssertionError, match="made once more"):
        kernel(tree, ("mass_matrix",))


def test_another_robot_width_or_source_is_not_found(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def files() -> int:
        return len(list(own_folder.iterdir()))

    kernel(generic_states.case("pupper_leg").tree, QUANTITIES)
    assert files() == 1
    kernel(generic_states.case("two_link_arm").tree, QUANTITIES)
    assert files() == 2
    kernel(generic_states.case("pupper_leg").tree, QUANTITIES[:1])
    assert files() == 3
    kernel(generic_states.case("pupper_leg").tree, QUANTITIES, lanes=4 if native.vector_width() == 2 else 2)
    assert files() == 4
    monkeypatch.setattr(cache, "source_hash", lambda: "another version")
    kernel(generic_states.case("pupper_leg").tree, QUANTITIES)
    assert files() == 5


@pytest.mark.parametrize(
    ("place", "value"),
    [("hash_of_files", lambda *_: "other source"), ("version", lambda _: "2.99"), ("platform.machine", lambda: "another CPU")],
)
def test_what_content_depends_on_is_in_its_key(place: str, value: object, monkeypatch: pytest.MonkeyPatch) -> None:
    before = cache.source_hash.__wrapped__()
    assert cache.source_hash.__wrapped__() == before
    monkeypatch.setattr(f"leapcheck_reference.trace.cache.{place}", value)
    assert cache.source_hash.__wrapped__() != before


@pytest.mark.parametrize("left", [slice(-1), slice(0), slice(40), slice(None, None, -1)])
def test_a_torn_file_is_made_anew(own_folder: Path, left: slice) -> None:
    given = states("pupper_leg", 9)
    expected = made("pupper_leg", QUANTITIES)(given["q"], given["v"])
    kernel(generic_states.case("pupper_leg").tree, QUANTITIES)(given["q"], given["v"])
    whole = {path: path.read_bytes() for path in own_folder.iterdir()}
    assert len(whole) == 2  # the code that evaluates blocks, and that of rows
    for path, content in whole.items():
        path.write_bytes(content[left])
    assert same_bits(kernel(generic_states.case("pupper_leg").tree, QUANTITIES)(given["q"], given["v"]), expected)
    assert {path: path.read_bytes() for path in own_folder.iterdir()} == whole


def test_content_under_another_name_is_made_anew(own_folder: Path) -> None:
    for key in (b"first", b"second"):
        load_or_make(key, lambda key=key: b"content of " + key)
    first, second = own_folder.iterdir()
    first.write_bytes(second.read_bytes())
    assert load_or_make(b"first", lambda: b"content of first") == b"content of first"
    assert load_or_make(b"second", lambda: b"content of second") == b"content of second"


@pytest.mark.skipif(os.name != "posix", reason="no modes")
@pytest.mark.parametrize("mode", [0o775, 0o757, 0o777])
def test_what_others_may_have_written_is_not_read(own_folder: Path, mode: int) -> None:
    load_or_make(b"key", lambda: b"mine")
    (path,) = own_folder.iterdir()
    assert path.stat().st_mode & 0o077 == own_folder.stat().st_mode & 0o077 == 0
    for shared in (path, own_folder):
        kept = shared.stat().st_mode
        shared.chmod(mode)
        before = path.read_bytes()
        assert load_or_make(b"key", lambda: b"made anew") == b"made anew"
        assert (path.read_bytes() == before) == (shared == own_folder)  # nothing is written among what others can write
        shared.chmod(kept)
        load_or_make(b"key", never)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no owners")
def test_another_users_folder_is_not_used(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load_or_make(b"key", lambda: b"mine")
    monkeypatch.setattr(os, "geteuid", lambda: own_folder.stat().st_uid + 1)
    assert load_or_make(b"key", lambda: b"made anew") == b"made anew"
    assert load_or_make(b"other", lambda: b"made") == b"made"
    assert len(list(own_folder.iterdir())) == 1


def test_a_folder_that_cannot_be_written_is_only_slower(own_folder: Path) -> None:
    own_folder.write_text("a file where the folder should be")
    for _ in range(2):
        assert load_or_make(b"key", lambda: b"content") == b"content"
    assert own_folder.is_file()


def test_a_full_disk_leaves_no_half_file(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> NoReturn:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    assert load_or_make(b"key", lambda: b"content") == b"content"
    assert not list(own_folder.iterdir())


def test_an_error_in_making_is_not_kept(own_folder: Path) -> None:
    with pytest.raises(AssertionError, match="made once more"):
        load_or_make(b"key", never)
    assert not own_folder.exists()
    assert load_or_make(b"key", lambda: b"content") == b"content"


@pytest.mark.parametrize("enabled", [True, False])
def test_making_leaves_the_collector_as_it_was(enabled: bool) -> None:
    assert gc.isenabled()
    try:
        if not enabled:
            gc.disable()
        load_or_make(b"key", lambda: load_or_make(b"inner", lambda: b"%d" % gc.isenabled()))
        assert load_or_make(b"inner", never) == b"0"
        with pytest.raises(AssertionError, match="made once more"):
            load_or_make(b"failing", never)
        assert gc.isenabled() == enabled
    finally:
        gc.enable()


def test_processes_side_by_side(own_folder: Path) -> None:
    """Eight at once into an empty folder: each gets the right code, and one whole file of both its parts is left."""
    expected = subprocess.run([sys.executable, "-c", PROGRAM], check=True, capture_output=True).stdout
    for path in own_folder.iterdir():
        path.unlink()
    together = [subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE) for _ in range(8)]
    assert [process.communicate()[0] for process in together] == 8 * [expected]
    assert len(list(own_folder.iterdir())) == 2


def test_threads_side_by_side(own_folder: Path) -> None:
    contents = [bytes([k]) * 100_000 for k in range(4)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda i: load_or_make(b"%d" % (i % 4), lambda: contents[i % 4]), range(200)))
    assert found == [contents[i % 4] for i in range(200)]
    assert len(list(own_folder.iterdir())) == 4


def test_where_the_folder_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert folder() == tmp_path / "cache"
    monkeypatch.delenv(FOLDER_VARIABLE)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setattr(sys, "platform", "linux")
    assert folder() == tmp_path / "xdg" / "leapcheck"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert folder() == tmp_path / ".cache" / "leapcheck"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert folder() == tmp_path / "Library" / "Caches" / "leapcheck"
