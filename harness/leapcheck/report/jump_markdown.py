"""report.md of a jump: the verdict, the figures and the limits as Markdown (GitHub's); plots and 3D stand beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leapcheck.report import jump_figures, jump_view
from leapcheck.report.jump_words import VERDICT_MARKS, brief, plain_number, seconds, sentence, with_signs
from leapcheck.report.text import markdown_environment

if TYPE_CHECKING:
    from leapcheck.jump.run import JumpRun

SHOWN_RESIDUALS = 8


def jump_markdown(run: JumpRun) -> str:
    """The study as Markdown, everything from the run escaped; equal runs give equal text."""
    environment = markdown_environment()
    environment.filters |= {"plain": plain_number, "brief": brief, "seconds": seconds, "signs": with_signs}
    text = environment.get_template("jump.md.j2").render(
        run=run,
        setup=run.setup,
        plan=run.setup.plan,
        headline=VERDICT_MARKS[run.judgement.verdict],
        sentence=sentence(run.judgement.sentence, run.judgement.verdict),
        marks=VERDICT_MARKS,
        simulators=jump_view.simulators(run),
        figure_groups=jump_figures.figure_groups(run),
        unbalanced=jump_view.unbalanced(run),
        ledger_count=sum(map(len, run.ledgers.values())),
        hardware=run.hardware,
        open_residuals=SHOWN_RESIDUALS,
        robustness=jump_view.robustness(run),
        limits=jump_view.limits(run),
        duration=jump_view.duration(run),
    )
    return text.strip() + "\n"
