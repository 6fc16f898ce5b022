"""The score as Markdown, as JSON and in the terminal: the same cells everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from statistics import median
from typing import TYPE_CHECKING

from leapcheck.system.strict_json import dumps
from leapcheck_evidence.score.goals import ScoreGoal, goals
from leapcheck_evidence.score.record import Outcome, Score

if TYPE_CHECKING:
    from rich.console import RenderableType

CLASS_TITLES = ("class", "planted", "found", "named", "share named", "median entries of the smallest state")
GOAL_TITLES = ("goal", "reached", "of", "share", "wanted", "")
MISS_TITLES = ("number", "planted", "said", "repeat it")


def score_json(score: Score) -> str:
    """The whole record."""
    data = asdict(score)
    data["goals"] = [asdict(goal) | {"is_reached": goal.is_reached} for goal in goals(score)]
    return dumps(data)


def score_markdown(score: Score) -> str:
    """The tables as GitHub's Markdown."""
    parts = [
        f"# Planted defects\n\n{heading(score)}\n",
        markdown_table(GOAL_TITLES, goal_cells(score)),
        f"## By class\n\n{markdown_table(CLASS_TITLES, class_cells(score))}",
    ]
    if missed := misses(score):
        parts.append(f"## Missed\n\n{markdown_table(MISS_TITLES, miss_cells(score, missed))}")
    lines = [f"- {run.robot}: {run.states} states, {', '.join(run.engines)}: {_alarms(run.alarms)}" for run in score.clean]
    if lines:
        parts.append("## Engines without a fault\n\n" + "\n".join(lines) + "\n")
    return "\n".join(parts)


def score_console(score: Score) -> RenderableType:
    """The tables for rich."""
    from rich.console import Group
    from rich.text import Text

    parts: list[RenderableType] = [Text(heading(score)), console_table(CLASS_TITLES, class_cells(score))]
    if missed := misses(score):
        parts += [Text("missed", style="bold"), console_table(MISS_TITLES, miss_cells(score, missed))]
    return Group(*parts, console_table(GOAL_TITLES, goal_cells(score)))


def heading(score: Score) -> str:
    """The score in one sentence."""
    all_reached = all(goal.is_reached for goal in goals(score))
    verdict = "all goals reached" if all_reached else "not all goals reached"
    return f"`{score.command}`: {len(score.outcomes)} defects of seed {score.seed}; {verdict}."


def class_cells(score: Score) -> list[tuple[str, ...]]:
    """One line per class."""
    kinds = dict.fromkeys(outcome.kind for outcome in score.outcomes)
    return [_class_cells(kind, [o for o in score.outcomes if o.kind == kind]) for kind in kinds]


def goal_cells(score: Score) -> list[tuple[str, ...]]:
    """One line per goal."""
    return [
        (goal.label, str(goal.part), str(goal.whole), _share(goal), f">= {goal.least:.0%}", "ok" if goal.is_reached else "missed")
        for goal in goals(score)
    ]


def misses(score: Score) -> list[Outcome]:
    """The defects that were not found or not named rightly."""
    return [outcome for outcome in score.outcomes if not outcome.named or (outcome.is_demanded and not outcome.found)]


def miss_cells(score: Score, missed: Sequence[Outcome]) -> list[tuple[str, ...]]:
    """One line per miss."""
    return [(str(o.number), f"{o.kind}: {o.label}", _diagnosis_text(o), f"{score.repeat} --defect {o.number}") for o in missed]


def _diagnosis_text(outcome: Outcome) -> str:
    """What was said instead."""
    if outcome.failure:
        return f"the judge failed: {outcome.failure}"
    if outcome.wanted == "right":
        return f"a fault: {', '.join(outcome.said) or 'without a name'}"
    if not outcome.found:
        return "nothing: not found"
    rest = f"; unexplained: {', '.join(outcome.unexplained)}" if outcome.unexplained else ""
    return (", ".join(outcome.said) or "no name") + rest


def _class_cells(kind: str, outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    n, named = len(outcomes), sum(outcome.named for outcome in outcomes)
    counts = [outcome.entries for outcome in outcomes if outcome.entries is not None]
    entries = f"{median(counts):g}" if counts else ""
    return (kind, str(n), str(sum(outcome.found for outcome in outcomes)), str(named), f"{named / n:.0%}", entries)


def _share(goal: ScoreGoal) -> str:
    return f"{goal.part / goal.whole:.1%}" if goal.whole else ""


def _alarms(alarms: Sequence[str]) -> str:
    return "; ".join(alarms) or "no alarm"


def markdown_table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of GitHub's Markdown."""
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines) + "\n"


def console_table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> RenderableType:
    """A table for rich."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="dim")
    for title in titles:
        table.add_column(title, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return table
