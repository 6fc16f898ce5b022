"""The difference of two runs in the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from leapcheck.report.difference import BETTER, OTHER, WORSE, Difference
from leapcheck.report.terminal import styled

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions

LOOKS = {WORSE: ("✗", "red"), BETTER: ("✓", "green"), OTHER: ("~", "dim")}


@dataclass(frozen=True, slots=True)
class DifferenceSummary:
    """What rich prints of a difference: the sentence, then a paragraph per change, the worse first."""

    found: Difference

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Any]:
        """The parts from top to bottom."""
        plain = options.ascii_only
        senses = [change.sense for change in self.found.changes]
        sign, colour = LOOKS[WORSE if WORSE in senses else BETTER]
        yield styled(plain, (f"{sign} ", f"bold {colour}"), (self.found.sentence, "bold"))
        for change in self.found.changes:
            sign, colour = LOOKS[change.sense]
            yield styled(plain, (f"{sign} {change.sense}", colour), (f"  {change.kind} ", "dim"), (change.subject, "bold"))
            yield styled(plain, (f"    {change.before} -> {change.after}", ""))
