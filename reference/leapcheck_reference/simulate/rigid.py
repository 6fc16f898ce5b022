"""Rigid, inelastic contact with Coulomb friction, by time-stepping on velocities and impulses.

A gap that would close within the step may not: v_n' >= -gap / dt (Stewart and Trinkle, International Journal for Numerical
Methods in Engineering 39, 1996). So a point comes to rest on the ground exactly, none sinks in by its speed times dt, and none
that stands is lost to rounding; with the rule "v_n' >= 0 once the gap is closed" both happen. The impact is spread over two
steps and has no rebound. Where a gap is negative (a start inside the ground) it is opened no faster than `PUSH_OUT`.
Joint stops are unilateral rows of the same problem; dry friction of a passive plant's joints bounded ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leapcheck_reference.simulate.contact_step import Unconstrained
from leapcheck_reference.simulate.plant import Equations
from leapcheck_reference.simulate.rows import Chosen, Rows

Floats = NDArray[np.float64]

PUSH_OUT = 0.5
"""Largest speed (m/s, rad/s) at which a penetration is undone: what curved paths leave in a step of 1 ms is far below."""


def rigid_step(rows: Rows, at: Equations, q: Floats, free: Unconstrained, dt: float) -> Floats:
    """u' (nv,) at the end of a step of dt; `rows` holds the impulses of the last step and takes the new ones.

    Only rows that are violated, or were active in the last step, are solved for, and those that this brings about are added
    until none is: the same solution as with all rows.
    """
    least = wanted_velocity(rows.gaps(at), dt), wanted_velocity(rows.rooms(q), dt)
    points, stops = rows.points[:, 2] > 0.0, rows.stops > 0.0
    u, again = free.u, bool(points.any() or stops.any() or rows.any_dry)
    while True:
        upwards, away = rows.opening(at, u)
        new_points, new_stops = (upwards < least[0]) & ~points, (away < least[1]) & ~stops
        if not (again or new_points.any() or new_stops.any()):
            break
        points, stops, again = points | new_points, stops | new_stops, False
        u = rows.solved(at, free, _rigid_points(np.flatnonzero(points), least[0]), _rigid_stops(np.flatnonzero(stops), least[1]))
    return u


def wanted_velocity(gap: Floats, dt: float) -> Floats:
    """Least velocity (n,) that keeps gaps (n,) open at the end of a step of dt."""
    answer: Floats = np.minimum(gap / -dt, PUSH_OUT)
    return answer


def _rigid_points(which: NDArray[np.intp], least: Floats) -> Chosen:
    wanted = np.zeros((len(which), 3))
    wanted[:, 2] = least[which]
    return Chosen(which, wanted, np.zeros_like(wanted))


def _rigid_stops(which: NDArray[np.intp], least: Floats) -> Chosen:
    return Chosen(which, least[which], np.zeros(len(which)))
