"""The table of public robots, which the reader filters, from the record of the last study of them."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

from leapcheck_models.words import plural

RECORD = Path("reports/public_robots.json")
AGREE = 1e-9
"""Errors up to this count as agreement, as in the study's own tables."""

INTRO = """---
hide: [navigation, toc]
---

# Public robots

Robot files of others that leapcheck read and compared, straight from the file: {read} of {count}, with {versions}. "M, h" is the
largest scale-free error of the mass matrix and the bias force of the engine's own import against the file's tree. "Changes" is
what the import changes without a word, by [lint rule](rules/index.md). Findings are errors, warnings and notes of `leapcheck
lint`.

Type in a box to filter; click a title to sort.
"""

CONTROLS = """<p class="robot-filter"><label>Name <input type="search" data-filter="0"></label>
<label>Kind <input type="search" data-filter="1"></label>
<label>MuJoCo <input type="search" data-filter="4"></label>
<label>Pinocchio <input type="search" data-filter="5"></label>
<output></output></p>"""


def robots_page() -> str:
    """The whole page."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    versions = ", ".join(" ".join(pair) for pair in record["versions"] if pair[0] in ("mujoco", "pin", "leapcheck"))
    read = sum(not robot["refused"] for robot in record["robots"])
    titles = ("file", "kind", "dof", "mass, kg", "MuJoCo", "Pinocchio", "findings")
    head = "".join(f'<th scope="col"><button type="button">{title}</button></th>' for title in titles)
    body = "\n".join(_row(robot) for robot in record["robots"])
    rows = f"<thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody>"
    table = f'<div class="robot-table" tabindex="0"><table id="robots" class="robots">{rows}</table></div>'
    intro = INTRO.format(read=read, count=len(record["robots"]), versions=versions)
    return f"{intro}\n{CONTROLS}\n\n{table}\n"


def _row(robot: dict[str, Any]) -> str:
    if robot["refused"]:
        cells = [robot["file"], robot["kind"], "", "", "", "", f"not read: {robot['refused']}"]
    else:
        errors, warnings, notes = robot["findings"]
        counts = ", ".join(map(plural, (errors, warnings, notes), ("error", "warning", "note")))
        mass = f"{robot['mass']:.4g}"
        cells = [
            robot["file"],
            robot["kind"],
            str(robot["dof"]),
            mass,
            _engine(robot["mujoco"]),
            _engine(robot["pinocchio"]),
            counts,
        ]
    return f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in cells)}</tr>"


def _engine(result: dict[str, Any]) -> str:
    """What one engine made of the file, in words."""
    if result["refused"]:
        return f"refuses it: {result['refused']}"
    changes = f"; changes: {', '.join(result['changes'])}" if result["changes"] else ""
    if result["error_M"] is None or result["error_h"] is None:
        return f"not compared: {result['unchecked']}{changes}"
    error = max(result["error_M"], result["error_h"])
    return f"{'agrees' if error <= AGREE else 'differs'}, M, h {error:.1e}{changes}"
