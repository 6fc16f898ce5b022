"""`python -m leapcheck_evidence.score`: defects planted by seed, and what the judge makes of them."""

from __future__ import annotations

import os
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from leapcheck.cli.progress import progress_bar
from leapcheck.system.command_line import repeat_command
from leapcheck_evidence.command import run_command

if TYPE_CHECKING:
    from leapcheck_evidence.score.run import ScorePlan

FILES = ("score.md", "score.json")
PROGRAM_FILES = ("programs.md", "programs.json")
WHOLE_BODY_FILES = ("whole_body.md", "whole_body.json")

WHOLE_BODY_CLEAN = 5_000
"""States of clean engines by default where all quantities of whole bodies are compared, derivatives and regressors too."""


@dataclass(frozen=True)
class ScoreCommand:
    """Plant defects in engines and robot files by seed and count what the judge finds, names and shrinks.

    Another seed gives other robots, bodies, joints and amounts. The exit status is 0 where all goals are reached.

    Examples:
      python -m leapcheck_evidence.score
      python -m leapcheck_evidence.score --seed 7 --only pairs
      python -m leapcheck_evidence.score --defect 176
      python -m leapcheck_evidence.score --list
      python -m leapcheck_evidence.score --programs
      python -m leapcheck_evidence.score --programs --defect 7
      python -m leapcheck_evidence.score --whole-body --only frames
    """

    programs: bool = False
    """Plant in hand-written dynamics codes: forgotten terms, faults of some states, several faults; a score of its own."""

    whole_body: bool = False
    """Plant in frames, centres of mass, momenta, matrices, derivatives and regressors; a score of its own."""

    seed: int = 0
    """Seed of the defects."""
    count: int = 0
    """About how many defects, every kind at least once; by default all that the catalogue has."""
    only: tuple[str, ...] = ()
    """Classes to plant, as the table names them; all by default."""
    defect: tuple[int, ...] = ()
    """Numbers of single defects to plant."""
    clean_states: int | None = None
    """States over which engines without a fault are compared, by default a million, or 5000 of --whole-body; 0 leaves that
    out, as --only and --defect do."""
    list: bool = False
    """Only list the defects."""
    out: Path = Path("runs") / "score"
    """Folder of score.md and score.json."""
    workers: int = 0
    """Processes; by default one per core."""

    def run(self) -> int:
        """Plants, judges, writes both files, prints the tables; returns 0 where all goals are reached, else 1."""
        if self.programs:
            return self._score_programs()
        from rich.console import Console

        from leapcheck.report.folder import check_folder, write_together
        from leapcheck_evidence.score.goals import goals
        from leapcheck_evidence.score.run import defect_lines, run_score
        from leapcheck_evidence.score.show import score_console, score_json, score_markdown

        plan, workers = self._plan(), self.workers or os.cpu_count() or 1
        files = WHOLE_BODY_FILES if self.whole_body else FILES
        if self.list:
            with progress_bar("planting") as progress, redirect_stdout(sys.stderr):
                lines = defect_lines(plan, workers, progress)
            print("\n".join(lines))
            return 0
        check_folder(self.out, files)  # before the work, not after it
        with progress_bar("planted defects") as progress, redirect_stdout(sys.stderr):  # foreign code may print
            score = run_score(plan, workers, progress)
        write_together(self.out, dict(zip(files, (score_markdown(score), score_json(score)), strict=True)))
        console = Console()
        console.print(score_console(score))
        console.print(f"score: {self.out / files[0]}", highlight=False, markup=False, soft_wrap=True)
        return int(not all(goal.is_reached for goal in goals(score)))

    def _score_programs(self) -> int:
        """The same for the hand-written codes."""
        from rich.console import Console

        from leapcheck.report.folder import check_folder, write_together
        from leapcheck_evidence.score.programs.catalogue import KINDS, draw_defect, draws
        from leapcheck_evidence.score.programs.score import program_goals, score_programs
        from leapcheck_evidence.score.programs.show import program_console, program_json, program_markdown

        if unknown := [name for name in self.only if name not in KINDS]:
            raise ValueError(f"unknown kind '{unknown[0]}': use one of {', '.join(KINDS)}")
        if wrong := [number for number in self.defect if not 0 <= number < len(draws())]:
            raise ValueError(f"defect {wrong[0]} is not among the {len(draws())} planted: give 0 to {len(draws()) - 1}")
        numbers = self.defect or tuple(i for i, draw in enumerate(draws()) if draw.kind in self.only)
        if self.list:
            print("\n".join(f"{i} | {draw_defect(self.seed, i).label}" for i in numbers or range(len(draws()))))
            return 0
        check_folder(self.out, PROGRAM_FILES)
        with progress_bar("planted defects") as progress, redirect_stdout(sys.stderr):
            score = score_programs(self._command(), self.seed, numbers, self.workers or os.cpu_count() or 1, progress)
        write_together(self.out, dict(zip(PROGRAM_FILES, (program_markdown(score), program_json(score)), strict=True)))
        Console().print(program_console(score))
        return int(not all(goal.is_reached for goal in program_goals(score)))

    def _plan(self) -> ScorePlan:
        from leapcheck_evidence.score.planting.catalogue import CATALOGUES, ENGINES, WHOLE_BODIES, places, size
        from leapcheck_evidence.score.run import CLEAN_STATES, ScorePlan

        for name in ("seed", "count", "clean_states", "workers"):
            if (getattr(self, name) or 0) < 0:
                raise ValueError(f"--{name.replace('_', '-')} {getattr(self, name)}: give a whole number from 0")
        catalogue = WHOLE_BODIES if self.whole_body else ENGINES
        classes = tuple(dict.fromkeys(kind.name for kind in CATALOGUES[catalogue]))
        if unknown := [name for name in self.only if name not in classes]:
            raise ValueError(f"unknown class '{unknown[0]}': use one of {', '.join(classes)}")
        count = self.count or size(catalogue)
        every = places(count, catalogue)
        if wrong := [number for number in self.defect if not 0 <= number < len(every)]:
            raise ValueError(f"defect {wrong[0]} is not among the {len(every)} planted: give 0 to {len(every) - 1}")
        chosen = self.defect or tuple(i for i, (kind, _) in enumerate(every) if kind.name in self.only)
        usual = WHOLE_BODY_CLEAN if self.whole_body else CLEAN_STATES
        clean = 0 if chosen else usual if self.clean_states is None else self.clean_states
        return ScorePlan(self.seed, count, chosen, clean, self._command(), catalogue)

    def _command(self) -> str:
        """The command that repeats this score: every choice that is not the default, but for where it is written."""
        program = ("python", "-m", "leapcheck_evidence.score")
        return repeat_command(program, self, leave_out=("list", "out", "workers"), always=("seed",))


if __name__ == "__main__":
    sys.exit(run_command(ScoreCommand, "score"))
