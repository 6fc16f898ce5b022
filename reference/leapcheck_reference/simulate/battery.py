"""Drives on one battery with an internal resistance: the sag of its voltage and what they give, solved together."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leapcheck_models.arrays import Floats
from leapcheck_reference.simulate.actuator import POWER_SHARE, Drive, Drives, drive_response, drive_state

HALVING_STEP = 5
"""Every so many steps to the terminal voltage the bracket is halved, so that no cycle between two pieces holds them up."""

LARGEST_ITERATIONS = 54 * HALVING_STEP
"""Steps to the terminal voltage, enough if halving alone found it; measured 2.5 in the mean, worst 17."""

VOLTAGE_SLACK = 4 * float(np.finfo(float).eps)
"""Relative change of the terminal voltage that is rounding."""


@dataclass(frozen=True, slots=True)
class Battery:
    """The shared supply: open-circuit `voltage` (V; None: the largest rated voltage) and internal `resistance` (ohm).

    It takes back what braking drives feed it. Raises ValueError for a voltage or a resistance that no battery has.
    """

    voltage: float | None = None
    resistance: float = 0.0

    def __post_init__(self) -> None:
        if self.voltage is not None and not 0.0 < self.voltage < np.inf:
            raise ValueError(f"battery: voltage {self.voltage} V: give a finite positive number")
        if not 0.0 <= self.resistance < np.inf:
            raise ValueError(f"battery: internal resistance {self.resistance} ohm: give a finite number, 0 or more")

    def open_circuit(self, drives: Drives) -> float:
        """Open-circuit voltage (V): the given one, else the highest rating among the motors (among all drives if none is one)."""
        if self.voltage is not None:
            return self.voltage
        return float(np.max(drives.voltage, initial=0.0, where=drives.electrical | (not drives.electrical.any())))


def has_sag(drives: Drives, battery: Battery) -> bool:
    """Whether the battery's voltage depends on what the drives draw."""
    return battery.resistance != 0.0 and bool(drives.electrical.any())


def battery_response(drives: Drives, battery: Battery, desired: Floats, qd: Floats) -> tuple[Drive, Floats]:
    """(what the drives give, terminal voltage (...,) V) when all draw from one battery, the sag solved jointly.

    V = V_oc - R_int I with I = P(V) / V, where P depends on V through the drives' clip at V. The physical root is the one at
    or above V_oc / 2. Where there is none, the battery cannot deliver the demand: it then gives all it can, V_oc^2 / (4 R_int)
    at V_oc / 2 (and what braking drives feed in), and the currents of all drives that draw shrink by one common factor.
    `desired` and `qd` (..., actuators). Servos without electrical figures stay out; a robot that has no others has no sag.
    """
    open_circuit = battery.open_circuit(drives)
    supply: Floats = np.full(np.shape(desired)[:-1], open_circuit)
    if not has_sag(drives, battery):
        return drive_response(drives, desired, qd, supply), supply
    supply, enough = _terminal_voltage(drives, battery.resistance, supply, desired, qd)
    drive = drive_response(drives, desired, qd, supply)
    if not enough.all():
        share = np.where(enough, 1.0, _share(drives, battery.resistance, open_circuit, drive, qd))
        draws = drive.power > 0.0
        drive = drive_state(drives, np.where(draws, share[..., None], 1.0) * drive.motor_torque, qd)
    return drive, supply


def _terminal_voltage(
    drives: Drives, resistance: float, open_circuit: Floats, desired: Floats, qd: Floats
) -> tuple[Floats, NDArray[np.bool_]]:
    """(V (...,), whether the battery can deliver there): the root of F(V) = V^2 - V_oc V + R_int P(V) in [V_oc / 2, highest].

    P is a quadratic in V piece by piece: drives at their voltage clip follow V, all others draw a constant power. Each step
    solves the quadratic of the present piece, or halves the bracket where that leaves it. P rises with V unless a drive is
    turned faster than V_oc / (2 kt N), beyond any no-load speed: the root is unique.
    """
    fed_back = POWER_SHARE * (drives.back_emf(qd) / 2) ** 2 / drives.resistance * drives.electrical
    low = open_circuit / 2  # the most that drives can feed back is 0.75 (2 kt N qd)^2 / (4 R) each
    high = low + np.sqrt(low * low + resistance * fed_back.sum(-1))
    a, b, c = _balance(drives, resistance, open_circuit, desired, qd, low)
    enough: NDArray[np.bool_] = (a * low - b) * low + c <= 0.0
    V, slack, settled = open_circuit, VOLTAGE_SLACK * open_circuit, ~enough
    for step in range(LARGEST_ITERATIONS):
        a, b, c = _balance(drives, resistance, open_circuit, desired, qd, V)
        F = (a * V - b) * V + c
        low, high = np.where(F <= 0.0, V, low), np.where(F >= 0.0, V, high)
        square = b * b - 4 * a * c
        root = (b + np.sqrt(np.maximum(square, 0.0))) / (2 * a)
        trusted = (square >= 0.0) & (root >= low - slack) & (root <= high + slack) & (step % HALVING_STEP != HALVING_STEP - 1)
        proposed = np.where(trusted, root, (low + high) / 2)
        settled, V = settled | (np.abs(proposed - V) <= slack), np.where(settled, V, proposed)
        if settled.all():
            break
    return np.where(enough, V, open_circuit / 2), enough


def _balance(
    drives: Drives, resistance: float, open_circuit: Floats, desired: Floats, qd: Floats, V: Floats
) -> tuple[Floats, Floats, Floats]:
    """(a, b, c) of F = a V^2 - b V + c on the piece that V lies in.

    A drive at its clip has V' = +-V, hence i = (+-V - e) / R and P = 0.75 (V^2 -+ e V) / R with e = 2 kt N qd.
    """
    drive = drive_response(drives, desired, qd, V)
    back_emf = drives.back_emf(qd)
    wanted = desired / (1.5 * drives.gear_ratio * drives.torque_constant) * drives.resistance + back_emf
    volts = np.asarray(V)[..., None]
    follows = (np.abs(wanted) > volts) & (volts < drives.voltage) & (np.abs(drive.motor_torque) < drives.torque_limit)
    slope = POWER_SHARE / drives.resistance * (follows & drives.electrical)
    constant = np.where(follows, 0.0, drive.power)
    a = 1.0 + resistance * slope.sum(-1)
    return a, open_circuit + resistance * (slope * np.sign(wanted) * back_emf).sum(-1), resistance * constant.sum(-1)


def _share(drives: Drives, resistance: float, open_circuit: float, drive: Drive, qd: Floats) -> Floats:
    """Factor (...,) on the currents of the drives that draw, so that all together take V_oc^2 / (4 R_int)."""
    draws = drive.power > 0.0
    heat = (drives.copper_loss(drive.current) * draws).sum(-1)
    shaft = (drive.motor_torque * drives.gear_ratio * qd * draws).sum(-1)
    spare = open_circuit**2 / (4 * resistance) - np.where(draws, 0.0, drive.power).sum(-1)
    heat = np.maximum(heat, np.finfo(float).tiny)  # where nothing draws, and nobody asks
    share: Floats = (np.sqrt(shaft * shaft + 4 * heat * spare) - shaft) / (2 * heat)  # heat s^2 + shaft s = spare
    return share
