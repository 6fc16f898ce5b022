"""A whole comparison: units of states through all engines, in this process or several, reduced in order to one record."""

from __future__ import annotations

import multiprocessing
import os
import platform
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version

from leapcheck.compare.armature_cost import armature_costs
from leapcheck.compare.bench import Bench, Pair, UnitOutcome, bench, named_bench, unit_outcome
from leapcheck.compare.discrepancies import discrepancies, with_truth
from leapcheck.compare.entries import dof_names
from leapcheck.compare.records import Comparison, Discrepancy, Failure, HeatMap, Provenance, Run, Verdict
from leapcheck.compare.singular import singular_dof
from leapcheck.compare.tally import PairTally, comparison
from leapcheck.engines.protocol import Engine
from leapcheck.engines.registry import ENGINE_NAMES
from leapcheck.quantities import QUANTITIES
from leapcheck.states import UNIT, States, generated_states, units
from leapcheck_models.spec import RobotSpec, spec_hash
from leapcheck_reference import build, sparsity_pattern

Progress = Callable[[int, int], None]

PACKAGES = ("leapcheck", "mujoco", "pin", "numpy", "python-flint")


@dataclass(frozen=True, slots=True)
class Plan:
    """What to compare. `only` is the index of a single state out of all; `states` are the user's own, from `states_file`."""

    robot: str
    spec: RobotSpec
    engines: tuple[str | Engine, ...] = ENGINE_NAMES
    quantities: tuple[str, ...] = tuple(QUANTITIES)
    count: int = 2048
    seed: int = 0
    only: int | None = None
    states: States | None = None
    states_file: str = ""
    command: str = ""

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

    def unit(self, unit: int) -> States:
        """The states of one unit."""
        if self.states is not None:
            return self.states[unit * UNIT : (unit + 1) * UNIT]
        return generated_states(self.spec, self.count, self.seed, unit)


def blocks(plan: Plan) -> Iterator[States]:
    """The states to compare, a unit at a time; or the only one."""
    if plan.only is not None:
        row = plan.only % UNIT
        yield plan.unit(plan.only // UNIT)[row : row + 1]
    else:
        yield from map(plan.unit, units(plan.total))


def compared(plan: Plan, workers: int = 1, progress: Progress | None = None) -> Run:
    """The record of a comparison; the same for any number of workers."""
    at = bench(plan.spec, plan.engines)
    if not at.engines:
        raise ValueError("no engine could be made: " + "; ".join([*(f.message for f in at.failures), *at.not_compared]))
    tallies: dict[Pair, PairTally] = {}
    failures = list(at.failures)
    for outcome in _outcomes(plan, at, workers, progress):
        for pair, tally in outcome.tallies.items():
            if pair in tallies:
                tallies[pair].merge(tally)
            else:
                tallies[pair] = tally
        failures += [failure for failure in outcome.failures if not _known(failure, failures)]
    rows = with_truth(plan.spec, tuple(comparison(plan.spec, *pair, tally) for pair, tally in tallies.items()))
    found = discrepancies(plan.spec, plan.robot, plan.seed, plan.states_arguments, at.engines, rows)
    user = {e.name for e in at.engines if e.name not in ENGINE_NAMES} | {
        n for n in plan.engines if isinstance(n, str) and ":" in n
    }
    return Run(
        provenance=_provenance(plan),
        verdict=_verdict(plan, at, rows, found, failures),
        exit_status=_exit_status(rows, failures, user),
        engines=at.rows,
        comparisons=rows,
        discrepancies=found,
        failures=tuple(failures),
        not_compared=(*at.not_compared, *_gaps(plan, at, rows)),
        dof_names=dof_names(plan.spec),
        pattern=tuple(tuple(int(x) for x in row) for row in sparsity_pattern(build(plan.spec))),
        heat_maps=tuple(
            HeatMap(engine, against, tuple(tuple(float(x) for x in row) for row in tally.heat))
            for (_, engine, against), tally in tallies.items()
            if tally.heat is not None
        ),
        armature_costs=armature_costs(plan.spec, plan.seed),
    )


def _outcomes(plan: Plan, at: Bench, workers: int, progress: Progress | None) -> Iterator[UnitOutcome]:
    """The outcome of every unit, in the units' order whatever the number of workers."""
    all_units = units(plan.total if plan.only is None else 1)
    by_name = all(isinstance(engine, str) for engine in plan.engines)
    if workers == 1 or len(all_units) == 1 or not by_name:
        for done, states in enumerate(blocks(plan), start=1):
            yield unit_outcome(at, states, plan.quantities)
            _report(progress, done, len(all_units))
        return
    # spawn, not fork: the engines in this process may hold threads
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(workers, len(all_units)), context, _stdout_to_stderr) as pool:
        parts = pool.map(_outcome_in_worker, ((plan, unit) for unit in all_units))
        for done, outcome in enumerate(parts, start=1):
            yield outcome
            _report(progress, done, len(all_units))


def _outcome_in_worker(job: tuple[Plan, int]) -> UnitOutcome:
    plan, unit = job
    at = named_bench(plan.spec, tuple(e for e in plan.engines if isinstance(e, str)))
    outcome = unit_outcome(at, plan.unit(unit), plan.quantities)
    return replace(outcome, failures=[*at.failures, *outcome.failures])


def _stdout_to_stderr() -> None:
    """What foreign code prints in a worker must not mix with the results on standard output."""
    sys.stdout = sys.stderr


def _report(progress: Progress | None, done: int, total: int) -> None:
    if progress is not None:
        progress(done, total)


def _known(failure: Failure, failures: Sequence[Failure]) -> bool:
    """Whether the same engine has failed on the same quantity before: the first message is kept."""
    return any((f.engine, f.quantity) == (failure.engine, failure.quantity) for f in failures)


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
