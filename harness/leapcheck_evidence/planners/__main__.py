"""`python -m leapcheck_evidence.planners`: both planners on 20 goals; rows are kept, so that a run that was stopped goes on."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import tyro

from leapcheck.system.whole_file import write_whole
from leapcheck_evidence.kept_rows import kept_rows
from leapcheck_evidence.planners.goals import goal_row, goals
from leapcheck_evidence.planners.page import planners_page


@dataclass(frozen=True)
class PlannerStudy:
    """Plan the same jumps with the optimised and the closed-form planner, and simulate both."""

    out: Path = Path("reports")
    """Folder of planners.md."""
    rows: Path = Path("runs/planners")
    """Folder of the rows made so far; those that are there are not made again."""
    more: bool = True
    """Make the rows that are missing; else the page is of those that are there."""

    def run(self) -> int:
        """Makes the missing rows, then writes the page."""
        self.rows.mkdir(parents=True, exist_ok=True)
        self.out.mkdir(parents=True, exist_ok=True)
        trials = {label: partial(goal_row, label, *goal) for label, goal in goals().items()}
        rows = kept_rows(trials, self.rows / "goals.jsonl", self.more)
        write_whole(self.out / "planners.md", planners_page(rows, len(trials)).encode())
        return 0


if __name__ == "__main__":
    sys.exit(tyro.cli(PlannerStudy).run())
