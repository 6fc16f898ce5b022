"""Jumps in a row in a Monte Carlo: each of them a jump of its own, the row a success where all are."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from leapcheck.jumping.robustness.control import Trial
from leapcheck.jumping.robustness.outcome import Recording, RobotOutline, TrialOutcome, outcome


def series_outcome(body: RobotOutline, run: Recording, trial: Trial) -> TrialOutcome:
    """The outcome of the first of the trial's jumps, with those of the others as `later`."""
    first, *others = [outcome(body, part, trial.push) for part in jump_parts(run, trial.jumps, trial.steps)]
    return replace(first, later=tuple(others))


def jump_parts(run: Recording, jumps: int, steps: int) -> list[Recording]:
    """The recording of each of `jumps` equal parts of `steps` steps in all, as many as the run came to.

    Where a jump is not the last, its `final_speed` is that of the com. A run that stopped did so in the last part.
    """
    if jumps == 1:
        return [run]
    length, edges = len(run.com), np.rint(np.linspace(0, steps, jumps + 1)).astype(int).tolist()
    spans = [(first, min(last, length)) for first, last in pairwise(edges) if first <= length]
    parts = [_part(run, first, last) for first, last in spans]
    return [*parts[:-1], replace(parts[-1], final_speed=run.final_speed, stopped=run.stopped)]


def _part(run: Recording, first: int, last: int) -> Recording:
    rows = {name: getattr(run, name)[first:last] for name in PER_STEP}
    way = run.com[min(last, len(run.com) - 1)] - run.com[max(last - 1, 0)]
    speed = float(np.linalg.norm(way)) / run.dt
    return replace(run, q=run.q[first : last + 1], final_speed=speed, stopped="", **rows)


PER_STEP = ("com", "centres", "spin", "upward", "torque_use", "voltage_use", "line_use")
"""What a recording holds for each step."""
