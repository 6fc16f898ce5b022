"""The files of a jump study's report, written together or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from leapcheck.report.folder import write_together
from leapcheck.report.jump import view as jump_view
from leapcheck.report.jump.page import jump_markdown, jump_page
from leapcheck.report.jump.plots import phases_of
from leapcheck.report.jump.results import jump_json
from leapcheck.report.jump.scene3d import drawable_logs, scene_page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from leapcheck.jumping.study import JumpStudy
    from leapcheck.simulators.log import JumpLog

JUMP_FILES = ("results.json", "report.html", "report.md", "scene3d.html")


def write_jump_report(run: JumpStudy, folder: Path | str, more_logs: Mapping[str, JumpLog] | None = None) -> tuple[Path, ...]:
    """Write `JUMP_FILES` into `folder` (made where missing) and return their paths; other files there stay.

    `more_logs` are runs to show in 3D besides the study's own, the worst of a Monte Carlo for example. Without any log to
    show there is no scene3d.html. Raises OSError where the folder cannot be made or written; nothing is left half written.
    """
    return write_together(folder, _texts(run, more_logs or {}), [Path(folder) / JUMP_FILES[-1]])


def _texts(run: JumpStudy, more_logs: Mapping[str, JumpLog]) -> dict[str, str | bytes]:
    texts: dict[str, str | bytes] = {
        "results.json": jump_json(run),
        "report.html": jump_page(run),
        "report.md": jump_markdown(run),
    }
    logs = drawable_logs({**run.logs, **more_logs})
    if logs:
        spec = run.setup.spec
        texts["scene3d.html"] = scene_page(
            spec,
            logs,
            phases_of(spec, drawable_logs(run.logs) or logs, jump_view.push_start(run), run.setup.ground.terrain),
            terrain=run.setup.ground.terrain,
            plan=run.setup.plan,
        )
    return texts
