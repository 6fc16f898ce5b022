"""Jumps simulated at one time step alone, and judged without asking for its error bar."""

from __future__ import annotations

from leapcheck.jumping.judging.verdict import JumpJudgement, judge_first_runs
from leapcheck.jumping.study import JumpStudy

LEVELS = 1
"""Time steps of such a jump."""


def one_step_judgement(study: JumpStudy) -> JumpJudgement:
    """The judgement of a study's runs at its one step; of a jump without a plan its own."""
    if not study.logs:
        return study.judgement
    runs = {name: [log] for name, log in study.logs.items()}
    return judge_first_runs(study.estimates, runs, study.setup.thresholds, study.failures)
