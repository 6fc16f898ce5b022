"""`leapcheck jump ROBOT --height H`: a jump planned, simulated everywhere, and judged before the hardware."""

from __future__ import annotations

import math
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import MISSING, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from leapcheck.cli.progress import progress_bar

if TYPE_CHECKING:
    from leapcheck.cli.progress import Report as Progress
    from leapcheck.jump.asked import Act
    from leapcheck.jump.hardware import HardwareLog
    from leapcheck.jump.log import JumpLog
    from leapcheck.jump.planning.plan import Request
    from leapcheck.jump.robustness.monte_carlo import MonteCarlo
    from leapcheck.jump.run import JumpRun, Setup
    from leapcheck_models.spec import RobotSpec
    from leapcheck_reference.simulate.actuator import Battery

Number = Annotated[float | None, tyro.conf.arg(metavar="FLOAT")]
Word = Annotated[str | None, tyro.conf.arg(metavar="STR")]
File = Annotated[Path | None, tyro.conf.arg(metavar="PATH")]


@dataclass(frozen=True)
class Jump:
    """Say GO, MARGINAL or NO-GO for a jump before the hardware does.

    Planned or your own, it is simulated in several engines and contact models.

    Exit status: 0 GO or MARGINAL, 1 NO-GO or a simulator failed, 2 could not run.

    Examples:
      leapcheck jump mini_cheetah --height 0.2
      leapcheck jump mini_cheetah --height 0.15 --distance 0.2 --monte-carlo 500
      leapcheck jump mini_cheetah --highest --set trunk.mass=3.6 --video
      leapcheck jump my_robot.json --policy my_controller:make --duration 1.5
      leapcheck jump mini_cheetah --trajectory jump.csv --hardware-log run_07.csv
    """

    robot: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="ROBOT")]
    """Name (see `leapcheck robots`) or a robot file (.json) with its actuators."""
    height: Number = None
    """How far the centre of mass rises after take-off (m)."""
    distance: float = 0.0
    """How far it flies forward (m)."""
    pitch: float = 0.0
    """How far the trunk pitches from the start to touch-down (deg, nose down positive)."""
    highest: bool = False
    """Jump as high as the limits allow instead of --height."""
    crouch: Number = None
    """Height of the trunk in the crouch (m); chosen by default."""
    push_time: Number = None
    """How long the push lasts (s); chosen by default."""
    policy: Word = None
    """Your own controller instead of the plan, as module:factory, from the current folder: factory(robot) returns a function
    of (time, q, v) that returns joint torques or a Command."""
    trajectory: File = None
    """Joint targets instead of the plan (.csv with time, q_JOINT; as wished qd_, tau_, kp_, kd_JOINT)."""
    duration: Number = None
    """How long a policy or trajectory is simulated (s); 1.2 s, or the trajectory's length, by default."""
    pose: Word = None
    """Pose that a policy or trajectory starts from; the robot's first by default."""
    set: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """A number of the robot changed, as in trunk.mass=3.6; may be repeated."""
    actuators: File = None
    """Actuators of the robot in a file (.json), instead of its own."""
    engines: tuple[str, ...] = ("mujoco", "soft-rk4", "rigid", "spring-damper", "pinocchio-admm")
    """Simulators; a wrong name lists them all."""
    friction: float = 0.8
    """Coulomb friction of the ground."""
    solref: tuple[float, float] = (0.01, 1.0)
    """MuJoCo's time constant (s) and damping ratio of a contact."""
    dt: float = 1e-3
    """Coarsest time step (s); the error bars come from halving it."""
    levels: int = 3
    """Time steps for the error bars: dt, dt/2, dt/4, ..."""
    rate: float = 1000.0
    """Calls of the controller per second; 0: at every step."""
    latency: float = 0.0
    """Time from the controller's call until its torque acts (s)."""
    battery_voltage: Number = None
    """Open-circuit voltage of the battery (V); the motors' rated one by default."""
    battery_resistance: float = 0.0
    """Internal resistance of the battery (ohm)."""
    motor_rating: tuple[float, float] | None = None
    """What the motors stand for good: continuous current (A) and thermal time constant (s); i^2 t is judged by it."""
    threshold: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """A threshold of the verdict changed, as in utilisation_no_go=0.9; may be repeated."""
    monte_carlo: int = 0
    """How many jumps with drawn friction, ground, payload, strength, voltage, latency, noise, ... to simulate."""
    vary: tyro.conf.UseAppendAction[tuple[str, ...]] = ()
    """How wide one of them varies, as in friction=0.3 (0: not at all); may be repeated."""
    seed: int = 0
    """Seed of the draws."""
    hardware_log: File = None
    """Log of the real robot (.csv with time and q_JOINT, qd_JOINT, tau_JOINT): its residuals against the first simulator."""
    video: bool = False
    """Film the jump, and the worst failure of the Monte Carlo, as MP4."""
    mcap: bool = False
    """Write the logs as MCAP too."""
    out: File = None
    """Folder of the report; runs/jump_ROBOT by default."""
    json: bool = False
    """Print the results as JSON instead of a summary."""
    workers: int = 0
    """Processes; by default one per core."""

    def run(self) -> int:
        """Plans, simulates, judges, writes the report, prints the summary; returns the exit status."""
        from leapcheck.report.files import check_folder
        from leapcheck.report.jump_console import jump_summary
        from leapcheck.report.jump_files import JUMP_FILES, write_jump_report
        from leapcheck.report.jump_json import jump_json
        from leapcheck.robot_files import short_name

        self._check()
        name = short_name(self.robot)
        folder = self.out or Path("runs") / f"jump_{name}"
        check_folder(folder, JUMP_FILES)  # before the work, not after it
        _check_writable(folder)
        with progress_bar("planning", quiet=self.json) as bar, redirect_stdout(sys.stderr):  # foreign code may print
            run, shown = self._pictured(self._jump(bar))
            write_jump_report(run, folder, shown)
            try:
                notes = self._write_media(run, shown, folder)
            except KeyboardInterrupt:
                notes = ("interrupted: the report is whole, logs, pictures or films are missing",)
        if self.json:
            sys.stdout.write(jump_json(run))
            return run.exit_status
        from rich.console import Console

        console = Console()
        console.print(jump_summary(run))
        for line in (*notes, f"report: {folder / 'report.html'}"):
            console.print(line, highlight=False, markup=False, soft_wrap=True)
        return run.exit_status

    def _pictured(self, run: JumpRun) -> tuple[JumpRun, dict[str, JumpLog]]:
        """The run with its pictures, and the logs that are shown."""
        from leapcheck.jump.media import shown_logs, with_pictures

        shown = shown_logs(run)
        return with_pictures(run, shown), shown

    def _write_media(self, run: JumpRun, shown: dict[str, JumpLog], folder: Path) -> tuple[str, ...]:
        from leapcheck.jump.media import write_media

        return write_media(run, shown, folder, self.mcap, self.video)

    def _jump(self, progress: Progress | None) -> JumpRun:
        from leapcheck.jump.asked import robot_asked
        from leapcheck.jump.planning.infeasible import Infeasible
        from leapcheck.jump.run import jump_run, provenance, refused_run

        spec = robot_asked(self.robot, self.set, self.actuators)
        where = provenance(spec, self.command(), self.seed)
        measured = self._measured(spec)  # before the work, not after it
        try:
            setup = self._setup(spec, self._act(spec))
        except Infeasible as refused:
            return refused_run(self._setup(spec, None), where, str(refused), self._remedy(spec))
        workers = self.workers or os.cpu_count() or 1
        run = jump_run(setup, where, workers, progress, self._monte_carlo(setup, workers, progress))
        return run if measured is None or not run.logs else _compared(run, measured)

    def _measured(self, spec: RobotSpec) -> HardwareLog | None:
        """The hardware log, where one is given."""
        from leapcheck.jump.hardware import read_hardware_log

        return None if self.hardware_log is None else read_hardware_log(spec, self.hardware_log)

    def _check(self) -> None:
        """Raises ValueError for options that cannot be, or not together."""
        sources = sum((self.height is not None, self.highest, self.policy is not None, self.trajectory is not None))
        if sources != 1:
            raise ValueError("give one of --height, --highest, --policy and --trajectory: what is to be jumped")
        own = self.policy is not None or self.trajectory is not None
        self._refuse_idle(NOT_WITH_PLAN if not own else NOT_WITH_OWN, "the plan chooses it" if not own else "only a plan uses it")
        if not self.monte_carlo:
            self._refuse_idle(("vary",), "only --monte-carlo uses it")
        if min(self.workers, self.monte_carlo, self.seed) < 0:
            raise ValueError("--workers, --monte-carlo and --seed: give whole numbers, 0 or more")
        for name, least in (("dt", 1e-5), ("friction", 1e-5), ("rate", 0.0), ("latency", 0.0), ("battery_resistance", 0.0)):
            if not least <= getattr(self, name) < math.inf:
                raise ValueError(f"--{name.replace('_', '-')} {getattr(self, name)}: give a finite number of at least {least:g}")
        if self.hardware_log is not None and not self.hardware_log.is_file():
            raise ValueError(f"--hardware-log '{self.hardware_log}' is no file: give the path of a CSV file")
        if self.dt > 0.01 or not 1 <= self.levels <= 8:
            raise ValueError(f"--dt {self.dt} and --levels {self.levels}: give a step of at most 0.01 s and 1 to 8 levels")

    def _refuse_idle(self, names: tuple[str, ...], why: str) -> None:
        """Raises ValueError where one of these options was given: it would change nothing."""
        defaults = {option.name: option.default for option in fields(self)}
        for name in names:
            if getattr(self, name) != defaults[name]:
                raise ValueError(f"--{name.replace('_', '-')} does nothing here: {why}: leave it out")

    def _request(self) -> Request:
        from leapcheck.jump.planning.plan import Request

        height = self.height if self.height is not None else 1.0  # of --highest, which looks for its own
        pitch = math.radians(self.pitch)
        return Request(height, self.distance, pitch, self.friction, self.crouch, self.push_time)

    def _act(self, spec: RobotSpec) -> Act:
        from leapcheck.jump.asked import own_act, planned_act
        from leapcheck.jump.planning.frontier import highest
        from leapcheck.jump.planning.plan import planned
        from leapcheck_reference.simulate.actuator import drives

        if self.policy is not None or self.trajectory is not None:
            return own_act(spec, self.policy, self.trajectory, self.pose, self.duration)
        if self.highest:
            return planned_act(highest(spec, self._request(), drives(spec), self._battery()).plan)
        return planned_act(planned(spec, self._request(), drives(spec), self._battery()))

    def _remedy(self, spec: RobotSpec) -> str:
        """What would be feasible, in words."""
        from leapcheck.jump.planning.frontier import highest
        from leapcheck_reference.simulate.actuator import drives

        try:
            most = highest(spec, self._request(), drives(spec), self._battery())
        except ValueError as error:
            return str(error)
        return f"the highest feasible jump is {most.height:.3f} m: {most.limited_by} limits it"

    def _battery(self) -> Battery:
        from leapcheck_reference.simulate.actuator import Battery

        return Battery(self.battery_voltage, self.battery_resistance)

    def _setup(self, spec: RobotSpec, act: Act | None) -> Setup:
        from leapcheck.jump.control import Timing
        from leapcheck.jump.judging.thresholds import thresholds_from
        from leapcheck.jump.run import Setup
        from leapcheck.jump.simulators import STIFF, Ground, check_names
        from leapcheck_reference.simulate.heat import ThermalRating

        check_names(self.engines)
        return Setup(
            spec=spec,
            act=act,
            engines=self.engines,
            ground=Ground(self.friction, replace(STIFF, solref=self.solref)),
            timing=Timing(1.0 / self.rate if self.rate else 0.0, self.latency),
            battery=self._battery(),
            rating=ThermalRating(*self.motor_rating) if self.motor_rating else None,
            thresholds=thresholds_from(dict(_pairs(self.threshold))),
            dt=self.dt,
            levels=self.levels,
        )

    def _monte_carlo(self, setup: Setup, workers: int, progress: Progress | None) -> MonteCarlo | None:
        if not self.monte_carlo:
            return None
        from leapcheck.jump.robustness.monte_carlo import monte_carlo
        from leapcheck.jump.robustness.variation import variation_from

        assert setup.act is not None
        plan = setup.plan
        return monte_carlo(
            setup.trial(),
            self.monte_carlo,
            self.seed,
            variation_from(dict(_pairs(self.vary))),
            workers,
            progress,
            setup.thresholds,
            None if plan is None else plan.request.height,
        )

    def command(self) -> str:
        """The command that repeats this run: every choice that is not the default, where the report goes aside."""
        words = ["leapcheck", "jump", self.robot]
        for option in fields(self):
            value = getattr(self, option.name)
            if option.default is MISSING or option.name in NO_CHOICES or value == option.default:
                continue
            flag = f"--{option.name.replace('_', '-')}"
            if value is True:
                words.append(flag)
            elif option.name in ("set", "threshold", "vary"):
                words += [word for entry in value for word in (flag, entry)]
            else:
                words += [flag, *map(str, value if isinstance(value, tuple) else (value,))]
        return shlex.join(words)


def _compared(run: JumpRun, measured: HardwareLog) -> JumpRun:
    """The run with the hardware log held against its first simulator, or a note why it is not."""
    from leapcheck.jump.hardware import compared_with_hardware

    try:
        return replace(run, hardware=compared_with_hardware(run.setup.spec, next(iter(run.logs.values())), measured))
    except ValueError as error:
        return replace(run, notes=(*run.notes, str(error)))


NO_CHOICES = ("out", "json", "workers", "video", "mcap")
"""Options that change no result."""

NOT_WITH_PLAN = ("pose", "duration")
NOT_WITH_OWN = ("distance", "pitch", "crouch", "push_time")
"""Options that would be ignored."""


def _check_writable(folder: Path) -> None:
    """Raises PermissionError where the folder, or the one that it would be made in, cannot be written."""
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not os.access(there, os.W_OK | os.X_OK):
        raise PermissionError(f"'{there}' cannot be written: name another folder for the report with --out")


def _pairs(entries: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """(name, value) of each NAME=VALUE."""
    for entry in entries:
        name, equals, value = entry.partition("=")
        if not equals:
            raise ValueError(f"{entry!r:.60}: write NAME=VALUE")
        yield name.strip(), value
