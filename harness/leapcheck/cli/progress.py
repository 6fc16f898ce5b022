"""Progress of a long run on standard error: a bar on a terminal, elsewhere a line now and then."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Protocol

HEARTBEAT = 30.0
"""Seconds between two lines where there is no terminal: a log of a CI shows that the run lives."""


class ProgressReport(Protocol):
    """Shows the progress of a long run."""

    def __call__(self, done: int, total: int, now: str = "") -> None:
        """`done` of `total` parts; `now` is being worked on."""


@contextmanager
def progress_bar(what: str, quiet: bool = False) -> Iterator[ProgressReport | None]:
    """A function that shows the progress, of parts (`total` above 0) or in words alone; None where nothing shall be shown."""
    if quiet:
        yield None
    elif not sys.stderr.isatty():
        yield Heartbeat(what)
    else:
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(escape(what), total=None)

            def report(done: int, total: int, now: str = "") -> None:
                bar.update(task, completed=done, total=total or None, description=escape(now or what))

            yield report


class Heartbeat:
    """Progress as lines on standard error, one in `HEARTBEAT` seconds at most."""

    def __init__(self, what: str) -> None:
        self._what, self._begin = what, monotonic()
        self._last = self._series = self._begin
        self._total = 0

    def __call__(self, done: int, total: int, now: str = "") -> None:
        """Prints a line where the last one is long ago."""
        time = monotonic()
        if total != self._total:  # other parts: how long these take says nothing of those
            self._series, self._total = time, total
        if time - self._last < HEARTBEAT:
            return
        self._last, passed = time, time - self._begin
        parts = (
            f", {done} of {total} parts, about {_minutes((time - self._series) * (total - done) / done)} left"
            if total and done
            else ""
        )
        print(f"leapcheck: {now or self._what}, {_minutes(passed)} so far{parts}", file=sys.stderr)


def _minutes(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d} min"
