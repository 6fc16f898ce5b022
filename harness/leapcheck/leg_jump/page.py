"""leg_jump.html: one self-contained page in the house's style, without scripts and without a network."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING, Any

from leapcheck.jump.judging.verdict import Verdict
from leapcheck.leg_jump.charts import leg_picture, main_charts, si_charts
from leapcheck.leg_jump.peaks import figures, peaks
from leapcheck.leg_jump.result import LegJump
from leapcheck.report import svg, words
from leapcheck.report.chart import chart_plot

if TYPE_CHECKING:
    from jinja2 import Environment

MARKS = {
    Verdict.GO: words.Mark("GO", "✓", "good"),
    Verdict.MARGINAL: words.Mark("MARGINAL", "≈", "warn"),
    Verdict.NO_GO: words.Mark("NO-GO", "✗", "bad"),
}


def leg_jump_page(run: LegJump, command: str) -> str:
    """The page: verdict, what to change, figures, peaks, plots, case; equal runs give equal text."""
    environment = _environment()
    style = "\n".join(_source(environment, name).strip() for name in ("style.css", "leg_jump.css"))
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    course = run.course
    return environment.get_template("leg_jump.html.j2").render(
        style=style,
        style_hash=f"sha256-{digest}",
        run=run,
        command=command,
        mark=MARKS[run.verdict],
        figures=figures(run),
        peaks=peaks(run),
        picture=None if course is None else leg_picture(run, course),
        largest_force=None if course is None else float(course.ground[:, 1].max()),
        charts=() if course is None else main_charts(run, course),
        si_charts=() if course is None else si_charts(run, course),
    )


def _source(environment: Environment, name: str) -> str:
    return environment.loader.get_source(environment, name)[0] if environment.loader else ""


def _environment() -> Environment:
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def drawn(node: Any) -> Markup:
        return Markup(svg.markup(node))  # an element tree: escaped when it was serialised

    environment = Environment(
        loader=ChoiceLoader([PackageLoader("leapcheck.leg_jump", "templates"), PackageLoader("leapcheck.report", "templates")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: words.printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value,
    )
    environment.filters |= {
        "css": Markup,  # our own style sheet
        "svg": drawn,
        "chart": lambda chart: drawn(chart_plot(chart)),
        "unit": words.unit,
    }
    return environment
