"""A whole comparison: units of states through all engines, in this process or several, reduced in order to one record."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version

from leapcheck.compare.armature_cost import armature_costs
from leapcheck.compare.bench import Bench, Outcome, bench, known, outcome
from leapcheck.compare.entries import dof_names
from leapcheck.compare.figures import finished
from leapcheck.compare.records import Comparison, Discrepancy, Failure, Provenance, Run, Verdict
from leapcheck.compare.singular import singular_dof
from leapcheck.engines.protocol import Engine, EngineRequest
from leapcheck.engines.registry import ENGINE_NAMES
from leapcheck.processes import started
from leapcheck.quantities import QUANTITIES
from leapcheck.states import UNIT, States, generated_states, joined, units
from leapcheck_models.spec import RobotSpec, spec_hash
from leapcheck_reference import build, sparsity_pattern

COMPILED_FROM = 20_000
"""Number of states from which code is compiled for a run; below, NumPy programs with the same bits are done sooner."""

JOB = 16
"""Blocks of a job: enough that handing it to a process costs nothing."""

Progress = Callable[[int, int], None]

PACKAGES = ("leapcheck", "mujoco", "pin", "numpy", "python-flint")


@dataclass(frozen=True, slots=True)
class Plan:
    """What to compare. `only` is the index of a single state out of all; `states` are the user's own, from `states_file`.

    `limits` say what of the robot cannot be compared, where it comes from a file of the user's.
    """

    robot: str
    spec: RobotSpec
    engines: tuple[str | Engine | EngineRequest, ...] = ENGINE_NAMES
    quantities: tuple[str, ...] = tuple(QUANTITIES)
    count: int = 2048
    seed: int = 0
    only: int | None = None
    states: States | None = None
    states_file: str = ""
    command: str = ""
    block_units: int = 4
    limits: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        unknown = [name for name in self.quantities if name not in QUANTITIES]
        if unknown:
            raise ValueError(f"unknown quantity '{unknown[0]}': use one of {', '.join(QUANTITIES)}")
        if self.count < 1:
            raise ValueError(f"{self.count} states: give at least 1")
        if self.seed < 0:
            raise ValueError(f"the seed is {self.seed}: give a whole number from 0")
        names = [engine if isinstance(engine, str) else engine.name for engine in self.engines]
        if len(names) < 2:
            raise ValueError(f"{len(names)} engines: give at least two to compare")
        if repeated := [name for name in names if names.count(name) > 1]:
            raise ValueError(f"engine '{repeated[0]}' is given twice: name each once")
        if self.only is not None and not 0 <= self.only < self.total:
            raise ValueError(f"state {self.only} is not among the {self.total} states: give 0 to {self.total - 1}")
        if not self.spec.bodies or self.spec.nv == 0:
            raise ValueError(f"robot '{self.spec.name}' has nothing that moves: add a body with a joint by add_body")
        if dof := singular_dof(self.spec):
            raise ValueError(f"robot '{self.spec.name}': '{dof}' moves no inertia: give the link behind it a mass and an inertia")

    @property
    def total(self) -> int:
        """How many states there are to choose from."""
        return self.count if self.states is None else len(self.states)

    @property
    def states_arguments(self) -> tuple[str, ...]:
        """The words of the command line that give these states."""
        if self.states is not None:
            return ("--states-file", self.states_file)
        return ("--states", str(self.count), "--seed", str(self.seed))

    @property
    def is_long(self) -> bool:
        """Whether so many states are to come that compiling for them pays."""
        return self.only is None and self.total >= COMPILED_FROM

    def block(self, of_units: Sequence[int]) -> States:
        """The states of some units; or the only one."""
        if self.only is not None:
            row = self.only % UNIT
            return self.unit(self.only // UNIT)[row : row + 1]
        return joined([self.unit(unit) for unit in of_units])

    def unit(self, unit: int) -> States:
        """The states of one unit."""
        if self.states is not None:
            return self.states[unit * UNIT : (unit + 1) * UNIT]
        return generated_states(self.spec, self.count, self.seed, unit)


def blocks(plan: Plan) -> Iterator[States]:
    """The states to compare, a block at a time; or the only one."""
    for part in jobs(plan):
        yield from map(plan.block, part)


def compared(plan: Plan, workers: int = 1, progress: Progress | None = None) -> Run:
    """The record of a comparison; the same for any number of workers and any size of blocks."""
    at = bench(plan.spec, plan.engines, plan.quantities, plan.is_long)
    if not at.engines:
        raise ValueError("no engine could be made: " + "; ".join([*(f.message for f in at.failures), *at.not_compared]))
    total = whole_outcome(plan, at, workers, progress)
    figures = finished(at, total)
    # Here, not above: a worker needs no judge, and SciPy behind it doubles the time of the import.
    from leapcheck.compare.discrepancies import Question, judged, with_truth
    from leapcheck.judge.identities import identities
    from leapcheck.judge.verdicts import with_diagnoses

    rows = with_truth(plan.spec, figures.comparisons)
    question = Question(plan.spec, plan.robot, plan.quantities, plan.states_arguments, plan.seed)
    found = judged(question, at.engines, rows)
    names = {e if isinstance(e, str) else e.name for e in (*at.engines, *plan.engines)}
    user = names - set(ENGINE_NAMES)
    return Run(
        provenance=_provenance(plan),
        verdict=_verdict(plan, at, rows, found.discrepancies, total.failures),
        exit_status=_exit_status(rows, total.failures, user),
        engines=at.rows,
        comparisons=rows,
        accuracies=figures.accuracies,
        discrepancies=found.discrepancies,
        failures=tuple(total.failures),
        not_compared=(*plan.limits, *at.not_compared, *_gaps(plan, at, rows), *found.gaps),
        dof_names=dof_names(plan.spec),
        pattern=tuple(tuple(int(x) for x in row) for row in sparsity_pattern(build(plan.spec))),
        heat_maps=figures.heat_maps,
        armature_costs=armature_costs(plan.spec, plan.seed),
        verdicts=with_diagnoses(figures.verdicts, found.diagnoses),
        identities=identities(plan.spec, at.engines, plan.block(range(1))),
        diagnoses=found.diagnoses,
        reproducers=found.reproducers,
        largest=found.largest,
    )


def whole_outcome(plan: Plan, at: Bench, workers: int, progress: Progress | None = None) -> Outcome:
    """What all states yielded."""
    total = Outcome(failures=list(at.failures))
    with closing(_outcomes(plan, at, workers, progress)) as outcomes:  # an interrupt ends the processes at once
        for later in outcomes:
            total.merge(later)
    total.failures.sort(key=partial(_place, plan))
    return total


def _place(plan: Plan, failure: Failure) -> tuple[int, int]:
    """Where a failure stands among others: in the order of the engines, then of the quantities; one of no quantity first."""
    names = [engine if isinstance(engine, str) else engine.name for engine in plan.engines]
    return names.index(failure.engine), plan.quantities.index(failure.quantity) if failure.quantity else -1


def _outcomes(plan: Plan, at: Bench, workers: int, progress: Progress | None) -> Generator[Outcome, None, None]:
    """The outcomes of the whole run, in the order of the states whatever the number of workers."""
    by_name = all(isinstance(engine, str) for engine in plan.engines)
    parts = jobs(plan)
    if workers == 1 or len(parts) == 1 or not (by_name and plan.is_long):
        for done, part in enumerate(parts, start=1):
            yield _job_outcome(plan, at, part)
            _report(progress, done, len(parts))
        return
    with started(_outcome_in_worker, [(part,) for part in parts], workers, _begin_worker, (plan,)) as running:
        left = list(running)[::-1]
        running.clear()  # so that an outcome lives no longer than its turn: there may be millions of states
        while left:
            yield left.pop().result()
            _report(progress, len(parts) - len(left), len(parts))


def jobs(plan: Plan) -> list[tuple[range, ...]]:
    """The units of states in blocks, and the blocks in jobs, each for one process at a time."""
    all_units = units(plan.total if plan.only is None else 1)
    in_blocks = [all_units[i : i + plan.block_units] for i in range(0, len(all_units), plan.block_units)]
    return [tuple(in_blocks[i : i + JOB]) for i in range(0, len(in_blocks), JOB)]


def _job_outcome(plan: Plan, at: Bench, part: Sequence[range]) -> Outcome:
    total = Outcome()
    for units_of_block in part:
        total.merge(outcome(at, plan.block(units_of_block)))
    return total


_worker: list[tuple[Plan, Bench]] = []
"""The plan and the bench of this process, where it is a worker; made once."""


def _begin_worker(plan: Plan) -> None:
    """Makes the bench."""
    names = tuple(e for e in plan.engines if isinstance(e, str))
    _worker[:] = [(plan, bench(plan.spec, names, plan.quantities, plan.is_long))]


def _outcome_in_worker(part: tuple[range, ...]) -> Outcome:
    ((plan, at),) = _worker
    found = _job_outcome(plan, at, part)
    found.failures = [*at.failures, *(f for f in found.failures if not known(f, at.failures))]
    return found


def _report(progress: Progress | None, done: int, total: int) -> None:
    if progress is not None:
        progress(done, total)


def _exit_status(rows: Sequence[Comparison], failures: Sequence[Failure], user: set[str]) -> int:
    """0 agree; 1 a discrepancy or a failure of the user's own engine; 2 where an engine of ours, or all, could not run."""
    if any(failure.engine not in user for failure in failures) or not (rows or failures):
        return 2
    return int(bool(failures) or any(row.verdict is Verdict.DISCREPANCY for row in rows))


