"""A log of the real robot compared with a simulated one: aligned in time, then the residual of each joint."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize_scalar

from leapcheck.jumping.policies import check_columns, number_column, read_table, time_column
from leapcheck.jumping.simulation import driven_places
from leapcheck.simulators.log import JumpLog
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

if TYPE_CHECKING:
    import pandas as pd

SIGNALS = {"q": "rad", "qd": "rad/s", "tau": "N m"}
"""What a hardware log may hold of each joint, with its unit: columns `q_JOINT`, `qd_JOINT`, `tau_JOINT`."""

SHORTEST_OVERLAP = 0.25
"""Part of the shorter log that must overlap when the logs are aligned."""

COARSE_SHIFTS = 400
"""Shifts that are tried before the best one is refined."""


@dataclass(frozen=True, slots=True)
class Residual:
    """How far the hardware is from the simulation in one signal of one joint: in the signal's `unit`.

    `rms` and `largest` difference, `at` s (simulation's time) of the largest, `offset` the mean difference (hardware minus
    simulation), and `correlation` of the two signals (NaN where one of them does not move).
    """

    signal: str
    joint: str
    unit: str
    rms: float
    largest: float
    at: float
    offset: float
    correlation: float


@dataclass(frozen=True, slots=True, eq=False)
class HardwareComparison:
    """`shift` s is added to the hardware's time to fit the simulation's; `overlap` s of both remain; worst residuals first.

    `time` (k,) and, for each signal and joint, (simulated, hardware) series (k,) over the overlap.
    """

    file: str
    simulator: str
    shift: float
    overlap: float
    residuals: tuple[Residual, ...]
    time: Floats
    series: dict[tuple[str, str], tuple[Floats, Floats]]


@dataclass(frozen=True, slots=True, eq=False)
class HardwareLog:
    """What the real robot's log in `file` holds: `time` (k,) s and `signals` (k,) by signal and joint."""

    file: str
    time: Floats
    signals: dict[tuple[str, str], Floats]


def read_hardware_log(spec: RobotSpec, path: Path) -> HardwareLog:
    """The hardware log in a CSV file: column `time` s; any of `q_JOINT`, `qd_JOINT`, `tau_JOINT`.

    Raises ValueError that names the file, the column and the row.
    """
    where = f"file '{path}'"
    table = read_table(path)
    time = time_column(where, table)
    check_columns(where, table, spec, tuple(SIGNALS))
    measured = {key: number_column(where, table, names) for key, names in _names(spec, table).items()}
    if not measured:
        example = spec.actuators[0].joint if spec.actuators else "JOINT"
        raise ValueError(f"{where} has no column of a joint: name them q_JOINT, qd_JOINT or tau_JOINT, for example q_{example}")
    return HardwareLog(str(path), time, measured)


def compare_with_hardware(spec: RobotSpec, log: JumpLog, hardware: HardwareLog) -> HardwareComparison:
    """The hardware log against a simulated one.

    The shift in time is the one with the least mean square difference of all joint angles (speeds, torques where there are no
    angles), each divided by its own range. Raises ValueError where the simulation stopped at once.
    """
    if log.steps < 1:
        raise ValueError(
            f"file '{hardware.file}' is not compared: {log.simulator} stopped at once ({log.stopped}): mend that first"
        )
    time, measured = hardware.time, hardware.signals
    simulated = _simulated_signals(spec, log)
    leading = next(signal for signal in SIGNALS if any(key[0] == signal for key in measured))
    aligned = {key: values for key, values in measured.items() if key[0] == leading}
    shift = _best_shift(log.time, simulated, time, aligned)
    inside = (log.time >= time[0] + shift) & (log.time <= time[-1] + shift)
    series = {
        key: (simulated[key][inside], np.interp(log.time[inside], time + shift, values)) for key, values in measured.items()
    }
    residuals = [_residual(*key, *both, log.time[inside]) for key, both in series.items()]
    ranked = sorted(residuals, key=lambda r: (list(SIGNALS).index(r.signal), -r.rms))
    overlap = float(np.ptp(log.time[inside]))
    return HardwareComparison(hardware.file, log.simulator, shift, overlap, tuple(ranked), log.time[inside], series)


def _names(spec: RobotSpec, table: pd.DataFrame) -> dict[tuple[str, str], list[str]]:
    """For each (signal, joint) that the table has: the names that its column may have."""
    names_by_key = {}
    for actuator in spec.actuators:
        for signal in SIGNALS:
            names = [f"{signal}_{actuator.joint}", f"{signal}_{actuator.name}"]
            if any(name in table.columns for name in names):
                names_by_key[signal, actuator.joint] = names
    return names_by_key


def _simulated_signals(spec: RobotSpec, log: JumpLog) -> dict[tuple[str, str], Floats]:
    """Each signal of each driven joint at the log's states; the torque of the last step is held to the last state."""
    joint_q, joint_v = driven_places(spec)
    torque = np.vstack([log.torque, log.torque[-1:]]) if log.steps else np.zeros((len(log.time), len(joint_q)))
    signals = {}
    for i, actuator in enumerate(spec.actuators):
        signals["q", actuator.joint] = log.q[:, joint_q[i]]
        signals["qd", actuator.joint] = log.v[:, joint_v[i]]
        signals["tau", actuator.joint] = torque[:, i]
    return signals


def _best_shift(
    log_time: Floats, simulated: dict[tuple[str, str], Floats], time: Floats, measured: dict[tuple[str, str], Floats]
) -> float:
    """Least-squares shift: the best of an even grid over all shifts that leave enough overlap, then refined."""
    needed = SHORTEST_OVERLAP * min(np.ptp(log_time), np.ptp(time))
    first, last = log_time[0] + needed - time[-1], log_time[-1] - needed - time[0]
    ranges = {key: max(float(np.ptp(simulated[key])), float(np.ptp(values)), 1e-12) for key, values in measured.items()}

    def misfit(shift: float) -> float:
        inside = (log_time >= time[0] + shift) & (log_time <= time[-1] + shift)
        if not inside.any():
            return np.inf
        moments = log_time[inside]
        differences = [
            (np.interp(moments, time + shift, values) - simulated[key][inside]) / ranges[key] for key, values in measured.items()
        ]
        return float(np.mean(np.square(differences)))

    grid = np.append(np.linspace(first, last, COARSE_SHIFTS), 0.0)
    best = float(min(grid[(grid >= first) & (grid <= last)], key=lambda shift: (misfit(shift), abs(shift))))
    width = (last - first) / (COARSE_SHIFTS - 1)
    refined = minimize_scalar(misfit, bounds=(best - width, best + width), method="bounded", options={"xatol": 1e-7})
    return float(refined.x) if refined.fun < misfit(best) else best


def _residual(signal: str, joint: str, simulated: Floats, hardware: Floats, time: Floats) -> Residual:
    difference = hardware - simulated
    worst = int(np.argmax(np.abs(difference)))
    moving = min(np.ptp(simulated), np.ptp(hardware)) > 0
    return Residual(
        signal=signal,
        joint=joint,
        unit=SIGNALS[signal],
        rms=float(np.sqrt(np.mean(difference**2))),
        largest=float(abs(difference[worst])),
        at=float(time[worst]),
        offset=float(difference.mean()),
        correlation=float(np.corrcoef(simulated, hardware)[0, 1]) if moving else float("nan"),
    )
