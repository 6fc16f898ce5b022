"""The figures of one run: what a jump asks of the drives, the ground and the battery, and what it reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leapcheck.jump.log import JumpLog
from leapcheck.jump.measures.figure_list import FIGURES, Figure, Kind
from leapcheck.jump.measures.ground_figures import ground_figures
from leapcheck.jump.measures.motion_figures import attitude_figures, clearance_figures, jump_figures, limit_figures
from leapcheck.jump.measures.observed import observed, phases
from leapcheck.jump.measures.utilisation import drive_figures, power_figures
from leapcheck.jump.simulation import driven_places
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.actuator import Battery, Drives
from leapcheck_reference.simulate.heat import ThermalRating

if TYPE_CHECKING:
    from leapcheck.jump.planning.plan import JumpPlan

__all__ = ["FIGURES", "Figure", "Kind", "figures"]


def figures(
    spec: RobotSpec,
    plan: JumpPlan | None,
    log: JumpLog,
    drives: Drives,
    battery: Battery = Battery(),
    friction: float | None = None,
    rating: ThermalRating | None = None,
) -> dict[str, Figure]:
    """The figures of a log by key, in the order of `FIGURES`; those that the run does not reach are left out.

    `friction` is what the ground offers, by default the plan's; `rating` what each motor's winding bears, where it is known. A
    run that broke down is measured up to its last sound state; a log without a step has no figures.
    """
    seen = observed(spec, log)
    if not seen.steps:
        return {}
    push = None if plan is None else next((phase.start for phase in plan.phases if phase.name == "push"), None)
    at = phases(seen, push)
    mu = plan.request.friction if friction is None and plan is not None else friction
    speeds = seen.v[:, driven_places(spec)[1]]
    found = [
        *drive_figures(log, drives, speeds[:-1], at, rating),
        *jump_figures(seen, at, None if plan is None else plan.request.height),
        *ground_figures(seen, at, mu),
        *power_figures(log, drives, battery, 0.5 * (speeds[:-1] + speeds[1:]), at),
        *attitude_figures(seen, at, None if plan is None else plan.request.pitch or 0.0),
        *limit_figures(seen),
        *clearance_figures(seen),
    ]
    order = list(FIGURES)
    return {figure.key: figure for figure in sorted(found, key=lambda figure: order.index(figure.name))}
