"""report.md: the report as Markdown (GitHub's)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from leapcheck.compare.records import Comparison, Run, Verdict
from leapcheck.compare.tally import SAMPLE
from leapcheck.report import judgement, law_table, matrix_plot, verdict_table, view, words
from leapcheck.report.sparsity import sparsity_text
from leapcheck.report.truth_table import in_eps, truth_table

if TYPE_CHECKING:
    from jinja2 import Environment

FULL_STATES = 10  # worst states printed in full; results.json has them all
BLOCKS = " ▁▂▃▄▅▆▇█"

ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}

_SPECIAL = re.compile(r"[\\`*<>\[\]|~$#&]|(?<![^\W_])_|_(?![^\W_])")


class Ready(str):
    """Text that is Markdown already."""

    __slots__ = ()


def markdown_report(run: Run) -> str:
    """The run as Markdown, everything from the run escaped; equal runs give equal text."""
    law_engines, laws = law_table.engine_laws(run)
    text = (
        markdown_environment()
        .get_template("report.md.j2")
        .render(
            run=run,
            headline=words.headline(run),
            counts=view.counts(run),
            Verdict=Verdict,
            pairs=view.pairs(run),
            groups=view.groups(run),
            groups_worst_first=view.groups_worst_first(run),
            truth=truth_table(run),
            kinds=view.kinds(run),
            stories=judgement.stories(run),
            judgements=judgement.judgements(run),
            verdicts=verdict_table.verdict_table(run),
            law_engines=law_engines,
            laws=laws,
            own_laws=law_table.in_house_laws(run),
            cases=view.cases(run),
            states=view.states(run)[:FULL_STATES],
            heat_maps=[(m, matrix_plot.largest_entries(m, run.dof_names)) for m in view.heat_maps_worst_first(run)],
            heat_sample=SAMPLE,
            sparsity=sparsity_text(run.pattern, run.dof_names) if run.pattern else "",
        )
    )
    return text.strip() + "\n"


def escaped(text: str) -> str:
    """The text with everything that Markdown or HTML would read made harmless, in one line."""
    return _SPECIAL.sub(lambda match: ENTITIES.get(match[0], "\\" + match[0]), words.printable(text))


def code(text: str) -> Ready:
    """The text as an indented code block, out of which nothing breaks."""
    return Ready("\n".join(f"    {words.printable(line)}" for line in text.rstrip("\n").split("\n")))


def blocks(comparison: Comparison) -> str:
    """The histogram of a comparison as one character per decade, its height logarithmic."""
    largest = max(comparison.histogram, default=0)
    top = largest.bit_length()
    return "".join(BLOCKS[(count.bit_length() * 8 + top - 1) // top if count else 0] for count in comparison.histogram)


def markdown_environment() -> Environment:
    """The templates of Markdown: what they show is escaped, but for what is `Ready`."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("leapcheck.report", "templates"),
        autoescape=False,  # `finalize` escapes for Markdown instead
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: value if isinstance(value, Ready) else escaped(value) if isinstance(value, str) else value,
    )
    environment.filters |= {
        "number": words.number,
        "precise": words.precise,
        "in_eps": in_eps,
        "factor": words.factor,
        "margin": words.margin,
        "percent": words.percent,
        "unit": words.unit,
        "quantity": words.quantity_label,
        "mark": words.MARKS.__getitem__,
        "state": words.state_text,
        "blocks": blocks,
        "code": code,
        "ready": Ready,
        "sentence": judgement.sentence,
        "together": judgement.together,
        "path": judgement.path,
        "state_words": judgement.state_words,
        "largest_words": judgement.largest_words,
        "body_words": judgement.body_words,
        "verdict_mark": verdict_table.mark,
        "quantities": lambda told: judgement.listed([words.quantity_label(d.quantity) for d, _ in told.rows]),
    }
    return environment
