"""`leapcheck diff RUN1 RUN2`: what became better or worse."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import tyro


@dataclass(frozen=True)
class Diff:
    """Hold two comparisons of one robot against each other: verdicts, errors, discrepancies, diagnoses, laws, versions.

    Rounding scatters: an error within a factor of 10 of the other's, or below 10 units of the expected rounding, is the
    same; errors beyond rounding in both runs are compared where the states are the same, to a factor of 1.1. Exit status 0
    same or better, 1 worse.

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
        """Prints the changes, the worse first; returns 1 where anything is worse."""
        from json import dumps

        from leapcheck.report.difference import difference
        from leapcheck.report.json_format import read_run

        found = difference(read_run(self.before), read_run(self.after))
        if self.json:
            record = {"robot": found.robot, "sentence": found.sentence, "changes": [asdict(change) for change in found.changes]}
            print(dumps(record, indent=1))
        else:
            from rich.console import Console

            from leapcheck.report.difference_console import DifferenceSummary

            Console().print(DifferenceSummary(found))
        return found.exit_status
