"""`python -m leapcheck_evidence.verdicts`: verdicts against outcomes; rows are kept, so that a run that was stopped goes on."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import tyro

from leapcheck.system.whole_file import write_whole
from leapcheck_evidence.kept_rows import kept_rows
from leapcheck_evidence.verdicts.catalogue import known_plans, random_requests
from leapcheck_evidence.verdicts.page import false_go_page, verdicts_page
from leapcheck_evidence.verdicts.trials import VerdictTrial, run_trial


@dataclass(frozen=True)
class VerdictStudy:
    """Judge known plans, varied, and random requests with a simulator left out, and compare with what happens in that one."""

    out: Path = Path("reports")
    """Folder of verdicts.md and false_go.md."""
    rows: Path = Path("reports/verdicts")
    """Folder of the rows made so far; those that are there are not made again: delete the file where the code has changed."""
    requests: int = 200
    """How many random requests."""
    known: bool = True
    """Try the known plans."""
    more: bool = True
    """Make the rows that are missing; else the pages are of those that are there."""

    def run(self) -> int:
        """Makes the missing rows, then writes the pages."""
        self.rows.mkdir(parents=True, exist_ok=True)
        self.out.mkdir(parents=True, exist_ok=True)
        known, requests = known_plans(), random_requests(self.requests)
        plans = _rows(known, self.rows / "known.jsonl", self.more) if self.known else []
        random = _rows(requests, self.rows / "random.jsonl", self.more)
        if plans:
            write_whole(self.out / "verdicts.md", verdicts_page(plans, len(known)).encode())
        if random:
            write_whole(self.out / "false_go.md", false_go_page(random, len(requests)).encode())
        return 0


def _rows(trials: Sequence[VerdictTrial], path: Path, more: bool) -> list[dict[str, Any]]:
    """The rows of all trials that there are."""
    return kept_rows({trial.label: partial(run_trial, trial) for trial in trials}, path, more)


if __name__ == "__main__":
    sys.exit(tyro.cli(VerdictStudy).run())
