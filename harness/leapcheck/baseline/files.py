"""baseline.json: one entry per line, so that its changes can be reviewed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields
from datetime import date
from pathlib import Path
from typing import Any, cast

from leapcheck.baseline.record import BASELINE_VERSION, Baseline, RobotBaseline
from leapcheck.system.strict_json import decode, dumps_line, loads
from leapcheck.system.whole_file import write_whole

REMEDY = "correct it, or write the file again with `leapcheck baseline RUN --out FILE`"


def read_baseline(path: Path | str) -> Baseline:
    """The baseline in a file; FileNotFoundError, or ValueError in one line that names file, place and remedy."""
    _check_no_folder(Path(path))
    try:
        return parse_baseline(Path(path).read_text(encoding="utf-8"), str(path))
    except FileNotFoundError:
        raise FileNotFoundError(f"no baseline at '{path}': write one with `leapcheck baseline RUN --out {path}`") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"'{path}' is not a baseline ({error}): {REMEDY}") from None


def parse_baseline(text: str, path: str) -> Baseline:
    """The baseline in a text from `path`; ValueError as `read_baseline`."""
    try:
        content = loads(text)
    except ValueError as error:
        raise ValueError(f"'{path}' is not a baseline ({' '.join(str(error).split())}): {REMEDY}") from None
    version = content.get("baseline_version") if isinstance(content, dict) else None
    if version != BASELINE_VERSION or isinstance(version, bool):
        raise ValueError(f"'{path}': baseline_version is {version!r:.80}, this leapcheck reads {BASELINE_VERSION}: {REMEDY}")
    try:
        baseline = cast(Baseline, decode(Baseline, content, "baseline"))
        for problem in _problems(baseline):
            raise ValueError(problem)
    except ValueError as error:
        raise ValueError(f"'{path}': {error}: {REMEDY}") from None
    return baseline


def baseline_text(baseline: Baseline) -> str:
    """The text of the file; output is deterministic."""
    parts = ",\n".join(_robot_text(part) for part in baseline.robots)
    return f'{{\n "baseline_version": {baseline.baseline_version},\n "robots": [\n{parts}\n ]\n}}\n'


def write_baseline(baseline: Baseline, path: Path | str) -> None:
    """Write the file atomically; OSError where that fails."""
    path = Path(path)
    _check_no_folder(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, baseline_text(baseline).encode())


def _check_no_folder(path: Path) -> None:
    if path.is_dir():
        raise IsADirectoryError(f"'{path}' is a folder: name a file for the baseline, for example {path / 'baseline.json'}")


def expiry_date(text: str) -> date:
    """The day written as YYYY-MM-DD; ValueError for anything else."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None or day.isoformat() != text:
        raise ValueError(f"'{text:.40}' is not a day: write it as YYYY-MM-DD, for example 2027-06-30")
    return day


def _robot_text(part: RobotBaseline) -> str:
    lines = [f'   "{name}": {dumps_line(getattr(part, name))}' for name in ("robot", "model_hash", "versions")]
    lines += [f'   "{name}": {_lines(getattr(part, name))}' for name in ("accepted", "known")]
    return "  {\n" + ",\n".join(lines) + "\n  }"


def _lines(entries: Sequence[Any]) -> str:
    """An entry per line."""
    return "[\n" + ",\n".join(f"    {dumps_line(entry)}" for entry in entries) + "\n   ]" if entries else "[]"


def _problems(baseline: Baseline) -> Iterator[str]:
    """What types cannot express: repeated entries, impossible numbers, discrepancies without a reason, invalid days."""
    yield from _twice("baseline.robots", [(part.robot,) for part in baseline.robots])
    for number, part in enumerate(baseline.robots):
        place = f"baseline.robots[{number}]"
        yield from _twice(f"{place}.accepted", [(a.engine, a.quantity, a.against) for a in part.accepted])
        yield from _twice(f"{place}.known", [(k.engine, k.quantity, *k.causes) for k in part.known])
        for name in ("accepted", "known"):
            for i, entry in enumerate(getattr(part, name)):
                yield from _problems_of(entry, f"{place}.{name}[{i}]")


def _problems_of(entry: Any, place: str) -> Iterator[str]:
    for field in fields(entry):
        value = getattr(entry, field.name)
        if isinstance(value, float) and not value >= 0.0:
            yield f"{place}.{field.name} must be a number from 0, not {value}"
    if entry.states < 1:
        yield f"{place}.states must be at least 1, not {entry.states}"
    if not getattr(entry, "reason", "some").strip():
        yield f"{place}.reason is empty: say why the discrepancy is accepted"
    if (day := getattr(entry, "expires", None)) is not None:
        try:
            expiry_date(day)
        except ValueError as error:
            yield f"{place}.expires: {error}"


def _twice(place: str, keys: Sequence[tuple[str, ...]]) -> Iterator[str]:
    yield from (f"{place} has {', '.join(key)} {count} times" for key, count in Counter(keys).items() if count > 1)
