"""The files of a leg's jump, written together or not at all."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from leapcheck.leg_jump.data_files import course_frame, leg_jump_json
from leapcheck.leg_jump.page import leg_jump_page
from leapcheck.leg_jump.result import LegJump
from leapcheck.report.table import write_csv

FILES = ("leg_jump.html", "leg_jump.json", "leg_jump.csv")


def write_leg_jump_report(run: LegJump, command: str, folder: Path) -> tuple[Path, ...]:
    """Writes `FILES` into `folder` (made where missing) and returns their paths; without a course there is no CSV.

    They are written to a hidden folder beside their places and moved once all are complete.
    """
    texts = leg_jump_page(run, command), leg_jump_json(run, command)  # before a folder is made
    folder.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=".leapcheck-", dir=folder))
    try:
        for name, text in zip(FILES, texts, strict=False):
            (scratch / name).write_text(text, encoding="utf-8", newline="\n")
        (folder / FILES[2]).unlink(missing_ok=True)  # that of an earlier run
        if run.course is not None:
            write_csv(course_frame(run.course), scratch / FILES[2])
        written = [name for name in FILES if (scratch / name).exists()]
        for name in written:
            (scratch / name).replace(folder / name)
    finally:
        shutil.rmtree(scratch)
    return tuple(folder / name for name in written)
