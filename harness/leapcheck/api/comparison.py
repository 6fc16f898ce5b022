"""Compare a robot's dynamics in several engines."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leapcheck.api.comparison_run import ComparisonRun
from leapcheck.api.options import CompareOptions
from leapcheck.system.command_line import repeat_command
from leapcheck.system.garbage import rare_collection

if TYPE_CHECKING:
    from leapcheck.baseline.record import RobotBaseline
    from leapcheck.comparison.execution import Resources, Stage
    from leapcheck.comparison.parts import Parts
    from leapcheck.comparison.plan import Plan
    from leapcheck.engines.protocol import Engine, EngineRequest
    from leapcheck.sampling import States
    from leapcheck_models.importing import ImportedRobot
    from leapcheck_models.spec import RobotSpec

Progress = Callable[[int, int], None]

UNCHANGING = ("out", "workers", "resume", "scheduler")
"""Options that change no result."""


def compare(
    robot: Any,
    engine: Any = (),
    *,
    engines: Sequence[str] | str = CompareOptions.engines,
    states: int | States = CompareOptions.states,
    seed: int = CompareOptions.seed,
    within_limits: bool = CompareOptions.within_limits,
    quantities: Sequence[str] | str = CompareOptions.quantities,
    states_file: Path | str | None = CompareOptions.states_file,
    only: int | None = CompareOptions.only,
    strict: bool = CompareOptions.strict,
    own_differences: bool = CompareOptions.own_differences,
    feet: Sequence[str] | str = CompareOptions.feet,
    points: Path | str | None = CompareOptions.points,
    frames: Sequence[str] | str = CompareOptions.frames,
    sandbox: bool = CompareOptions.sandbox,
    out: Path | str | None = CompareOptions.out,
    baseline: Path | str | None = CompareOptions.baseline,
    workers: int = CompareOptions.workers,
    resume: bool = CompareOptions.resume,
    scheduler: str = CompareOptions.scheduler,
    progress: Progress | None = None,
) -> ComparisonRun:
    """Compares a robot's dynamics in several engines and with the truth, and judges who is wrong and why.

    Args:
        robot: a name, "random:SEED", a file (.json, .urdf, .xml), a spec, a `mujoco.MjModel` or a `pinocchio.Model`.
        engine: your own engine, or a list of them: an object or a class with functions such as `mass_matrix(q)`, a factory, an
            `Engine`, "module:factory", a C library (.so), "pipe:./program argument", recorded data (.npz, .csv, .parquet), or a
            .toml that describes one of these with its conventions. What a text names runs in a process of its own.
        engines: the others: by default reference, mujoco, mujoco-urdf, pinocchio, pinocchio-mjcf; with a file also mujoco-file
            and pinocchio-file.
        states: how many random states, or the states themselves.
        seed: of the random states.
        within_limits: draw states within the limits of the robot's joints and of the speeds and torques of its drives instead of
            wild ones.
        quantities: names out of `leapcheck.quantities.QUANTITIES`, groups of them ("core", "centroidal", ...), or "all"; by
            default the core and MuJoCo's own storage.
        states_file: your own states (.npz, .csv, .parquet).
        only: index of the one state to compare at.
        strict: an engine that is imprecise by the single precision that it declares, or by finite differences, is a discrepancy.
        own_differences: hold derivatives against differences of their engine's own functions, too; `identities` say how far off.
        feet: where it touches, by names of bodies or links, sites or geoms of its file; by default the ends of its chains, or
            what a .toml of its name beside the file says.
        points: the same in a file (.toml), as in `load`.
        frames: sites of its MJCF that are frames, too, as in `load`.
        sandbox: your engines, named as on the command line, run under bubblewrap: without network, with files that they cannot
            change, without other processes.
        out: folder of the report, written at the end; a long run keeps its finished parts there.
        baseline: what is accepted; `exit_status` is then that of what is new, expired or grown.
        workers: processes for a long run; 0: one per core.
        resume: go on with the finished parts of a run that was interrupted.
        scheduler: address of a Dask scheduler that computes the parts.
        progress: called with (blocks done, blocks in all).

    Raises:
        ValueError: an argument is wrong, or no engine could be made; the message says what to give.
        EngineError (a RuntimeError): your engine has none of the quantities' functions, or its factory raised.
        OSError: a file cannot be read or written.

    Example:
        >>> import leapcheck as lc
        >>> class MyDynamics:
        ...     def potential_energy(self, q):
        ...         return 0.0
        >>> run = lc.compare("falling_rod", MyDynamics(), engines=("reference",), states=16)
        >>> run.verdict.value
        'discrepancy'
    """
    options = CompareOptions(
        engines=_names(engines),
        states=states if isinstance(states, int) else len(states),
        seed=seed,
        within_limits=within_limits,
        quantities=_names(quantities),
        states_file=None if states_file is None else Path(states_file),
        only=only,
        strict=strict,
        own_differences=own_differences,
        feet=_names(feet),
        points=None if points is None else Path(points),
        frames=_names(frames),
        sandbox=sandbox,
        out=None if out is None else Path(out),
        baseline=None if baseline is None else Path(baseline),
        workers=workers,
        resume=resume,
        scheduler=scheduler,
    )
    given = None if isinstance(states, int) else states
    return comparison_setup(robot, _engines(engine), options, given).run(progress)


def assert_agrees(
    engine: Any,
    robot: Any = "mini_cheetah",
    *,
    engines: Sequence[str] | str = ("reference",),
    states: int | States = 256,
    seed: int = 0,
    quantities: Sequence[str] | str = (),
    strict: bool = False,
    own_differences: bool = False,
) -> ComparisonRun:
    """The comparison of your engine with the reference, where they agree; for your own tests.

    Args:
        engine: as in `compare`.
        robot: as in `compare`.
        engines: what to compare with.
        states: how many random states, or the states themselves.
        seed: of the random states.
        quantities: what must agree; by default all that the engine answers.
        strict, own_differences: as in `compare`.

    Raises:
        AssertionError: the engine is wrong or failed; the message names the cause, the worst and the smallest state.
        ValueError, OSError: as `compare`.

    Example:
        >>> import leapcheck as lc
        >>> class Rod:
        ...     def potential_energy(self, q):
        ...         return 0.0
        >>> lc.assert_agrees(Rod(), "falling_rod", states=16)
        Traceback (most recent call last):
        AssertionError: ...
    """
    run = compare(
        *(robot, engine),
        engines=engines,
        states=states,
        seed=seed,
        quantities=quantities,
        strict=strict,
        own_differences=own_differences,
    )
    run.raise_if_wrong()
    return run


@dataclass(frozen=True, slots=True)
class ComparisonSetup:
    """A comparison ready to run: what to compare, with what means, where its report and its parts go, what is accepted."""

    plan: Plan
    means: Resources
    options: CompareOptions
    parts: Parts | None
    accepted: RobotBaseline | None

    def run(self, progress: Progress | None = None, stage: Stage | None = None) -> ComparisonRun:
        """Compares, judges, and writes the report where a folder is named; `stage` is told what follows the comparing."""
        from leapcheck.comparison.execution import no_stage
        from leapcheck.comparison.plan import jobs
        from leapcheck.study import run_comparison

        stage = stage or no_stage
        with self._folder(shared=False), rare_collection():
            record = run_comparison(self.plan, self.means, progress, self.parts, stage)
        if self.accepted is not None:
            from leapcheck.baseline.verdict import apply_baseline

            record = apply_baseline(record, self.accepted, str(self.options.baseline), date.today())
        run = ComparisonRun(record, None, self.plan)
        if self.options.out is not None:
            stage("writing the report")
            run = run.write_report(self.options.out)
        if self.parts is not None and len(self.parts.whole) == len(jobs(self.plan)):
            self.parts.remove()
        return run

    def compute_shard(self, progress: Progress | None = None) -> int:
        """Computes this shard's parts and keeps them; returns how many it has."""
        from leapcheck.comparison.engine_set import engine_set_of
        from leapcheck.comparison.execution import compute_missing

        assert self.parts is not None
        with self._folder(shared=True):
            return compute_missing(self.plan, engine_set_of(self.plan), self.means, self.parts, progress)

    @contextmanager
    def _folder(self, shared: bool) -> Iterator[None]:
        """Keeps other runs out of the folder of the parts; says on Ctrl-C where they are, and which were computed again."""
        if self.parts is None:
            yield
            return
        try:
            with self.parts.lock(shared):
                yield
        except KeyboardInterrupt:
            text = f"interrupted: no report was written; finished parts are in '{self.parts.folder}': --resume"
            raise KeyboardInterrupt(text) from None
        if damaged := self.parts.damaged:
            names = ", ".join(map(str, sorted(damaged)))
            warnings.warn(f"{self.parts.folder}: damaged parts were computed again: {names:.200}", UserWarning, stacklevel=2)


