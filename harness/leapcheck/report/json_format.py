"""results.json: a run as strict JSON and back, exactly.

The file mirrors the records of `leapcheck.compare.records` field by field. Floats are written shortest-round-trip (`repr`);
infinities and NaN, which JSON has not, are the strings "inf", "-inf" and "nan" wherever a number stands.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import re
import types
import typing
from enum import StrEnum
from pathlib import Path
from typing import Any

from leapcheck.compare.records import SCHEMA_VERSION, Run

NOT_FINITE = ("inf", "-inf", "nan")

MAY_BE_MISSING = frozenset({"baseline"})
"""Fields that later versions of leapcheck added: a file without them is read."""

# An array of plain numbers as json.dumps indents it. A string holds no raw line break, so this cannot match inside one.
_NUMBERS = re.compile(r"\[\n[-+.\deE,\s]+\]")


def run_json(run: Run) -> str:
    """Text of results.json: keys in field order, an array of numbers on one line, a final line break; equal runs, equal text.

    A run that was held against no baseline is written as before there were any.
    """
    content = {name: value for name, value in plain(run).items() if name not in MAY_BE_MISSING or value is not None}
    text = json.dumps(content, indent=1, allow_nan=False)
    return _NUMBERS.sub(lambda match: "[" + " ".join(match[0][1:-1].split()) + "]", text) + "\n"


def read_run(path: Path | str) -> Run:
    """The run that a results.json, or a report's folder, holds.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no JSON, is of another schema version, or a field is missing, unknown or of the wrong type.
    """
    path = Path(path)
    path = path / "results.json" if path.is_dir() else path
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FileNotFoundError(
            f"no results at '{path}': give the folder of a report, `leapcheck compare ROBOT --out DIR` writes one"
        ) from None
    except RecursionError:
        raise ValueError(f"'{path}' is not a results file (nested too deeply): write it again with `leapcheck compare`") from None
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"'{path}' is not a results file ({error}): write it again with `leapcheck compare`") from None
    version = content.get("schema_version") if isinstance(content, dict) else None
    if version != SCHEMA_VERSION or isinstance(version, bool):
        raise ValueError(
            f"'{path}' has schema version {version!r}, this leapcheck reads {SCHEMA_VERSION}: "
            "write it again with `leapcheck compare`, or read it with the version that wrote it"
        )
    try:
        return typing.cast(Run, decoded(Run, content, "run"))
    except ValueError as error:
        raise ValueError(f"'{path}' is not a results file: {error}: write it again with `leapcheck compare`") from None


def plain(value: Any) -> Any:
    """The value as JSON knows it: records as objects, tuples as arrays, non-finite floats as strings."""
    if dataclasses.is_dataclass(value):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(float(value))
    return value


def decoded(record: Any, content: Any, place: str) -> Any:
    """A record out of a JSON object that has exactly its fields; `baseline` may be missing, as before there were any.

    ValueError names the `place` of what is missing, unknown or of the wrong type.
    """
    if not isinstance(content, dict):
        raise ValueError(f"{place} must be an object, not {type(content).__name__}")
    hints = _field_types(record)
    for problem, names in (
        ("lacks", hints.keys() - content.keys() - MAY_BE_MISSING),
        ("has the unknown", content.keys() - hints.keys()),
    ):
        if names:
            raise ValueError(f"{place} {problem} '{min(names)}'")
    return record(**{name: _decoded(hints[name], value, f"{place}.{name}") for name, value in content.items()})


@functools.cache
def _field_types(record: Any) -> dict[str, Any]:
    return typing.get_type_hints(record)


def _decoded(hint: Any, value: Any, place: str) -> Any:
    """A value of the annotated type `hint` out of plain JSON; ValueError names its place."""
    if dataclasses.is_dataclass(hint):
        return decoded(hint, value, place)
    if isinstance(hint, types.UnionType):  # `X | None` is the only union in the records
        return None if value is None else _decoded(hint.__args__[0], value, place)
    if typing.get_origin(hint) is tuple:
        return _sequence(typing.get_args(hint), value, place)
    return _scalar(hint, value, place)


def _sequence(items: tuple[Any, ...], value: Any, place: str) -> tuple[Any, ...]:
    """A tuple, of any length for `tuple[X, ...]`, else of the annotated one."""
    if not isinstance(value, list):
        raise ValueError(f"{place} must be an array, not {type(value).__name__}")
    hints = items[:1] * len(value) if items[-1] is Ellipsis else items
    if len(hints) != len(value):
        raise ValueError(f"{place} must have {len(hints)} items, not {len(value)}")
    return tuple(_decoded(hint, item, f"{place}[{i}]") for i, (hint, item) in enumerate(zip(hints, value, strict=True)))


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
