"""The history of several versions in the terminal, as Markdown and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from typing import Any

from leapcheck.records import Failure, VersionChange, VersionHistory
from leapcheck.report import words
from leapcheck.report.terminal import COLOURS, FittingTable, Summary, rich_table, rich_text
from leapcheck.system.strict_json import dumps
from leapcheck_models.words import plural

MOST_COLUMNS = 5
"""Versions side by side that a terminal of 80 columns has room for."""


def sentence(history: VersionHistory) -> str:
    """The result in one sentence."""
    over = f"over {plural(history.states, 'state')} of {history.robot} ({history.route})"
    if not history.versions:
        return f"No version of {history.package} could be run."
    if history.changes:
        names = dict.fromkeys(words.quantity_label(change.quantity) for change in history.changes)
        return f"{history.package} changed in {', '.join(names)} {over}."
    if history.wrong:
        names = dict.fromkeys(words.quantity_label(figure.quantity) for figure in history.wrong)
        alike = " in every version" if len(history.versions) > 1 else f" ({history.versions[0]})"
        return f"{history.package} is wrong in {', '.join(names)}{alike} {over}."
    ran = ", ".join(history.versions)
    if len(history.versions) < 2:
        return f"Nothing to compare: only {history.package} {ran} could be run {over}."
    return f"{history.package} {ran} agree to rounding {over}."


def change_line(change: VersionChange) -> str:
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


def history_json(history: VersionHistory) -> str:
    """The whole record with its exit status, as JSON."""
    return dumps({"sentence": sentence(history), "exit_status": history.exit_status, **asdict(history)})


def history_markdown(history: VersionHistory) -> str:
    """The table, the changes and what could not be run, as GitHub's Markdown."""
    titles = ["quantity", *history.versions]
    lines = [f"# {history.package} in several versions", "", sentence(history), "", f"`{history.command}`", ""]
    lines += ["Largest error against the truth, in units of the expected rounding; errors beyond rounding are bold.", ""]
    lines += [f"| {' | '.join(titles)} |", "|---|" + "---:|" * len(history.versions)]
    for label, cells in table(history):
        lines.append(f"| {label} | {' | '.join(f'**{text}**' if wrong else text for text, wrong in cells)} |")
    for title, items in (
        ("Changes", [change_line(change) for change in history.changes]),
        ("Not run", [*map(failure_line, history.failures), *history.limits]),
    ):
        if items:
            lines += ["", f"## {title}", "", *(f"- {item}" for item in items)]
    return "\n".join([*lines, ""])


def table(history: VersionHistory) -> Iterator[tuple[str, list[tuple[str, bool]]]]:
    """For each quantity its label, and for each version its error in units of the expected rounding and whether it is wrong."""
    figures = {(figure.version, figure.quantity): figure for figure in history.figures}
    for quantity in dict.fromkeys(figure.quantity for figure in history.figures):
        row = [figures.get((version, quantity)) for version in history.versions]
        cells = [(words.factor(f.rounding), f.verdict == "wrong") if f else (words.DASH, False) for f in row]
        yield words.quantity_label(quantity), cells


def history_summary(history: VersionHistory) -> Summary:
    """A rich renderable of a history: `Console().print(history_summary(history))`."""
    return Summary(partial(_parts, history))


def _parts(history: VersionHistory, plain: bool) -> Iterator[Any]:
    """Verdict, table, changes, what could not be run."""
    sign, tone = {0: ("✓", "good"), 1: ("✗", "bad")}.get(history.exit_status, ("!", "bad"))
    yield rich_text(plain, (f"{sign} ", f"bold {COLOURS[tone]}"), (sentence(history), "bold"))
    if history.figures:
        columns = _columns(history)
        shown = rich_table("error /rounding", *(history.versions[i] for i in columns))
        for label, cells in table(history):
            texts = (rich_text(plain, (text, COLOURS["bad"] if wrong else "")) for text, wrong in (cells[i] for i in columns))
            shown.add_row(rich_text(plain, (label, "")), *texts)
        yield ""
        yield FittingTable(shown)
    for change in history.changes:
        yield rich_text(plain, (change_line(change), COLOURS["bad"]))
    for failure in history.failures:
        yield rich_text(plain, (f"not run  {failure_line(failure)}", COLOURS["warn"]))
    for limit in history.limits:
        yield rich_text(plain, (f"not run  {limit}", "dim"))


def _columns(history: VersionHistory) -> list[int]:
    """The versions that are shown: all, or the first, the last, and those on either side of a change; the files have all."""
    versions = history.versions
    named = {versions[0], versions[-1], *(v for change in history.changes for v in (change.before, change.after))}
    return [i for i, version in enumerate(versions) if len(versions) <= MOST_COLUMNS or version in named]
