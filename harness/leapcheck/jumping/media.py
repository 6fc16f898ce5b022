"""Pictures, films and logs of a jump study beside its report."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from leapcheck.jumping.log_files import write_mcap, write_parquet
from leapcheck.jumping.measures.observation import motion_phases, observe
from leapcheck.jumping.study import JumpStudy
from leapcheck.simulators.log import JumpLog
from leapcheck.simulators.mujoco.drawing import RenderError
from leapcheck.simulators.mujoco.render import picture_strip, write_film
from leapcheck.system.whole_file import write_whole

FRAMES = 7
"""Pictures of a strip where no plan says which moments matter."""

NOMINAL, WORST = "the jump", "worst run of the Monte Carlo"


def shown_logs(run: JumpStudy) -> dict[str, JumpLog]:
    """The logs to show, by title: the first simulator's, and the worst failure of the Monte Carlo, run again."""
    shown = {NOMINAL: next(iter(run.logs.values()))} if run.logs else {}
    monte_carlo = run.monte_carlo
    if monte_carlo is not None and run.worst is not None and monte_carlo.successes < monte_carlo.count:
        shown[WORST] = run.worst
    return shown


def with_pictures(run: JumpStudy, shown: Mapping[str, JumpLog]) -> JumpStudy:
    """The run with a strip of pictures of each log; where there is no OpenGL library a note says so instead."""
    try:
        pictures = {title: strip(run, log) for title, log in shown.items() if log.steps}
    except RenderError as error:
        return dataclasses.replace(run, notes=(*run.notes, str(error)))
    return dataclasses.replace(run, pictures=pictures)


def strip(run: JumpStudy, log: JumpLog) -> bytes:
    """PNG of the moments that matter, from left to right."""
    moments = _moments(run, log)
    rows = np.clip(np.rint(np.array(list(moments.values())) / log.dt).astype(int), 0, log.steps)
    captions = [f"{name} {log.time[row]:.2f} s".strip() for name, row in zip(moments, rows, strict=True)]
    return picture_strip(run.setup.spec, log.q[rows], captions, **_ground(run))


def check_packages(mcap: bool, video: bool, rerun: bool = False) -> None:
    """ImportError with the remedy where a package is missing that a log, a film or a recording needs."""
    for wanted, package, extra in ((mcap, "mcap", "mcap"), (video, "imageio_ffmpeg", "video"), (rerun, "rerun", "rerun")):
        if wanted and find_spec(package) is None:
            name = package.replace("_", "-")
            raise ImportError(f"--{extra}: the package '{name}' is missing: pip install 'leapcheck[{extra}]'")


def write_media(run: JumpStudy, shown: Mapping[str, JumpLog], folder: Path, mcap: bool, video: bool) -> tuple[str, ...]:
    """Writes logs/SIMULATOR.parquet, with `mcap` also .mcap; the strips as PNG; with `video` a film of each log that is shown.

    Returns a line for each thing that could not be made; all else is there.
    """
    spec, notes = run.setup.spec, []
    logs = folder / "logs"
    logs.mkdir(exist_ok=True)
    for name, log in {**run.logs, **{_file_stem(title): log for title, log in shown.items() if title != NOMINAL}}.items():
        write_parquet(spec, log, logs / f"{name}.parquet")
        if mcap:
            try:
                write_mcap(spec, log, logs / f"{name}.mcap")
            except ImportError as error:
                notes = [str(error)]
    for title, png in run.pictures.items():
        write_whole(folder / f"{_file_stem(title)}.png", png)
    for title, log in shown.items() if video else ():
        try:
            write_film(spec, log.time, log.q, folder / f"{_file_stem(title)}.mp4", **_ground(run))
        except RenderError as error:
            notes.append(str(error))
            break
    return tuple(notes)


def _ground(run: JumpStudy) -> dict[str, Any]:
    """What is drawn besides the robot and the level floor."""
    terrain = run.setup.ground.terrain
    return {} if terrain.is_level else {"terrain": terrain}


def _file_stem(title: str) -> str:
    return "jump" if title == NOMINAL else "worst_run"


def _moments(run: JumpStudy, log: JumpLog) -> dict[str, float]:
    """Times (s) to picture, by name: the plan's; without one what the log shows, evenly spaced where that is no jump."""
    end, plan = float(log.time[-1]), run.setup.plan
    if plan is None:
        return _moments_seen(run, log) or {f"{'':{i}}": t for i, t in enumerate(np.linspace(0.0, end, FRAMES))}
    crouched = next((phase.end for phase in plan.phases if phase.name == "crouch"), 0.0)
    push = next((phase.start for phase in plan.phases if phase.name == "push"), crouched)
    named = {
        "stand": 0.0,
        "crouch": crouched,
        "push": (push + plan.take_off) / 2,
        "take-off": plan.take_off,
        "apex": (plan.take_off + plan.touch_down) / 2,
        "touch-down": plan.touch_down,
        "end": end,
    }
    return {name: t for name, t in named.items() if t <= end}


def _moments_seen(run: JumpStudy, log: JumpLog) -> dict[str, float]:
    """The moments of the jump in a log, the flight in two pictures; empty where there is none."""
    seen = observe(run.setup.spec, log, run.setup.ground.terrain)
    if not seen.steps:
        return {}
    phases = motion_phases(seen)
    push, off, down = phases.push, phases.take_off, phases.touch_down
    if not np.isfinite([push, off, down]).all():
        return {}
    named = {"crouch": push, "push": (push + off) / 2, "take-off": off, "flight": (2 * off + down) / 3}
    return named | {"flight ": (off + 2 * down) / 3, "touch-down": down, "end": float(log.time[-1])}
