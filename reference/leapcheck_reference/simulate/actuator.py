"""Electric drives behind gears: torque from what is asked, by speed, voltage and losses. The only place with these formulas.

Cheetah-Software's actuator model (MIT, c71c5a1, ActuatorModel.h), at the joint, N the gear ratio, kt the torque constant
of one phase (three phases give 1.5 kt):

    i = tau_desired / (1.5 kt N)                    current asked for
    V' = clip(i R + 2 kt N qd, -V, V)               what the battery can give
    tau_motor = clip(1.5 kt (V' - 2 kt N qd) / R, -tau_max, tau_max)
    tau = N tau_motor - damping qd - friction tanh(qd / SLIP_SPEED)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leapcheck_models.spec import Actuator, RobotSpec

Floats = NDArray[np.float64]

SLIP_SPEED = 0.1
"""Width (rad/s) of the smoothed sign of dry friction: sign() itself has no limit as the time step goes to zero."""


@dataclass(frozen=True, slots=True, eq=False)
class Drives:
    """Figures of all actuators of a robot, arrays (actuators,): at the rotor but for `damping` and `friction`, at the joint.

    A drive without a motor in the description (a servo with a torque and a speed rating) stands as the motor with the same
    straight line from stall torque to no-load speed; `electrical` is False there: its current and power mean nothing.
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
    """The drives of a robot in the order of its actuators; joint damping and friction are the driven joint's."""
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


def driven(drives: Drives, desired: Floats, qd: Floats, supply: Floats | float | None = None) -> Drive:
    """What the drives give for the torque `desired` (..., actuators) N m at the joints at speeds `qd` rad/s.

    `supply` V is what the battery gives (...,) or one number; by default each drive's own rated voltage.
    """
    volts = drives.voltage if supply is None else np.minimum(drives.voltage, np.asarray(supply)[..., None])
    per_ampere = 1.5 * drives.torque_constant
    back_emf = 2.0 * drives.torque_constant * drives.gear_ratio * qd
    asked = desired / (drives.gear_ratio * per_ampere)
    voltage = np.clip(asked * drives.resistance + back_emf, -volts, volts)
    motor_torque = np.clip(per_ampere * (voltage - back_emf) / drives.resistance, -drives.torque_limit, drives.torque_limit)
    current = motor_torque / per_ampere
    voltage = current * drives.resistance + back_emf
    loss = drives.damping * qd + drives.friction * np.tanh(qd / SLIP_SPEED)
    power = 0.75 * voltage * current
    return Drive(drives.gear_ratio * motor_torque - loss, motor_torque, current, voltage, power)


@dataclass(frozen=True, slots=True)
class Battery:
    """The shared supply: open-circuit `voltage` (V; None: each drive's own rated voltage) and internal `resistance` (ohm)."""

    voltage: float | None = None
    resistance: float = 0.0


def powered(drives: Drives, battery: Battery, desired: Floats, qd: Floats) -> tuple[Drive, Floats]:
    """(what the drives give, terminal voltage (...,) V) when all draw from one battery, the sag solved jointly."""
    open_circuit = float(np.max(drives.voltage)) if battery.voltage is None else battery.voltage
    supply = np.full(np.shape(desired)[:-1], open_circuit)
    return driven(drives, desired, qd, supply), supply


def desired_for(drives: Drives, torque: Floats, qd: Floats) -> Floats:
    """The torque to ask for so that `torque` arrives at the joint inside the envelope: the losses added back."""
    wanted: Floats = torque + drives.damping * qd + drives.friction * np.tanh(qd / SLIP_SPEED)
    return wanted


def _motor(actuator: Actuator) -> tuple[float, float, float, float, float]:
    """(gear ratio, torque constant, resistance, voltage, torque limit at the rotor) of a drive."""
    if actuator.motor is not None:
        m = actuator.motor
        return m.gear_ratio, m.torque_constant, m.resistance, m.voltage, m.torque_limit
    no_load = np.inf if actuator.speed_limit is None else actuator.speed_limit
    if not np.isfinite(no_load):
        return 1.0, 1.0, 1.0, np.inf, actuator.torque_limit
    voltage = 2.0 * no_load  # back-emf 2 kt qd reaches it at no-load speed, stall torque 1.5 kt V / R is the limit
    return 1.0, 1.0, 1.5 * voltage / actuator.torque_limit, voltage, actuator.torque_limit
