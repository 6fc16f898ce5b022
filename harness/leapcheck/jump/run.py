"""A whole jump study: plan, every simulator at several time steps, figures with error bars, verdict. Failures are records too."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from leapcheck.jump.asked import Act
from leapcheck.jump.control import Timing
from leapcheck.jump.judging.thresholds import Thresholds
from leapcheck.jump.judging.verdict import Judgement, Reason, Verdict, judged
from leapcheck.jump.log import JumpLog
from leapcheck.jump.measures.estimates import Estimate, estimates
from leapcheck.jump.measures.ledgers import Ledger, ledgers
from leapcheck.jump.planning.records import JumpPlan
from leapcheck.jump.simulation import simulated
from leapcheck.jump.simulators import Ground, make_simulator, robot_in
from leapcheck.processes import started
from leapcheck_models.spec import RobotSpec, spec_hash
from leapcheck_reference.simulate.actuator import Battery, drives
from leapcheck_reference.simulate.heat import ThermalRating

if TYPE_CHECKING:
    from leapcheck.jump.hardware import HardwareComparison
    from leapcheck.jump.robustness.control import Trial
    from leapcheck.jump.robustness.monte_carlo import MonteCarlo

Floats = NDArray[np.float64]
Progress = Callable[[int, int, str], None]

PACKAGES = ("leapcheck", "mujoco", "pin", "numpy", "scipy")


@dataclass(frozen=True, slots=True, eq=False)
class Setup:
    """What is to be simulated: `act` (None where there is no plan), its policy asked at `timing`.

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
        """The jump as it is repeated in a Monte Carlo."""
        from leapcheck.jump.robustness.monte_carlo import trial_of

        assert self.act is not None
        act, contact = self.act, self.ground.contact()
        return trial_of(
            self.spec, act.policy, act.start, act.duration, contact, self.timing, self.battery, self.dt, act.policy_maker()
        )


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a run comes from: robot, hash of its description, the command that repeats it, versions, seed, machine."""

    robot: str
    spec_hash: str
    command: str
    versions: Mapping[str, str]
    seed: int
    machine: str


@dataclass(frozen=True, slots=True, eq=False)
class JumpRun:
    """All that is known about a jump. `logs` holds each simulator's run at its finest step, `failures` why one gave none.

    `pictures` are PNG images by title; `notes` say what was left out and why.
    """

    setup: Setup
    logs: Mapping[str, JumpLog]
    failures: Mapping[str, str]
    estimates: tuple[Estimate, ...]
    ledgers: Mapping[str, tuple[Ledger, ...]]
    judgement: Judgement
    provenance: Provenance
    monte_carlo: MonteCarlo | None = None
    hardware: HardwareComparison | None = None
    pictures: Mapping[str, bytes] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def exit_status(self) -> int:
        """1 for NO-GO, or where a simulator failed; else 0."""
        return int(self.judgement.verdict is Verdict.NO_GO or bool(self.failures))


def simulated_everywhere(
    setup: Setup, workers: int = 1, progress: Progress | None = None
) -> tuple[dict[str, list[JumpLog]], dict[str, str]]:
    """(logs of each simulator from the coarsest step to the finest, why a simulator gave none).

    One process per core; the same logs for any number of workers. A simulator that cannot be made or fails is named, the
    others go on.
    """
    if setup.act is None:
        return {}, {}
    jobs = [(name, level) for level in reversed(range(setup.levels)) for name in setup.engines]
    found: dict[tuple[str, int], JumpLog | str] = {}
    for number, outcome in _outcomes(setup, jobs, min(workers, len(jobs))):
        found[jobs[number]] = outcome
        if progress:
            progress(len(found), len(jobs), jobs[number][0])
    logs = {
        name: [log for level in range(setup.levels) if isinstance(log := found[name, level], JumpLog)] for name in setup.engines
    }
    failures: dict[str, str] = {}
    for name, level in jobs:  # of several reasons, that of the finest step
        if isinstance(why := found[name, level], str):
            failures.setdefault(name, why)
    return {name: runs for name, runs in logs.items() if runs}, failures


def _outcomes(setup: Setup, jobs: Sequence[tuple[str, int]], workers: int) -> Iterator[tuple[int, JumpLog | str]]:
    """(number of the job, its outcome) as they are finished."""
    if workers == 1:
        yield from ((number, _outcome(setup, *job)) for number, job in enumerate(jobs))
        return
    died = []
    with started(_outcome, [(setup, *job) for job in jobs], workers) as running:
        for done in as_completed(running):
            if isinstance(done.exception(), BrokenProcessPool):
                died.append(running[done])
            else:
                yield running[done], done.result()
    for number in sorted(died):  # one that dies takes the others with it: each of them alone
        name, level = jobs[number]
        with started(_outcome, [(setup, name, level)], 1) as running:
            (done,) = running
            died_again = isinstance(done.exception(), BrokenProcessPool)
            yield number, f"{name}: its process died: run it alone, with --workers 1" if died_again else done.result()


def _outcome(setup: Setup, name: str, level: int) -> JumpLog | str:
    """The log at dt / 2^level, or in one line why there is none."""
    try:
        assert setup.act is not None
        act = setup.act
        made = make_simulator(name, setup.spec, setup.ground, setup.dt / 2**level)
        return simulated(
            setup.spec, made, act.fresh_policy(), drives(setup.spec), act.start, act.duration, setup.timing, setup.battery
        )
    except Exception as error:
        return f"{name}: {' '.join(str(error).split()) or type(error).__name__}"


def jump_run(
    setup: Setup,
    provenance: Provenance,
    workers: int = 1,
    progress: Progress | None = None,
    monte_carlo: MonteCarlo | None = None,
) -> JumpRun:
    """Simulates, measures and judges; the record that reports are written from."""
    logs, failures = simulated_everywhere(setup, workers, progress)
    motors = drives(setup.spec)
    measured = estimates(setup.spec, setup.plan, logs, motors, setup.battery, setup.ground.friction, setup.rating)
    books = {name: ledgers(robot_in(name, setup.spec), runs[-1]) for name, runs in logs.items()}
    return JumpRun(
        setup=setup,
        logs={name: runs[-1] for name, runs in logs.items()},
        failures=failures,
        estimates=measured,
        ledgers=books,
        judgement=judged(measured, books, logs, monte_carlo, setup.thresholds, motors, failures),
        provenance=provenance,
        monte_carlo=monte_carlo,
    )


def refused_run(setup: Setup, provenance: Provenance, reason: str, remedy: str) -> JumpRun:
    """The record of a jump that could not be planned: a NO-GO without a simulation."""
    why = Reason(item="plan", verdict=Verdict.NO_GO, text=reason)
    judgement = Judgement(Verdict.NO_GO, (why,), (remedy,), f"NO-GO: {reason}")
    return JumpRun(setup, {}, {}, (), {}, judgement, provenance)


def provenance(spec: RobotSpec, command: str, seed: int) -> Provenance:
    """Where a run of this robot comes from."""
    versions = {name: version(name) for name in PACKAGES} | {"Python": platform.python_version()}
    machine = f"{platform.system()} {platform.machine()}"
    return Provenance(spec.name, spec_hash(spec), command, versions, seed, machine)
