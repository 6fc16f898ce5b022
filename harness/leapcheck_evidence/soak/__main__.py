"""`python -m leapcheck_evidence.soak`: cases drawn by seed for as long as one likes; what fails is kept."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from leapcheck.system.command_line import repeat_command
from leapcheck_evidence.command import run_command

if TYPE_CHECKING:
    from leapcheck_evidence.soak.record import Soak

FILES = ("soak.md", "soak.json")


@dataclass(frozen=True)
class SoakCommand:
    """Run leapcheck on robots, engines, faults, misbehaviour, damage and kills drawn by seed, for a given time.

    A case that fails keeps its folder, with repeat.txt, which says how to run it again. The exit status is 0 where none failed.

    Examples:
      python -m leapcheck_evidence.soak --minutes 120 --seed 7
      python -m leapcheck_evidence.soak --only kills --cases 60
      python -m leapcheck_evidence.soak --seed 7 --case 12
    """

    minutes: float = 0.0
    """How long to begin new cases; 0 with --cases."""
    cases: int = 0
    """How many cases; 0 with --minutes."""
    seed: int = 0
    """Seed of the cases."""
    only: tuple[str, ...] = ()
    """Kinds of cases: clean, repeated, faults, misbehaviour, kills, parts, robot files; all by default."""
    first: int = 0
    """Number of the first case."""
    case: int = -1
    """Number of one case to run alone; its folder is kept."""
    out: Path = Path("runs") / "soak"
    """Folder of soak.md, soak.json and the cases that failed."""
    workers: int = 1
    """Cases at a time."""

    def run(self) -> int:
        """Runs the cases, writes both files after each; returns 0 where none failed, else 1."""
        from leapcheck.report.folder import check_folder
        from leapcheck_evidence.soak.run import SoakPlan, check_kinds, run_one, run_soak
        from leapcheck_evidence.soak.show import soak_markdown

        if self.case >= 0:
            result = run_one(self.seed, self.case, self.out)
            print(f"{result.label}\n{result.problem or 'nothing wrong'}")
            return int(bool(result.problem))
        check_kinds(self.only)
        if (self.minutes <= 0.0) == (self.cases <= 0) or self.workers < 1 or self.first < 0 or self.seed < 0:
            raise ValueError("give either --minutes or --cases above 0, at least 1 worker, and --first and --seed from 0")
        check_folder(self.out, FILES)
        plan = SoakPlan(self.seed, self.out, 60.0 * self.minutes, self.cases, self.only, self.first, self._command())
        soak = run_soak(plan, self.workers, self._write)
        self._write(soak)
        print(soak_markdown(soak))
        return int(bool(soak.failures))

    def _write(self, soak: Soak) -> None:
        from leapcheck.report.folder import write_together
        from leapcheck_evidence.soak.show import soak_json, soak_markdown

        write_together(self.out, dict(zip(FILES, (soak_markdown(soak), soak_json(soak)), strict=True)))

    def _command(self) -> str:
        return repeat_command(
            ("python", "-m", "leapcheck_evidence.soak"), self, leave_out=("case", "out", "workers"), always=("seed",)
        )


if __name__ == "__main__":
    sys.exit(run_command(SoakCommand, "soak"))
