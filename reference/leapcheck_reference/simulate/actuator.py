"""Electric drives behind gears: joint torque from the demand, speed, voltage and losses. The only place with these formulas.

Cheetah-Software's actuator model (MIT, c71c5a1, ActuatorModel.h), at the joint, N the gear ratio, kt the torque constant
of one phase (three phases give 1.5 kt):

    i = tau_desired / (1.5 kt N)                    demanded current
    V' = clip(i R + 2 kt N qd, -V, V)               what the battery can give
    tau_motor = clip(1.5 kt (V' - 2 kt N qd) / R, -tau_max, tau_max)
    tau = N tau_motor - damping qd - friction tanh(qd / SLIP_SPEED)

With the current that flows, i = tau_motor / (1.5 kt), and V' = i R + 2 kt N qd, a drive draws from the battery
P = 0.75 V' i = tau_motor N qd + 0.75 R i^2: shaft power and heat. P < 0 when it brakes and feeds back.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leapcheck_models.arrays import Floats
from leapcheck_models.spec import Actuator, RobotSpec

SAME_LIMIT = 1.0 - 1e-12
"""Two limits that differ by less are one that was multiplied by the gear ratio and divided again."""

POWER_SHARE = 0.75
"""Power of three phases over V' i, with V' and i as `Drives` counts them; heat over R i^2."""

SLIP_SPEED = 0.1
"""Width (rad/s) of the smoothed sign of dry friction: sign() itself has no limit as the time step goes to zero."""


@dataclass(frozen=True, slots=True, eq=False)
class Drives:
    """Figures of all actuators of a robot, arrays (actuators,): at the rotor but for `damping` and `friction`, at the joint.

    A drive without a motor in the description (a servo with a torque and a speed rating) stands as the motor with the same
    straight line from stall torque to no-load speed; `electrical` is False there: it takes no part in the battery, its power
    counts as zero, and its volts and amperes mean nothing but their ratio to the rating.
    """

    names: tuple[str, ...]
    gear_ratio: Floats
    torque_constant: Floats
    resistance: Floats
    voltage: Floats
    torque_limit: Floats
    damping: Floats
    friction: Floats
    electrical: NDArray[np.bool_]

    @property
    def has_line(self) -> NDArray[np.bool_]:
        """Which drives (actuators,) are rated by a torque and a speed alone: a line, no volts."""
        line: NDArray[np.bool_] = ~self.electrical & np.isfinite(self.voltage)
        return line

    @property
    def torque_per_ampere(self) -> Floats:
        """1.5 kt (actuators,): torque of three phases at the rotor, N m/A."""
        return 1.5 * self.torque_constant

    def no_load_speed(self, voltage: Floats) -> Floats:
        """V / (2 kt N) (..., actuators): joint speeds rad/s at which the back-emf reaches `voltage`."""
        return voltage / (2.0 * self.torque_constant * self.gear_ratio)

    def back_emf(self, qd: Floats) -> Floats:
        """2 kt N qd (..., actuators), V, at joint speeds `qd` rad/s."""
        emf: Floats = 2.0 * self.torque_constant * self.gear_ratio * qd
        return emf

    def current(self, motor_torque: Floats) -> Floats:
        """tau_motor / (1.5 kt) (..., actuators), A, of torques N m at the rotors."""
        return motor_torque / self.torque_per_ampere

    def voltage_of(self, current: Floats, qd: Floats) -> Floats:
        """i R + 2 kt N qd (..., actuators), V, at a current A and joint speeds `qd` rad/s."""
        return current * self.resistance + self.back_emf(qd)

    def copper_loss(self, current: Floats) -> Floats:
        """0.75 R i^2 (..., actuators), W: heat in the windings at a current A."""
        loss: Floats = POWER_SHARE * self.resistance * current**2
        return loss


@dataclass(frozen=True, slots=True, eq=False)
class Drive:
    """What the drives do at one moment, or at many: arrays (..., actuators).

    `torque` N m at the joint, losses taken off; `motor_torque` N m at the rotor; `current` A; `voltage` V at the motor, as
    `Drives.voltage` counts it; `power` W drawn from the battery: tau_motor N qd + 0.75 R i^2.
    """

    torque: Floats
    motor_torque: Floats
    current: Floats
    voltage: Floats
    power: Floats


def drives(spec: RobotSpec) -> Drives:
    """The drives of a robot in the order of its actuators; joint damping and friction are the driven joint's.

    Where an actuator's torque limit is below what its motor gives behind the gear, it holds. ValueError for one that is zero.
    """
    for actuator in (a for a in spec.actuators if a.torque_limit == 0.0):
        raise ValueError(f"actuator '{actuator.name}' has the torque limit 0: give what it can do, or leave it out")
    joints = {body.joint.name: body.joint for body in spec.bodies}
    rows = [(*_motor(a), joints[a.joint].damping, joints[a.joint].friction) for a in spec.actuators]
    columns = np.array(rows, dtype=float).reshape(-1, 7).T
    electrical = np.array([actuator.motor is not None for actuator in spec.actuators], dtype=bool)
    return Drives(
        names=tuple(actuator.name for actuator in spec.actuators),
        gear_ratio=columns[0],
        torque_constant=columns[1],
        resistance=columns[2],
        voltage=columns[3],
        torque_limit=columns[4],
        damping=columns[5],
        friction=columns[6],
        electrical=electrical,
    )


def drive_response(drives: Drives, desired: Floats, qd: Floats, supply: Floats | float | None = None) -> Drive:
    """What the drives give for the torque `desired` (..., actuators) N m at the joints at speeds `qd` rad/s.

    `supply` V is what the battery gives (...,) or one number; by default each drive's own rated voltage, which is also the
    most that it uses.
    """
    volts = usable_voltage(drives, supply)
    current = desired / (drives.gear_ratio * drives.torque_per_ampere)
    back_emf = drives.back_emf(qd)
    voltage = np.maximum(np.minimum(current * drives.resistance + back_emf, volts), -volts)
    free = drives.torque_per_ampere * (voltage - back_emf) / drives.resistance
    motor_torque = np.maximum(np.minimum(free, drives.torque_limit), -drives.torque_limit)
    return drive_state(drives, motor_torque, qd)


class DriveTorque:
    """The torque of `drive_response` at one supply, for inner loops: the same bits from products that are formed once."""

    def __init__(self, drives: Drives, supply: float | None = None) -> None:
        self._volts = usable_voltage(drives, supply)
        self._ampere, self._per_ampere = drives.gear_ratio * drives.torque_per_ampere, drives.torque_per_ampere
        self._emf = 2.0 * drives.torque_constant * drives.gear_ratio
        self._resistance, self._limit, self._gear_ratio = drives.resistance, drives.torque_limit, drives.gear_ratio
        self._least_volts, self._least = -self._volts, -self._limit
        self._drives, self._lossless = drives, not (drives.damping.any() or drives.friction.any())

    def __call__(self, desired: Floats, qd: Floats) -> Floats:
        """Torque (actuators,) N m at the joints for the torque `desired` at speeds `qd` rad/s, losses taken off."""
        back_emf = self._emf * qd
        voltage = desired / self._ampere
        voltage *= self._resistance
        voltage += back_emf
        np.maximum(np.minimum(voltage, self._volts, out=voltage), self._least_volts, out=voltage)
        voltage -= back_emf
        torque = voltage
        torque *= self._per_ampere
        torque /= self._resistance
        np.maximum(np.minimum(torque, self._limit, out=torque), self._least, out=torque)
        torque *= self._gear_ratio
        return torque if self._lossless else torque - losses(self._drives, qd)


def losses(drives: Drives, qd: Floats) -> Floats:
    """Damping and dry friction (..., actuators), N m: damping qd + friction tanh(qd / SLIP_SPEED)."""
    lost: Floats = drives.damping * qd + drives.friction * np.tanh(qd / SLIP_SPEED)
    return lost


def usable_voltage(drives: Drives, supply: Floats | float | None) -> Floats:
    """Volts that each drive can use (..., actuators): the supply up to its rating; a servo's own rating, whatever the supply."""
    if supply is None:
        return drives.voltage
    shared = np.minimum(drives.voltage, np.asarray(supply, dtype=float)[..., None])
    volts: Floats = shared if drives.electrical.all() else np.where(drives.electrical, shared, drives.voltage)
    return volts


