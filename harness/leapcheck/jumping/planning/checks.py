"""What a planned motion demands of joints, drives and ground, and the limits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from leapcheck.jumping.planning.legged import Legged
from leapcheck.jumping.planning.records import Check, JumpRequest, utilisation
from leapcheck.jumping.planning.rolling import Motion
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import ONE_DOF
from leapcheck_reference.simulate.actuator import Drives, drive_response, torque_before_losses, usable_voltage, utilisations
from leapcheck_reference.simulate.battery import Battery, battery_response

LEAST_CLEARANCE = 0.1
"""Distance that trunk and knees keep from the ground, in parts of the trunk's height over the feet as the robot stands."""
LIMIT_MARGIN = 0.05
"""Distance (rad, m) that joints keep from their stops."""
LONGEST_LEG = 0.985
"""Part of a leg's length that a plan uses: a stretched leg has to be infinitely fast."""

DEEPEST_DIP = 1e-3
"""Depth (m) to which a foot in flight may dip into the ground where it leaves it or comes near it."""


EQUAL = 1e-9
"""Relative difference of utilisations that are the same but for rounding: those of the legs on both sides, for example."""


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """One figure at n moments of k things: `value` (n, k), `limit` broadcast to it, `labels` (k)."""

    name: str
    unit: str
    value: Floats
    limit: Floats
    labels: Sequence[str]
    least: bool = False

    @property
    def utilisation(self) -> Floats:
        """(n, k)."""
        return utilisation(self.value, np.broadcast_to(self.limit, self.value.shape), self.least)

    def worst(self, times: Floats, phase: str) -> Check:
        """The check of the worst moment; `times` (n,) s. Of joints that are equally bad but for rounding it is the first."""
        used = self.utilisation.ravel()
        most = int(np.argmax(used))
        equal = np.flatnonzero(used >= used[most] * (1.0 - EQUAL))
        k, i = np.unravel_index(int(equal[0]) if len(equal) else most, self.value.shape)
        limit = np.broadcast_to(self.limit, self.value.shape)[k, i]
        where = f"{self.labels[int(i)]}, {phase}, t = {times[k]:.3f} s"
        return Check(self.name, float(self.value[k, i]), float(limit), self.unit, where, self.least)


def worst_first(checks: Sequence[Check]) -> tuple[Check, ...]:
    """The worst check of each name, worst first."""
    worst: dict[str, Check] = {}
    for check in checks:
        if check.name not in worst or check.utilisation > worst[check.name].utilisation:
            worst[check.name] = check
    return tuple(sorted(worst.values(), key=lambda check: -check.utilisation))


REMEDIES = {
    "torque": "jump lower, push longer from a deeper crouch, or take stronger motors",
    "voltage": "jump lower, crouch deeper, or take a higher voltage or a lower gear ratio",
    "torque-speed line": "jump lower, crouch deeper, take faster or stronger drives, or give their motors (--actuators): of "
    "torque and speed alone the line is straight",
    "joint speed": "jump lower, crouch deeper, or take faster drives: a higher voltage or a lower gear ratio",
    "mechanical power": "jump lower, or take stronger motors",
    "battery power": "jump lower, push longer, or take a battery with less internal resistance",
    "joint stop": "choose another crouch height",
    "leg length": "jump lower, crouch deeper or push for a shorter time",
    "clearance": "jump lower, crouch less deep or turn less",
    "friction": "jump less far, higher, or turn less, or take better soles",
    "foot unloading": "jump less far or turn less",
    "foot dipping": "push longer",
}
"""What helps against each limit."""
PULLED = "a foot would have to pull at the ground: choose another crouch or push time, or jump less far or turn less"
"""Remedy where friction is needed without any load on the foot."""


def refusal(robot: str, request: JumpRequest, worst: Check) -> str:
    """Why a jump is not feasible, in one line: its worst check and what to change."""
    pulled = worst.name == "friction" and not math.isfinite(worst.value)
    return f"'{robot}' cannot jump {request.words}: {worst.words}: {PULLED if pulled else REMEDIES[worst.name]}"


