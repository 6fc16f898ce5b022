"""All files of a report, written together or not at all."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from leapcheck.compare.records import Run
from leapcheck.report import judgement
from leapcheck.report.json_format import read_run, run_json
from leapcheck.report.page import html_report
from leapcheck.report.table import accuracy_frame, comparison_frame, write_csv, write_parquet
from leapcheck.report.text import markdown_report

FILES = (
    "results.json",
    "report.html",
    "report.md",
    "comparisons.csv",
    "comparisons.parquet",
    "accuracies.csv",
    "accuracies.parquet",
)


def write_report(run: Run, folder: Path | str) -> tuple[Path, ...]:
    """Write `FILES` and the reproducers (in `reproducers/`) into `folder` (made where missing); return their paths.

    Other files there stay, but for the reproducers of an earlier report. They are written to a hidden folder inside
    `folder`, thus on the same file system, and moved once all are complete: what fails leaves no file behind, half or
    whole, and no new folder.

    Raises:
        OSError: the folder cannot be made or written; the message names it.
    """
    folder = Path(folder)
    check_folder(folder, (*FILES, *reproducer_paths(run)))
    made = [place for place in (folder, *folder.parents) if not place.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        _write(run, folder)
    except BaseException:
        for place in made:
            place.rmdir()
        raise
    return tuple(folder / name for name in (*FILES, *reproducer_paths(run)))


def reproducer_paths(run: Run) -> tuple[str, ...]:
    """Paths of the reproducers' files below the report's folder."""
    return tuple(f"{judgement.FOLDER}/{name}" for name in judgement.files(run))


def check_folder(folder: Path, names: Iterable[str] = FILES) -> None:
    """Raises OSError where files of these names cannot stand in `folder`: it is a file, or a folder has a file's name."""
    for place in (folder / judgement.FOLDER, folder, *folder.parents):
        if place.exists() and not place.is_dir():
            raise NotADirectoryError(f"'{place}' is a file: name another folder for the report")
    for name in names:
        if (folder / name).is_dir():
            raise IsADirectoryError(f"'{folder / name}' is a folder where the report's file should stand: move it away")


def _write(run: Run, folder: Path) -> None:
    """Write all files beside their places, then move them."""
    old = _old_reproducers(folder)
    scratch = Path(tempfile.mkdtemp(prefix=".leapcheck-", dir=folder))
    try:
        results, page, text, *tables = (scratch / name for name in FILES)
        results.write_text(run_json(run), encoding="utf-8", newline="\n")
        page.write_text(html_report(run), encoding="utf-8", newline="\n")
        text.write_text(markdown_report(run), encoding="utf-8", newline="\n")
        for frame, (csv, parquet) in zip((comparison_frame(run), accuracy_frame(run)), (tables[:2], tables[2:]), strict=True):
            write_csv(frame, csv)
            write_parquet(frame, parquet)
        for name, source in judgement.files(run).items():
            (scratch / name).write_text(source, encoding="utf-8", newline="\n")
        _move(run, scratch, folder, old)
    finally:
        shutil.rmtree(scratch)


def _move(run: Run, scratch: Path, folder: Path, old: Sequence[Path]) -> None:
    """Move what is complete to its place; a folder of reproducers without any goes."""
    for path in old:
        path.unlink(missing_ok=True)
    place = folder / judgement.FOLDER
    if run.reproducers:
        place.mkdir(exist_ok=True)
    elif old and not any(place.iterdir()):
        place.rmdir()
    for name in FILES:
        (scratch / name).replace(folder / name)
    for name in judgement.files(run):
        (scratch / name).replace(place / name)


def _old_reproducers(folder: Path) -> tuple[Path, ...]:
    """The reproducers that an earlier report put there, by its own record; none where this leapcheck cannot read it."""
    try:
        return tuple(path for name in reproducer_paths(read_run(folder / FILES[0])) if (path := folder / name).is_file())
    except (OSError, ValueError):
        return ()
