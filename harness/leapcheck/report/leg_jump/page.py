"""leg_jump.html: one self-contained page in the house's style, without scripts and without a network."""

from __future__ import annotations

from leapcheck.jumping.leg_jump.peaks import figures, peaks
from leapcheck.jumping.leg_jump.study import LegJumpStudy
from leapcheck.report.chart import chart_plot
from leapcheck.report.jump.words import VERDICT_MARKS
from leapcheck.report.leg_jump.charts import leg_picture, main_charts, si_charts
from leapcheck.report.notebook import NotebookRow, notebook_html
from leapcheck.report.page import page


def leg_jump_page(run: LegJumpStudy, command: str) -> str:
    """The page: verdict, what to change, figures, peaks, plots, case; deterministic."""
    course = run.course
    context = {
        "run": run,
        "command": command,
        "headline": VERDICT_MARKS[run.verdict],
        "figures": figures(run),
        "peaks": peaks(run),
        "picture": None if course is None else leg_picture(run, course),
        "largest_force": None if course is None else float(course.ground[:, 1].max()),
        "charts": () if course is None else main_charts(run, course),
        "si_charts": () if course is None else si_charts(run, course),
    }
    return page("leg_jump.html.j2", {"plot": chart_plot}, context, ("style.css", "leg_jump.css"))


def leg_jump_html(run: LegJumpStudy) -> str:
    """The verdict, the figures and what to change, as a fragment of HTML."""
    rows = [NotebookRow((name, value)) for name, value in figures(run)]
    reason = run.reason[:1].upper() + run.reason[1:] + "."
    remedies = [f"To change: {remedy}" for remedy in run.remedies]
    return notebook_html(VERDICT_MARKS[run.verdict], "jump of a two-link leg", reason, ("figure", "value"), rows, remedies)
