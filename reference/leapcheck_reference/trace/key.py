"""Keys of the cache: equal values have equal keys in every process, however the values came about."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache, partial
from types import FunctionType
from typing import Any

import numpy as np

from leapcheck_models.spec import RobotSpec, spec_hash

PLAIN = frozenset({bool, int, float, str, type(None)})
"""Types whose values are known by their `repr`."""


def key_of(*values: Any) -> bytes:
    """Digest of plain values, arrays, collections, dataclasses and functions; TypeError for any other.

    A pickle would not do: it also says which of the values are one object. A robot is known by its hash, a function by its name,
    its code by the hash of the source that is in every key.
    """
    parts: list[bytes] = []
    _add(parts, values)
    return hashlib.sha256(b"".join(parts)).digest()


def _add(parts: list[bytes], value: Any) -> None:
    """Adds what a value is made of, each part with its kind and its length: no two values have the same parts."""
    if type(value) in PLAIN or isinstance(value, Enum | slice | np.generic):
        text = f"{type(value).__name__} {value!r}".encode()
        parts.append(b"%d %b" % (len(text), text))
    elif isinstance(value, RobotSpec):
        _add(parts, ("robot", spec_hash(value)))
    elif isinstance(value, bytes):
        parts.append(b"bytes %d %b" % (len(value), value))
    elif isinstance(value, np.ndarray) and not value.dtype.hasobject:
        parts.append(f"array {value.dtype.str} {value.shape} ".encode())
        parts.append(np.ascontiguousarray(value).tobytes())
    else:
        kind, members = _members(value)
        parts.append(f"{kind} {len(members)} ".encode())
        for member in members:
            _add(parts, member)


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
        return kind, [getattr(value, name) for name in _field_names(type(value))]
    if isinstance(value, partial):
        return kind, (value.func, value.args, value.keywords)
    if isinstance(value, np.ufunc):
        return kind, (value.__name__,)
    if isinstance(value, FunctionType) and "<" not in value.__qualname__:  # neither a lambda nor a closure
        return kind, (value.__module__, value.__qualname__)
    raise TypeError(f"a key of {kind} cannot be told from others of its kind")


@cache
def _field_names(record: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(record))
