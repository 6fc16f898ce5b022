"""Keys of the cache: equal values have equal keys in every process, however the values came about."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np


def key_of(*values: Any) -> bytes:
    """Digest of plain values, arrays, collections, dataclasses and functions; TypeError for any other.

    A pickle would not do: it also says which of the values are one object. A function is known by its name, its code by the
    hash of the source that is in every key.
    """
    digest = hashlib.sha256()
    for part in _parts(values):
        digest.update(part)
    return digest.digest()


def _parts(value: Any) -> Iterator[bytes]:
    """What a value is made of, each part with its kind and its length: no two values have the same parts."""
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        yield f"array {value.dtype.str} {value.shape} ".encode()
        yield np.ascontiguousarray(value).tobytes()
    elif isinstance(value, bytes):
        yield b"bytes %d " % len(value) + value
    elif isinstance(value, Enum | slice | np.generic) or value is None or type(value) in (bool, int, float, str):
        text = f"{type(value).__name__} {value!r}".encode()
        yield b"%d " % len(text) + text
    else:
        kind, members = _members(value)
        yield f"{kind} {len(members)} ".encode()
        for member in members:
            yield from _parts(member)


def _members(value: Any) -> tuple[str, Sequence[Any]]:
    """Kind and members of a value that has members."""
    kind = type(value).__qualname__
    if isinstance(value, np.ndarray):
        return kind, (value.shape, value.ravel().tolist())
    if isinstance(value, Mapping):
        return kind, [part for pair in value.items() for part in pair]
    if isinstance(value, tuple | list):
        return kind, value
    if is_dataclass(value) and not isinstance(value, type):
        return kind, [getattr(value, field.name) for field in fields(value)]
    if isinstance(value, partial):
        return kind, (value.func, value.args, value.keywords)
    if isinstance(value, np.ufunc):
        return kind, (value.__name__,)
    if isinstance(value, FunctionType) and "<" not in value.__qualname__:  # neither a lambda nor a closure
        return kind, (value.__module__, value.__qualname__)
    raise TypeError(f"a key of {kind} cannot be told from others of its kind")
