"""`leapcheck diff RUN1 RUN2`: what became better or worse."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro


@dataclass(frozen=True)
class DiffCommand:
    """Show what changed between two comparisons of a robot: verdicts, errors, discrepancies, diagnoses, laws, versions.

    Rounding errors scatter: an error within a factor of 10 of the other run's, or below 10 units of the expected rounding, counts
    as the same. Errors beyond rounding in both runs are compared only at the same states, to a factor of 1.1. Exit status 0 same
    or better, 1 worse.

    Examples:
      leapcheck diff runs/before runs/mini_cheetah
      leapcheck diff reports/mini_cheetah runs/mini_cheetah --json
    """

    before: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN1")]
    """Folder of a report, or its results.json."""
    after: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN2")]
    """The later one."""
    json: bool = False
    """Print the changes as JSON."""

    def run(self) -> int:
        """Prints the changes, the worse first; returns 1 if anything is worse."""
        from leapcheck.report.comparison.difference import run_difference
        from leapcheck.report.comparison.results import read_run
        from leapcheck.system.strict_json import dumps

        difference = run_difference(read_run(self.before), read_run(self.after))
        if self.json:
            record = {"robot": difference.robot, "sentence": difference.sentence, "changes": difference.changes}
            sys.stdout.write(dumps(record))
        else:
            from rich.console import Console

            from leapcheck.report.comparison.console import difference_summary

            Console().print(difference_summary(difference))
        return difference.exit_status
