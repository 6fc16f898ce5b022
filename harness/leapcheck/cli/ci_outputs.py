"""Output for continuous integration: a JUnit file, GitHub annotations and job summary."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from leapcheck.records import Run

SUMMARY_FILE = "GITHUB_STEP_SUMMARY"


def write_for_ci(run: Run, seconds: float, junit: Path | None, github: bool, out: TextIO) -> None:
    """Writes the JUnit file of a run that took these seconds, if named; with `github`, prints annotations to `out` and appends
    to the job's summary.

    Raises OSError where a file cannot be written.
    """
    if junit is not None:
        from leapcheck.report.comparison.ci import junit_xml

        junit.parent.mkdir(parents=True, exist_ok=True)
        junit.write_text(junit_xml(run, seconds), encoding="utf-8", newline="\n")
    if github:
        from leapcheck.report.comparison.ci import github_commands, github_summary

        out.write(github_commands(run, source_of))
        if summary := os.environ.get(SUMMARY_FILE):
            with Path(summary).open("a", encoding="utf-8", newline="\n") as file:
                file.write(github_summary(run))


def source_of(engine: str) -> str:
    """The file of an engine written module:factory, relative to the current folder, for its annotations; "" if there is none."""
    module, colon, _ = engine.partition(":")
    if not module or not colon:
        return ""
    path = Path(*module.split("."))
    candidates = (path.with_suffix(".py"), path / "__init__.py")
    return next((candidate.as_posix() for candidate in candidates if candidate.is_file()), "")
