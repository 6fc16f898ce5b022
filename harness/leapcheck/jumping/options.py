"""What a user can choose about a jump: plain values with the command line's names and defaults."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal

from leapcheck.system.command_line import repeat_command

Planner = Literal["quick", "optimised"]
Flip = Literal["back", "front", "left", "right"]
Merit = Literal["margin", "energy", "height"]
TakeOff = Literal["together", "front-first", "rear-first"]
PITCHES: dict[Flip, float] = {"back": -360.0, "front": 360.0}
ROLLS: dict[Flip, float] = {"left": -360.0, "right": 360.0}
"""Pitch and roll (deg) of a flip."""

MOTIONS = ("distance", "pitch", "flip", "turn")
"""Options that ask for a jump without its height."""

NOT_WITH_PLAN = ("pose", "duration")
NOT_WITH_OWN = (
    *("distance", "landing_height", "pitch", "flip", "turn", "run_up", "jumps", "crouch", "push_time", "planner", "merit"),
    "take_off",
)
"""Options that would have no effect."""

NOT_WITH_GOAL = ("distance", "landing_height", "pitch", "flip", "turn", "box", "gap", "stairs", "slope")
"""Options that contradict --onto-box and --over-gap."""

NOT_WITH_JUMPS = (
    *("landing_height", "pitch", "flip", "turn", "onto_box", "over_gap", "run_up"),
    *("box", "gap", "stairs", "slope"),
)
"""Options that several jumps in a row go without."""

MOST_JUMPS = 20
"""Most --jumps."""

LARGEST_TURN = 360.0
"""Largest --turn (deg)."""

LEAST = {"dt": 1e-5, "friction": 1e-5, "rate": 0.0, "latency": 0.0, "battery_resistance": 0.0}
"""Smallest values allowed."""


@dataclass(frozen=True)
class JumpOptions:
    """One jump: exactly one of `height`, `highest`, `onto_box`, `over_gap`, `plan`, `policy` and `trajectory`; or, without them,
    some of `MOTIONS`, whose height is then chosen. Everything else has a default.
    """

    height: float | None = None
    """How far the centre of mass rises after take-off (m); chosen for a --distance, --pitch, --flip or --turn without it."""
    distance: float = 0.0
    """How far the centre of mass flies forward, from take-off to touch-down (m)."""
    landing_height: float = 0.0
    """How much higher the ground is where it lands (m): that of a --box, a step or a bank."""
    pitch: float = 0.0
    """How far the trunk pitches from the start to touch-down (deg, nose down positive)."""
    flip: Flip | None = None
    """Turn over once, instead of --pitch: back is --pitch -360, front --pitch 360; left and right roll over (barrel roll)."""
    turn: float = 0.0
    """How far the trunk turns about the vertical from start to end (deg, left positive)."""
    onto_box: float | None = None
    """Jump onto a box of this height (m); where it stands, height and distance are chosen."""
    over_gap: float | None = None
    """Jump over a gap of this length (m); where it begins, height and distance are chosen."""
    run_up: float | None = None
    """Jump out of a hop that goes forward at this speed (m/s), instead of from rest."""
    jumps: int = 1
    """How many jumps in a row, each from the stand that the one before has come to."""
    highest: bool = False
    """Jump as high as the limits allow instead of --height."""
    crouch: float | None = None
    """Height of the trunk in the crouch (m); chosen by default."""
    push_time: float | None = None
    """How long the push lasts (s); chosen by default."""
    planner: Planner | None = None
    """quick: a push of constant acceleration; optimised: the best motion by its --merit, in a minute or so. By default quick, but
    for what it does not plan: boxes and gaps, flips, turns, run-ups, legs that move in planes."""
    merit: Merit = "margin"
    """What the best motion is: margin to the limits, least energy from the battery, or most height (--highest)."""
    take_off: TakeOff | None = None
    """Which feet leave the ground first; chosen by default."""
    plan: str | None = None
    """A planned jump that comes with leapcheck (mit-flip, mit-front-jump, ...), or a file of your own (docs/plans.md)."""
    policy: str | None = None
    """Your own controller instead of the plan, as module:factory, from the current folder: factory(robot) returns a function
    of (time, q, v) that returns joint torques or a JointCommand."""
    sandbox: bool = False
    """Run the policy under bubblewrap: without network, with files that it cannot change, without other processes."""
    trajectory: Path | None = None
    """Joint targets instead of the plan (.csv with time, q_JOINT; as wished qd_, tau_, kp_, kd_JOINT)."""
    duration: float | None = None
    """How long a policy, trajectory or --plan is simulated (s); 1.2 s, or its own length, by default."""
    pose: str | None = None
    """Pose that a policy or trajectory starts from; the robot's first by default."""
    set: tuple[str, ...] = ()
    """A number of the robot changed, as in trunk.mass=3.6; may be repeated."""
    actuators: Path | None = None
    """Actuators of the robot in a file (.json), instead of its own."""
    torque_limit: float | None = None
    """Largest torque (N m) of each moving joint for which the robot's file gives none."""
    speed_limit: float | None = None
    """No-load speed (rad/s) of each drive for which the robot's file gives none."""
    feet: tuple[str, ...] = ()
    """Where the robot of a file touches: names of bodies or links, sites or geoms, instead of the ends of its chains."""
    points: Path | None = None
    """Where it touches, in a file (.toml with feet = ["NAME", ...] or tables [[points]] of name, on, position, radius)."""
    engines: tuple[str, ...] = ("mujoco", "soft-rk4", "rigid", "spring-damper", "pinocchio-admm")
    """Simulators; a wrong name lists them all."""
    friction: float = 0.8
    """Coulomb friction of the ground."""
    box: tuple[str, ...] = ()
    """A box as HEIGHT,FRONT[,LENGTH] m: its front FRONT m ahead of where the trunk's origin begins; may be repeated."""
    gap: tuple[str, ...] = ()
    """A gap as FRONT,LENGTH m; may be repeated."""
    stairs: str | None = None
    """Stairs as RISE,TREAD,FRONT[,STEPS] m."""
    slope: float = 0.0
    """How far the ground rises forward (deg); boxes and gaps turn with it, and so does the robot's first pose."""
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
    battery_voltage: float | None = None
    """Open-circuit voltage of the battery (V); the motors' rated one by default."""
    battery_resistance: float = 0.0
    """Internal resistance of the battery (ohm)."""
    motor_rating: tuple[float, float] | None = None
    """What the motors stand for good: continuous current (A) and thermal time constant (s); i^2 t is judged by it."""
    threshold: tuple[str, ...] = ()
    """A threshold of the verdict changed, as in utilisation_no_go=0.9; may be repeated."""
    monte_carlo: int = 0
    """How many jumps with drawn friction, ground, payload, strength, voltage, latency, noise, ... to simulate."""
    vary: tuple[str, ...] = ()
    """How wide one of them varies, as in friction=0.3 (0: not at all); may be repeated."""
    seed: int = 0
    """Seed of the draws."""
    hardware_log: Path | None = None
    """Log of the real robot (.csv with time and q_JOINT, qd_JOINT, tau_JOINT): its residuals against the first simulator."""

    @property
    def is_planned(self) -> bool:
        """Whether the planner controls the jump, not a plan from a file, a policy or a trajectory."""
        return self.plan is None and self.policy is None and self.trajectory is None

    @property
    def chosen_planner(self) -> Planner:
        """The planner asked for; by default the quick one, where it plans such a jump."""
        return self.planner or ("optimised" if any(self._not_quick()) else "quick")

    @property
    def has_height(self) -> bool:
        """Whether the planner is told how high to jump, by a number or a goal."""
        return self.highest or any(option is not None for option in (self.height, self.onto_box, self.over_gap))

    @property
    def trunk_pitch(self) -> float:
        """How far the trunk pitches (deg)."""
        return self.pitch if self.flip is None else PITCHES.get(self.flip, 0.0)

    @property
    def trunk_roll(self) -> float:
        """How far the trunk rolls (deg), right side down positive."""
        return 0.0 if self.flip is None else ROLLS.get(self.flip, 0.0)

    def command(self, robot: str) -> str:
        """The command line that repeats this jump."""
        return repeat_command(
            ("leapcheck", "jump", robot), self, JumpOptions, repeated=("set", "threshold", "vary", "box", "gap")
        )

    def check(self) -> None:
        """Raises ValueError for options that are invalid or exclude each other."""
        from leapcheck.jumping.ground_options import terrain_of  # NumPy is too heavy for --help

        self._check_source()
        terrain_of(self.box, self.gap, self.stairs, self.slope)
        if self.sandbox:
            self._check_sandbox()
        if not self.monte_carlo:
            self._refuse_unused(("vary",), "only --monte-carlo uses it")
        if min(self.monte_carlo, self.seed) < 0:
            raise ValueError("--monte-carlo and --seed: give whole numbers, 0 or more")
        for name, least in LEAST.items():
            if not least <= getattr(self, name) < math.inf:
                raise ValueError(f"--{name.replace('_', '-')} {getattr(self, name)}: give a finite number of at least {least:g}")
        if self.hardware_log is not None and not self.hardware_log.is_file():
            raise ValueError(f"--hardware-log '{self.hardware_log}' is no file: give the path of a CSV file")
        if self.dt > 0.01 or not 1 <= self.levels <= 8:
            raise ValueError(f"--dt {self.dt} and --levels {self.levels}: give a step of at most 0.01 s and 1 to 8 levels")

    def _check_source(self) -> None:
        """Raises ValueError where not exactly one thing is to be jumped, or an option does nothing to it."""
        goals = (self.onto_box, self.over_gap)
        sources = (self.height, self.highest or None, *goals, self.plan, self.policy, self.trajectory)
        given = sum(option is not None for option in sources)
        if given > 1 or (given == 0 and not any(getattr(self, name) for name in MOTIONS)):
            raise ValueError(
                "give one of --height, --highest, --onto-box, --over-gap, --plan, --policy and --trajectory: what is to be jumped"
            )
        if goals != (None, None):
            self._check_goal()
        self._check_kind()
        if self.is_planned:
            self._refuse_unused(NOT_WITH_PLAN, "the plan chooses it")
            self._check_merit()
            if self.chosen_planner == "optimised":
                self._refuse_unused(("crouch", "push_time"), "the optimised planner chooses it")
            for option, why in self._not_quick() if self.planner == "quick" else ():
                raise ValueError(f"{option}: the quick planner {why}: leave --planner quick out")
        else:
            self._refuse_unused(NOT_WITH_OWN, "only a plan uses it")
            if self.plan is not None:
                self._refuse_unused(("pose",), "a plan from a file begins in its own pose")

    def _not_quick(self) -> Iterator[tuple[str, str]]:
        """(option, why) of what the quick planner does not plan."""
        if self.onto_box is not None or self.over_gap is not None:
            yield "--onto-box" if self.over_gap is None else "--over-gap", "sees neither boxes nor gaps"
        if self.run_up is not None:
            yield "--run-up", "jumps from rest alone"
        if self.turn:
            yield "--turn", "pushes straight"
        if self.flip is not None:
            yield f"--flip {self.flip}", "pushes straight, with all feet"
        for name, default in (("merit", "margin"), ("take_off", None)):
            if getattr(self, name) != default:
                yield f"--{name.replace('_', '-')} {getattr(self, name)}", "pushes with all feet, for margin"

    def _check_merit(self) -> None:
        """Raises ValueError where a merit cannot be planned."""
        if self.merit == "height" and not self.highest:
            raise ValueError("--merit height: give --highest instead of the height")
        if self.merit == "energy" and self.highest:
            raise ValueError("--merit energy: the merit of --highest is its height: give a --height, or leave --merit out")

    def _check_kind(self) -> None:
        """Raises ValueError where a flip, a turn or jumps in a row cannot be planned."""
        if self.flip is not None:
            self._refuse_unused(("pitch",), "--flip chooses it")
        if self.flip in ROLLS:
            self._check_barrel_roll()
        if self.turn:
            self._check_turn()
        if self.jumps != 1:
            self._check_jumps()

    def _check_goal(self) -> None:
        """Raises ValueError where --onto-box or --over-gap cannot be planned."""
        name, size = ("onto-box", self.onto_box) if self.over_gap is None else ("over-gap", self.over_gap)
        if size is None or not 0.0 < size < math.inf:
            raise ValueError(f"--{name} {size}: give m above 0")
        self._refuse_unused(NOT_WITH_GOAL, f"--{name} chooses the jump and its ground")

    def _check_turn(self) -> None:
        """Raises ValueError where a turn about the vertical cannot be planned."""
        if not abs(self.turn) <= LARGEST_TURN:
            raise ValueError(f"--turn {self.turn:g}: give degrees from {-LARGEST_TURN:g} to {LARGEST_TURN:g}, left positive")
        self._refuse_unused(
            ("pitch", "flip", "run_up", "highest", "landing_height", "slope"), "a jump with --turn goes without it"
        )

    def _check_barrel_roll(self) -> None:
        """Raises ValueError where a barrel roll cannot be planned."""
        others = ("turn", "run_up", "highest", "landing_height", "slope", "take_off")
        self._refuse_unused(others, f"a jump with --flip {self.flip} goes without it")

    def _check_jumps(self) -> None:
        """Raises ValueError where jumps in a row cannot be planned."""
        if not 1 <= self.jumps <= MOST_JUMPS:
            raise ValueError(f"--jumps {self.jumps}: give 1 to {MOST_JUMPS}")
        defaults = {option.name: option.default for option in fields(JumpOptions)}
        for name in NOT_WITH_JUMPS if self.is_planned else ():
            if getattr(self, name) != defaults[name]:
                raise ValueError(
                    f"--{name.replace('_', '-')} with --jumps {self.jumps}: jumps in a row go up or forward on level ground: "
                    "leave one out, or bring the whole motion as a --trajectory"
                )

    def _check_sandbox(self) -> None:
        from leapcheck.engines.outside.sandbox import check_sandbox

        if self.policy is None:
            self._refuse_unused(("sandbox",), "only --policy runs code of yours")
        check_sandbox()

    def _refuse_unused(self, names: tuple[str, ...], why: str) -> None:
        defaults = {option.name: option.default for option in fields(JumpOptions)}
        for name in names:
            if getattr(self, name) != defaults[name]:
                raise ValueError(f"--{name.replace('_', '-')} does nothing here: {why}: leave it out")


def name_value_pairs(entries: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """(name, value) of each NAME=VALUE."""
    for entry in entries:
        name, equals, value = entry.partition("=")
        if not equals:
            raise ValueError(f"{entry!r:.60}: write NAME=VALUE")
        yield name.strip(), value
