"""`leapcheck jump ROBOT --height H`: a jump planned, simulated everywhere, and judged before the hardware."""

from __future__ import annotations

import os
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from leapcheck.cli.option_help import repeatable
from leapcheck.cli.progress import progress_bar
from leapcheck.jumping.options import JumpOptions
from leapcheck.system.text import terminal_text

if TYPE_CHECKING:
    from leapcheck.jumping.judging.verdict import JumpJudgement


@repeatable("set", "threshold", "vary", "box", "gap")
@dataclass(frozen=True)
class JumpCommand(JumpOptions):
    """Say GO, MARGINAL or NO-GO for a jump before the hardware does.

    Planned or your own, it is simulated in several engines and contact models.

    Exit status: 0 GO or MARGINAL, 1 NO-GO or a simulator failed, 2 could not run or no plan was found (UNDECIDED).

    Examples:
      leapcheck jump mini_cheetah --height 0.2
      leapcheck jump mini_cheetah --height 0.15 --distance 0.2 --monte-carlo 500
      leapcheck jump mini_cheetah --highest --set trunk.mass=3.6 --video
      leapcheck jump mini_cheetah --flip back
      leapcheck jump mini_cheetah --onto-box 0.3
      leapcheck jump mini_cheetah --height 0.15 --distance 0.2 --jumps 3
      leapcheck jump mini_cheetah --turn 90
      leapcheck jump mini_cheetah --plan mit-front-jump --box 0.40,0.45
      leapcheck jump my_robot.json --policy my_controller:make --duration 1.5
      leapcheck jump mini_cheetah --trajectory jump.csv --hardware-log run_07.csv
    """

    robot: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ROBOT")] = field(kw_only=True)
    """Name (see `leapcheck robots`) or a robot file (.json) with its actuators."""
    video: bool = False
    """Film the jump, and the worst failure of the Monte Carlo, as MP4."""
    export: Path | None = None
    """Write the planned joint targets, torques and gains for the robot (.csv), as --trajectory reads them."""
    mcap: bool = False
    """Write the logs as MCAP too."""
    rerun: bool = False
    """Write the jump in all simulators as jump.rrd, for rerun's viewer."""
    out: Path | None = None
    """Folder of the report; runs/jump_ROBOT by default."""
    json: bool = False
    """Print the results as JSON instead of a summary."""
    workers: int = 0
    """Processes; by default one per core."""

    def run(self) -> int:
        """Plans, simulates, judges, writes the report, prints the summary; returns the exit status."""
        from leapcheck.api.jump_run import JumpRun
        from leapcheck.jumping.media import check_packages
        from leapcheck.jumping.study import jump_study
        from leapcheck.report.folder import check_folder
        from leapcheck.report.jump.console import jump_summary
        from leapcheck.report.jump.files import JUMP_FILES
        from leapcheck.report.jump.results import jump_json
        from leapcheck.robots.load import short_name

        self.check()
        check_packages(self.mcap, self.video, self.rerun)
        folder = self.out or Path("runs") / f"jump_{short_name(self.robot)}"
        check_folder(folder, JUMP_FILES)  # before the work, not after it
        _check_writable(folder)
        with progress_bar("planning", quiet=self.json) as bar, redirect_stdout(sys.stderr):  # foreign code may print
            study = jump_study(self.robot, self, self.workers, bar, None if self.json else _say_first_verdict)
            run = JumpRun(study).write_report(folder, video=self.video, mcap=self.mcap, rerun=self.rerun)
            if self.export is not None and run.study.setup.act is not None:
                run.write_trajectory(self.export)
        if self.json:
            sys.stdout.write(jump_json(run.study))
            return run.exit_status
        from rich.console import Console

        console = Console()
        console.print(jump_summary(run.study))
        for line in (*run.notes, f"report: {folder / 'report.html'}"):
            console.print(terminal_text(line), highlight=False, markup=False, soft_wrap=True)
        return run.exit_status


def _say_first_verdict(judgement: JumpJudgement) -> None:
    """Prints the preliminary verdict on standard error, in one line: the summary on standard output has the final one."""
    print(terminal_text(f"preliminary, at the coarsest step: {judgement.sentence}"), file=sys.stderr, flush=True)


def _check_writable(folder: Path) -> None:
    """Raises PermissionError where the folder, or the one that it would be made in, cannot be written."""
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not os.access(there, os.W_OK | os.X_OK):
        raise PermissionError(f"'{there}' cannot be written: name another folder for the report with --out")