def measures(robot: Legged, drives: Drives, battery: Battery, motion: Motion, friction: float | None) -> Iterator[Measure]:
    """All figures of a motion; `friction` None: in the air, where the ground is not asked."""
    yield from drive_measures(robot, drives, battery, motion)
    yield from posture_measures(robot, motion.q, standing=friction is not None)
    if friction is None:
        depth = robot.radii - robot.geometry(motion.q)["contact_positions"][:, :, 2]
        yield Measure("foot dipping", "m", np.maximum(depth, 0.0), np.array(DEEPEST_DIP), robot.feet)
    if friction is not None:
        yield from ground_measures(robot.feet, motion.foot_forces, friction)


def drive_measures(robot: Legged, drives: Drives, battery: Battery, motion: Motion) -> Iterator[Measure]:
    """Torque at the rotor, voltage and speed of each drive, with the drives' losses; battery sag counted.

    A drive rated by torque and speed alone has its torque-speed line for the voltage, one without a speed limit neither.
    """
    qd = motion.v[:, robot.joint_v]
    desired = torque_before_losses(drives, motion.torque, qd)
    supply = battery_response(drives, battery, desired, qd)[1]
    torque, voltage = utilisations(drives, desired, qd, supply)
    yield Measure("torque", "N m at the rotor", torque * drives.torque_limit, drives.torque_limit, drives.names)
    volts = np.broadcast_to(usable_voltage(drives, supply), qd.shape)
    fast = np.isfinite(drives.voltage)
    for name, unit, which in (("voltage", "V", drives.electrical), ("torque-speed line", "of the whole", drives.has_line)):
        if which.any():
            limit = volts[:, which] if name == "voltage" else np.ones((1, 1))
            yield Measure(name, unit, voltage[:, which] * limit, limit, [drives.names[i] for i in np.flatnonzero(which)])
    if fast.any():
        no_load = drives.no_load_speed(volts)[:, fast]
        yield Measure("joint speed", "rad/s", np.abs(qd)[:, fast], no_load, [drives.names[i] for i in np.flatnonzero(fast)])
    if battery.resistance and drives.electrical.any():
        most = battery.open_circuit(drives) ** 2 / 4 / battery.resistance  # V^2 / (4 R)
        power = drive_response(drives, desired, qd).power.sum(axis=-1, keepdims=True)
        yield Measure("battery power", "W", np.maximum(power, 0.0), np.array(most), ("battery",))


def posture_measures(robot: Legged, q: Floats, standing: bool) -> Iterator[Measure]:
    """Joint stops, length of the legs, and, where the robot stands, distance of all but the feet from the ground."""
    joints = [body.joint for body in robot.spec.bodies if body.joint.type in ONE_DOF]
    limited = [i for i, joint in enumerate(joints) if joint.limits is not None]
    if limited:
        limits = np.array([joints[i].limits for i in limited])
        middle, half = limits.mean(axis=1), np.diff(limits, axis=1)[:, 0] / 2
        away = np.abs(q[:, 7:][:, limited] - middle)
        yield Measure("joint stop", "rad from the middle", away, half - LIMIT_MARGIN, [joints[i].name for i in limited])
    if robot.measurable:
        yield Measure("leg length", "of its whole", robot.stretch(q), np.array(LONGEST_LEG), robot.feet)
    if standing and robot.others:
        height = robot.points(q)["contact_positions"][:, robot.other_places, 2] - robot.other_radii
        yield Measure("clearance", "m", height, np.array(LEAST_CLEARANCE * robot.size), robot.others, least=True)


def ground_measures(feet: Sequence[str], forces: Floats, friction: float) -> Iterator[Measure]:
    """Friction needed, and how far the normal forces (n, feet, 3) N of feet that stand are from one lifting off."""
    normal, tangential = forces[..., 2], np.hypot(forces[..., 0], forces[..., 1])
    needed = np.where(normal > 0.0, tangential / np.where(normal > 0.0, normal, 1.0), np.inf)
    yield Measure("friction", "tangential over normal force", needed, np.array(friction), feet)
    mean = normal.mean(axis=1, keepdims=True)
    uneven = np.where(mean > 0.0, 1.0 - normal / np.where(mean > 0.0, mean, 1.0), np.inf)
    yield Measure("foot unloading", "part of its mean load", uneven, np.array(1.0), feet)
