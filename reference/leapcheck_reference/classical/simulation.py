"""Motion of a mechanism by integrating its joint accelerations."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

from leapcheck_models.arrays import Array

RELATIVE_TOLERANCE = 1e-12
ABSOLUTE_TOLERANCE = 1e-14
"""Tolerances of a step: DOP853's closest to rounding."""

Acceleration = Callable[[float, Array, Array], Array]


@dataclass(frozen=True, slots=True, eq=False)
class JointMotion:
    """Times (k,) s, positions `q` (k, n) and velocities `qd` (k, n)."""

    times: Array
    q: Array
    qd: Array


def simulated_motion(acceleration: Acceleration, q: Array, qd: Array, times: Array) -> JointMotion:
    """Motion from (q, qd) at times[0], by Dormand and Prince's method of order 8 on q'' = acceleration(t, q, qd).

    The rates of q must be qd (no quaternions). Raises RuntimeError when the integrator gives up.
    """
    n = len(q)

    def rate(t: float, state: Array) -> Array:
        return np.concatenate([state[n:], acceleration(t, state[:n], state[n:])])

    solution = solve_ivp(
        rate,
        (float(times[0]), float(times[-1])),
        np.concatenate([q, qd]),
        method="DOP853",
        t_eval=times,
        rtol=RELATIVE_TOLERANCE,
        atol=ABSOLUTE_TOLERANCE,
    )
    if not solution.success:
        raise RuntimeError(f"simulation stopped at t = {solution.t[-1]:g} s: {solution.message}: shorten it, or check the torque")
    return JointMotion(solution.t, solution.y[:n].T, solution.y[n:].T)
