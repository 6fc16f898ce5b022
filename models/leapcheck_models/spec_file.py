"""Robot specs in JSON files: the canonical text of `as_json`, read back strictly."""

import dataclasses
import json
import math
import os
import types
import typing
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from leapcheck_models.spec import Actuator, RobotSpec, as_json

MAX_NUMBER = 1e9
"""Largest number but for limits, which may say "none" so: squares of squares of larger ones leave the range of floats."""

MAX_BYTES = 16_000_000
"""Largest file that is read: a hundred times the Mini Cheetah's."""


def write_spec(spec: RobotSpec, path: str | os.PathLike[str]) -> Path:
    """Writes the canonical JSON text of a spec, whole or not at all, and returns where it lies."""
    target = Path(path)
    partial = target.with_name(target.name + ".part")
    partial.write_text(as_json(spec), encoding="utf-8", newline="\n")
    partial.replace(target)
    return target


def read_spec(path: str | os.PathLike[str]) -> RobotSpec:
    """Spec in a JSON file, equal to the one that was written; every field may be left out that has a default.

    Raises FileNotFoundError, or ValueError in one line that names the file, the element and the remedy: text that is no
    JSON, NaN or Infinity, an unknown, missing or repeated key, a wrong type, or a spec that breaks a rule of `validation`.
    """
    spec = _read(RobotSpec, path, "the robot")
    assert isinstance(spec, RobotSpec)
    if not spec.bodies:
        raise ValueError(f"file '{path}': robot '{spec.name}' has no bodies: add at least one")
    return spec


def spec_of(record: Any) -> RobotSpec:
    """Spec out of the parsed JSON of `as_json`; ValueError names the element that is wrong."""
    spec: RobotSpec = _value(RobotSpec, record, "the robot")
    return spec


def read_actuators(path: str | os.PathLike[str]) -> tuple[Actuator, ...]:
    """Actuators in a JSON file, a list as the robot's file has it; raises as `read_spec` does."""
    actuators: tuple[Actuator, ...] = _read(tuple[Actuator, ...], path, "the list of actuators")
    return actuators


def _read(kind: Any, path: str | os.PathLike[str], what: str) -> Any:
    """What a JSON file holds, as the annotated type `kind`."""
    file = Path(path)
    where = f"file '{file}'"
    if not file.is_file():
        raise FileNotFoundError(f"{where} does not exist or is no file: give the path of {what} in JSON")
    if file.stat().st_size > MAX_BYTES:
        raise ValueError(f"{where} is larger than {MAX_BYTES} bytes: {what} in JSON is smaller")
    record = _parse(where, file.read_bytes())
    try:
        return _value(kind, record, what)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _parse(where: str, content: bytes) -> Any:
    try:
        return json.loads(content.decode("utf-8"), object_pairs_hook=without_repeats, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError(f"{where} is nested too deeply: a robot spec has five levels") from None
    except UnicodeDecodeError:
        raise ValueError(f"{where} is not UTF-8 text: save it as UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(
            f"{where} is not JSON: line {error.lineno}, column {error.colno}: {error.msg}: correct it there"
        ) from None
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object that JSON's pairs make, for `object_pairs_hook`; ValueError where a key stands twice."""
    record = dict(pairs)
    if len(record) < len(pairs):
        names = [key for key, _ in pairs]
        repeated = next(key for key in names if names.count(key) > 1)
        raise ValueError(f"the key {repeated!r:.80} stands twice in one object: keep one")
    return record


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"the number {text} is not allowed: give finite numbers")


def _value(kind: Any, value: Any, place: str) -> Any:
    """`value`, which stands at `place`, as the annotated type `kind`; ValueError if it is not one."""
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _record(kind, value, place)
    if typing.get_origin(kind) is types.UnionType:  # only X | None occurs
        return None if value is None else _value(typing.get_args(kind)[0], value, place)
    if typing.get_origin(kind) is tuple:
        return _tuple(typing.get_args(kind), value, place)
    if issubclass(kind, StrEnum):
        if value not in list(kind):
            raise ValueError(f"{place}: unknown {_words(kind)} {value!r:.40}: use one of {', '.join(kind)}")
        return kind(value)
    if kind is float:
        return _number(value, place)
    if type(value) is not kind:
        raise ValueError(f"{place} is {value!r:.60}: give {'true or false' if kind is bool else 'a text'}")
    return value


def _record(kind: Any, value: Any, place: str) -> Any:
    if not isinstance(value, dict):
        raise ValueError(f"{place} is {value!r:.60}: give an object with the keys {', '.join(_fields(kind))}")
    fields = _fields(kind)
    if unknown := [key for key in value if key not in fields]:
        raise ValueError(f"{place}: unknown key {unknown[0]!r:.40}: use {', '.join(fields)}")
    if missing := [key for key, (_, required) in fields.items() if required and key not in value]:
        raise ValueError(f"{place}: the key '{missing[0]}' is missing: add it")
    inside = "" if kind is RobotSpec else f"{place}."
    return kind(**{key: _value(fields[key][0], item, f"{inside}{key}") for key, item in value.items()})


def _tuple(kinds: tuple[Any, ...], value: Any, place: str) -> tuple[Any, ...]:
    any_length = kinds[-1] is Ellipsis
    if not isinstance(value, list) or (not any_length and len(value) != len(kinds)):
        raise ValueError(f"{place} is {value!r:.60}: give a list" + ("" if any_length else f" of {len(kinds)}"))
    each = [kinds[0]] * len(value) if any_length else kinds
    return tuple(
        _value(kind, item, f"{place}[{_label(item, i)}]") for i, (kind, item) in enumerate(zip(each, value, strict=True))
    )


def _label(item: Any, number: int) -> str:
    """How an element of a list is called in messages: by its name where it has one."""
    name = item.get("name") if isinstance(item, dict) else None
    return f"{number} {name!r:.60}" if isinstance(name, str) else str(number)


def _number(value: Any, place: str) -> float:
    """The number as it stands (a whole number stays one, so that the file's text is kept)."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{place} is {value!r:.60}: give a number")
    if (isinstance(value, int) and abs(value) > 2**53) or not math.isfinite(value):
        raise ValueError(f"{place} is too large for a number in double precision: correct it")
    if abs(value) > MAX_NUMBER and "limit" not in place:
        raise ValueError(f"{place} is {value:g}, too large for a robot: give a number of at most {MAX_NUMBER:g}")
    return value


@cache
def _fields(kind: Any) -> dict[str, tuple[Any, bool]]:
    """Type, and whether it is required, of every field that the constructor takes."""
    hints = typing.get_type_hints(kind)
    return {f.name: (hints[f.name], f.default is dataclasses.MISSING) for f in dataclasses.fields(kind) if f.init}


def _words(kind: type[Any]) -> str:
    """JointType -> "joint type"."""
    return "".join(f" {c.lower()}" if c.isupper() else c for c in kind.__name__).strip()
