"""A look at several versions in the terminal, as Markdown and as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from leapcheck.compare.records import Failure
from leapcheck.report import words
from leapcheck.report.terminal import COLOURS, styled
from leapcheck.versions.records import WRONG, Change, History

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions

MOST_COLUMNS = 5
"""Versions side by side that a terminal of 80 columns has room for."""


def sentence(found: History) -> str:
    """What was found, in one sentence."""
    over = f"over {found.states} state{'s' * (found.states != 1)} of {found.robot} ({found.route})"
    if not found.versions:
        return f"No version of {found.package} could be run."
    if found.changes:
        names = dict.fromkeys(words.quantity_label(change.quantity) for change in found.changes)
        return f"{found.package} changed in {', '.join(names)} {over}."
    if found.wrong:
        names = dict.fromkeys(words.quantity_label(figure.quantity) for figure in found.wrong)
        alike = ", without a change from version to version," if len(found.versions) > 1 else f" ({found.versions[0]})"
        return f"{found.package} is wrong in {', '.join(names)}{alike} {over}."
    ran = ", ".join(found.versions)
    if len(found.versions) < 2:
        return f"Nothing to compare: only {found.package} {ran} could be run {over}."
    return f"{found.package} {ran} give the same to rounding {over}."


def change_line(change: Change) -> str:
    """One change in words: the quantity, the two versions, the error of each against the truth, and how far they are apart."""
    errors = " -> ".join("?" if e is None else words.number(e) for e in (change.error_before, change.error_after))
    if change.exact:
        release = f"first in {change.after}: "
    elif change.untested:
        release = f"somewhere among {', '.join(change.untested)}, which could not be run, and {change.after}: "
    else:
        release = ""
    between = f"changed between {change.before} and {change.after}"
    return f"{words.quantity_label(change.quantity)}: {between}: {release}{errors} (apart by {words.number(change.error)})"


def failure_line(failure: Failure) -> str:
    """What could not be run, and why."""
    what = f"{failure.engine}, {words.quantity_label(failure.quantity)}" if failure.quantity else failure.engine
    return f"{what}: {failure.message}"


def history_json(found: History) -> str:
    """The whole record, with its exit status; numbers that are none as strings, as in results.json."""
    record = {"sentence": sentence(found), "exit_status": found.exit_status, **asdict(found)}
    return json.dumps(_finite(record), indent=1, allow_nan=False) + "\n"


def history_markdown(found: History) -> str:
    """The table, the changes and what could not be run, as GitHub's Markdown."""
    titles = ["quantity", *found.versions]
    lines = [f"# {found.package} in several versions", "", sentence(found), "", f"`{found.command}`", ""]
    lines += ["Largest error against the truth, in units of the expected rounding; errors beyond rounding are bold.", ""]
    lines += [f"| {' | '.join(titles)} |", "|---|" + "---:|" * len(found.versions)]
    for label, cells in table(found):
        lines.append(f"| {label} | {' | '.join(f'**{text}**' if wrong else text for text, wrong in cells)} |")
    for title, items in (
        ("Changes", [change_line(change) for change in found.changes]),
        ("Not run", [*map(failure_line, found.failures), *found.limits]),
    ):
        if items:
            lines += ["", f"## {title}", "", *(f"- {item}" for item in items)]
    return "\n".join([*lines, ""])


def table(found: History) -> Iterator[tuple[str, list[tuple[str, bool]]]]:
    """For each quantity its label, and for each version its error in units of the expected rounding and whether it is wrong."""
    figures = {(figure.version, figure.quantity): figure for figure in found.figures}
    for quantity in dict.fromkeys(figure.quantity for figure in found.figures):
        row = [figures.get((version, quantity)) for version in found.versions]
        cells = [(words.factor(f.rounding), f.verdict == WRONG) if f else (words.DASH, False) for f in row]
        yield words.quantity_label(quantity), cells


@dataclass(frozen=True, slots=True)
class HistorySummary:
    """What rich prints of a history; signs turn to ASCII where the terminal knows no others."""

    found: History

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Any]:
        """Verdict, table, changes, what could not be run."""
        plain, found = options.ascii_only, self.found
        sign, tone = ("✓", "good") if found.exit_status == 0 else ("✗", "bad") if found.exit_status == 1 else ("!", "bad")
        yield styled(plain, (f"{sign} ", f"bold {COLOURS[tone]}"), (sentence(found), "bold"))
        if found.figures:
            yield ""
            yield _table(found, plain)
        for change in found.changes:
            yield styled(plain, (change_line(change), COLOURS["bad"]))
        for failure in found.failures:
            yield styled(plain, (f"not run  {failure_line(failure)}", COLOURS["warn"]))
        for limit in found.limits:
            yield styled(plain, (f"not run  {limit}", "dim"))


def _table(found: History, plain: bool) -> Any:
    from rich import box
    from rich.table import Table

    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, safe_box=True, header_style="dim")
    shown.add_column("error /rounding", no_wrap=True)
    columns = _columns(found)
    for i in columns:
        shown.add_column(found.versions[i], justify="right", no_wrap=True)
    for label, cells in table(found):
        marked = [styled(plain, (text, COLOURS["bad"] if wrong else "")) for text, wrong in (cells[i] for i in columns)]
        shown.add_row(styled(plain, (label, "")), *marked)
    return shown


def _columns(found: History) -> list[int]:
    """The versions that are shown: all, or the first, the last, and those on either side of a change; the files have all."""
    versions = found.versions
    told = {versions[0], versions[-1], *(v for change in found.changes for v in (change.before, change.after))}
    return [i for i, version in enumerate(versions) if len(versions) <= MOST_COLUMNS or version in told]


def _finite(value: Any) -> Any:
    """The value with strings in place of numbers that JSON does not have."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
