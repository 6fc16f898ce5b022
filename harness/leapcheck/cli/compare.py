"""`leapcheck compare ROBOT`: the discrepancy report."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from leapcheck.cli.progress import progress_bar

if TYPE_CHECKING:
    from leapcheck.baseline.record import RobotBaseline
    from leapcheck.compare.execution import Means, Progress
    from leapcheck.compare.parts import Parts
    from leapcheck.compare.plan import Plan
    from leapcheck.engines.protocol import EngineRequest
    from leapcheck.states import States
    from leapcheck_models.importing.imported import Imported
    from leapcheck_models.spec import RobotSpec


@dataclass(frozen=True)
class Compare:
    """Compare a robot's dynamics in several engines over random states and write the discrepancy report.

    Quantities: mass_matrix, bias_force, gravity_force, coriolis_force, forward_dynamics, contact_positions,
    contact_velocities, contact_jacobians, contact_bias_accelerations, contact_inertia, kinetic_energy,
    potential_energy, and MuJoCo's own qM, csr, cinert, crb, cdof.

    Examples:
      leapcheck compare mini_cheetah
      leapcheck compare random:7 --states 500 --engines reference mujoco
      leapcheck compare mini_cheetah --engine my_dynamics:make --quantities mass_matrix
      leapcheck compare my_robot.urdf#fixed --states 200
      leapcheck compare mini_cheetah --states-file logged_states.csv --out report/
      leapcheck compare mini_cheetah --engine my_dynamics:make --baseline baseline.json --junit leapcheck.xml --github
    """

    robot: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ROBOT")]
    """Name (see `leapcheck robots`), random:SEED, or a robot file (.json, .urdf, .xml)."""
    engines: tuple[str, ...] = ("reference", "mujoco", "mujoco-urdf", "pinocchio", "pinocchio-mjcf")
    """Engines to compare; drake and mjx besides, where their extras are installed; with a .urdf or .xml also mujoco-file and
    pinocchio-file: the file as they load it."""
    engine: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """Your own engine, besides the others; may be repeated: module:factory, a C library (.so), "pipe:./program argument",
    recorded data (.npz, .csv, .parquet), or a .toml that describes one of these with its conventions."""
    states: int = 2048
    """How many random states, of mixed kinds."""
    seed: int = 0
    """Seed of the states."""
    quantities: tuple[str, ...] = ()
    """Quantities to compare; all by default."""
    out: Path | None = None
    """Folder of the report; runs/ROBOT by default, runs/ROBOT_state_INDEX with --only."""
    json: bool = False
    """Print the results as JSON instead of a summary."""
    states_file: Path | None = None
    """Your own states (.npz with q, v, tau, or .csv / .parquet with columns q_0, ..., v_0, ..., tau_0, ...)."""
    only: int | None = None
    """Index of one state: compare at that state alone."""
    workers: int = 0
    """Processes; by default one per core."""
    resume: bool = False
    """Go on with a long run that was ended: its finished parts are in the folder of the report."""
    shard: str = ""
    """k/n: compute the k-th of n shares of the parts and no report; --resume makes it once all are done."""
    scheduler: str = ""
    """Address of a Dask scheduler (tcp://...) whose workers compute the parts."""
    baseline: Path | None = None
    """What is accepted (see `leapcheck baseline`): the exit status is then that of what is new, expired or grown."""
    junit: Path | None = None
    """Write a JUnit file too: a test case per quantity and engine."""
    github: bool = False
    """Print GitHub annotations of what fails, and append a summary to the file that $GITHUB_STEP_SUMMARY names."""

    def run(self) -> int:
        """Runs the comparison, writes the report, prints the summary; returns the exit status."""
        from leapcheck.baseline.holding import held
        from leapcheck.cli.ci_outputs import write_for_ci
        from leapcheck.compare.plan import jobs
        from leapcheck.compare.run import compared
        from leapcheck.report import console_summary, run_json, write_report
        from leapcheck.report.files import FILES, check_folder

        plan, means = self._plan(), self._means()
        folder = self.out or Path("runs") / _folder_name(self.robot, self.only)
        check_folder(folder, (*FILES, STATES_FILE))  # before the work, not after it
        baseline, parts = self._part(plan), self._parts(plan, folder)
        with (
            _interrupt_told(parts),
            progress_bar("comparing", quiet=self.json) as progress,
            redirect_stdout(sys.stderr),  # foreign code may print
        ):
            if self.shard:
                return self._shard_done(plan, means, parts, progress)
            run = compared(plan, means, progress, parts)
            if baseline is not None:
                run = held(run, baseline, str(self.baseline), date.today())
            write_report(run, folder)
            _write_states(plan, folder)
        if parts is not None and len(parts.finished(len(jobs(plan)))) == len(jobs(plan)):
            parts.remove()
        write_for_ci(run, self.junit, self.github, sys.stderr if self.json else sys.stdout)
        if self.json:
            sys.stdout.write(run_json(run))
        else:
            from rich.console import Console

            console = Console()
            console.print(console_summary(run))
            console.print(f"report: {folder / 'report.html'}", highlight=False, markup=False, soft_wrap=True)
        return run.exit_status

    def _means(self) -> Means:
        from leapcheck.compare.execution import Means
        from leapcheck.compare.parts import shard_of

        return Means(self.workers or os.cpu_count() or 1, self.scheduler, shard_of(self.shard or "1/1"))

    def _parts(self, plan: Plan, folder: Path) -> Parts | None:
        """Where the parts of a long run are kept."""
        from leapcheck.compare.identity import identity
        from leapcheck.compare.parts import FOLDER, parts_in

        if plan.is_long:
            return parts_in(folder / FOLDER, identity(plan), goes_on=self.resume or bool(self.shard))
        if self.shard:
            raise ValueError(f"--shard: {plan.asked} states are too few to share out: leave it out")
        return None

    def _shard_done(self, plan: Plan, means: Means, parts: Parts | None, progress: Progress | None) -> int:
        """Computes a shard and says how many parts it had, and what makes the report."""
        from leapcheck.compare.execution import bench_of, compute_missing

        assert parts is not None
        count = compute_missing(plan, bench_of(plan), means, parts, progress)
        then = f"when all shards are done: {plan.command} --out {shlex.quote(str(parts.folder.parent))} --resume"
        print(f"shard {self.shard}: {count} parts in '{parts.folder}'; {then}", file=sys.stderr)
        return 0

    def _plan(self) -> Plan:
        from leapcheck.compare.plan import Plan
        from leapcheck.quantities import QUANTITIES
        from leapcheck.robot_files import imported, load

        robot_file = imported(self.robot)
        spec = load(self.robot) if robot_file is None else robot_file.spec
        file, own = self._own_states(spec)
        return Plan(
            robot=self.robot,
            spec=spec,
            engines=(*self._engines(robot_file), *self.engine),
            quantities=self.quantities or tuple(QUANTITIES),
            count=self.states,
            seed=self.seed,
            only=self.only,
            states=own,
            states_file=file,
            command=self._command(own),
            limits=_limits(robot_file),
        )

    def _own_states(self, spec: RobotSpec) -> tuple[str, States | None]:
        """The file of the states and these: those of a recording, or the user's; "" and None where they are to be random."""
        from leapcheck.engines.outside.recorded import recorded_states, same_states
        from leapcheck.states import read_states

        own = None if self.states_file is None else read_states(spec, self.states_file)
        recorded = recorded_states(spec, (*self.engines, *self.engine))
        if own is not None and recorded is not None and not same_states(own, recorded):
            raise ValueError(f"{self.states_file}: holds other states than the recording: leave --states-file out")
        return "" if self.states_file is None else str(self.states_file), recorded if own is None else own

    def _part(self, plan: Plan) -> RobotBaseline | None:
        """What the baseline accepts of this robot; ValueError before the work, not after it."""
        from leapcheck.baseline.files import read_baseline
        from leapcheck.baseline.holding import part_for
        from leapcheck_models.spec import spec_hash

        if self.baseline is None:
            return None
        return part_for(read_baseline(self.baseline), self.robot, spec_hash(plan.spec), str(self.baseline))

    def _engines(self, file: Imported | None) -> Iterator[str | EngineRequest]:
        """The engines asked for; those that hold a file as it is come along by default."""
        from leapcheck.engines.file_engines import FACTORIES, FileRequest

        for name in self.engines if self.engines != Compare.engines or file is None else (*self.engines, *FACTORIES):
            if name in FACTORIES and file is None:
                raise ValueError(f"engine '{name}' holds a .urdf or .xml as it is, '{self.robot}' is none: leave it out")
            yield name if file is None or name not in FACTORIES else FileRequest(name, file)

    def _command(self, own: States | None) -> str:
        """The command that repeats this run: every choice that is not the default; the states of a recording come with it."""
        words = ["leapcheck", "compare", self.robot]
        if self.engines != Compare.engines:
            words += ["--engines", *self.engines]
        for engine in self.engine:
            words += ["--engine", engine]
        if self.quantities:
            words += ["--quantities", *self.quantities]
        if self.states_file is not None:
            words += ["--states-file", str(self.states_file)]
        elif own is None:
            words += ["--states", str(self.states), "--seed", str(self.seed)]
        if self.only is not None:
            words += ["--only", str(self.only)]
        if self.baseline is not None:
            words += ["--baseline", str(self.baseline)]
        return shlex.join(words)


@contextmanager
def _interrupt_told(parts: Parts | None) -> Iterator[None]:
    """Says on Ctrl-C what is left of the work."""
    try:
        yield
    except KeyboardInterrupt:
        if parts is None:
            raise
        raise KeyboardInterrupt(f"interrupted: no report was written; finished parts are in '{parts.folder}': --resume") from None


def _limits(file: Imported | None) -> tuple[str, ...]:
    """What of a robot's file cannot be compared."""
    return () if file is None else tuple(f"{f.place}: {f.message}" for f in file.findings if f.severity == "warning")


STATES_FILE = "states.parquet"
MOST_STATES_WRITTEN = 10_000


def _write_states(plan: Plan, folder: Path) -> None:
    """states.parquet beside the report, readable by --states-file; left out where the seed says it in less."""
    if plan.total > MOST_STATES_WRITTEN and plan.only is None:
        (folder / STATES_FILE).unlink(missing_ok=True)  # those of an earlier run
        return
    from leapcheck.compare.plan import blocks
    from leapcheck.states import joined, state_frame

    states: States = joined(list(blocks(plan)))
    partial = folder / f".{STATES_FILE}.part"
    try:
        state_frame(states).to_parquet(partial, index=False)
        partial.replace(folder / STATES_FILE)
    finally:
        partial.unlink(missing_ok=True)


def _folder_name(robot: str, only: int | None) -> str:
    """A folder's name out of a robot's; a single state gets one of its own, so that it replaces no whole run."""
    from leapcheck.robot_files import short_name

    name = re.sub(r"[^\w.-]+", "_", short_name(robot))
    return name if only is None else f"{name}_state_{only}"