def drive_state(drives: Drives, motor_torque: Floats, qd: Floats) -> Drive:
    """The record of drives whose rotors give `motor_torque`."""
    current = drives.current(motor_torque)
    voltage = drives.voltage_of(current, qd)
    power = POWER_SHARE * voltage * current * drives.electrical
    return Drive(drives.gear_ratio * motor_torque - losses(drives, qd), motor_torque, current, voltage, power)


def torque_before_losses(drives: Drives, torque: Floats, qd: Floats) -> Floats:
    """The torque to ask for so that `torque` arrives at the joint inside the envelope: the losses added back."""
    wanted: Floats = torque + losses(drives, qd)
    return wanted


def largest_torque(drives: Drives, qd: Floats, supply: Floats | float | None = None) -> tuple[Floats, Floats]:
    """(lowest, highest) torque (..., actuators) N m that the drives can give at speeds `qd`: the envelope.

    At the joint, losses taken off. `supply` as in `drive_response`.
    """
    lowest, highest = (drive_response(drives, np.full(np.shape(qd), end), qd, supply).torque for end in (-np.inf, np.inf))
    return lowest, highest


def utilisations(drives: Drives, torque: Floats, qd: Floats, supply: Floats | float | None = None) -> tuple[Floats, Floats]:
    """(u_tau, u_V) (..., actuators): |tau_motor| / tau_max and |i R + 2 kt N qd| / V of a torque N m before losses.

    For a demand they may exceed 1: the drive then gives less; for what flows (gear ratio times `Drive.motor_torque`)
    u_tau <= 1, and u_V <= 1 but where the drive is turned faster than V allows. For a servo u_V is its straight line:
    |torque / stall + speed / no-load|. `supply` as in `drive_response`.
    """
    motor_torque = torque / drives.gear_ratio
    voltage = drives.voltage_of(drives.current(motor_torque), qd)
    return np.abs(motor_torque) / drives.torque_limit, np.abs(voltage) / usable_voltage(drives, supply)


def _motor(actuator: Actuator) -> tuple[float, float, float, float, float]:
    """(gear ratio, torque constant, resistance, voltage, torque limit at the rotor) of a drive."""
    if actuator.motor is not None:
        m = actuator.motor
        limit = actuator.torque_limit / m.gear_ratio
        limit = limit if limit < m.torque_limit * SAME_LIMIT else m.torque_limit
        return m.gear_ratio, m.torque_constant, m.resistance, m.voltage, limit
    no_load = np.inf if actuator.speed_limit is None else actuator.speed_limit
    if not np.isfinite(no_load):
        return 1.0, 1.0, 1.0, np.inf, actuator.torque_limit
    voltage = 2.0 * no_load  # back-emf 2 kt qd reaches it at no-load speed, stall torque 1.5 kt V / R is the limit
    return 1.0, 1.0, 1.5 * voltage / actuator.torque_limit, voltage, actuator.torque_limit
