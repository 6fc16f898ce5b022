"""File formats: the schema of results.json from its records, and the C header and pipe protocol as they are shipped."""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from enum import StrEnum
from pathlib import Path
from typing import Any

import leapcheck.engines.outside as outside
from leapcheck.records import SCHEMA_VERSION, Run

DIALECT = "https://json-schema.org/draft/2020-12/schema"
PLAIN: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    float: {"type": "number"},
    type(None): {"type": "null"},
}
FLOAT = {"anyOf": [{"type": "number"}, {"enum": ["inf", "-inf", "nan"]}]}
"""Strict JSON has no infinity: it is written as a word."""


def results_schema() -> str:
    """JSON schema of a comparison's results.json."""
    definitions: dict[str, Any] = {}
    root = _schema(Run, definitions)
    title = {"$schema": DIALECT, "title": f"results.json of leapcheck compare, schema version {SCHEMA_VERSION}"}
    return json.dumps({**title, **root, "$defs": dict(sorted(definitions.items()))}, indent=1) + "\n"


def header_page() -> str:
    """The C header, as `leapcheck` ships it."""
    text = _shipped("leapcheck_engine.h")
    intro = (
        "A shared library with these functions is an engine: `leapcheck compare ROBOT --engine ./libmy_dynamics.so`.\n"
        'The header is installed with leapcheck; `-I"$(python -m leapcheck.engines.outside)"` finds it.\n'
        "[C++ in CI](../tutorials/cpp-in-ci.md) builds one.\n"
    )
    return f'# C interface\n\n{intro}\n```c title="leapcheck_engine.h"\n{text}```\n'


def pipe_page() -> str:
    """The protocol of engines that are programs, as `leapcheck` ships it."""
    return _shipped("PROTOCOL.md").replace("# An engine as a program", "# Pipe protocol", 1)


def _shipped(name: str) -> str:
    return (Path(outside.__file__).parent / name).read_text(encoding="utf-8")


def _schema(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """Schema of one type; records and enums are put among the definitions."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        return {"anyOf": [_schema(one, definitions) for one in arguments]}
    if origin is tuple:
        return _tuple(arguments, definitions)
    if dataclasses.is_dataclass(kind):
        return _record(kind, definitions)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return {"enum": [str(member) for member in kind]}
    return FLOAT if kind is float else PLAIN[kind]


def _tuple(arguments: tuple[Any, ...], definitions: dict[str, Any]) -> dict[str, Any]:
    if arguments[-1] is Ellipsis:
        return {"type": "array", "items": _schema(arguments[0], definitions)}
    return {"type": "array", "prefixItems": [_schema(one, definitions) for one in arguments], "items": False}


def _record(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    name = kind.__name__
    if name not in definitions:
        definitions[name] = {}  # a record that holds itself refers to this
        hints = typing.get_type_hints(kind)
        definitions[name] = {
            "description": " ".join((kind.__doc__ or "").split()),
            "type": "object",
            "properties": {field.name: _schema(hints[field.name], definitions) for field in dataclasses.fields(kind)},
            "required": [f.name for f in dataclasses.fields(kind) if f.default is dataclasses.MISSING],
            "additionalProperties": False,
        }
    return {"$ref": f"#/$defs/{name}"}
