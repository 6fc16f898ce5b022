"""`leapcheck explain RUN`: who is wrong, why, and the smallest case that shows it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

if TYPE_CHECKING:
    from leapcheck.records import Run


@dataclass(frozen=True)
class ExplainCommand:
    """Explain why engines are wrong in a finished comparison: verdict, causes with amounts, alternatives, the smallest case, and
    how to repeat it.

    Examples:
      leapcheck explain runs/mini_cheetah
      leapcheck explain runs/mini_cheetah --details
      leapcheck explain runs/mini_cheetah --engine my_dynamics:make --quantity mass_matrix
      leapcheck explain runs/mini_cheetah --quantity mass_matrix --script > case.py
    """

    run_folder: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """Folder of a report, or its results.json."""
    engine: str = ""
    """Only this engine."""
    quantity: str = ""
    """Only this quantity, e.g. mass_matrix."""
    details: bool = False
    """Every quantity, smallest case and engine, not one for all that are alike; the largest errors; who is wrong, by how much."""
    script: bool = False
    """Print the reproducer, a Python file, instead; the first one if several match."""

    def run(self) -> int:
        """Prints the explanation or the script; returns 0."""
        from leapcheck.report.comparison.explanation import explanation, restrict
        from leapcheck.report.comparison.results import read_run

        run = read_run(self.run_folder)
        if self.script:
            sys.stdout.write(self._script(restrict(run, self.engine, self.quantity)))
            return 0
        from rich.console import Console

        Console().print(explanation(run, self.engine, self.quantity, self.details))
        return 0

    def _script(self, run: Run) -> str:
        """The text of the first reproducer; the others are listed on standard error."""
        from leapcheck.report.comparison.judgement import file_name
        from leapcheck.system.text import terminal_text

        scripts = [case for case in run.reproducers if case.script]
        if not scripts:
            subject = " ".join(filter(None, (self.engine, self.quantity)))
            of = f" of {subject}" if subject else ""
            raise ValueError(f"'{self.run_folder}' has no reproducer{of}: leave out --script to see what it has")
        first, *others = scripts
        if others:
            names = "; ".join(f"--engine {case.engine} --quantity {case.quantity}" for case in others)
            print(terminal_text(f"leapcheck: this is {file_name(first)}; for others give {names}"), file=sys.stderr)
        return first.script if first.script.endswith("\n") else f"{first.script}\n"
