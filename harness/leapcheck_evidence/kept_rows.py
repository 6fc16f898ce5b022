"""Rows of a long study, kept in a file as they are made, so that a run that was stopped goes on."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from leapcheck.system.strict_json import dumps_line


def kept_rows(trials: Mapping[str, Callable[[], dict[str, Any]]], path: Path, more: bool) -> list[dict[str, Any]]:
    """The rows of all trials, by their labels: those of the file, and with `more` new ones, written to it at once.

    Each row has its trial's label as "label".
    """
    rows = {row["label"]: row for row in map(json.loads, path.read_text().splitlines())} if path.is_file() else {}
    for number, (label, run) in enumerate(trials.items() if more else ()):
        if label in rows:
            continue
        rows[label] = row = run()
        with path.open("a") as file:
            file.write(dumps_line(row) + "\n")
        print(f"{number + 1} of {len(trials)}: {label}", file=sys.stderr, flush=True)
    return [rows[label] for label in trials if label in rows]
