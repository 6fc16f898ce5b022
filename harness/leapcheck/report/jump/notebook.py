"""What a notebook shows of a jump."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leapcheck.report.jump import view as jump_view
from leapcheck.report.jump.figures import headline_figures
from leapcheck.report.jump.words import VERDICT_MARKS, sentence, with_signs
from leapcheck.report.notebook import NotebookRow, notebook_html

if TYPE_CHECKING:
    from leapcheck.jumping.study import JumpStudy

HEADER = ("figure", "value", "unit", "over simulators")


def jump_html(run: JumpStudy) -> str:
    """The verdict, the headline figures, what to change and what failed, as a fragment of HTML."""
    verdict = run.judgement.verdict
    rows = [
        NotebookRow((row.label, row.value, row.unit, row.spread), "" if row.tone == "good" else row.tone)
        for row in headline_figures(run)
    ]
    reasons = [f"{VERDICT_MARKS[r.verdict].sign} {with_signs(r.text)}" for r in run.judgement.reasons[1:]]
    remedies = [f"To change: {with_signs(remedy)}" for remedy in run.judgement.remedies]
    failures = [f"✗ {row.name} {row.state}: {row.message}" for row in jump_view.simulators(run) if row.message]
    robustness = jump_view.robustness(run)
    notes = [*reasons, *remedies, *failures, *run.notes, *([robustness.sentence] if robustness else [])]
    subject = f"jump of {run.provenance.robot}"
    return notebook_html(VERDICT_MARKS[verdict], subject, sentence(run.judgement.sentence, verdict), HEADER, rows, notes)
