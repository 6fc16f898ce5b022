"""The table as a page of Markdown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from leapcheck_evidence.public_robots.files import KINDS
from leapcheck_evidence.public_robots.record import AGREES, BROKEN, Check, PublicRobot, PublicRobots

SHOWN = tuple(KINDS)
"""Kinds of which every file has a row on the page; the others stand in the files beside it."""

REASONS = (
    ("holds no robot that moves", r"nothing in it moves|has 0 bodies|has 0 links|only link is the world|nothing that moves"),
    ("soft bodies, plugins", r"soft bodies|plugin|foreign code|flex"),
    ("a file that it includes or needs is missing", r"does not exist|no such file|lies outside|cannot find|not found"),
    ("too large to be compared", r"degrees of freedom, and a comparison|coupled in M|larger than|more than"),
    ("MuJoCo refuses it", r"MuJoCo refuses"),
)
"""Kinds of reasons by the words in them; the first that fits counts."""


def page(table: PublicRobots) -> Iterator[str]:
    """Lines of the page."""
    robots = table.robots
    versions = ", ".join(f"{name} {version}" for name, version in table.versions)
    yield from ("# Public robots", "", f"Made by `{table.command}` with {versions}; do not edit.", "")
    yield from _summary(robots)
    yield from _refusals(robots)
    yield from _differences(robots)
    for kind in SHOWN:
        chosen = [robot for robot in robots if robot.kind == kind and not robot.refused]
        yield from ("", f"## {kind.capitalize()}s read: {len(chosen)}", "", *_rows(chosen))


def _summary(robots: Sequence[PublicRobot]) -> Iterator[str]:
    loads = [robot for robot in robots if robot.loads]
    read = [robot for robot in robots if not robot.refused]
    rows: list[tuple[str, Callable[[PublicRobot], bool]]] = [
        ("files", lambda _: True),
        ("loaded by MuJoCo or Pinocchio", lambda r: r.loads),
        ("of these read", lambda r: r.loads and not r.refused),
        ("M and h agree with MuJoCo straight from the file", lambda r: _agrees(r, r.mujoco)),
        ("M and h agree with Pinocchio straight from the file", lambda r: _agrees(r, r.pinocchio)),
        ("agree with one engine at least", lambda r: _agrees(r, r.mujoco) or _agrees(r, r.pinocchio)),
        ("all quantities agree with an engine's load", lambda r: _complete(r.mujoco) or _complete(r.pinocchio)),
        ("all quantities agree with both engines' loads", lambda r: _complete(r.mujoco) and _complete(r.pinocchio)),
        ("lint finds an error or a warning", lambda r: any(r.findings[:2])),
        ("MuJoCo changes something without a word", lambda r: bool(r.mujoco.changes)),
        ("Pinocchio changes something without a word", lambda r: bool(r.pinocchio.changes)),
        ("leapcheck fails", lambda r: r.refused.startswith(BROKEN)),
    ]
    kinds = (*SHOWN, "other")
    yield f"Read: {len(read)} of {len(robots)}; of the {len(loads)} that MuJoCo or Pinocchio loads, "
    yield f"{sum(not robot.refused for robot in loads)}. Errors up to {AGREES:g} (M of sqrt(M_ii M_jj)) count as agreement."
    yield from ("", f"| what | {' | '.join(kinds)} | all |", f"|---|{'---:|' * (len(kinds) + 1)}")
    for words, counts in rows:
        cells = [sum(counts(robot) for robot in robots if robot.kind == kind) for kind in kinds]
        yield f"| {words} | {' | '.join(map(str, cells))} | {sum(cells)} |"


def _refusals(robots: Sequence[PublicRobot]) -> Iterator[str]:
    refused = [robot for robot in robots if robot.refused]
    counts = Counter((reason_class(robot.refused), robot.loads) for robot in refused)
    yield from ("", "## Refused", "", "| why | an engine loads it | none does |", "|---|---:|---:|")
    for words in sorted({words for words, _ in counts}):
        yield f"| {words} | {counts[words, True]} | {counts[words, False]} |"
    yield ""
    yield from (f"- {robot.file}: {_cell(robot.refused)}" for robot in refused if robot.loads)


def reason_class(reason: str) -> str:
    """The kind of a reason; its own words where it is none of the known ones."""
    if reason.startswith(BROKEN):
        return BROKEN
    known = (words for words, pattern in REASONS if re.search(pattern, reason, re.IGNORECASE))
    return next(known, _cell(re.sub(r"'[^']*'|[0-9.]+", "...", reason))[:100])


def _differences(robots: Iterable[PublicRobot]) -> Iterator[str]:
    yield from (
        "",
        "## Different from an engine",
        "",
        "Errors of M and h straight from the file, the largest of all quantities of the engine's load, and why: in the judge's",
        "words, with the rules of lint that say what the engine changes.",
        "",
        "| file | engine | M | h | all | why |",
        "|---|---|---:|---:|---:|---|",
    )
    for robot in robots:
        for name, check in (("MuJoCo", robot.mujoco), ("Pinocchio", robot.pinocchio)):
            if check.differs:
                errors = (check.error_M, check.error_h, check.error)
                cells = ("-" if error is None else f"{error:.1e}" for error in errors)
                yield f"| {robot.file} | {name} | {' | '.join(cells)} | {_why(check)} |"


def _why(check: Check) -> str:
    """Why an engine's load differs: why its file engine is not compared, else what the judge says; and the rules of lint."""
    rules = f" ({', '.join(check.changes)})" if check.changes else ""
    return _cell(check.unchecked or check.why) + rules


def _rows(robots: Sequence[PublicRobot]) -> Iterator[str]:
    yield "| file | base | links | joints | dof | kg | points | M, h: MuJoCo | Pinocchio | quantities | lint e/w/n | verdict |"
    yield "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|"
    for robot in robots:
        sizes = (robot.base, robot.links, robot.joints, robot.dof, f"{robot.mass:.2f}", robot.points)
        checks = (robot.mujoco, robot.pinocchio)
        quantities = " + ".join(f"{check.quantities}{'' if (check.error or 0.0) <= AGREES else ' differ'}" for check in checks)
        cells = (robot.file, *sizes, *map(_errors, checks), quantities, "/".join(map(str, robot.findings)), robot.verdict)
        yield f"| {' | '.join(map(str, cells))} |"


def _errors(check: Check) -> str:
    if check.refused:
        return "refuses"
    if check.error_M is None or check.error_h is None:
        return "-"
    return f"{check.error_M:.1e}, {check.error_h:.1e}"


def _agrees(robot: PublicRobot, check: Check) -> bool:
    return not robot.refused and check.error_M is not None and not check.differs_straight


def _complete(check: Check) -> bool:
    return check.error is not None and check.error <= AGREES


def _cell(text: str) -> str:
    return text.replace("|", "/")
