"""The score of the codes as Markdown, as JSON and in the terminal."""

from __future__ import annotations

from dataclasses import asdict
from statistics import median
from typing import TYPE_CHECKING

from leapcheck.system.strict_json import dumps
from leapcheck_evidence.score.programs.catalogue import KINDS
from leapcheck_evidence.score.programs.judging import ProgramOutcome
from leapcheck_evidence.score.programs.naming import Named
from leapcheck_evidence.score.programs.score import ProgramScore, program_goals
from leapcheck_evidence.score.show import console_table, markdown_table

if TYPE_CHECKING:
    from rich.console import RenderableType

KIND_TITLES = ("kind", "planted", *(str(named) for named in Named), "CPU s, median", "worst")
GOAL_TITLES = ("goal", "reached", "wanted", "")
CLEAN_TITLES = ("engine", "robot", "said")
MISS_TITLES = ("number", "planted", "outcome", "said", "repeat it")


def program_json(score: ProgramScore) -> str:
    """The whole record."""
    return dumps(asdict(score) | {"goals": [asdict(goal) for goal in program_goals(score)]})


def program_markdown(score: ProgramScore) -> str:
    """The tables as GitHub's Markdown."""
    parts = [
        f"# Defects planted in hand-written codes\n\n{_heading(score)}\n",
        markdown_table(GOAL_TITLES, _goal_cells(score)),
        f"## By kind\n\n{markdown_table(KIND_TITLES, _kind_cells(score))}",
    ]
    if rows := _miss_cells(score):
        parts.append(f"## Not named rightly\n\n{markdown_table(MISS_TITLES, rows)}")
    if score.clean:
        parts.append(f"## Engines without a fault\n\n{markdown_table(CLEAN_TITLES, _clean_cells(score))}")
    return "\n".join(parts)


def program_console(score: ProgramScore) -> RenderableType:
    """The tables for rich."""
    from rich.console import Group
    from rich.text import Text

    tables = [console_table(KIND_TITLES, _kind_cells(score))]
    if rows := _miss_cells(score):
        tables.append(console_table(MISS_TITLES, rows))
    if any(outcome.alarms for outcome in score.clean):
        tables.append(console_table(CLEAN_TITLES, _clean_cells(score)))
    return Group(Text(_heading(score)), *tables, console_table(GOAL_TITLES, _goal_cells(score)))


def _heading(score: ProgramScore) -> str:
    reached = all(goal.is_reached for goal in program_goals(score))
    verdict = "all goals reached" if reached else "not all goals reached"
    return f"`{score.command}`: {len(score.outcomes)} defects of seed {score.seed}; {verdict}."


def _goal_cells(score: ProgramScore) -> list[tuple[str, ...]]:
    return [(goal.label, goal.reached, goal.wanted, "ok" if goal.is_reached else "missed") for goal in program_goals(score)]


def _kind_cells(score: ProgramScore) -> list[tuple[str, ...]]:
    """One line per kind."""
    cells = []
    for kind in KINDS:
        if own := [outcome for outcome in score.outcomes if outcome.kind == kind]:
            counts = (str(sum(outcome.named is named for outcome in own)) for named in Named)
            seconds = [outcome.seconds for outcome in own]
            cells.append((kind, str(len(own)), *counts, f"{median(seconds):.1f}", f"{max(seconds):.1f}"))
    return cells


def _miss_cells(score: ProgramScore) -> list[tuple[str, ...]]:
    """One line for each defect that is not named rightly."""
    missed = [outcome for outcome in score.outcomes if outcome.named is not Named.RIGHTLY]
    return [
        (str(o.number), f"{o.kind}: {o.label}", str(o.named), _said(o), f"{score.repeat} --defect {o.number}") for o in missed
    ]


def _clean_cells(score: ProgramScore) -> list[tuple[str, ...]]:
    """One line for each engine without a fault."""
    return [(clean.label, clean.robot, "; ".join(clean.alarms) or "no alarm") for clean in score.clean]


def _said(outcome: ProgramOutcome) -> str:
    if outcome.failure:
        return outcome.failure
    rest = f"; unexplained: {', '.join(outcome.unexplained)}" if outcome.unexplained else ""
    return ("; ".join(outcome.said) or "no name") + rest
