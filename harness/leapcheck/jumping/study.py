"""A whole jump study: plan, every simulator at several time steps, figures with error bars, verdict. Failures are records too."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from math import radians
from pathlib import Path
from typing import TYPE_CHECKING

from leapcheck.jumping.act import Act, jumping_robot, planned_act, user_act
from leapcheck.jumping.control import Timing
from leapcheck.jumping.judging.rules import Reason
from leapcheck.jumping.judging.thresholds import JumpVerdict, Thresholds, thresholds_from
from leapcheck.jumping.judging.verdict import JumpJudgement, judge_first_runs, judge_jump
from leapcheck.jumping.measures.estimates import Estimate, estimates
from leapcheck.jumping.measures.ledgers import Ledger, ledgers
from leapcheck.jumping.options import JumpOptions, name_value_pairs
from leapcheck.jumping.planning.records import Infeasible, JumpPlan, JumpRequest
from leapcheck.jumping.simulation import simulate
from leapcheck.simulators.log import JumpLog
from leapcheck.simulators.registry import STIFF, Ground, check_names, make_simulator, robot_in
from leapcheck.system.installed import versions
from leapcheck.system.processes import ProcessDiedError, job_results
from leapcheck_models.spec import RobotSpec, spec_hash
from leapcheck_reference.simulate.actuator import drives
from leapcheck_reference.simulate.battery import Battery
from leapcheck_reference.simulate.heat import ThermalRating

if TYPE_CHECKING:
    from leapcheck.jumping.hardware import HardwareComparison, HardwareLog
    from leapcheck.jumping.planning.plan import HighestJump
    from leapcheck.jumping.robustness.control import Trial
    from leapcheck.jumping.robustness.monte_carlo import MonteCarlo
    from leapcheck.jumping.robustness.variation import Variation

PACKAGES = ("leapcheck", "mujoco", "pin", "numpy", "scipy")


StudyProgress = Callable[..., None]
"""Called with the parts done, the parts in all and, while simulating, the simulator that ended."""

FirstVerdict = Callable[[JumpJudgement], None]
"""Called with the preliminary judgement, once every simulator has run at the coarsest of several steps."""

Runs = tuple[dict[str, list[JumpLog]], dict[str, str]]
"""Logs of each simulator from the coarsest step to the finest, and why a simulator gave none."""


@dataclass(frozen=True, slots=True, eq=False)
class JumpSetup:
    """What is simulated: `act` (None where there is no plan), its policy called as `timing` says.

    Each simulator of `engines` runs at dt, dt/2, ... (`levels` of them): the figures' limits and error bars come from these.
    """

    spec: RobotSpec
    act: Act | None
    engines: tuple[str, ...]
    ground: Ground = field(default_factory=Ground)
    timing: Timing = field(default_factory=Timing)
    battery: Battery = field(default_factory=Battery)
    thresholds: Thresholds = field(default_factory=Thresholds)
    rating: ThermalRating | None = None
    dt: float = 1e-3
    levels: int = 3

    @property
    def plan(self) -> JumpPlan | None:
        """The plan that is followed; None for a user's controller."""
        return self.act.plan if self.act else None

    def trial(self) -> Trial:
        """The jump as a Monte Carlo repeats it."""
        from leapcheck.jumping.robustness.monte_carlo import trial_of

        assert self.act is not None
        act, contact = self.act, self.ground.contact()
        return trial_of(
            self.spec, act.policy, act.start, act.duration, contact, self.timing, self.battery, self.dt, act.policy_factory()
        )


@dataclass(frozen=True, slots=True)
class JumpProvenance:
    """Where a study comes from: robot, hash of its description, the command that repeats it, versions, seed, machine."""

    robot: str
    spec_hash: str
    command: str
    versions: Mapping[str, str]
    seed: int
    machine: str


