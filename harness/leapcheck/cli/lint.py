"""`leapcheck lint ROBOT`: what is odd about a model, where, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import tyro


@dataclass(frozen=True)
class Lint:
    """Check a robot's description: inertias, symmetry, masses, gears, limits, names, order.

    On a .urdf or .xml also what MuJoCo and Pinocchio make of the file without a word, measured by loading it in both.

    Exit status 1 where a finding is an error.

    Examples:
      leapcheck lint mini_cheetah
      leapcheck lint my_robot.json
      leapcheck lint my_robot.urdf
    """

    robot: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ROBOT")]
    """Name (see `leapcheck robots`), random:SEED, or a robot file (.json, .urdf, .xml)."""

    def run(self) -> int:
        """Prints the findings, errors first; returns 1 where there is an error."""
        from rich.console import Console
        from rich.text import Text

        from leapcheck.file_findings import findings_on_file
        from leapcheck.robot_files import imported, load
        from leapcheck_models.lint import lint

        file = imported(self.robot)
        spec = load(self.robot) if file is None else file.spec
        findings = (*lint(spec), *(() if file is None else findings_on_file(file)))
        console = Console(highlight=False)
        styles = {"error": "bold red", "warning": "yellow", "note": "dim"}
        for severity, style in styles.items():
            for finding in (f for f in findings if f.severity == severity):
                console.print(Text.assemble((severity, style), f"  {finding.place}: {finding.message}"), soft_wrap=True)
                console.print(Text(f"         {finding.remedy}  [{finding.rule}]", style="dim"), soft_wrap=True)
        counts = {severity: sum(f.severity == severity for f in findings) for severity in styles}
        summary = ", ".join(f"{n} {severity}{'s' * (n != 1)}" for severity, n in counts.items())
        console.print(Text(f"{spec.name}: {summary}"), soft_wrap=True)
        return int(counts["error"] > 0)
