"""The options of a comparison: the keyword arguments of `leapcheck.compare` and the options of the command line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class CompareOptions:
    """What to compare, at which states and how; names and defaults stand here alone."""

    engines: tuple[str, ...] = ("reference", "mujoco", "mujoco-urdf", "pinocchio", "pinocchio-mjcf")
    """Engines to compare; drake, drake-file and mjx need their extras; mujoco-fd are MuJoCo's derivatives, by finite
    differences. A .urdf or .xml adds mujoco-file and pinocchio-file by default."""
    states: int = 2048
    """How many random states, of mixed kinds."""
    seed: int = 0
    """Seed of the states."""
    within_limits: bool = False
    """Draw states within the limits of joints, speeds and torques instead of wild ones."""
    quantities: tuple[str, ...] = ()
    """Quantities: names, groups (core, mujoco, dynamics, kinematics, centroidal, constraints), or all; core, mujoco and
    inverse_dynamics by default, and constraints where the robot has some."""
    states_file: Path | None = None
    """Your own states (.npz with q, v, tau, vdot, contact_forces, or .csv / .parquet with columns q_0, ..., v_0, tau_0, vdot_0,
    contact_forces_0, ...)."""
    only: int | None = None
    """Index of one state: compare at that state alone."""
    strict: bool = False
    """Fail an engine that is imprecise by the single precision that it declares, or by finite differences, too."""
    own_differences: bool = False
    """Hold derivatives against differences of their engine's own functions, too: its own derivative, whatever its robot."""
    feet: tuple[str, ...] = ()
    """Where it touches: names of bodies or links, sites or geoms of its file, instead of the ends of its chains."""
    points: Path | None = None
    """Where it touches, in a file (.toml with feet = ["NAME", ...] or tables [[points]] of name, on, position, radius)."""
    frames: tuple[str, ...] = ()
    """Sites of its MJCF that are frames, too, each with its own axes; every link and contact point is one anyway."""
    sandbox: bool = False
    """Run your engines under bubblewrap: without network, with files that they cannot change, without other processes."""
    out: Path | None = None
    """Folder of the report."""
    baseline: Path | None = None
    """Accepted discrepancies (see `leapcheck baseline`): only what is new, expired or grown then fails."""
    workers: int = 0
    """Processes; by default one per core."""
    resume: bool = False
    """Continue a long run that was interrupted: its finished parts are in the folder of the report."""
    scheduler: str = ""
    """Address of a Dask scheduler (tcp://...) whose workers compute the parts."""
