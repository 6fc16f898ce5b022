"""`leapcheck leg-jump`: can a two-link leg jump with this servo?"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from leapcheck.jumping.leg_jump.options import LegJumpOptions


@dataclass(frozen=True)
class LegJumpCommand(LegJumpOptions):
    """Say GO, MARGINAL or NO-GO for the jump of a two-link leg that pushes its body up at constant acceleration.

    The defaults are those of the text this comes from: 0.5 kg on links of 0.05 kg and 60 mm jumping 15 mm. The foot stays
    where it is, the body moves straight up, and both joints have the same servo. Exit status: 0 GO or MARGINAL, 1 NO-GO,
    2 could not run.

    Examples:
      leapcheck leg-jump
      leapcheck leg-jump --height 0.02 --servo-torque 6 --servo-speed 0.11 --servo-speed-unit s/60deg
      leapcheck leg-jump --full-extension --servo-torque 0.6 --servo-torque-unit N.m --servo-speed 1500
      leapcheck leg-jump --mass 1.2 --link-length 0.08 0.09 --link-mass 0.07 0.05 --pose 60 -130
    """

    out: Path = Path("runs") / "leg_jump"
    """Folder of the report."""
    json: bool = False
    """Print the results as JSON instead of a summary."""

    def run(self) -> int:
        """Computes, judges, writes the report, prints the summary; returns the exit status."""
        from leapcheck.jumping.leg_jump.study import leg_jump_study
        from leapcheck.report.folder import check_folder
        from leapcheck.report.leg_jump.files import FILES, leg_jump_json, write_leg_jump_report

        check_folder(self.out, FILES)  # before the work, not after it
        study, command = leg_jump_study(self), self.command()
        write_leg_jump_report(study, command, self.out)
        if self.json:
            sys.stdout.write(leg_jump_json(study, command))
            return study.exit_status
        from rich.console import Console

        from leapcheck.report.leg_jump.console import leg_jump_summary
        from leapcheck.system.text import terminal_text

        console = Console(highlight=False)
        console.print(leg_jump_summary(study))
        console.print(terminal_text(f"report: {self.out / FILES[0]}"), markup=False, soft_wrap=True)
        return study.exit_status
