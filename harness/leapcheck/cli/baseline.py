"""`leapcheck baseline RUN`: accept what a run found, so that later runs fail only on what is new."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from leapcheck.system.text import terminal_text


@dataclass(frozen=True)
class BaselineCommand:
    """Accept the errors and discrepancies of a finished comparison.

    `leapcheck compare ... --baseline FILE` then fails only on a new discrepancy, on a known one that has expired, and on an
    error that has grown beyond chance. An existing file is updated: known discrepancies keep their reason and day, those that
    are gone are removed, and whatever this run did not compare stays.

    Examples:
      leapcheck baseline runs/mini_cheetah --out baseline.json
      leapcheck baseline runs/mini_cheetah --out baseline.json --reason "no rotors, issue 12" --expires 2027-06-30
    """

    run_folder: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """Folder of a report, or its results.json."""
    out: Path = Path("baseline.json")
    """The baseline file to write or update."""
    reason: str = ""
    """Why new discrepancies are accepted; required where there are any."""
    expires: str | None = None
    """The last day (YYYY-MM-DD) on which they are accepted; without it, for good."""

    def run(self) -> int:
        """Writes the file and prints what it accepts; returns 0."""
        from leapcheck.baseline.files import read_baseline, write_baseline
        from leapcheck.baseline.record import Baseline
        from leapcheck.baseline.update import Acceptance, accept_run, unaccepted_discrepancies, update_baseline
        from leapcheck.report.comparison.results import read_run

        run, acceptance = read_run(self.run_folder), Acceptance(self.reason, self.expires)
        if run.failures:
            first = run.failures[0]
            raise ValueError(
                f"'{self.run_folder}': {first.engine} failed: {first.message}: correct that, a failure is not accepted"
            )
        if not run.comparisons:
            raise ValueError(f"'{self.run_folder}': nothing was compared: give a run with comparisons")
        old = read_baseline(self.out) if self.out.exists() else Baseline(())
        part = accept_run(run, old, acceptance)
        if rest := unaccepted_discrepancies(run, part):
            others = f" and {len(rest) - 1} more" if len(rest) > 1 else ""
            raise ValueError(
                f"'{self.out}': discrepancy of {rest[0].engine} in {rest[0].quantity}{others} has no reason yet: "
                'say why it is accepted with --reason "...", and until when with --expires YYYY-MM-DD'
            )
        write_baseline(update_baseline(old, [part]), self.out)
        known = f"{len(part.known)} known discrepanc{'y' if len(part.known) == 1 else 'ies'}"
        print(terminal_text(f"{self.out}: {part.robot}: {len(part.accepted)} errors accepted, {known}"))
        return 0
