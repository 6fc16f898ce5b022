"""Progress of a long run on standard error, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class ProgressReport(Protocol):
    """Shows the progress of a long run."""

    def __call__(self, done: int, total: int, now: str = "") -> None:
        """`done` of `total` parts; `now` is being worked on."""


@contextmanager
def progress_bar(what: str, quiet: bool = False) -> Iterator[ProgressReport | None]:
    """A function that shows the progress; None where no terminal would show it."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)

        def report(done: int, total: int, now: str = "") -> None:
            bar.update(task, completed=done, total=total, description=now or what)

        yield report