def _verdict(plan: Plan, at: Bench, rows: Sequence[Comparison], found: Sequence[Discrepancy], failures: Sequence[Failure]) -> str:
    """The run in one sentence."""
    states = 1 if plan.only is not None else plan.total
    over = f"over {states:,} state{'s' if states > 1 else ''} of {plan.spec.name}".replace(",", " ")
    bad = [row for row in rows if row.verdict is Verdict.DISCREPANCY]
    failed = (
        f" {len(failures)} failure{'s' if len(failures) > 1 else ''} of {', '.join(dict.fromkeys(f.engine for f in failures))}."
    )
    if bad:
        what = ", ".join(dict.fromkeys(QUANTITIES[row.quantity].label for row in bad))
        who = list(dict.fromkeys(discrepancy.engine for discrepancy in found))
        return f"{' and '.join(who)} differ{'s' * (len(who) == 1)} in {what} {over}." + (failed if failures else "")
    if failures:
        return f"Not every engine could be compared {over}:{failed}"
    if not rows:
        return f"Nothing could be compared {over}."
    quantities = len({row.quantity for row in rows})
    imprecise = dict.fromkeys(row.engine for row in rows if row.verdict is Verdict.IMPRECISE)
    tail = "; far from the world's origin some are right but imprecise" if imprecise else ""
    return f"{len(at.engines)} engines agree on {quantities} quantities {over}{tail}."


def _gaps(plan: Plan, at: Bench, rows: Sequence[Comparison]) -> Iterator[str]:
    """What was asked for and could not be compared, with the reason."""
    compared_names = {row.quantity for row in rows}
    for name in plan.quantities:
        able = [engine.name for engine in at.engines if name in engine.quantities]
        if name not in compared_names:
            reason = "the robot has no computed contact points" if len(able) > 1 else f"only {able or 'no engine'} can answer it"
            yield f"{QUANTITIES[name].label}: {reason}"
        else:
            unable = [engine.name for engine in at.engines if name not in engine.quantities]
            if unable:
                yield f"{QUANTITIES[name].label}: not answered by {', '.join(unable)}"


def _provenance(plan: Plan) -> Provenance:
    versions = []
    for package in PACKAGES:
        try:
            versions.append((package, version(package)))
        except PackageNotFoundError:
            versions.append((package, "not installed"))
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    return Provenance(plan.robot, spec_hash(plan.spec), plan.seed, plan.total, plan.command, machine, tuple(versions))
