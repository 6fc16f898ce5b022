"""What the adaptive method leaves: a motion at all its step ends, with the impulses and works that were integrated along."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leapcheck_reference.simulate.adaptive_cones import SoftPiece

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """A motion at n + 1 times, all step ends among them; canonical, SI, world axes.

    `time` (n + 1,), `q` (n + 1, nq), `v` (n + 1, nv). Since the start: `impulse` (n + 1, 3) N s and `angular_impulse`
    (n + 1, 3) N m s of the contacts, the latter about the com; `actuator_work`, `contact_work`, `stop_work` (n + 1,) J, carried
    along as states; what joints lose in damping of their own is in none of them. `airborne` (n,): nothing pushes between two
    times. `events`: time and the piece that begins there, several at one time where several contacts change.
    """

    time: Floats
    q: Floats
    v: Floats
    impulse: Floats
    angular_impulse: Floats
    actuator_work: Floats
    contact_work: Floats
    stop_work: Floats
    airborne: NDArray[np.bool_]
    events: tuple[tuple[float, SoftPiece], ...]

    def at(self, t: float) -> tuple[Floats, Floats]:
        """(q, v) at a time that was asked for, or of a step's end; ValueError for any other."""
        i = int(np.abs(self.time - t).argmin())
        if abs(self.time[i] - t) > 1e-12:
            raise ValueError(f"the solution has no state at t = {t:g} s: ask for that time")
        return self.q[i], self.v[i]
