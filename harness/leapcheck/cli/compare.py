"""`leapcheck compare ROBOT`: the discrepancy report."""

from __future__ import annotations

import os
import re
import shlex
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from leapcheck.cli.progress import progress_bar

if TYPE_CHECKING:
    from leapcheck.compare.run import Plan
    from leapcheck.states import States
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
      leapcheck compare mini_cheetah --states-file logged_states.csv --out report/
    """

    robot: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ROBOT")]
    """Name (see `leapcheck robots`), random:SEED, or a robot file (.json)."""
    engines: tuple[str, ...] = ("reference", "mujoco", "mujoco-urdf", "pinocchio", "pinocchio-mjcf")
    """Engines to compare."""
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

    def run(self) -> int:
        """Runs the comparison, writes the report, prints the summary; returns the exit status."""
        from leapcheck.compare.run import compared
        from leapcheck.report import console_summary, run_json, write_report
        from leapcheck.report.files import FILES, check_folder

        plan = self._plan()
        folder = self.out or Path("runs") / _folder_name(self.robot, self.only)
        check_folder(folder, (*FILES, STATES_FILE))  # before the work, not after it
        with progress_bar("comparing", quiet=self.json) as progress, redirect_stdout(sys.stderr):  # foreign code may print
            run = compared(plan, self.workers or os.cpu_count() or 1, progress)
        write_report(run, folder)
        _write_states(plan, folder)
        if self.json:
            sys.stdout.write(run_json(run))
        else:
            from rich.console import Console

            console = Console()
            console.print(console_summary(run))
            console.print(f"report: {folder / 'report.html'}", highlight=False, markup=False, soft_wrap=True)
        return run.exit_status

    def _plan(self) -> Plan:
        from leapcheck.compare.run import Plan
        from leapcheck.quantities import QUANTITIES
        from leapcheck_models.robots import load

        if self.workers < 0:
            raise ValueError(f"{self.workers} workers: give at least 1, or 0 for one per core")
        spec = load(self.robot)
        file, own = self._own_states(spec)
        return Plan(
            robot=self.robot,
            spec=spec,
            engines=(*self.engines, *self.engine),
            quantities=self.quantities or tuple(QUANTITIES),
            count=self.states,
            seed=self.seed,
            only=self.only,
            states=own,
            states_file=file,
            command=self._command(own),
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
        return shlex.join(words)


STATES_FILE = "states.parquet"
MOST_STATES_WRITTEN = 10_000


def _write_states(plan: Plan, folder: Path) -> None:
    """states.parquet beside the report, readable by --states-file; left out where the seed says it in less."""
    if plan.total > MOST_STATES_WRITTEN and plan.only is None:
        (folder / STATES_FILE).unlink(missing_ok=True)  # those of an earlier run
        return
    from leapcheck.compare.run import blocks
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
    name = re.sub(r"[^\w.-]+", "_", Path(robot).stem if robot.endswith(".json") else robot)
    return name if only is None else f"{name}_state_{only}"
