"""Compiled code kept on disk between runs, in the user's cache folder; a cache that cannot be used is only slower."""

import contextlib
import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

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
    """What `make` returns, from disk where it was made before under the same key and the same source code."""
    path = folder() / f"{hashlib.sha256(source_hash().encode() + key).hexdigest()}.bin"
    try:
        return _content(path.read_bytes())
    except (OSError, ValueError, RuntimeError):  # not there, torn, or no home folder
        made = make()
    with contextlib.suppress(OSError, RuntimeError):
        _write(path, made)
    return made


def _content(content: bytes) -> bytes:
    """The content behind its checksum; ValueError for a file that is not whole."""
    checksum, made = content[:32], content[32:]
    if hashlib.sha256(made).digest() != checksum:
        raise ValueError("not whole")
    return made


def _write(path: Path, made: bytes) -> None:
    """Written under another name and moved, so that processes side by side never see half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, partial = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(made).digest() + made)
        Path(partial).replace(path)
    finally:
        Path(partial).unlink(missing_ok=True)


def hash_of_files(root: Path, *patterns: str) -> str:
    """Hash of the files under a folder that match the patterns, pattern by pattern."""
    total = hashlib.sha256()
    for pattern in patterns:
        for path in sorted(root.glob(pattern)):
            total.update(path.read_bytes())
    return total.hexdigest()


@lru_cache(maxsize=1)
def source_hash() -> str:
    """Hash of this package's source: code made by another version of the algorithms or the generator is never found."""
    return hash_of_files(Path(__file__).parent.parent, "**/*.py")
