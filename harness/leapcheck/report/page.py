"""report.html: one self-contained page, without a network; its one script copies a reproducer."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING, Any

from leapcheck.compare.records import Run, Verdict
from leapcheck.compare.tally import SAMPLE
from leapcheck.report import judgement, law_table, line_plot, matrix_plot, svg, verdict_table, view, words
from leapcheck.report.sparsity import sparsity_sentence
from leapcheck.report.truth_table import in_eps, truth_table

if TYPE_CHECKING:
    from jinja2 import Environment

OPEN_DISCREPANCIES = 5  # of a long list so many stand outside the fold
OPEN_HEAT_MAPS = 3
OPEN_HISTOGRAMS = 6


def html_report(run: Run) -> str:
    """The run as an HTML page: styles and plots inside, everything from the run escaped; equal runs give equal text.

    Its Content-Security-Policy allows this page's own style sheet and, where there is anything to copy, its script, each by
    its hash, and nothing else.
    """
    environment = page_environment()
    sources = {}
    for name, file in (("style", "style.css"), ("script", "copy.js")):
        sources[name], sources[f"{name}_hash"] = page_source(environment, file)
    return environment.get_template("report.html.j2").render(**sources, **_context(run))


def page_source(environment: Environment, *names: str) -> tuple[str, str]:
    """(text, hash as a Content-Security-Policy writes it) of style sheets or scripts among the templates, one after the other."""
    assert environment.loader is not None
    text = "\n".join(environment.loader.get_source(environment, name)[0].strip() for name in names)
    return text, "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def page_environment(*packages: str) -> Environment:
    """The templates of pages: what they show is escaped, but for element trees (`svg`) and our own sources (`css`).

    Those of other `packages` stand before the report's own.
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def drawn(node: Any) -> Markup:
        return Markup(svg.markup(node))  # an element tree: escaped when it was serialised

    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package, "templates") for package in (*packages, "leapcheck.report")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: words.printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value,
    )
    environment.filters |= {
        "number": words.number,
        "precise": words.precise,
        "in_eps": in_eps,
        "aligned": words.aligned,
        "factor": words.factor,
        "margin": words.margin,
        "percent": words.percent,
        "unit": words.unit,
        "quantity": words.quantity_label,
        "mark": words.MARKS.__getitem__,
        "state": lambda worst: Markup(words.state_text(worst)),  # numbers and the letters q, v, tau only
        "css": Markup,  # our own style sheet
        "svg": drawn,
        "code": _code,
        "sentence": judgement.sentence,
        "largest_words": judgement.largest_words,
        "together": judgement.together,
        "cause_classes": judgement.cause_classes,
        "file_name": judgement.file_name,
        "path": judgement.path,
        "verdict_mark": verdict_table.mark,
        "far_alone": verdict_table.far_alone,
    }
    return environment


def _code(text: str) -> Any:
    """A text of several lines, escaped, its lines kept."""
    from markupsafe import Markup, escape

    return Markup("\n").join(escape(words.printable(line)) for line in text.rstrip("\n").split("\n"))


def _context(run: Run) -> dict[str, Any]:
    """What the template reads: the run, its arrangements and its drawings."""
    worst_first = view.groups_worst_first(run)
    worst_cases, other_cases = view.split_cases(run)
    names = run.dof_names
    law_engines, laws = law_table.engine_laws(run)
    last_decade = line_plot.last_decade(run.comparisons)
    return {
        "run": run,
        "headline": words.headline(run),
        "counts": view.counts(run),
        "Verdict": Verdict,
        "pairs": view.pairs(run),
        "groups": view.groups(run),
        "groups_worst_first": worst_first,
        "truth": truth_table(run),
        "kinds": view.kinds(run),
        "stories": judgement.stories(run),
        "judgements": judgement.judgements(run),
        "folder": judgement.FOLDER,
        "verdicts": verdict_table.verdict_table(run),
        "law_engines": law_engines,
        "laws": laws,
        "own_laws": law_table.in_house_laws(run),
        "worst_cases": worst_cases,
        "other_cases": other_cases,
        "states": view.states(run),
        "heat_maps": [
            (heat_map, matrix_plot.heat_plot(heat_map, names), matrix_plot.largest_entries(heat_map, names))
            for heat_map in view.heat_maps_worst_first(run)
        ],
        "heat_sample": SAMPLE,
        "heat_steps": matrix_plot.scale_steps(),
        "histograms": [(group, line_plot.histogram_plot(group, last_decade)) for group in worst_first],
        "sparsity": matrix_plot.sparsity_plot(run.pattern, names) if run.pattern else None,
        "sparsity_sentence": sparsity_sentence(run.pattern),
        "costs": [(cost, line_plot.cost_plot(cost)) for cost in run.armature_costs],
        "open_discrepancies": OPEN_DISCREPANCIES,
        "open_heat_maps": OPEN_HEAT_MAPS,
        "open_histograms": OPEN_HISTOGRAMS,
    }
