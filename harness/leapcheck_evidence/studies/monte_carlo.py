"""How long a Monte Carlo of a planned jump takes, whether its result depends on the number of workers, and what lumping costs."""

from __future__ import annotations

import dataclasses

from leapcheck.jumping.planning.plan import plan_jump
from leapcheck.jumping.planning.records import JumpRequest
from leapcheck.jumping.robustness.control import Trial
from leapcheck.jumping.robustness.monte_carlo import MonteCarlo, monte_carlo, trial_of
from leapcheck_evidence.studies.row import StudyRow
from leapcheck_models.robots import load
from leapcheck_reference.simulate.actuator import drives
from leapcheck_reference.simulate.soft_contact import SoftContact

COUNT, DURATION, DT, WORKERS = 1000, 2.0, 1e-3, 2
FEW = 120
"""Jumps whose results are compared between numbers of workers: in three units."""

LONGEST = 20.0
"""Goal (s) for all of the jumps."""


def rows() -> list[StudyRow]:
    """The rows of the Monte Carlo."""
    trial = _trial()
    whole = monte_carlo(trial, COUNT, workers=WORKERS)
    few = [monte_carlo(dataclasses.replace(trial, duration=1.0), FEW, seed=1, workers=workers) for workers in (1, 2, 3)]
    same = all(_same(few[0], other) for other in few[1:])
    low, high = whole.interval
    cost = whole.armature_cost
    return [
        StudyRow(
            f"Monte Carlo, {COUNT} jumps of {DURATION:g} s at {1e3 * DT:g} ms, {WORKERS} processes",
            f"<= {LONGEST:g} s",
            f"{whole.seconds:.1f} s",
            whole.seconds <= LONGEST,
            "Mini Cheetah, planned 0.2 m, default variation; from the trial to the ranked causes, start of the processes and the "
            f"jump with exact rotors included; {whole.successes} succeed, {low:.3f} to {high:.3f} with 95 % confidence",
        ),
        StudyRow(
            "its result for 1, 2 and 3 workers",
            "the same bits",
            "the same bits" if same else "differs",
            same,
            f"{FEW} jumps of 1 s, seed 1: samples, interval, causes, drivers, worst",
        ),
        StudyRow(
            "what it costs that it lumps the rotors",
            "reported",
            ""
            if cost is None
            else f"take-off {100 * cost.relative('take_off_speed'):+.2f} %, rise {100 * cost.relative('rise'):+.2f} %",
            cost is not None and not cost.failure,
            "" if cost is None else cost.sentence,
        ),
    ]


def _trial() -> Trial:
    spec = load("mini_cheetah")
    plan = plan_jump(spec, JumpRequest(0.2), drives(spec))
    contact = SoftContact(friction=plan.request.friction, solref=(0.01, 1.0))
    return trial_of(spec, plan, (plan.start_q, plan.start_v), DURATION, contact, dt=DT)


def _same(one: MonteCarlo, other: MonteCarlo) -> bool:
    summaries = [(run.successes, run.interval, run.causes, run.drivers, run.worst) for run in (one, other)]
    return one.samples.equals(other.samples) and repr(summaries[0]) == repr(summaries[1])
