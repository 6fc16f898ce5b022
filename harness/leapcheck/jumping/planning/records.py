"""A whole jump planned: stand, crouch, push, flight, landing; its checks, and the controller that follows it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from leapcheck.jumping.control import JointCommand
from leapcheck.jumping.options import Merit, TakeOff
from leapcheck_models.arrays import Floats
from leapcheck_reference.simulate.actuator import Drives, torque_before_losses

LEAST_RUNNING = 0.05
"""Height (m) of the lowest jump out of a run: it flies 0.2 s, longer than the hop before it."""


@dataclass(frozen=True, slots=True)
class JumpRequest:
    """The jump requested: the com's rise `height` m after take-off, `distance` m forward, the trunk's turn `pitch` rad.

    The ground is `landing_height` m higher where it lands than where it begins.

    `yaw` rad: the trunk's turn about the vertical, left positive, from start to end; `roll` rad: about its long axis, right side
    down positive, from start to touch-down.
    `pitch` (nose down positive, about the world's y axis) is counted from start to touch-down; None keeps the trunk's
    orientation through the push and takes what the flight makes of it. `friction` of the ground; `crouch`: height m of the
    trunk's origin in the crouch, `push_time` s: both chosen by the planner where None. `run_up` m/s: speed forward of the com
    where the push begins, out of a hop; None: from rest. `merit`: what the best motion is, of "height" the `height` given is only
    a first guess; `take_off`: which feet leave the ground first, None: chosen by the planner.
    """

    height: float
    distance: float = 0.0
    pitch: float | None = 0.0
    friction: float = 0.8
    crouch: float | None = None
    push_time: float | None = None
    landing_height: float = 0.0
    yaw: float = 0.0
    run_up: float | None = None
    roll: float = 0.0
    merit: Merit = "margin"
    take_off: TakeOff | None = None

    def __post_init__(self) -> None:
        """Raises ValueError for a number that is no such figure."""
        for name, value in (
            ("height", self.height),
            ("friction", self.friction),
            ("crouch", self.crouch),
            ("push_time", self.push_time),
            ("run_up", self.run_up),
        ):
            if value is not None and not (math.isfinite(value) and value > 0.0):
                raise ValueError(f"the jump's {name} is {value}: give a finite positive number")
        if self.run_up is not None and self.height < LEAST_RUNNING:
            raise ValueError(
                f"a running jump {self.height:g} m high flies hardly longer than its hop: jump {LEAST_RUNNING:g} m or higher"
            )
        if not all(map(math.isfinite, (self.distance, self.pitch or 0.0, self.yaw, self.roll, self.landing_height))):
            raise ValueError(
                f"the jump's distance {self.distance} m, pitch {self.pitch} rad, yaw {self.yaw} rad, roll {self.roll} rad and "
                f"landing height {self.landing_height} m must be finite numbers"
            )

    @property
    def words(self) -> str:
        """How high, and how far, how far round and out of what run where it is to go, to turn or to run anywhere."""
        far = f" and {self.distance:g} m far" if self.distance else ""
        round_ = f" with a turn of {math.degrees(self.yaw):g} deg" if self.yaw else ""
        return f"{self.height:g} m high{far}{round_}" + (f" out of a run at {self.run_up:g} m/s" if self.run_up else "")


@dataclass(frozen=True, slots=True)
class Gains:
    """PD gains at the joints: `kp` N m/rad, `kd` N m s/rad."""

    kp: float
    kd: float

    @classmethod
    def for_robot(cls, moment: float, height: float, gravity: float) -> Gains:
        """Those of Mini Cheetah, 40 and 1.5, by weight times height of the com (`moment`, N m) and its time sqrt(height / g)."""
        return cls(float(f"{1.566 * moment:.3g}"), float(f"{0.3404 * moment * math.sqrt(height / gravity):.3g}"))


@dataclass(frozen=True, slots=True)
class PlanPhase:
    """A part of the jump: "stand", "crouch", "run-up", "push", "flight" or "landing", from `start` to `end` s."""

    name: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Check:
    """One figure of a plan at its worst moment: `value` must stay below `limit`, or above it where `least`; both in `unit`."""

    name: str
    value: float
    limit: float
    unit: str
    where: str
    least: bool = False

    @property
    def utilisation(self) -> float:
        """Part of what is allowed that the plan uses: 1 at the limit, above it the plan is not feasible."""
        return float(utilisation(np.array(self.value), np.array(self.limit), self.least))

    @property
    def words(self) -> str:
        """The figure beside its limit, by how much it is beyond it, and where."""
        excess = 100.0 * (self.utilisation - 1.0)
        beyond = f", {excess:.0f} % too {'little' if self.least else 'much'}" if 0.0 < excess < math.inf else ""
        return f"{self.name} {self.value:.4g} {self.unit}, limit {self.limit:.4g}{beyond} ({self.where})"


def utilisation(value: Floats, limit: Floats, least: bool) -> Floats:
    """value / limit, or limit / value where `least`; 0 for 0 / 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        part: Floats = np.where(value > 0.0, limit / value, np.inf) if least else value / limit
    return np.where(np.isnan(part), 0.0, part)


class Infeasible(ValueError):  # noqa: N818 - not an error: the answer to a question
    """The requested jump is beyond the robot: the text names the limit, by how much it is exceeded, and what to change.

    `check` is the one that is not met; None where there is no motion to check.
    """

    def __init__(self, text: str, check: Check | None = None) -> None:
        super().__init__(text)
        self.check = check


class PlannerError(ValueError):
    """The planner has found no plan: whether the robot can jump is not known."""


@dataclass(frozen=True, slots=True, eq=False)
class JumpPlan:
    """A jump over time, and a policy that follows it: feed-forward torque, losses of the drives added, and PD.

    Arrays over `times` (k,) s: canonical `q` (k, nq), `v` (k, nv); `torque` N m that the rigid bodies need, `kp` N m/rad, `kd`
    N m s/rad (k, actuators); `foot_forces` (k, feet, 3) N on the robot. Where a phase ends and the next begins, the time
    stands twice: torque, forces and gains jump there. From touch-down on, the trunk's motion is what the legs aim at; how
    it is caught is not planned. `take_off_velocity` (3,) m/s of the com; `checks` worst first. `height_gains`: how much higher
    (m) the highest jump would go with each limit 1 % wider, largest first; empty of other jumps.
    """

    robot: str
    request: JumpRequest
    phases: tuple[PlanPhase, ...]
    take_off: float
    touch_down: float
    duration: float
    times: Floats
    q: Floats
    v: Floats
    torque: Floats
    kp: Floats
    kd: Floats
    foot_forces: Floats
    checks: tuple[Check, ...]
    take_off_velocity: Floats
    drives: Drives
    joint_q: NDArray[np.intp]
    joint_v: NDArray[np.intp]
    height_gains: Mapping[str, float] = field(default_factory=dict)

    @property
    def start_q(self) -> Floats:
        """Configuration (nq,) at t = 0."""
        q: Floats = self.q[0]
        return q

    @property
    def start_v(self) -> Floats:
        """Velocity (nv,) at t = 0: zero."""
        v: Floats = self.v[0]
        return v

    @property
    def utilisation(self) -> float:
        """The worst check's."""
        return self.checks[0].utilisation

    def __call__(self, t: float, q: Floats, v: Floats) -> JointCommand:  # noqa: ARG002  # a policy is given the state
        """The command at t; the state is left to the gains."""
        rows = self.commands(np.array([t]))
        return JointCommand(rows.torque[0], rows.q[0], rows.qd[0], rows.kp[0], rows.kd[0])

    def commands(self, t: Floats) -> JointCommand:
        """The commands at times t (n,) s as arrays (n, actuators); before the start the first, after the end the last.

        Joint angles by Hermite's cubics, torque and gains linear between the samples.
        """
        t = np.clip(t, self.times[0], self.times[-1])
        k = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.times) - 2)
        step = self.times[k + 1] - self.times[k]
        s = ((t - self.times[k]) / np.where(step > 0.0, step, 1.0))[:, None]
        dt = step[:, None]
        q0, q1 = self.q[k][:, self.joint_q], self.q[k + 1][:, self.joint_q]
        v0, v1 = self.v[k][:, self.joint_v], self.v[k + 1][:, self.joint_v]
        q = q0 + s * s * (3 - 2 * s) * (q1 - q0) + s * (1 - s) * dt * ((1 - s) * v0 - s * v1)
        ramp = np.where(dt > 0.0, (q1 - q0) / np.where(dt > 0.0, dt, 1.0), v0)
        qd = 6 * s * (1 - s) * ramp + (1 - s) * (1 - 3 * s) * v0 + s * (3 * s - 2) * v1
        torque, kp, kd = (a[k] + s * (a[k + 1] - a[k]) for a in (self.torque, self.kp, self.kd))
        return JointCommand(torque_before_losses(self.drives, torque, qd), q, qd, kp, kd)
