"""Programs and compiled code kept on disk between runs, in the user's own cache folder; one that cannot be used is only slower.

Nothing in it runs when it is read: arrays, JSON, and machine code for this CPU, each behind a checksum of its key and itself.
"""

import contextlib
import gc
import hashlib
import os
import platform
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

import leapcheck_models

FOLDER_VARIABLE = "LEAPCHECK_CACHE"
"""Environment variable that names another folder."""


def folder() -> Path:
    """Where compiled code is kept: $LEAPCHECK_CACHE, or the system's cache folder of this user."""
    if named := os.environ.get(FOLDER_VARIABLE):
        return Path(named)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "leapcheck"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "leapcheck"


def load_or_make(key: bytes, make: Callable[[], bytes]) -> bytes:
    """What `make` returns, from disk where it was made before under the same key and the same source code.

    A file counts only where it is whole, was written under that very key, and nobody but this user can have written it.
    """
    digest = hashlib.sha256(source_hash().encode() + key)
    try:
        path = folder() / f"{digest.hexdigest()}.bin"
        return _content(path, digest.digest())
    except (OSError, ValueError, RuntimeError):  # not there, torn, another user's, or no home folder
        with _no_collection():
            made = make()
    with contextlib.suppress(OSError, RuntimeError):
        _write(folder() / f"{digest.hexdigest()}.bin", digest.digest(), made)
    return made


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Without the search for cycles among the hundred thousands of nodes of a record: it takes a quarter of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _content(path: Path, key: bytes) -> bytes:
    """The content behind its checksum; ValueError for a file that is not whole or has another key's content, OSError for one
    that others may have written.
    """
    _check_private(path.parent.stat())
    with path.open("rb") as file:
        _check_private(os.fstat(file.fileno()))
        content = file.read()
    checksum, made = content[:32], content[32:]
    if _checksum(key, made) != checksum:
        raise ValueError("not whole")
    return made


def _write(path: Path, key: bytes, made: bytes) -> None:
    """Written under another name and moved, so that processes side by side never see half a file."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    _check_private(path.parent.stat())
    handle, partial = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_checksum(key, made) + made)
        Path(partial).replace(path)
    finally:
        Path(partial).unlink(missing_ok=True)


def _checksum(key: bytes, made: bytes) -> bytes:
    return hashlib.sha256(key + made).digest()


def _check_private(status: os.stat_result) -> None:
    """PermissionError for a file or folder that is not this user's own, or that others may write to."""
    is_own = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
    if not is_own or (os.name == "posix" and status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)):
        raise PermissionError("others may have written this cache")


def hash_of_files(root: Path, *patterns: str) -> str:
    """Hash of the files under a folder that match the patterns, pattern by pattern."""
    total = hashlib.sha256()
    for pattern in patterns:
        for path in sorted(root.glob(pattern)):
            total.update(path.read_bytes())
    return total.hexdigest()


@lru_cache(maxsize=1)
def source_hash() -> str:
    """Hash of what any content depends on: the source of this package and of the models', Python, NumPy, python-flint, the CPU's
    kind. What another version of the algorithms or the generator made is never found.
    """
    packages = [f"{name} {version(name)}" for name in ("numpy", "python-flint")]
    folders = (Path(str(leapcheck_models.__file__)).parent, Path(__file__).parent.parent)
    sources = [hash_of_files(folder, "**/*.py") for folder in folders]
    made_with = [*sources, *packages, sys.version, platform.machine()]  # long double differs between kinds of CPU
    return hashlib.sha256("\n".join(made_with).encode()).hexdigest()
