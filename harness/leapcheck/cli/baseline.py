"""`leapcheck baseline RUN`: accept what a run found, so that later runs fail on what is new alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

if TYPE_CHECKING:
    from leapcheck.compare.records import Run


@dataclass(frozen=True)
class Baseline:
    """Accept what a finished comparison found, errors and discrepancies: `leapcheck compare ... --baseline FILE` then fails
    on a new discrepancy, on a known one whose day is over, and on an error that has grown beyond chance.

    A file that exists is brought up to date: known discrepancies keep their reason and day, those that are gone go, and
    what this run did not compare stays.

    Examples:
      leapcheck baseline runs/mini_cheetah --out baseline.json
      leapcheck baseline runs/mini_cheetah --out baseline.json --reason "no rotors, issue 12" --expires 2027-06-30
    """

    run_folder: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """Folder of a report, or its results.json."""
    out: Path = Path("baseline.json")
    """The baseline file to write, or to bring up to date."""
    reason: str = ""
    """Why the discrepancies are accepted that the file does not know yet; needed where there are any."""
    expires: str | None = None
    """The last day (YYYY-MM-DD) on which those are accepted; for good where it is left out."""

    def run(self) -> int:
        """Writes the file and says what it accepts; returns 0."""
        from leapcheck.baseline.files import read_baseline, write_baseline
        from leapcheck.baseline.making import Acceptance, part_of, unknown, updated
        from leapcheck.baseline.record import Baseline as Record
        from leapcheck.report.json_format import read_run

        run, given = read_run(self.run_folder), Acceptance(self.reason, self.expires)
        self._check(run)
        old = read_baseline(self.out) if self.out.exists() else Record(())
        part = part_of(run, old, given)
        if left := unknown(run, part):
            others = f" and {len(left) - 1} more" if len(left) > 1 else ""
            raise ValueError(
                f"'{self.out}': discrepancy of {left[0].engine} in {left[0].quantity}{others} has no reason yet: "
                'say why it is accepted by --reason "...", and until when by --expires YYYY-MM-DD'
            )
        write_baseline(updated(old, [part]), self.out)
        known = f"{len(part.known)} known discrepanc{'y' if len(part.known) == 1 else 'ies'}"
        print(f"{self.out}: {part.robot}: {len(part.accepted)} errors accepted, {known}")
        return 0

    def _check(self, run: Run) -> None:
        """ValueError for a run that shows nothing that could be accepted."""
        if run.failures:
            first = run.failures[0]
            raise ValueError(
                f"'{self.run_folder}': {first.engine} failed: {first.message}: correct that, a failure is not accepted"
            )
        if not run.comparisons:
            raise ValueError(f"'{self.run_folder}': nothing was compared: give a run with comparisons")
