"""`leapcheck lint ROBOT`: what is odd about a model, where, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

STYLES = {"error": "bold red", "warning": "yellow", "note": "dim"}


@dataclass(frozen=True)
class LintCommand:
    """Check a robot's description: inertias, symmetry, masses, gears, limits, names, order.

    For a .urdf or .xml also what MuJoCo and Pinocchio silently make of the file, measured by loading it in both.

    With --fix what has a safe remedy is repaired in a copy of the file, and shown as a diff: axes that are not of unit length,
    exchanged limits, revolute joints without limits, inertias that no body has (the nearest is taken), links that MuJoCo
    would fuse, options without effect.

    Exit status 1 if a finding is an error.

    Examples:
      leapcheck lint mini_cheetah
      leapcheck lint my_robot.json
      leapcheck lint my_robot.urdf
      leapcheck lint my_robot.urdf --fix my_robot_fixed.urdf
    """

    robot: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ROBOT")]
    """Name (see `leapcheck robots`), random:SEED, or a robot file (.json, .urdf, .xml)."""
    fix: Path | None = None
    """Write the repaired file here, beside the old one, whose meshes it needs; list with reasons what is left."""

    def run(self) -> int:
        """Prints the findings, errors first; returns 1 if there is an error."""
        if self.fix is not None:
            from leapcheck.api.repair import repair
            from leapcheck.system.text import terminal_lines

            repaired = repair(self.robot, self.fix)
            print(terminal_lines(str(repaired)))
            return int(not repaired.ok)
        from rich.console import Console

        from leapcheck.api.robots import lint
        from leapcheck.report.terminal import rich_text

        report, console = lint(self.robot), Console(highlight=False)
        if report.note:
            console.print(rich_text(False, (report.note, "")), soft_wrap=True)
        for finding in report:
            severity = (finding.severity, STYLES[finding.severity])
            console.print(rich_text(False, severity, (f"  {finding.place}: {finding.message}", "")), soft_wrap=True)
            console.print(rich_text(False, (f"         {finding.remedy}  [{finding.rule}]", "dim")), soft_wrap=True)
        if any(finding.severity != "note" for finding in report):
            console.print("`leapcheck rule NAME` explains the words in brackets", style="dim", markup=False)
        console.print(rich_text(False, (report.sentence, "")), soft_wrap=True)
        return int(not report.ok)
