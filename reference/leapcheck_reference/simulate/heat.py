"""i^2 t: how much of a motor's thermal rating a course of currents uses up."""

from dataclasses import dataclass

import numpy as np

from leapcheck_models.arrays import Floats


@dataclass(frozen=True, slots=True)
class ThermalRating:
    """What a motor bears: `current` A for ever, and the time constant (s) of its winding, `time_constant`.

    The user's input: no robot's description holds it. Raises ValueError where one is not a finite positive number.
    """

    current: float
    time_constant: float

    def __post_init__(self) -> None:
        for name in ("current", "time_constant"):
            value = getattr(self, name)
            if not 0.0 < value < np.inf:
                raise ValueError(f"thermal rating: {name} is {value}: give a finite positive number")


def thermal_load(rating: ThermalRating, current: Floats, dt: float, start: Floats | float = 0.0) -> Floats:
    """Thermal load (n + 1, ...): the winding's excess temperature as a share of what the continuous current ends at.

    load' = ((i / i_c)^2 - load) / T, solved exactly for a `current` (n, ...) A held over each step of `dt` s, from `start`.
    Above 1 the motor is hotter than its rating allows. Times much shorter than T see load = int i^2 dt / (i_c^2 T).
    """
    kept = np.exp(-dt / rating.time_constant)
    gained = -np.expm1(-dt / rating.time_constant) * (current / rating.current) ** 2
    load = np.empty((len(current) + 1, *current.shape[1:]))
    load[0] = start
    for k, gain in enumerate(gained):
        load[k + 1] = kept * load[k] + gain
    return load


def square_time(current: Floats, dt: float) -> Floats:
    """int i^2 dt (A^2 s) of a current (n, ...) held over each step."""
    total: Floats = np.sum(current**2, axis=0) * dt
    return total
