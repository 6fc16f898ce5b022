"""The files of a jump study's report, written together or not at all."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from leapcheck.report import jump_view
from leapcheck.report.files import check_folder
from leapcheck.report.jump_json import jump_json
from leapcheck.report.jump_markdown import jump_markdown
from leapcheck.report.jump_page import jump_page
from leapcheck.report.jump_plots import phases_of
from leapcheck.report.scene3d import scene_page, shown_logs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from leapcheck.jump.log import JumpLog
    from leapcheck.jump.run import JumpRun

JUMP_FILES = ("results.json", "report.html", "report.md", "scene3d.html")


def write_jump_report(run: JumpRun, folder: Path | str, more_logs: Mapping[str, JumpLog] | None = None) -> tuple[Path, ...]:
    """Write `JUMP_FILES` into `folder` (made where missing) and return their paths; other files there stay.

    `more_logs` are runs to show in 3D besides the study's own, the worst of a Monte Carlo for example. Without any log to
    show there is no scene3d.html. Raises OSError where the folder cannot be made or written; nothing is left half written.
    """
    folder = Path(folder)
    check_folder(folder, JUMP_FILES)
    made = [place for place in (folder, *folder.parents) if not place.exists()]
    texts = _texts(run, more_logs or {})  # before anything is made on the disk
    folder.mkdir(parents=True, exist_ok=True)
    try:
        scratch = Path(tempfile.mkdtemp(prefix=".leapcheck-", dir=folder))
        try:
            for name, text in texts.items():
                (scratch / name).write_text(text, encoding="utf-8", newline="\n")
            for name in texts:
                (scratch / name).replace(folder / name)
        finally:
            shutil.rmtree(scratch)
    except BaseException:
        for place in made:
            place.rmdir()
        raise
    return tuple(folder / name for name in texts)


def _texts(run: JumpRun, more_logs: Mapping[str, JumpLog]) -> dict[str, str]:
    texts = {"results.json": jump_json(run), "report.html": jump_page(run), "report.md": jump_markdown(run)}
    logs = shown_logs({**run.logs, **more_logs})
    if logs:
        spec = run.setup.spec
        texts["scene3d.html"] = scene_page(spec, logs, phases_of(spec, shown_logs(run.logs) or logs, jump_view.push_start(run)))
    return texts
