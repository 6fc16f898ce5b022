"""A jump simulated everywhere: each simulator at each step, in this process and in others."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from functools import partial

from leapcheck.jumping.judging.verdict import JumpJudgement, judge_first_runs
from leapcheck.jumping.measures.estimates import Estimate, estimates
from leapcheck.jumping.series import judge_series
from leapcheck.jumping.setup import JumpSetup
from leapcheck.jumping.simulation import simulate
from leapcheck.simulators.log import JumpLog
from leapcheck.simulators.registry import SIMULATORS, make_simulator
from leapcheck.system.processes import ProcessDiedError, Start, job_results
from leapcheck.system.windows import skip_windows
from leapcheck_reference.simulate.actuator import drives

StudyProgress = Callable[..., None]
"""Called with the parts done, the parts in all and, while simulating, the simulator that ended."""

FirstVerdict = Callable[[JumpJudgement], None]
"""Called with the preliminary judgement, once every simulator has run at the coarsest of several steps."""

SHARE = 50_000
"""Steps at most that this process makes itself while others are under way: they take it a few seconds."""

Runs = tuple[dict[str, list[JumpLog]], dict[str, str]]
"""Logs of each simulator from the coarsest step to the finest, and why a simulator gave none."""


def simulate_everywhere(
    setup: JumpSetup, workers: int = 1, progress: StudyProgress | None = None, first_verdict: FirstVerdict | None = None
) -> Runs:
    """(logs of each simulator from the coarsest step to the finest, why a simulator gave none).

    The same logs for any number of workers. A simulator that cannot be made or fails is named, the others go on. The coarsest
    step comes first, so that `first_verdict` is told soon, then the longest runs.
    """
    if setup.act is None:
        return {}, {}
    jobs = [(name, level) for level in (0, *reversed(range(1, setup.levels))) for name in setup.engines]
    results: dict[tuple[str, int], JumpLog | str] = {}
    with closing(_results(setup, jobs, min(workers, len(jobs)))) as numbered:
        for number, result in numbered:
            results[jobs[number]] = result
            if progress:
                progress(len(results), len(jobs), jobs[number][0])
            if first_verdict and setup.levels > 1 and all((name, 0) in results for name in setup.engines):
                first_verdict(_first_judgement(setup, _runs(setup, results, 1)))
                first_verdict = None
    return _runs(setup, results, setup.levels)


def _runs(setup: JumpSetup, results: Mapping[tuple[str, int], JumpLog | str], levels: int) -> Runs:
    """The runs at the coarsest steps, out of the results of (simulator, level)."""
    logs: dict[str, list[JumpLog]] = {}
    failures: dict[str, str] = {}
    for name in setup.engines:
        for level in range(levels):  # of several reasons, that of the finest step
            result = results[name, level]
            if isinstance(result, str):
                failures[name] = result
            else:
                logs.setdefault(name, []).append(result)
    return logs, failures


def _first_judgement(setup: JumpSetup, runs: Runs) -> JumpJudgement:
    """What the runs at the coarsest step say."""
    logs, failures = runs
    assert setup.act is not None
    return judge_series(
        setup.spec,
        logs,
        setup.act.jumps,
        setup.act.duration,
        partial(estimates_of, setup),
        lambda figures, jumps: judge_first_runs(figures, jumps, setup.thresholds, failures),
    )[1]


def _results(setup: JumpSetup, jobs: Sequence[tuple[str, int]], workers: int) -> Generator[tuple[int, JumpLog | str], None, None]:
    """(number of the job, its log or why there is none) as they end."""
    here = _jobs_here(setup, jobs) if workers > 1 else range(len(jobs))
    others = workers - 1 if here else workers
    ours = setup.plan is not None  # no user's code runs
    start, work = Start(skip_windows, origin="copy") if ours else Start(), [(setup, *job) for job in jobs]
    try:
        with closing(job_results(_log_or_failure, work, others, start, here)) as results:
            yield from results
    except ProcessDiedError as error:
        for number in error.jobs:
            yield number, f"{jobs[number][0]}: its process died: run it alone, with --workers 1"


def _jobs_here(setup: JumpSetup, jobs: Sequence[tuple[str, int]]) -> list[int]:
    """Numbers of the jobs that need no process of their own, up to `SHARE` steps: of light simulators, under leapcheck's plan.

    Foreign simulators and a user's controller may end their process; a process that is no copy takes half a second to begin.
    """
    here, steps = [], 0.0
    for number, (name, level) in enumerate(jobs):
        if setup.act is None or setup.plan is None or not SIMULATORS[name].light:
            continue
        steps += setup.act.duration * 2**level / setup.dt
        if steps <= SHARE:
            here.append(number)
    return here


def _log_or_failure(setup: JumpSetup, name: str, level: int) -> JumpLog | str:
    """The log at dt / 2^level, or in one line why there is none."""
    try:
        assert setup.act is not None
        act, spec = setup.act, setup.spec
        simulator = make_simulator(name, spec, setup.ground, setup.dt / 2**level)
        return simulate(spec, simulator, act.fresh_policy(), drives(spec), act.start, act.duration, setup.timing, setup.battery)
    except Exception as error:
        return f"{name}: {' '.join(str(error).split()) or type(error).__name__}"


def estimates_of(setup: JumpSetup, logs: Mapping[str, list[JumpLog]]) -> tuple[Estimate, ...]:
    """The figures of the logs, each simulator's coarsest step first."""
    motors = drives(setup.spec)
    act = setup.act
    turn, landing, yaw, edge = (None,) * 4 if act is None else (act.turn, act.landing, act.yaw, act.far_edge)
    friction, terrain = setup.ground.friction, setup.ground.terrain
    supply = setup.battery
    return estimates(setup.spec, setup.plan, logs, motors, supply, friction, setup.rating, turn, terrain, landing, yaw, edge)
