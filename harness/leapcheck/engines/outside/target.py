"""What the user names as an engine: a library, a program, a Python factory, recorded data, or a file that describes one."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from leapcheck.engines.outside.words import CANONICAL_WORDS, Words, words
from leapcheck.engines.protocol import PRECISIONS
from leapcheck.engines.registry import FACTORIES
from leapcheck_models.words import did_you_mean

ENTRY_POINTS = "leapcheck.engines"
"""Group of entry points whose values are factories, module:factory, of engines that are known by their names."""

TIMEOUT = 60.0
"""Seconds without progress after which an engine is ended, at least, where nothing else is said; by a clock of its own."""

MEMORY = 1.0
"""GiB by which an engine's process may grow after its first answer where nothing else is said."""


class EngineKind(StrEnum):
    """Kinds of engines of the user's; also the keys that name one in a .toml."""

    LIBRARY = "library"
    PROGRAM = "program"
    PYTHON = "python"
    DATA = "data"


LIBRARY = re.compile(r".*\.(so(\.[0-9]+)*|dylib|dll)")
DATA = (".npz", ".csv", ".parquet")
KEYS = (*EngineKind, "precision", "timeout", "memory", "conventions")


@dataclass(frozen=True, slots=True)
class Target:
    """An engine of the user's: `name` as given, `what` a path, a command or module:factory.

    Relative paths begin at `folder`, where programs run too. `precision` is "float64", "float32", or "" where the engine says it.
    `sandbox`: its process is one of bubblewrap's.
    """

    name: str
    kind: EngineKind
    what: tuple[str, ...]
    folder: Path
    timeout: float = TIMEOUT
    precision: str = ""
    words: Words = CANONICAL_WORDS
    memory: float = MEMORY
    sandbox: bool = False

    @property
    def path(self) -> Path:
        """The file of a library or of recorded data."""
        return self.folder / self.what[0]


def target(name: str) -> Target:
    """What a word of the command line names; ValueError or FileNotFoundError in one line."""
    here = Path.cwd()
    if name.endswith(".toml"):
        return _read_description(name, here)
    if name.startswith("pipe:"):
        return Target(name, EngineKind.PROGRAM, _command(name.removeprefix("pipe:"), f"engine '{name}'"), here)
    if LIBRARY.fullmatch(name):
        return Target(name, EngineKind.LIBRARY, (name,), here)
    if name.endswith(DATA):
        return Target(name, EngineKind.DATA, (name,), here)
    if ":" in name:
        return Target(name, EngineKind.PYTHON, (name,), here)
    named = {point.name: point.value for point in entry_points(group=ENTRY_POINTS)}
    if name in named:
        return Target(name, EngineKind.PYTHON, (named[name],), here)
    also = f", {', '.join(sorted(named))}" if named else ""
    raise ValueError(
        f"unknown engine '{name}'{did_you_mean(name, (*FACTORIES, *named))}: use one of {', '.join(FACTORIES)}{also}, "
        "module:factory, a library (.so), pipe:PROGRAM, recorded data (.npz, .csv, .parquet) or a .toml"
    )


def program_path(program: Target) -> str:
    """Path of a program, or its bare name, which is looked for on the system's path."""
    first = program.what[0]
    return str(program.folder / first) if "/" in first else first


def names_engine(name: str) -> bool:
    """Whether a word names a library, a program, data, a description or an entry point, whether that is there or not."""
    is_path = name.endswith((".toml", *DATA)) or LIBRARY.fullmatch(name) is not None
    return is_path or name.startswith("pipe:") or name in entry_points(group=ENTRY_POINTS).names


def is_recording(name: str) -> bool:
    """Whether an engine is recorded data, by its name or by its file."""
    return name.endswith(DATA) or (name.endswith(".toml") and target(name).kind is EngineKind.DATA)


def _read_description(name: str, here: Path) -> Target:
    """The engine that a .toml describes."""
    path = here / name
    where = f"file '{name}'"
    if not path.is_file():
        raise FileNotFoundError(f"{where} does not exist or is no file: give the path of a .toml that describes an engine")
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{where} is no TOML: {error}: correct it there") from None
    if unknown := sorted(table.keys() - set(KEYS)):
        raise ValueError(f"{where}: unknown key '{unknown[0]}': use {', '.join(KEYS)}")
    kinds = [kind for kind in EngineKind if kind in table]
    if len(kinds) != 1:
        raise ValueError(f"{where}: names {' and '.join(kinds) or 'no engine'}: give one of {', '.join(EngineKind)}")
    return Target(
        name,
        kinds[0],
        _what(kinds[0], table[kinds[0]], where),
        path.parent.absolute(),
        _positive(table, "timeout", TIMEOUT, f"{where}: timeout", "the seconds that it may take without progress"),
        _precision(table, where),
        words(table.get("conventions", {}), where),
        _positive(table, "memory", MEMORY, f"{where}: memory", "the GiB by which its process may grow"),
    )


def _what(kind: EngineKind, value: Any, where: str) -> tuple[str, ...]:
    """The path, the command or the factory."""
    if kind is EngineKind.PROGRAM and isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        return tuple(value)
    if not isinstance(value, str) or not value:
        wanted = "a command: a text or a list of words" if kind is EngineKind.PROGRAM else "a text"
        raise ValueError(f"{where}: {kind} is {value!r:.60}: give {wanted}")
    if kind is EngineKind.DATA and not value.endswith(DATA):
        raise ValueError(f"{where}: data is {value!r:.60}: give a file {', '.join(DATA)}")
    return _command(value, where) if kind is EngineKind.PROGRAM else (value,)


def _command(text: str, where: str) -> tuple[str, ...]:
    try:
        command = tuple(shlex.split(text))
    except ValueError as error:
        raise ValueError(f"{where}: the command cannot be read: {error}: correct its quotes") from None
    if not command:
        raise ValueError(f"{where}: no program is named: write pipe:./program, with its arguments behind it")
    return command


def _positive(table: Mapping[str, Any], key: str, default: float, where: str, what: str) -> float:
    value = table.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 < value < 1e6:
        raise ValueError(f"{where} is {value!r:.60}: give {what}, a number above 0")
    return float(value)


def _precision(table: Mapping[str, Any], where: str) -> str:
    value = table.get("precision", "")
    if value and value not in PRECISIONS:
        raise ValueError(f'{where}: precision is {value!r:.60}: use "float64" or "float32"')
    return str(value)