@dataclass(frozen=True, slots=True, eq=False)
class JumpStudy:
    """All that is known about a jump. `logs` holds each simulator's run at its finest step, `failures` why one gave none.

    `pictures` are PNG images by title; `notes` say what was left out and why.
    """

    setup: JumpSetup
    logs: Mapping[str, JumpLog]
    failures: Mapping[str, str]
    estimates: tuple[Estimate, ...]
    ledgers: Mapping[str, tuple[Ledger, ...]]
    judgement: JumpJudgement
    provenance: JumpProvenance
    monte_carlo: MonteCarlo | None = None
    hardware: HardwareComparison | None = None
    pictures: Mapping[str, bytes] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def exit_status(self) -> int:
        """1 for NO-GO, or where a simulator failed; else 0."""
        return int(self.judgement.verdict is JumpVerdict.NO_GO or bool(self.failures))


def jump_study(
    robot: str | RobotSpec,
    options: JumpOptions,
    workers: int = 0,
    progress: StudyProgress | None = None,
    first_verdict: FirstVerdict | None = None,
) -> JumpStudy:
    """The whole study of a jump: planned, simulated, measured, repeated with variations, judged.

    `robot`: a name, a file or a description; `workers`: processes, 0 for one per core. A jump that cannot be planned is a NO-GO
    without a simulation. Raises ValueError for options that are invalid, FileNotFoundError for a missing file.
    """
    options.check()
    if workers < 0:
        raise ValueError(f"--workers {workers}: give a whole number, 0 or more")
    spec = jumping_robot(robot, options.set, options.actuators)
    origin = provenance(spec, options.command(robot if isinstance(robot, str) else robot.name), options.seed)
    variation = _variation(options)
    measured = None if options.hardware_log is None else _hardware_log(spec, options.hardware_log)  # before the work
    setup = jump_setup(spec, options)
    try:
        setup = replace(setup, act=_act(setup, options))
    except Infeasible as refusal:
        return refused_study(setup, origin, str(refusal), _feasible_jump(setup, options))
    workers = workers or os.cpu_count() or 1
    runs = simulate_everywhere(setup, workers, progress, first_verdict)
    repeated = None if variation is None else _monte_carlo(setup, options, variation, workers, progress)
    study = evaluate(setup, origin, runs, repeated)
    if measured is None or not study.logs:
        return study
    from leapcheck.jumping.hardware import compare_with_hardware

    try:
        return replace(study, hardware=compare_with_hardware(spec, next(iter(study.logs.values())), measured))
    except ValueError as error:
        return replace(study, notes=(*study.notes, str(error)))


def jump_setup(spec: RobotSpec, options: JumpOptions) -> JumpSetup:
    """The set-up that the options describe, without anybody who acts. Raises ValueError for an option that is invalid."""
    check_names(options.engines)
    return JumpSetup(
        spec=spec,
        act=None,
        engines=options.engines,
        ground=Ground(options.friction, replace(STIFF, solref=options.solref)),
        timing=Timing(1.0 / options.rate if options.rate else 0.0, options.latency),
        battery=Battery(options.battery_voltage, options.battery_resistance),
        rating=ThermalRating(*options.motor_rating) if options.motor_rating else None,
        thresholds=thresholds_from(dict(name_value_pairs(options.threshold))),
        dt=options.dt,
        levels=options.levels,
    )


def _act(setup: JumpSetup, options: JumpOptions) -> Act:
    """Who acts; raises Infeasible where the jump cannot be planned."""
    from leapcheck.jumping.planning.plan import plan_jump

    if not options.is_planned:
        return user_act(setup.spec, options.policy, options.trajectory, options.pose, options.duration)
    if options.highest:
        return planned_act(_highest(setup, options).plan)
    return planned_act(plan_jump(setup.spec, _request(options), drives(setup.spec), setup.battery))


def _highest(setup: JumpSetup, options: JumpOptions) -> HighestJump:
    from leapcheck.jumping.planning.plan import highest_jump

    return highest_jump(setup.spec, _request(options), drives(setup.spec), setup.battery)


def _request(options: JumpOptions) -> JumpRequest:
    height = 1.0 if options.height is None else options.height  # --highest looks for its own
    return JumpRequest(height, options.distance, radians(options.pitch), options.friction, options.crouch, options.push_time)


def _feasible_jump(setup: JumpSetup, options: JumpOptions) -> str:
    """What would be feasible, in words."""
    try:
        most = _highest(setup, options)
    except ValueError as error:
        return str(error)
    return f"the highest feasible jump is {most.height:.3f} m: {most.limited_by} limits it"


