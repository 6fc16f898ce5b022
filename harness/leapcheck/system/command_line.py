"""The command that repeats a run, as one would type it."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence
from dataclasses import MISSING, fields
from typing import Any

from leapcheck_models.search_path import search_words


def command_line(*words: object) -> str:
    """The words as a line for the shell, quoted where the shell would break them."""
    return shlex.join(map(str, words))


def repeat_command(
    words: Sequence[str],
    options: Any,
    kind: type | None = None,
    *,
    leave_out: Collection[str] = (),
    always: Collection[str] = (),
    repeated: Collection[str] = (),
) -> str:
    """`words`, the search path, and each field of the dataclass `kind` (of `options` by default) that `options` changes.

    Fields without a default are positional words, given by the caller. `leave_out`: options that change no result; `always`:
    options that are written even where they are the default; `repeated`: options that are repeated for each of their values.
    """
    line: list[object] = [*words, *search_words()]
    for option in fields(kind or options):
        value = getattr(options, option.name)
        if option.default is MISSING or option.name in leave_out:
            continue
        if value == option.default and option.name not in always:
            continue
        flag = f"--{option.name.replace('_', '-')}"
        values = value if isinstance(value, tuple) else () if value is True else (value,)
        line += [word for part in values for word in (flag, part)] if option.name in repeated else [flag, *values]
    return command_line(*line)