def comparison_setup(
    robot: Any, engines: Sequence[Any], options: CompareOptions, states: States | None = None, shard: str = ""
) -> ComparisonSetup:
    """The comparison that the options ask for; the one place where a `Plan` is assembled.

    Args:
        robot: as in `compare`.
        engines: the user's own.
        options: everything else.
        states: the states to compare at; by default those that the options name.
        shard: "k/n": the k-th of n shares of the parts.

    Raises:
        ValueError, OSError: as `compare`; before any work is done.
    """
    from leapcheck.comparison.execution import Resources
    from leapcheck.comparison.parts import shard_of

    if options.out is not None:
        from leapcheck.report.comparison.files import FILES, STATES_FILE
        from leapcheck.report.folder import check_folder

        check_folder(options.out, (*FILES, STATES_FILE))
    plan = _plan(robot, engines, options, states)
    means = Resources(options.workers or os.cpu_count() or 1, options.scheduler, shard_of(shard or "1/1"))
    return ComparisonSetup(plan, means, options, _parts(plan, options, shard), _accepted(plan, options))


def _plan(robot: Any, own: Sequence[Any], options: CompareOptions, states: States | None) -> Plan:
    from leapcheck.comparison.plan import Plan
    from leapcheck.engines.outside.load import word_of
    from leapcheck.engines.outside.recording import recordings
    from leapcheck.quantities import default_quantities
    from leapcheck.robots.load import NamedRobot, load, read_robot_file

    named = isinstance(robot, str | Path)
    file = read_robot_file(str(robot), options.feet, options.points, options.frames) if named else None
    spec = load(robot, options.feet, options.points, options.frames) if file is None else file.spec
    read = recordings(spec, [engine for engine in (*options.engines, *own) if isinstance(engine, str)])
    own_states = _own_states(spec, next((engine.states for engine in read.values()), None), options.states_file)
    given = own_states if states is None else states
    if options.within_limits and given is not None:
        raise ValueError("--within-limits says how states are drawn, and yours are given: leave it out")
    foreign, users = _foreign_engines(options.engines, file), [own_engine(engine, spec, options.sandbox) for engine in own]
    plan = Plan(
        robot=NamedRobot(spec, str(robot) if named else "", options.feet, options.points, options.frames),
        engines=tuple(read.get(engine, engine) if isinstance(engine, str) else engine for engine in (*foreign, *users)),
        quantities=options.quantities or default_quantities(spec),
        count=options.states,
        seed=options.seed,
        only=options.only,
        strict=options.strict,
        own_differences=options.own_differences,
        within_limits=options.within_limits,
        states=given,
        states_file="" if options.states_file is None else str(options.states_file),
        only_in_python=(
            *(engine.name for engine in users if not (isinstance(engine, str) or word_of(engine))),
            *(() if states is None else ("states",)),
        ),
        limits=() if file is None else tuple(f"{f.place}: {f.message}" for f in file.findings if f.severity == "warning"),
    )
    return replace(plan, command=_command(plan, options, users))


