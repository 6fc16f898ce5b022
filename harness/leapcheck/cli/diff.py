"""`leapcheck diff RUN1 RUN2 ...`: what became better or worse."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

if TYPE_CHECKING:
    from leapcheck.report.comparison.difference import RunDifference


@dataclass(frozen=True)
class DiffCommand:
    """Show what changed between two or more comparisons of a robot: verdicts, errors, discrepancies, diagnoses, laws, versions.

    Each run is compared with the one before it. Rounding errors scatter: an error within a factor of 10 of the other run's, or
    below 10 units of the expected rounding, counts as the same. Errors beyond rounding in both runs are compared only at the same
    states, to a factor of 1.1. Exit status 0 same or better, 1 worse.

    Examples:
      leapcheck diff runs/before runs/mini_cheetah
      leapcheck diff reports/mini_cheetah runs/mini_cheetah --json
      leapcheck diff runs/monday runs/tuesday runs/wednesday --page trends.html
    """

    runs: Annotated[tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="RUN1 RUN2 [RUN3 ...]")]
    """Folders of reports, or their results.json, the oldest first."""
    page: Path | None = None
    """Also write a page of trends: each quantity's error from run to run."""
    json: bool = False
    """Print the changes as JSON."""

    def run(self) -> int:
        """Prints the changes, the worse first; returns 1 if anything is worse."""
        from leapcheck.report.comparison.difference import run_difference
        from leapcheck.report.comparison.results import read_run
        from leapcheck.system.strict_json import dumps

        if len(self.runs) < 2:
            raise ValueError(f"{len(self.runs)} run given: give two or more, the oldest first")
        runs = [read_run(path) for path in self.runs]
        steps = [run_difference(old, new) for old, new in pairwise(runs)]
        if self.page is not None:
            from leapcheck.report.comparison.trends import LabelledRun, trends_page
            from leapcheck.system.whole_file import write_whole

            labelled = [LabelledRun(_label(path), run) for path, run in zip(self.runs, runs, strict=True)]
            write_whole(self.page, trends_page(labelled))
        if self.json:
            sys.stdout.write(dumps(_record(steps[0]) if len(steps) == 1 else {"steps": [_record(step) for step in steps]}))
        else:
            _print(self.runs, steps)
        return max(step.exit_status for step in steps)


def _label(path: Path) -> str:
    folder = path.parent if path.suffix == ".json" else path
    return folder.name or str(folder.resolve().name)


def _record(difference: RunDifference) -> dict[str, Any]:
    return {"robot": difference.robot, "sentence": difference.sentence, "changes": difference.changes}


def _print(paths: Sequence[Path], steps: Sequence[RunDifference]) -> None:
    from rich.console import Console

    from leapcheck.report.comparison.console import difference_summary
    from leapcheck.system.text import terminal_text

    console = Console()
    for (old, new), step in zip(pairwise(paths), steps, strict=True):
        if len(steps) > 1:
            console.print(terminal_text(f"{old} to {new}:"), markup=False, highlight=False, soft_wrap=True)
        console.print(difference_summary(step))
