"""A time limit on a user's function that runs in this process."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def time_limit(seconds: float, text: str) -> Iterator[None]:
    """Raises TimeoutError(text) in a block that takes longer, Python code and what waits.

    Only a process's main thread can be interrupted, and only by one timer: elsewhere, or where one runs, there is no limit.
    """
    if threading.current_thread() is not threading.main_thread() or signal.getitimer(signal.ITIMER_REAL)[0] > 0.0:
        yield
        return

    def end(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError(text)

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
