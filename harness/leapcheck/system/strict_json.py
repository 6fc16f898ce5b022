"""The one JSON codec: strict JSON out, strict JSON in, and records out of what was read.

JSON has no infinities and no NaN: they are the strings "inf", "-inf" and "nan" wherever a number stands. Floats are written
shortest-round-trip (`repr`), so that they come back bit for bit.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, NoReturn

import numpy as np

from leapcheck_models.spec_file import without_repeats

NOT_FINITE = ("inf", "-inf", "nan")
NUMBERS = frozenset({float, int})  # by type: a bool is an int
ENCODER = json.JSONEncoder(allow_nan=False)


def dumps(value: Any) -> str:
    """Text of a file: keys in their order, an array of numbers on one line, a final line break; deterministic.

    Records, mappings, sequences, NumPy arrays and enumerations are written as objects, arrays and strings.
    """
    return _text(value, "\n") + "\n"


def _text(value: Any, line: str) -> str:
    """The text of a value whose lines begin with `line`; the layout of json.dumps(indent=1) but for arrays of numbers.

    One pass instead of three: plain values, json.dumps (in Python where it indents) and a search for arrays of numbers.
    """
    if isinstance(value, str):
        return ENCODER.encode(str(value))
    if isinstance(value, list | tuple):
        if _are_finite_numbers(value):
            return f"[{', '.join(map(repr, value))}]"
        if any(isinstance(item, np.generic) for item in value):
            return _text(plain(value), line)
        return _block("[]", (_text(item, line + " ") for item in value), line)
    if names := _field_names(value.__class__):
        return _block("{}", (f'"{name}": {_text(getattr(value, name), line + " ")}' for name in names), line)
    if isinstance(value, Mapping):
        rows = value.items()
        return _block("{}", (f"{ENCODER.encode(str(name))}: {_text(item, line + ' ')}" for name, item in rows), line)
    if isinstance(value, np.ndarray):
        return _text(value.tolist(), line)
    value = plain(value)
    return repr(value) if type(value) in NUMBERS else ENCODER.encode(value)


def _are_finite_numbers(values: Sequence[Any]) -> bool:
    try:
        return set(map(type, values)) <= NUMBERS and all(map(math.isfinite, values))
    except OverflowError:  # an int that no float can hold
        return all(value - value == 0 for value in values)


def _block(brackets: str, items: Iterable[str], line: str) -> str:
    inside = f",{line} ".join(items)
    return f"{brackets[0]}{line} {inside}{line}{brackets[1]}" if inside else brackets


@functools.cache
def _field_names(kind: type) -> tuple[str, ...]:
    """The names of a record's fields; none of any other type."""
    return tuple(f.name for f in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else ()


def dumps_line(value: Any, separators: tuple[str, str] = (", ", ": ")) -> str:
    """The same on one line, without a line break at its end, letters as they are."""
    return json.dumps(plain(value), separators=separators, ensure_ascii=False, allow_nan=False)


def loads(text: str | bytes) -> Any:
    """The value of a JSON text; ValueError, in one line, for what is not strict JSON: a bare Infinity or a repeated key, too."""
    try:
        return json.loads(text, object_pairs_hook=without_repeats, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _refuse_constant(text: str) -> NoReturn:
    word = {"Infinity": "inf", "-Infinity": "-inf", "NaN": "nan"}[text]
    raise ValueError(f'{text} is not JSON: write "{word}" in quotation marks')


def plain(value: Any) -> Any:
    """The value as JSON knows it: dictionaries, lists, strings, finite numbers, booleans and None."""
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(float(value))
    if isinstance(value, StrEnum):
        return str(value)
    if isinstance(value, list | tuple):
        return list(value) if _are_finite_numbers(value) else [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if names := _field_names(value.__class__):
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    return value


def decode(record: Any, content: Any, place: str, optional: frozenset[str] = frozenset()) -> Any:
    """A record out of a JSON object that has exactly its fields; those of `optional` may be missing, in records within it, too.

    ValueError names the `place` of what is missing, unknown or of the wrong type.
    """
    if not isinstance(content, dict):
        raise ValueError(f"{place} must be an object, not {type(content).__name__}")
    hints = _field_types(record)
    for problem, names in (
        ("lacks", hints.keys() - content.keys() - optional),
        ("has the unknown", content.keys() - hints.keys()),
    ):
        if names:
            raise ValueError(f"{place} {problem} '{min(names)}'")
    return record(**{name: _value(hints[name], value, f"{place}.{name}", optional) for name, value in content.items()})


@functools.cache
def _field_types(record: Any) -> dict[str, Any]:
    return typing.get_type_hints(record)


def _value(hint: Any, value: Any, place: str, optional: frozenset[str]) -> Any:
    """A value of the annotated type `hint` out of plain JSON."""
    if dataclasses.is_dataclass(hint):
        return decode(hint, value, place, optional)
    if isinstance(hint, types.UnionType):  # `X | None` is the only union in the records
        return None if value is None else _value(hint.__args__[0], value, place, optional)
    if typing.get_origin(hint) is tuple:
        return _sequence(typing.get_args(hint), value, place, optional)
    return _scalar(hint, value, place)


def _sequence(items: tuple[Any, ...], value: Any, place: str, optional: frozenset[str]) -> tuple[Any, ...]:
    """A tuple, of any length for `tuple[X, ...]`, else of the annotated one."""
    if not isinstance(value, list):
        raise ValueError(f"{place} must be an array, not {type(value).__name__}")
    hints = items[:1] * len(value) if items[-1] is Ellipsis else items
    if len(hints) != len(value):
        raise ValueError(f"{place} must have {len(hints)} items, not {len(value)}")
    pairs = enumerate(zip(hints, value, strict=True))
    return tuple(_value(hint, item, f"{place}[{i}]", optional) for i, (hint, item) in pairs)


def _scalar(hint: Any, value: Any, place: str) -> Any:
    """A text, a number or a word of an enumeration."""
    if hint is float and (value in NOT_FINITE or (isinstance(value, int | float) and not isinstance(value, bool))):
        return float(value)
    if issubclass(hint, StrEnum):
        if value not in list(hint):
            raise ValueError(f"{place} must be one of {[str(word) for word in hint]}, not {value!r}")
        return hint(value)
    if hint is float or type(value) is not hint:
        raise ValueError(f"{place} must be {hint.__name__}, not {value!r}"[:300])
    return value
