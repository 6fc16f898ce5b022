"""Drives as simulators, planners and verdicts use them: the laws (`drive`), the battery, the envelope, the utilisations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leapcheck_reference.simulate.battery import Battery, powered
from leapcheck_reference.simulate.drive import SLIP_SPEED, Drive, Drives, driven, drives, losses, supply_of

__all__ = [
    "SLIP_SPEED",
    "Battery",
    "Drive",
    "Drives",
    "desired_for",
    "driven",
    "drives",
    "largest_torque",
    "losses",
    "powered",
    "supply_of",
    "utilisations",
]

Floats = NDArray[np.float64]


def desired_for(drives: Drives, torque: Floats, qd: Floats) -> Floats:
    """The torque to ask for so that `torque` arrives at the joint inside the envelope: the losses added back."""
    wanted: Floats = torque + losses(drives, qd)
    return wanted


def largest_torque(drives: Drives, qd: Floats, supply: Floats | float | None = None) -> tuple[Floats, Floats]:
    """(lowest, highest) torque (..., actuators) N m that the drives can give at speeds `qd`: the envelope.

    At the joint, losses taken off. `supply` as in `driven`.
    """
    lowest, highest = (driven(drives, np.full(np.shape(qd), end), qd, supply).torque for end in (-np.inf, np.inf))
    return lowest, highest


def utilisations(drives: Drives, torque: Floats, qd: Floats, supply: Floats | float | None = None) -> tuple[Floats, Floats]:
    """(u_tau, u_V) (..., actuators): |tau_motor| / tau_max and |i R + 2 kt N qd| / V of a torque N m before losses.

    Of what is asked they may exceed 1: the drive then gives less; of what flows (gear ratio times `Drive.motor_torque`)
    u_tau <= 1, and u_V <= 1 but where the drive is turned faster than V allows. For a servo u_V is its straight line:
    |torque / stall + speed / no-load|. `supply` as in `driven`.
    """
    motor_torque = torque / drives.gear_ratio
    current = motor_torque / (1.5 * drives.torque_constant)
    voltage = current * drives.resistance + 2.0 * drives.torque_constant * drives.gear_ratio * qd
    return np.abs(motor_torque) / drives.torque_limit, np.abs(voltage) / supply_of(drives, supply)
