"""How the options of a command's dataclass are read and shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, TypeVar, get_args, get_type_hints

import tyro

T = TypeVar("T")

METAVARS: dict[Any, str] = {float: "FLOAT", int: "INT", str: "STR", Path: "PATH", tuple[float, float]: "FLOAT FLOAT"}
EMPTY = ("", "''", "None", "False")


@cache
def with_plain_help(kind: type[T]) -> type[T]:
    """The dataclass with `X | None` shown as X, and without defaults that are empty."""
    hints = get_type_hints(kind, include_extras=True)
    for option in fields(kind):  # type: ignore[arg-type]
        hint = hints[option.name]
        types = [one for one in get_args(hint) if one is not NoneType]
        metavar = METAVARS.get(types[0]) if NoneType in get_args(hint) else None
        shown = tyro.conf.arg(metavar=metavar, help_behavior_hint=_default)
        kind.__annotations__[option.name] = Annotated[hint, shown]
    return kind


def repeatable(*names: str) -> Callable[[type[T]], type[T]]:
    """A decorator: these options of texts take one value each, and may be repeated."""

    def decorate(kind: type[T]) -> type[T]:
        kind.__annotations__ |= dict.fromkeys(names, tyro.conf.UseAppendAction[tuple[str, ...]])
        return kind

    return decorate


def _default(value: str) -> str:
    return "" if value in EMPTY else f"(default: {value})"
