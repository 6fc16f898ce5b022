"""The row of a published jump: what leapcheck says of the nearest request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from leapcheck.jumping.options import JumpOptions
from leapcheck.jumping.robot import jumping_robot
from leapcheck.jumping.study import JumpStudy, jump_study
from leapcheck_evidence.anchors.catalogue import GO1, Anchor
from leapcheck_evidence.anchors.drops import ENGINES, HEIGHTS, Drop, best_drop, drop
from leapcheck_evidence.one_step import LEVELS, one_step_judgement

NOT_TRIED = "not tried: no robot was given (--go1 FILE)"


def anchor_row(label: str, anchor: Anchor, robots: Mapping[str, str | Path | None], workers: int) -> dict[str, Any]:
    """Verdict, figures and the command of the request; without its robot only that it was not tried."""
    robot = robots[anchor.robot]
    row: dict[str, Any] = {"label": label, "command": "", "verdict": NOT_TRIED, "ours": "", "why": ""}
    if robot is None:
        return row
    if anchor.drop:
        return row | _drop_row(str(robot), anchor)
    shown, before = Path(robot).name if anchor.robot == GO1 else str(robot), ""
    for options in _requests(anchor):
        try:
            study = jump_study(str(robot), options, workers)
        except ValueError as refusal:
            row |= {"command": options.command(shown), "verdict": "refused", "why": f"{before}{refusal}"}
            before = f"{refusal}; by the quick planner: "
            continue
        judgement = one_step_judgement(study)
        why = judgement.reasons[0].text if judgement.reasons else ""
        row |= {"command": options.command(shown), "verdict": str(judgement.verdict), "ours": _figures(study, anchor)}
        return row | {"why": f"{before}{why}"}
    return row


def _requests(anchor: Anchor) -> Iterator[JumpOptions]:
    """The anchor's request; after it, where that can do it, the same by the quick planner."""
    asked = JumpOptions(**anchor.options, levels=LEVELS)
    yield asked
    if asked.chosen_planner == "optimised":
        quick = replace(asked, planner="quick")
        try:
            quick.check()
        except ValueError:
            return
        yield quick


def _figures(study: JumpStudy, anchor: Anchor) -> str:
    """The anchor's figures, the median of the simulators and their range."""
    by_key = {figure.key: figure for figure in study.estimates}
    shown = []
    for figure in (by_key[name] for name in anchor.figures if name in by_key):
        low, high, unit = figure.spread_low, figure.spread_high, figure.unit
        shown.append(f"{figure.label} {figure.value:.3g} {unit} ({low:.3g} to {high:.3g})")
    return "; ".join(shown)


def _drop_row(robot: str, anchor: Anchor) -> dict[str, Any]:
    """From how high the robot stands in every simulator, and what happens in a fall from the published height."""
    spec = jumping_robot(robot).spec
    highest, worst = 0.0, None
    for height in HEIGHTS:
        best = best_drop(spec, height)
        every = [drop(spec, engine, height, best.posture) for engine in ENGINES]
        if all(one.stands for one in every):
            highest = height
        if height == anchor.drop:
            worst = every
    assert worst is not None
    stand = sum(one.stands for one in worst)
    verdict = f"stands in {stand} of {len(worst)} simulators"
    return {"command": "falls with its joints held", "verdict": verdict, "ours": _drop_text(highest, worst), "why": ""}


def _drop_text(highest: float, drops: list[Drop]) -> str:
    kp, kd, bent = drops[0].posture
    clearances, forces = ([getattr(one, name) for one in drops] for name in ("trunk_clearance", "force"))
    return (
        f"stands in every simulator from {highest:g} m; from {drops[0].height:g} m (kp {kp:g}, kd {kd:g}, joints at {bent:g} of "
        f"the stand's angles) the trunk keeps {min(clearances):.3f} to {max(clearances):.3f} m, the ground's force over 20 ms is "
        f"{min(forces):.1f} to {max(forces):.1f} weights"
    )