def _hardware_log(spec: RobotSpec, path: Path) -> HardwareLog:
    from leapcheck.jumping.hardware import read_hardware_log

    return read_hardware_log(spec, path)


def _variation(options: JumpOptions) -> Variation | None:
    """How wide a Monte Carlo varies what; None without one."""
    if not options.monte_carlo:
        return None
    from leapcheck.jumping.robustness.variation import variation_from

    return variation_from(dict(name_value_pairs(options.vary)))


def _monte_carlo(
    setup: JumpSetup, options: JumpOptions, variation: Variation, workers: int, progress: StudyProgress | None
) -> MonteCarlo:
    from leapcheck.jumping.robustness.monte_carlo import monte_carlo

    height = None if setup.plan is None else setup.plan.request.height
    return monte_carlo(setup.trial(), options.monte_carlo, options.seed, variation, workers, progress, setup.thresholds, height)


def evaluate(setup: JumpSetup, origin: JumpProvenance, runs: Runs, monte_carlo: MonteCarlo | None = None) -> JumpStudy:
    """The runs of a set-up, as `simulate_everywhere` makes them, measured and judged."""
    logs, failures = runs
    motors = drives(setup.spec)
    figures = _estimates(setup, logs)
    books = {name: ledgers(robot_in(name, setup.spec), runs[-1]) for name, runs in logs.items()}
    return JumpStudy(
        setup=setup,
        logs={name: runs[-1] for name, runs in logs.items()},
        failures=failures,
        estimates=figures,
        ledgers=books,
        judgement=judge_jump(figures, books, logs, monte_carlo, setup.thresholds, motors, failures),
        provenance=origin,
        monte_carlo=monte_carlo,
    )


def _estimates(setup: JumpSetup, logs: Mapping[str, list[JumpLog]]) -> tuple[Estimate, ...]:
    motors = drives(setup.spec)
    return estimates(setup.spec, setup.plan, logs, motors, setup.battery, setup.ground.friction, setup.rating)


def refused_study(setup: JumpSetup, origin: JumpProvenance, reason: str, remedy: str) -> JumpStudy:
    """The record of a jump that could not be planned: a NO-GO without a simulation."""
    why = Reason(item="plan", verdict=JumpVerdict.NO_GO, text=reason)
    judgement = JumpJudgement(JumpVerdict.NO_GO, (why,), (remedy,), f"NO-GO: {reason}")
    return JumpStudy(setup, {}, {}, (), {}, judgement, origin)


def provenance(spec: RobotSpec, command: str, seed: int) -> JumpProvenance:
    """Where a study of this robot comes from."""
    packages = dict(versions(PACKAGES)) | {"Python": platform.python_version()}
    machine = f"{platform.system()} {platform.machine()}"
    return JumpProvenance(spec.name, spec_hash(spec), command, packages, seed, machine)


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
    return judge_first_runs(_estimates(setup, logs), logs, setup.thresholds, failures)


def _results(setup: JumpSetup, jobs: Sequence[tuple[str, int]], workers: int) -> Generator[tuple[int, JumpLog | str], None, None]:
    """(number of the job, its log or why there is none) as they end."""
    if workers == 1:
        yield from ((number, _log_or_failure(setup, *job)) for number, job in enumerate(jobs))
        return
    try:
        with closing(job_results(_log_or_failure, [(setup, *job) for job in jobs], workers)) as results:
            yield from results
    except ProcessDiedError as error:
        for number in error.jobs:
            yield number, f"{jobs[number][0]}: its process died: run it alone, with --workers 1"


def _log_or_failure(setup: JumpSetup, name: str, level: int) -> JumpLog | str:
    """The log at dt / 2^level, or in one line why there is none."""
    try:
        assert setup.act is not None
        act, spec = setup.act, setup.spec
        simulator = make_simulator(name, spec, setup.ground, setup.dt / 2**level)
        return simulate(spec, simulator, act.fresh_policy(), drives(spec), act.start, act.duration, setup.timing, setup.battery)
    except Exception as error:
        return f"{name}: {' '.join(str(error).split()) or type(error).__name__}"