def own_engine(engine: Any, spec: RobotSpec, sandbox: bool = False) -> str | Engine | EngineRequest:
    """The user's engine as the comparison takes it: a text as it is, or in a sandbox; anything else as an `Engine`.

    Raises ValueError or FileNotFoundError where a text names nothing that is there.
    """
    from leapcheck.engines.outside.load import check_engine_word, load_engine

    if isinstance(engine, str):
        check_engine_word(engine)
    if sandbox:
        from leapcheck.engines.outside.sandbox import sandbox_request

        return sandbox_request(engine, spec)
    return engine if isinstance(engine, str) else load_engine(engine, spec)


def _foreign_engines(names: tuple[str, ...], file: ImportedRobot | None) -> Iterator[str | EngineRequest]:
    """The engines by name; by default with those that load a robot's file as it is."""
    from leapcheck.engines.file_engines import DEFAULTS, FACTORIES, FileRequest

    for name in names if names != CompareOptions.engines or file is None else (*names, *DEFAULTS):
        if name in FACTORIES and file is None:
            raise ValueError(f"engine '{name}' loads a .urdf or .xml as it is, and the robot is neither: leave it out")
        yield name if file is None or name not in FACTORIES else FileRequest(name, file)


def _own_states(spec: RobotSpec, recorded: States | None, states_file: Path | None) -> States | None:
    """The states of the user's file, or those of a recording; None where they are to be random."""
    if states_file is None:
        return recorded
    from leapcheck.engines.outside.recording import same_states
    from leapcheck.state_files import read_states

    own = read_states(spec, states_file)
    if recorded is not None and not same_states(own, recorded):
        raise ValueError(f"{states_file}: holds other states than the recording: leave --states-file out")
    return own


