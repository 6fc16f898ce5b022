"""What a search has cost so far, in CPU seconds of this process: a busy machine makes it no shorter."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import process_time


@dataclass(frozen=True, slots=True)
class Meter:
    """CPU seconds that a search may take, from when the meter is made."""

    seconds: float
    _start: float = field(default_factory=process_time)

    @property
    def is_spent(self) -> bool:
        """Whether they are used up."""
        return self.remaining <= 0.0

    @property
    def remaining(self) -> float:
        """Seconds that are left; none or less where they are used up."""
        return self.seconds - (process_time() - self._start)
