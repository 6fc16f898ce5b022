"""What a comparison leaves for continuous integration: a JUnit file, GitHub's annotations, the summary of its job."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from leapcheck.compare.records import Run

SUMMARY_FILE = "GITHUB_STEP_SUMMARY"


def write_for_ci(run: Run, junit: Path | None, github: bool, out: TextIO) -> None:
    """Writes the JUnit file where it is named, GitHub's annotations to `out` and its summary where those are asked for.

    Raises OSError where a file cannot be written.
    """
    if junit is not None:
        from leapcheck.report.junit import junit_xml

        junit.parent.mkdir(parents=True, exist_ok=True)
        junit.write_text(junit_xml(run), encoding="utf-8", newline="\n")
    if github:
        from leapcheck.report.github import github_commands, github_summary

        out.write(github_commands(run, source_of))
        if summary := os.environ.get(SUMMARY_FILE):
            with Path(summary).open("a", encoding="utf-8", newline="\n") as file:
                file.write(github_summary(run))


def source_of(engine: str) -> str:
    """The file of an engine written module:factory, from the current folder, which annotations are shown in; "" elsewhere."""
    module, colon, _ = engine.partition(":")
    if not module or not colon:
        return ""
    path = Path(*module.split("."))
    places = (path.with_suffix(".py"), path / "__init__.py")
    return next((place.as_posix() for place in places if place.is_file()), "")