def _command(plan: Plan, options: CompareOptions, own: Sequence[Any]) -> str:
    """What repeats the run: a command line, or a call in Python where the robot, an engine or the states exist only there."""
    from leapcheck.engines.outside.load import word_of

    drawn = plan.states is None
    if plan.robot.source and not plan.only_in_python:
        return repeat_command(
            ["leapcheck", "compare", plan.robot.source, *(word for engine in own for word in ("--engine", word_of(engine)))],
            options,
            CompareOptions,
            leave_out=UNCHANGING if drawn else (*UNCHANGING, "states", "seed"),
            always=("states", "seed") if drawn else (),
        )
    robot = repr(plan.robot.source) if plan.robot.source else plan.spec.name
    users = ", ".join(repr(engine) if isinstance(engine, str) else engine.name for engine in own)
    given = {f.name: getattr(options, f.name) for f in fields(options) if f.name not in (*UNCHANGING, "states", "seed")}
    chosen = {name: value for name, value in given.items() if value != getattr(CompareOptions, name)}
    states = f"states={options.states}, seed={options.seed}" if drawn else "states=states"
    return f"leapcheck.compare({', '.join([robot, f'[{users}]', *(f'{k}={v!r}' for k, v in chosen.items()), states])})"


def _parts(plan: Plan, options: CompareOptions, shard: str) -> Parts | None:
    """Where the parts of a long run are kept."""
    from leapcheck.comparison.identity import run_identity
    from leapcheck.comparison.parts import FOLDER, parts_in

    if shard and not plan.is_long:
        raise ValueError(f"--shard: {plan.state_count} states are too few to share out: leave it out")
    if not plan.is_long or options.out is None:
        return None
    return parts_in(options.out / FOLDER, run_identity(plan), resume=options.resume or bool(shard))


def _accepted(plan: Plan, options: CompareOptions) -> RobotBaseline | None:
    """What the baseline accepts of this robot."""
    if options.baseline is None:
        return None
    from leapcheck.baseline.files import read_baseline
    from leapcheck.baseline.verdict import robot_baseline
    from leapcheck_models.spec import spec_hash

    return robot_baseline(read_baseline(options.baseline), plan.robot.name, spec_hash(plan.spec), str(options.baseline))


def _names(names: Sequence[str] | str) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _engines(engine: Any) -> tuple[Any, ...]:
    return tuple(engine) if isinstance(engine, list | tuple) else (engine,)
