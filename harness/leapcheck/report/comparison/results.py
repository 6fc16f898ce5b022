"""results.json of a comparison: the records of `leapcheck.records` field by field, as strict JSON and back, exactly."""

from __future__ import annotations

import dataclasses
import typing
from pathlib import Path

from leapcheck.records import SCHEMA_VERSION, Run
from leapcheck.system.strict_json import decode, dumps, loads

MAY_BE_MISSING = frozenset({"baseline", "contact_forces"})
"""Fields that later versions of leapcheck added: a file without them is read."""


def run_json(run: Run) -> str:
    """Text of results.json. A run that was compared with no baseline is written as before there were any."""
    content = {field.name: getattr(run, field.name) for field in dataclasses.fields(run)}
    return dumps({name: value for name, value in content.items() if name not in MAY_BE_MISSING or value is not None})


def read_run(path: Path | str) -> Run:
    """The run that a results.json, or a report's folder, holds.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no JSON, is of another schema version, or a field is missing, unknown or of the wrong type.
    """
    path = Path(path)
    path = path / "results.json" if path.is_dir() else path
    try:
        content = loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FileNotFoundError(
            f"no results at '{path}': give the folder of a report, `leapcheck compare ROBOT --out DIR` writes one"
        ) from None
    except ValueError as error:
        raise ValueError(f"'{path}' is not a results file ({error}): write it again with `leapcheck compare`") from None
    version = content.get("schema_version") if isinstance(content, dict) else None
    if version != SCHEMA_VERSION or isinstance(version, bool):
        raise ValueError(
            f"'{path}' has schema version {version!r}, this leapcheck reads {SCHEMA_VERSION}: "
            "write it again with `leapcheck compare`, or read it with the version that wrote it"
        )
    try:
        return typing.cast(Run, decode(Run, content, "run", MAY_BE_MISSING))
    except ValueError as error:
        raise ValueError(f"'{path}' is not a results file: {error}: write it again with `leapcheck compare`") from None
