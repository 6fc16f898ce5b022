"""`leapcheck compare ROBOT`: the discrepancy report."""

from __future__ import annotations

import re
import shlex
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Annotated

import tyro

from leapcheck.api.options import CompareOptions
from leapcheck.cli.progress import progress_bar
from leapcheck.system.text import terminal_text


@dataclass(frozen=True, kw_only=True)
class CompareCommand(CompareOptions):
    """Compare a robot's dynamics in several engines over random states and write the discrepancy report.

    The report goes to runs/ROBOT, or runs/ROBOT_state_INDEX with --only, unless --out names another folder. Your own engine is
    module:factory, a C library (.so), "pipe:./program argument", recorded data (.npz, .csv, .parquet), or a .toml that describes
    one of these with its conventions.

    Quantities, by name or by group; core, mujoco and inverse_dynamics by default:
      core: mass_matrix, bias_force, gravity_force, coriolis_force, forward_dynamics, contact_positions, contact_velocities,
        contact_jacobians, contact_bias_accelerations, contact_inertia, kinetic_energy, potential_energy
      mujoco, its own storage: qM, csr, cinert, crb, cdof
      dynamics: inverse_dynamics (of accelerations vdot, which a seed gives too), inverse_dynamics_with_contacts (less J^T f of
        forces at the contact points, which a seed gives too), minverse, coriolis_matrix, christoffel_matrix,
        operational_inertia_inverse
      derivatives, along the unit velocities of the dofs: inverse_dynamics_derivative_q, inverse_dynamics_derivative_v,
        forward_dynamics_derivative_q, forward_dynamics_derivative_v, forward_dynamics_derivative_tau,
        frame_velocity_derivative_q, frame_acceleration_derivative_q, frame_acceleration_derivative_v
      regressors, linear in ten parameters of each link and rotor: joint_torque_regressor, kinetic_energy_regressor,
        potential_energy_regressor
      kinematics, of every link, contact point and site in --frames: frame_placements, frame_velocities, frame_jacobians,
        frame_jacobian_rates, frame_bias_accelerations
      centroidal: com_position, com_velocity, com_jacobian, com_bias_acceleration, centroidal_momentum,
        centroidal_momentum_matrix, centroidal_momentum_rate, centroidal_inertia
      constraints, of robots with closed loops or coupled joints, by default there: constraint_jacobian, constraint_bias,
        constrained_forward_dynamics
      joints: passive_forces (springs and dampers), dry_friction (of a joint that slides, not smoothed),
        actuator_torques (of commands, which are the entries of tau as they stand)
      all: every group

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
    engine: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """Your own engine, besides the others; may be repeated."""
    shard: str = ""
    """k/n: compute the k-th of n shares of the parts and no report; --resume makes it once all are done."""
    json: bool = False
    """Print the results as JSON instead of a summary."""
    junit: Path | None = None
    """Also write a JUnit file: a test case per quantity and engine."""
    github: bool = False
    """Print a GitHub annotation for each failure, and append a summary to the file that $GITHUB_STEP_SUMMARY names."""

    def run(self) -> int:
        """Runs the comparison, writes the report, prints the summary; returns the exit status."""
        from leapcheck.api.comparison import comparison_setup
        from leapcheck.cli.ci_outputs import write_for_ci
        from leapcheck.report.comparison.console import console_summary
        from leapcheck.report.comparison.results import run_json

        start = perf_counter()
        folder = self.out or Path("runs") / _folder_name(self.robot, self.only)
        setup = comparison_setup(self.robot, self.engine, replace(self, out=folder), shard=self.shard)
        with progress_bar("comparing", quiet=self.json) as progress, redirect_stdout(sys.stderr):  # foreign code may print
            if self.shard:
                count = setup.compute_shard(progress)
                then = f"when all shards are done: {setup.plan.command} --out {shlex.quote(str(folder))} --resume"
                print(terminal_text(f"shard {self.shard}: {count} parts in '{folder}'; {then}"), file=sys.stderr)
                return 0
            record = setup.run(progress, lambda words: progress and progress(0, 0, terminal_text(words))).record
        write_for_ci(record, perf_counter() - start, self.junit, self.github, sys.stderr if self.json else sys.stdout)
        if self.json:
            sys.stdout.write(run_json(record))
        else:
            from rich.console import Console

            console = Console()
            console.print(console_summary(record))
            console.print(terminal_text(f"report: {folder / 'report.html'}"), highlight=False, markup=False, soft_wrap=True)
        return record.exit_status


def _folder_name(robot: str, only: int | None) -> str:
    """A folder's name for a robot; a single state gets one of its own, so that it replaces no whole run."""
    from leapcheck.robots.load import short_name

    name = re.sub(r"[^\w.-]+", "_", short_name(robot))
    return name if only is None else f"{name}_state_{only}"
