"""`python -m leapcheck_evidence.studies --out reports`: how exact the simulated jumps are, every figure measured by this run."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from leapcheck_evidence.command import run_command
from leapcheck_evidence.studies.row import StudyRow

STUDIES = (
    "twin",
    "twin_terrain",
    "exact_solution",
    "limits",
    "rigid_solvers",
    "ledgers",
    "stiff_limit",
    "envelope",
    "monte_carlo",
    "speed",
)
"""Modules of this package; each has `rows()`."""

FILE = "jump_accuracy.md"


@dataclass(frozen=True)
class StudiesCommand:
    """Measure how exact simulated jumps are and write the table."""

    out: Path = Path("reports")
    """Folder of jump_accuracy.md."""
    only: tuple[str, ...] = STUDIES
    """Studies to run."""

    def run(self) -> int:
        """Runs the studies and writes the table after each; returns 0, or 1 where a goal was missed."""
        if unknown := [name for name in self.only if name not in STUDIES]:
            raise ValueError(f"no study {', '.join(unknown)}: use {', '.join(STUDIES)}")
        rows: list[StudyRow] = []
        for name in self.only:
            begin = time.monotonic()
            rows += import_module(f"leapcheck_evidence.studies.{name}").rows()
            print(f"{name}: {time.monotonic() - begin:.0f} s", file=sys.stderr)
            self.out.mkdir(parents=True, exist_ok=True)
            (self.out / FILE).write_text(table(rows), encoding="utf-8", newline="\n")
        print(table(rows))
        return int(not all(row.met for row in rows))


def table(rows: Sequence[StudyRow]) -> str:
    """The rows in Markdown, below what they were measured with."""
    versions = ", ".join(f"{name} {version(package)}" for name, package in (("MuJoCo", "mujoco"), ("Pinocchio", "pin")))
    lines = [
        "# How exact simulated jumps are",
        "",
        f"Written by `make studies` ({versions}, Python {platform.python_version()}, {platform.system()} {platform.machine()}).",
        "",
        "| what | goal | measured | | protocol |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        lines.append(f"| {row.what} | {row.goal} | {row.figure} | {'met' if row.met else '**missed**'} | {row.detail} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(run_command(StudiesCommand, "studies"))
