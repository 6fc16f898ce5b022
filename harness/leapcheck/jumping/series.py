"""Several jumps in a row: one plan played again and again, each jump measured and judged on its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from leapcheck.jumping.judging.thresholds import JumpVerdict
from leapcheck.jumping.judging.verdict import JumpJudgement
from leapcheck.jumping.measures.estimates import Estimate, combine_estimates
from leapcheck.jumping.measures.figure_list import JumpFigure
from leapcheck.jumping.measures.figures import total_distance
from leapcheck.jumping.planning.records import JumpPlan
from leapcheck.simulators.log import JumpLog, log_part
from leapcheck_models.spec import RobotSpec

SETTLE = 0.5
"""Seconds, at least, for which the robot stands after a landing before the next jump begins."""
TICK = 0.01
"""Jumps begin at whole multiples of this (s)."""
SAME_POSE = 0.05
"""rad: a plan can be repeated where its joints end nearly where they begin: feet that roll set the trunk down a little aside."""
GRAVITY_OF = (JumpVerdict.GO, JumpVerdict.MARGINAL, JumpVerdict.UNDECIDED, JumpVerdict.NO_GO)
"""From the best to the worst."""

Logs = Mapping[str, list[JumpLog]]
Measure = Callable[[Logs], tuple[Estimate, ...]]
Judge = Callable[[Sequence[Estimate], Logs], JumpJudgement]


def repeated_plan(plan: JumpPlan, jumps: int) -> JumpPlan:
    """The plan `jumps` times, each followed by `SETTLE` s of standing or a little more; the trunk's x goes on.

    ValueError where the plan ends in another pose than it begins in.
    """
    if jumps == 1:
        return plan
    if float(np.abs(plan.q[-1][plan.joint_q] - plan.q[0][plan.joint_q]).max()) > SAME_POSE:
        raise ValueError(
            f"--jumps {jumps}: the plan ends in another pose than it begins in: ask for one jump, or write a --trajectory"
        )
    settled = _settled(plan)
    way = settled.q[-1, 0] - settled.q[0, 0]
    number, length = np.repeat(np.arange(jumps), len(settled.times)), settled.duration
    q = np.tile(settled.q, (jumps, 1))
    q[:, 0] += number * way
    arrays: dict[str, Any] = {name: np.tile(getattr(settled, name), (jumps, 1)) for name in ("v", "torque", "kp", "kd")}
    return replace(
        settled,
        phases=tuple(
            replace(phase, start=phase.start + k * length, end=phase.end + k * length)
            for k in range(jumps)
            for phase in settled.phases
        ),
        duration=jumps * length,
        times=np.tile(settled.times, jumps) + number * length,
        q=q,
        foot_forces=np.tile(settled.foot_forces, (jumps, 1, 1)),
        **arrays,
    )


def _settled(plan: JumpPlan) -> JumpPlan:
    """The plan with `SETTLE` s or a little longer for going from its last pose to its first."""
    end = TICK * math.ceil((plan.duration + SETTLE) / TICK)
    rows = {name: getattr(plan, name) for name in ("q", "v", "torque", "kp", "kd", "foot_forces")}
    extended: dict[str, Any] = {name: np.concatenate([array, array[-1:]]) for name, array in rows.items()}
    extended["q"][-1, 1:] = plan.q[0, 1:]
    phases = (*plan.phases[:-1], replace(plan.phases[-1], end=end))
    return replace(plan, phases=phases, duration=end, times=np.append(plan.times, end), **extended)


def judge_series(
    spec: RobotSpec, logs: Logs, jumps: int, duration: float, measure: Measure, judge: Judge
) -> tuple[tuple[Estimate, ...], JumpJudgement, tuple[str, ...]]:
    """(figures, judgement) of the worst of `jumps` that last `duration` s in all, the first of equals; a line about each jump.

    Among the figures is the distance of all.
    """
    if jumps == 1:
        figures = measure(logs)
        return figures, judge(figures, logs), ()
    every = []
    for k in range(jumps):
        parts = {name: [_jump(log, k, duration / jumps) for log in runs] for name, runs in logs.items()}
        figures = measure(parts)
        every.append((figures, judge(figures, parts)))
    worst = max(range(jumps), key=lambda k: GRAVITY_OF.index(every[k][1].verdict))
    figures, judgement = every[worst]
    verdict, _, why = judgement.sentence.partition(": ")
    lines = tuple(f"jump {k + 1} of {jumps} is {judged.sentence}{_reached(figures)}" for k, (figures, judged) in enumerate(every))
    sentence = f"{verdict}: jump {worst + 1} of {jumps}, the worst: {why}"
    return (*_total(spec, logs), *figures), replace(judgement, sentence=sentence), lines


def _jump(log: JumpLog, k: int, duration: float) -> JumpLog:
    """The part of a log that is jump k, its time from 0."""
    first, last = (round(i * duration / log.dt) for i in (k, k + 1))
    return log_part(log, first, last)


def _reached(figures: Sequence[Estimate]) -> str:
    by_key = {figure.key: figure for figure in figures}
    return "".join(f"; {key} {by_key[key].value:.3f} m" for key in ("height", "distance") if key in by_key)


def _total(spec: RobotSpec, logs: Logs) -> tuple[Estimate, ...]:
    """The distance of all jumps."""
    runs: dict[str, list[tuple[float, dict[str, JumpFigure]]]] = {}
    for name, levels in logs.items():
        figures = [(log.dt, total_distance(spec, log)) for log in levels if log is levels[-1] or not log.stopped]
        runs[name] = [(dt, {figure.key: figure}) for dt, figure in figures]
    return combine_estimates(runs)
