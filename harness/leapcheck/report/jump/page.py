"""report.html and report.md of a jump: one self-contained page without scripts, and the same as Markdown."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from leapcheck.report.jump import figures as jump_figures
from leapcheck.report.jump import view as jump_view
from leapcheck.report.jump.plots import jump_plots
from leapcheck.report.jump.trial_plots import hardware_plots, robustness_plots, worst_plots
from leapcheck.report.jump.words import VERDICT_MARKS, brief, plain_number, seconds, sentence, with_signs
from leapcheck.report.page import Filters, markdown_environment, page
from leapcheck_reference.simulate.actuator import drives

if TYPE_CHECKING:
    from leapcheck.jumping.study import JumpStudy

OPEN_RESIDUALS, OPEN_DRIVERS = 8, 6  # rows outside the fold

FILTERS: Filters = {"plain": plain_number, "brief": brief, "seconds": seconds, "signs": with_signs}


def jump_page(run: JumpStudy) -> str:
    """The study as an HTML page."""
    spec = run.setup.spec
    context = _context(run) | {
        "tones": jump_figures.TONES,
        "headlines": jump_figures.headline_figures(run),
        "names": jump_figures.simulator_names(run),
        "plots": jump_plots(
            spec,
            run.logs,
            drives(spec),
            jump_view.push_start(run),
            jump_view.available_friction(run),
            run.setup.ground.terrain,
        ),
        "ledgers": jump_view.ledger_rows(run),
        "robustness_plots": robustness_plots(run.monte_carlo) if run.monte_carlo else (),
        "worst_plots": worst_plots(run.monte_carlo, run.worst, jump_view.push_start(run))
        if run.monte_carlo and run.worst
        else (),
        "hardware_plots": hardware_plots(run.hardware) if run.hardware else (),
        "open_drivers": OPEN_DRIVERS,
        "pictures": [(title, base64.b64encode(png).decode()) for title, png in run.pictures.items()],
    }
    return page("jump.html.j2", FILTERS, context)


def jump_markdown(run: JumpStudy) -> str:
    """The study as Markdown, everything from the run escaped; without plots."""
    context = _context(run) | {
        "open_ledgers": jump_view.open_ledgers(run),
        "ledger_count": sum(map(len, run.ledgers.values())),
    }
    return markdown_environment(FILTERS).get_template("jump.md.j2").render(context).strip() + "\n"


def _context(run: JumpStudy) -> dict[str, Any]:
    """What both templates read: the run and its arrangements."""
    return {
        "run": run,
        "setup": run.setup,
        "plan": run.setup.plan,
        "headline": VERDICT_MARKS[run.judgement.verdict],
        "sentence": sentence(run.judgement.sentence, run.judgement.verdict),
        "marks": VERDICT_MARKS,
        "simulators": jump_view.simulators(run),
        "figure_groups": jump_figures.figure_groups(run),
        "hardware": run.hardware,
        "motors": any(actuator.motor for actuator in run.setup.spec.actuators),
        "open_residuals": OPEN_RESIDUALS,
        "robustness": jump_view.robustness(run),
        "limits": jump_view.limits(run),
        "duration": jump_view.duration(run),
    }
