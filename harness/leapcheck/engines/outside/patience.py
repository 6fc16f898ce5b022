"""How long a process takes by a clock of its own, which stands still while it waits for a core of a busy machine."""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic

from leapcheck.system.process_tree import content, descendants, threads

NANOSECONDS = 1e-9


class Patience:
    """Measures a process and what it starts, from when it is made: in all, and since its last progress."""

    def __init__(self, pid: int) -> None:
        """Begins to count."""
        self._pid = pid
        self._before = 0.0
        self._sign: object = None
        self._start = monotonic()
        self._waited: dict[int, float] = {}  # read when it is first needed: most answers come sooner

    def progress(self, sign: object) -> None:
        """Begins anew where the sign of its progress is another one than before."""
        if sign != self._sign:
            if self._waited or self._sign is not None:  # else it has just begun: to look at all processes takes a millisecond
                self._before += self.idle()
            self._sign = sign
            self._start, self._waited = monotonic(), {}

    def idle(self) -> float:
        """Seconds since its last progress, without those in which it waited for a core since this was first asked."""
        waited = dict(waiting_seconds(self._pid))
        self._waited = self._waited or waited
        lost = max((now - self._waited.get(task, 0.0) for task, now in waited.items()), default=0.0)
        return max(0.0, monotonic() - self._start - lost)

    def total(self) -> float:
        """Seconds of the same kind in all."""
        return self._before + self.idle()


def waiting_seconds(pid: int) -> Iterator[tuple[int, float]]:
    """How long each thread of a process and of its descendants was ready to run and had no core; only Linux tells."""
    for member in descendants(pid):
        for thread in threads(member):
            if words := content(thread / "schedstat").split():
                yield int(thread.name), int(words[1]) * NANOSECONDS
