"""leg_jump.html: one self-contained page in the house's style, without scripts and without a network."""

from __future__ import annotations

from leapcheck.leg_jump.charts import leg_picture, main_charts, si_charts
from leapcheck.leg_jump.peaks import figures, peaks
from leapcheck.leg_jump.result import LegJump
from leapcheck.report.chart import chart_plot
from leapcheck.report.jump_words import VERDICT_MARKS
from leapcheck.report.page import page_environment, page_source


def leg_jump_page(run: LegJump, command: str) -> str:
    """The page: verdict, what to change, figures, peaks, plots, case; equal runs give equal text."""
    environment = page_environment("leapcheck.leg_jump")
    environment.filters["chart"] = lambda chart: environment.filters["svg"](chart_plot(chart))
    style, digest = page_source(environment, "style.css", "leg_jump.css")
    course = run.course
    return environment.get_template("leg_jump.html.j2").render(
        style=style,
        style_hash=digest,
        run=run,
        command=command,
        mark=VERDICT_MARKS[run.verdict],
        figures=figures(run),
        peaks=peaks(run),
        picture=None if course is None else leg_picture(run, course),
        largest_force=None if course is None else float(course.ground[:, 1].max()),
        charts=() if course is None else main_charts(run, course),
        si_charts=() if course is None else si_charts(run, course),
    )
