"""`python -m leapcheck_evidence.anchors`: published jumps beside leapcheck's; a run that was stopped goes on."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from leapcheck.system.whole_file import write_whole
from leapcheck_evidence.anchors.catalogue import ANCHORS, GO1, MINI_CHEETAH
from leapcheck_evidence.anchors.page import anchors_page
from leapcheck_evidence.anchors.rows import anchor_row
from leapcheck_evidence.command import run_command
from leapcheck_evidence.kept_rows import kept_rows


@dataclass(frozen=True)
class AnchorsCommand:
    """Ask leapcheck for jumps that real robots have done, and compare."""

    out: Path = Path("reports")
    """Folder of anchors.md."""
    go1: Path | None = None
    """The Go1's file, as in the wheel example-robot-data; without it its jumps are not tried."""
    rows: Path = Path("runs/anchors")
    """Folder of the rows made so far; those that are there are not made again."""
    more: bool = True
    """Make the rows that are missing; else the page is of those that are there."""
    workers: int = 0
    """Processes; by default one per core."""

    def run(self) -> int:
        """Makes the missing rows, then writes the page."""
        if self.go1 is not None and not self.go1.is_file():
            raise FileNotFoundError(f"--go1 {self.go1}: there is no such file")
        self.rows.mkdir(parents=True, exist_ok=True)
        self.out.mkdir(parents=True, exist_ok=True)
        anchors = {f"{anchor.robot}, {anchor.name}": anchor for anchor in ANCHORS}
        robots = {MINI_CHEETAH: MINI_CHEETAH, GO1: self.go1}
        trials = {label: partial(anchor_row, label, anchor, robots, self.workers) for label, anchor in anchors.items()}
        # what was not tried is no row to keep
        tried = {label: trial for label, trial in trials.items() if robots[anchors[label].robot] is not None}
        made = {row["label"]: row for row in kept_rows(tried, self.rows / "rows.jsonl", self.more)}
        made |= {label: trials[label]() for label in trials if label not in tried and label not in made}
        write_whole(self.out / "anchors.md", anchors_page(anchors, [made[label] for label in anchors if label in made]).encode())
        return 0


if __name__ == "__main__":
    sys.exit(run_command(AnchorsCommand, "anchors"))
