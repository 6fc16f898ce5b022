"""All files of a comparison's report."""

from __future__ import annotations

from pathlib import Path

from leapcheck.comparison.plan import Plan, blocks
from leapcheck.records import Run
from leapcheck.report.comparison import judgement
from leapcheck.report.comparison.frames import accuracy_table, comparison_table
from leapcheck.report.comparison.page import html_report, markdown_report
from leapcheck.report.comparison.results import read_run, run_json
from leapcheck.report.folder import write_together
from leapcheck.sampling import join_states
from leapcheck.state_files import state_table
from leapcheck.system.tables import csv_bytes, parquet_bytes
from leapcheck.system.whole_file import write_whole

FILES = (
    "results.json",
    "report.html",
    "report.md",
    "comparisons.csv",
    "comparisons.parquet",
    "accuracies.csv",
    "accuracies.parquet",
)

STATES_FILE = "states.parquet"
"""The states of the run."""

MOST_STATES = 10_000
"""Above this number no states are written."""


def write_report(run: Run, folder: Path | str) -> tuple[Path, ...]:
    """Write `FILES` and the reproducers (in `reproducers/`) into `folder` (made where missing); return their paths.

    Other files there stay, but for the reproducers of an earlier report. All are written or none.

    Raises:
        OSError: the folder cannot be made or written; the message names it.
    """
    comparisons, accuracies = comparison_table(run), accuracy_table(run)
    contents: dict[str, str | bytes] = {
        "results.json": run_json(run),
        "report.html": html_report(run),
        "report.md": markdown_report(run),
        "comparisons.csv": csv_bytes(comparisons),
        "comparisons.parquet": parquet_bytes(comparisons),
        "accuracies.csv": csv_bytes(accuracies),
        "accuracies.parquet": parquet_bytes(accuracies),
    }
    reproducers = {f"{judgement.FOLDER}/{name}": source for name, source in judgement.files(run).items()}
    return write_together(folder, contents | reproducers, _old_reproducers(Path(folder)))


def write_states(plan: Plan, folder: Path) -> None:
    """Writes states.parquet, which `--states-file` reads; left out where there are many: the seed says it in less."""
    path = folder / STATES_FILE
    if plan.state_count > MOST_STATES:
        path.unlink(missing_ok=True)  # that of an earlier run
        return
    write_whole(path, parquet_bytes(state_table(join_states(list(blocks(plan))))))


def _old_reproducers(folder: Path) -> list[Path]:
    """The reproducers that an earlier report put there, by its own record; none where this leapcheck cannot read it."""
    if not (folder / judgement.FOLDER).is_dir():
        return []
    try:
        names = judgement.files(read_run(folder / FILES[0]))
    except (OSError, ValueError):
        return []
    return [path for name in names if (path := folder / judgement.FOLDER / name).is_file()]
