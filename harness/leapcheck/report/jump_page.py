"""report.html of a jump: one self-contained page, without scripts and without a network."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from leapcheck.report import jump_figures, jump_view
from leapcheck.report.jump_plots import jump_plots
from leapcheck.report.jump_trial_plots import hardware_plots, robustness_plots
from leapcheck.report.jump_words import VERDICT_MARKS, brief, plain_number, seconds, sentence, with_signs
from leapcheck.report.page import page_environment, page_source
from leapcheck_reference.simulate.actuator import drives

if TYPE_CHECKING:
    from leapcheck.jump.run import JumpRun

OPEN_RESIDUALS, OPEN_DRIVERS = 8, 6  # rows outside the fold


def jump_page(run: JumpRun) -> str:
    """The study as an HTML page: styles, plots and pictures inside, everything from the run escaped; equal runs, equal text.

    Its Content-Security-Policy allows this page's own style sheet, by its hash, pictures that stand in the page, and nothing
    else.
    """
    environment = page_environment()
    environment.filters |= {"plain": plain_number, "brief": brief, "seconds": seconds, "signs": with_signs}
    style, digest = page_source(environment, "style.css")
    return environment.get_template("jump.html.j2").render(style=style, style_hash=digest, **_context(run))


def _context(run: JumpRun) -> dict[str, Any]:
    """What the template reads: the run, its arrangements and its drawings."""
    spec = run.setup.spec
    return {
        "run": run,
        "setup": run.setup,
        "plan": run.setup.plan,
        "headline": VERDICT_MARKS[run.judgement.verdict],
        "sentence": sentence(run.judgement.sentence, run.judgement.verdict),
        "marks": VERDICT_MARKS,
        "tones": jump_figures.TONES,
        "headlines": jump_figures.headline_figures(run),
        "simulators": jump_view.simulators(run),
        "names": jump_figures.simulator_names(run),
        "figure_groups": jump_figures.figure_groups(run),
        "plots": jump_plots(spec, run.logs, drives(spec), jump_view.push_start(run), jump_view.available_friction(run)),
        "ledgers": jump_view.ledger_rows(run),
        "robustness": jump_view.robustness(run),
        "robustness_plots": robustness_plots(run.monte_carlo) if run.monte_carlo else (),
        "hardware": run.hardware,
        "hardware_plots": hardware_plots(run.hardware) if run.hardware else (),
        "open_residuals": OPEN_RESIDUALS,
        "open_drivers": OPEN_DRIVERS,
        "limits": jump_view.limits(run),
        "duration": jump_view.duration(run),
        "pictures": [(title, base64.b64encode(png).decode()) for title, png in run.pictures.items()],
    }
