"""How hard the drives are used: torque, voltage, speed, heat, power, each joint and the worst."""

from __future__ import annotations

import numpy as np

from leapcheck.jumping.measures.figure_list import JumpFigure
from leapcheck.jumping.measures.observation import Phases
from leapcheck.simulators.log import JumpLog
from leapcheck_models.arrays import Floats
from leapcheck_reference.simulate.actuator import Drives, utilisations
from leapcheck_reference.simulate.battery import Battery
from leapcheck_reference.simulate.heat import ThermalRating, square_time, thermal_load

HIGH, FULL = 0.8, 1.0
"""Levels of use above which the time is counted."""


def drive_figures(
    log: JumpLog, drives: Drives, qd: Floats, phases: Phases, rating: ThermalRating | None = None
) -> list[JumpFigure]:
    """Figures of the drives; `qd` (n, actuators) rad/s: joint speeds at the begin of each step; `rating` of their windings.

    Uses refer to the demand: what is delivered is clipped to the envelope and never above 1.
    """
    torque, ohmic, back_emf = uses(log, drives, qd)
    voltage = np.abs(ohmic + back_emf)
    either, time = np.maximum(torque, voltage), log.time[: len(torque)]
    peak, columns = voltage.argmax(axis=0), np.arange(voltage.shape[1])
    rows = {
        "torque_use": torque.max(axis=0),
        "voltage_use": voltage.max(axis=0),
        "voltage_ohmic": ohmic[peak, columns] * np.sign((ohmic + back_emf)[peak, columns]),
        "voltage_back_emf": back_emf[peak, columns] * np.sign((ohmic + back_emf)[peak, columns]),
        "line_use": voltage.max(axis=0),
        "speed": np.abs(qd).max(axis=0),
        "time_above_80": time_above(either, HIGH, log.dt),
        "time_above_100": time_above(either, FULL, log.dt),
    }
    times = {
        "torque_use": time[torque.argmax(axis=0)],
        "voltage_use": time[peak],
        "line_use": time[peak],
        "speed": time[np.abs(qd).argmax(axis=0)],
    }
    only = dict.fromkeys(("voltage_use", "voltage_ohmic", "voltage_back_emf"), drives.electrical) | {"line_use": drives.has_line}
    result: list[JumpFigure] = []
    for name, values in rows.items():
        which = np.flatnonzero(only.get(name, np.ones_like(drives.electrical)))
        names, when = tuple(drives.names[i] for i in which), times.get(name)
        worst = name not in ("voltage_ohmic", "voltage_back_emf")
        result += _per_joint(name, values[which], names, None if when is None else when[which], worst)
    if drives.electrical.any():
        result += _heat_figures(log, drives, len(torque), rating)
    after = time >= phases.touch_down
    if after.any() and drives.names:
        k, j = np.unravel_index(int(torque[after].argmax()), torque[after].shape)
        result.append(JumpFigure("torque_use_landing", float(torque[after][k, j]), "", drives.names[j], float(time[after][k])))
    return result


def _heat_figures(log: JumpLog, drives: Drives, steps: int, rating: ThermalRating | None) -> list[JumpFigure]:
    """i^2 t of the electric motors over the first steps and, where there is a rating, their largest thermal load."""
    current = log.current[:steps, drives.electrical]
    names = tuple(name for name, electric in zip(drives.names, drives.electrical, strict=True) if electric)
    result = _per_joint("heat", square_time(current, log.dt), names)
    if rating is None:
        return result
    load = thermal_load(rating, current, log.dt)
    return [*result, *_per_joint("thermal_load", load.max(axis=0), names, log.time[load.argmax(axis=0)])]


def uses(log: JumpLog, drives: Drives, qd: Floats) -> tuple[Floats, Floats, Floats]:
    """(torque asked / peak torque, i R / V, 2 kt N qd / V), arrays (n, actuators); the last two with their signs.

    V is the battery's terminal voltage where it is below a drive's own. Of a drive rated by torque and speed alone the last two
    are tau / stall torque and qd / no-load speed; without a speed limit they are 0.
    """
    desired, supply = log.desired[: len(qd)], log.battery_voltage[: len(qd)]
    torque, ohmic = utilisations(drives, desired, np.zeros_like(qd), supply)
    _, back_emf = utilisations(drives, np.zeros_like(qd), qd, supply)
    return torque, np.copysign(ohmic, desired), np.copysign(back_emf, qd)


def power_figures(log: JumpLog, drives: Drives, battery: Battery, qd: Floats, phases: Phases) -> list[JumpFigure]:
    """Mechanical power and work, and the battery's figures where there is an electric motor.

    `qd` (n, actuators) rad/s: the mean of each step.
    """
    n = len(qd)
    power, time = (log.torque[:n] * qd).sum(axis=1), log.time[:n]
    k = int(power.argmax())
    result = [JumpFigure("peak_power", float(power[k]), time=float(time[k]))]
    if np.isfinite(phases.take_off):
        work = np.concatenate(([0.0], np.cumsum(power) * log.dt))
        begin, stop = np.interp([phases.push, phases.take_off], log.time[: n + 1], work)
        result.append(JumpFigure("mechanical_work", float(stop - begin)))
    if not drives.electrical.any():
        return result
    current = log.battery_power[:n] / log.battery_voltage[:n]
    k, low = int(current.argmax()), int(log.battery_voltage[:n].argmin())
    return [
        *result,
        JumpFigure("battery_current", float(current[k]), time=float(time[k])),
        JumpFigure("energy", float(log.battery_power[:n].sum() * log.dt)),
        JumpFigure("voltage_sag", battery.open_circuit(drives) - float(log.battery_voltage[low]), time=float(time[low])),
    ]


def time_above(use: Floats, level: float, dt: float) -> Floats:
    """Time (actuators,) s that `use` (n, actuators) is above a level, straight lines between steps."""
    if len(use) < 2:
        return np.zeros(use.shape[1])
    high, low = np.maximum(use[1:], use[:-1]) - level, np.minimum(use[1:], use[:-1]) - level
    crossing = np.where((high > 0.0) & (low < 0.0), high / np.where(high > low, high - low, 1.0), np.where(high > 0.0, 1.0, 0.0))
    total: Floats = crossing.sum(axis=0) * dt
    return total


def _per_joint(
    name: str, values: Floats, names: tuple[str, ...], times: Floats | None = None, worst: bool = True
) -> list[JumpFigure]:
    """A figure for each drive, and before them the largest of all."""
    when = np.full(len(values), np.nan) if times is None else times
    result = [JumpFigure(name, float(x), joint, joint, float(t)) for x, joint, t in zip(values, names, when, strict=True)]
    if not worst or not result:
        return result
    k = int(values.argmax())
    return [JumpFigure(name, float(values[k]), "", names[k], float(when[k])), *result]
