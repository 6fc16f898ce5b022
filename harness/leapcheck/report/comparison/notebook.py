"""What a notebook shows of a comparison."""

from __future__ import annotations

from leapcheck.records import Run
from leapcheck.report import words
from leapcheck.report.comparison import judgement, view
from leapcheck.report.notebook import NotebookRow, notebook_html
from leapcheck_models.words import plural

HEADER = ("quantity", "error", "/rounding", "margin", "worst pair")


def summary_html(run: Run) -> str:
    """The verdict, a row per quantity with its worst pair, and who is wrong and why, as a fragment of HTML."""
    rows = []
    for summary in view.summary_rows(run):
        row = summary.worst
        mark = words.MARKS[row.verdict]
        figures = words.number(row.error), words.factor(row.rounding), words.margin(row.margin)
        cells = (f"{mark.sign} {summary.label}".strip(), *figures, summary.pair)
        rows.append(NotebookRow(cells, "" if mark.tone == "good" else mark.tone))
    where = run.provenance
    subject = f"{where.robot}, {len(run.engines)} engines, {where.states} states, seed {where.seed}"
    return notebook_html(words.headline(run), subject, run.verdict, HEADER, rows, [*_notes(run)], text=(0, 4))


def _notes(run: Run) -> list[str]:
    """Baseline, causes, failures, and how many limits there are."""
    notes = [f"Baseline {run.baseline.file}: {run.baseline.sentence}"] if run.baseline else []
    for engine in judgement.judgements(run):
        causes = "; ".join(judgement.conjunction(d.causes) or "unexplained" for d in engine.diagnoses)
        notes.append(f"{engine.mark.sign} {engine.title}. {judgement.sentence(causes)}".strip())
    notes += [f"✗ {judgement.story_title(story)}. {story.cause}" for story in judgement.stories_alone(run)]
    notes += [f"✗ {failure.engine} failed: {failure.message}" for failure in run.failures]
    return notes + ([f"{plural(len(run.not_compared), 'limit')}: see not_compared."] if run.not_compared else [])
