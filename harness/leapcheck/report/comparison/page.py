"""report.html and report.md: one self-contained page, whose script copies, filters and sorts, and the same as Markdown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from leapcheck.comparison.tally import SAMPLE
from leapcheck.records import Comparison, Run, Verdict
from leapcheck.report import words
from leapcheck.report.comparison import judgement, line_plot, matrix_plot, tables, view
from leapcheck.report.comparison.sparsity import sparsity_sentence, sparsity_text
from leapcheck.report.page import Filters, markdown_environment, page

OPEN_DISCREPANCIES = 5  # of a long list so many stand outside the fold
OPEN_HEAT_MAPS = 3
OPEN_HISTOGRAMS = 6
FULL_STATES = 10  # worst states that the Markdown prints in full; results.json has them all
BLOCKS = " ▁▂▃▄▅▆▇█"

FILTERS: Filters = {
    "in_eps": tables.in_eps,
    "verdict_mark": tables.mark,
    "far_alone": tables.far_alone,
    "sentence": judgement.sentence,
    "conjunction": judgement.conjunction,
    "cause_classes": judgement.cause_classes,
    "part_of": judgement.part_of,
    "pages": judgement.pages,
    "largest_words": judgement.largest_words,
    "state_words": judgement.state_words,
    "body_words": judgement.body_words,
    "outcome": judgement.outcome_mark,
    "file_name": judgement.file_name,
    "path": judgement.path,
}


def html_report(run: Run) -> str:
    """The run as an HTML page, which shows all without its script."""
    from markupsafe import Markup

    worst_first = view.groups_worst_first(run)
    main_cases, other_cases = view.split_cases(run)
    names = run.dof_names
    last_decade = line_plot.last_decade(run.comparisons)
    context = (
        _context(run)
        | _filter_context(run)
        | {
            "folder": judgement.FOLDER,
            "worst_cases": main_cases,
            "other_cases": other_cases,
            "heat_maps": [
                (heat_map, matrix_plot.heat_plot(heat_map, names), matrix_plot.largest_entries(heat_map, names))
                for heat_map in view.heat_maps_worst_first(run)
            ],
            "heat_steps": matrix_plot.scale_steps(),
            "histograms": [(group, line_plot.histogram_plot(group, last_decade)) for group in worst_first],
            "sparsity": matrix_plot.sparsity_plot(run.pattern, names) if run.pattern else None,
            "sparsity_sentence": sparsity_sentence(run.pattern),
            "costs": [(cost, line_plot.cost_plot(cost)) for cost in run.armature_costs],
            "open_discrepancies": OPEN_DISCREPANCIES,
            "open_heat_maps": OPEN_HEAT_MAPS,
            "open_histograms": OPEN_HISTOGRAMS,
        }
    )
    filters: Filters = {
        **FILTERS,
        "precise_column": words.precise_column,
        "state": lambda worst: Markup(words.state_text(worst)),  # numbers and the letters q, v, tau only
    }
    return page("report.html.j2", filters, context, scripts=("copy.js", "tables.js"))


def _filter_context(run: Run) -> dict[str, Any]:
    """What says which engines and which quantity a row, a column or an article is about, in numbers from 1."""
    from markupsafe import Markup

    of_failures = dict.fromkeys(failure.engine for failure in run.failures)
    names = [c.engine for c in run.comparisons] + [c.against for c in run.comparisons]
    engines = dict.fromkeys([*(engine.name for engine in run.engines), *of_failures, *names])
    engine_number = {name: i for i, name in enumerate(engines, start=1)}
    quantity_number = {group.quantity: i for i, group in enumerate(view.groups(run), start=1)}
    failures = {(failure.engine, failure.quantity) for failure in run.failures}

    def about(engines: Iterable[str] = (), quantity: str = "") -> Markup:
        numbers = " ".join(str(engine_number[name]) for name in engines if name in engine_number)
        of_engines = f' data-e="{numbers}"' if numbers else ""
        return Markup(of_engines + (f' data-q="{quantity_number[quantity]}"' if quantity in quantity_number else ""))

    return {
        "about": about,
        "engine_names": tuple(engines),
        "failed_engines": tuple(of_failures),
        "failed": lambda engine, quantity: not failures.isdisjoint({(engine, quantity), (engine, "")}),
        "quantity_number": quantity_number.__getitem__,
    }


def markdown_report(run: Run) -> str:
    """The run as Markdown, everything from the run escaped; deterministic."""
    filters: Filters = {
        **FILTERS,
        "state": words.state_text,
        "blocks": blocks,
        "quantities": lambda story: judgement.join_words([words.quantity_label(d.quantity) for d, _ in story.rows]),
    }
    context = _context(run) | {
        "cases": view.worst_cases(run),
        "states": view.states(run)[:FULL_STATES],
        "heat_maps": [(m, matrix_plot.largest_entries(m, run.dof_names)) for m in view.heat_maps_worst_first(run)],
        "sparsity": sparsity_text(run.pattern, run.dof_names) if run.pattern else "",
    }
    return markdown_environment(filters).get_template("report.md.j2").render(context).strip() + "\n"


def _context(run: Run) -> dict[str, Any]:
    """What both templates read: the run and its arrangements."""
    law_engines, laws = tables.engine_laws(run)
    return {
        "run": run,
        "headline": words.headline(run),
        "counts": view.counts(run),
        "Verdict": Verdict,
        "pair_tables": view.pair_tables(run),
        "groups": view.groups(run),
        "groups_worst_first": view.groups_worst_first(run),
        "truth": tables.truth_table(run),
        "kinds": view.kinds(run),
        "stories": judgement.stories(run),
        "judgements": judgement.judgements(run),
        "verdicts": tables.verdict_table(run),
        "law_engines": law_engines,
        "laws": laws,
        "own_laws": tables.in_house_laws(run),
        "states": view.states(run),
        "heat_sample": SAMPLE,
    }


def blocks(comparison: Comparison) -> str:
    """The histogram of a comparison as one character per decade, its height logarithmic."""
    largest = max(comparison.histogram, default=0)
    top = largest.bit_length()
    return "".join(BLOCKS[(count.bit_length() * 8 + top - 1) // top if count else 0] for count in comparison.histogram)
