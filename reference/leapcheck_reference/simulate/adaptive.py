"""A whole jump to ten digits: an adaptive method of high order (DOP853) between events, restarted at each.

Every event, a sphere that touches or leaves, a cone that begins to stick, to slide or to give way, a tick of the controller,
ends a smooth piece of the motion. A piece is integrated as if it held a little longer; its end is found, stepped to, and the
next piece begins there (Hairer, Norsett and Wanner, Solving ODEs I, II.6 on discontinuities; DOP853: II.10).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import DOP853

from leapcheck_models.arrays import Floats, cross_products
from leapcheck_reference.simulate.adaptive_cones import SoftPiece
from leapcheck_reference.simulate.adaptive_events import first_crossing
from leapcheck_reference.simulate.adaptive_soft import SoftLaw, SoftMotion
from leapcheck_reference.simulate.coordinates import canonical_velocity, configuration_rate, sound_state, world_velocity
from leapcheck_reference.simulate.errors import ContactSolverError
from leapcheck_reference.trace.kernel import kernel


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


__all__ = ["Integration", "Solution", "Torque", "solution"]

Torque = Callable[[float, Floats, Floats], Floats]

TOTALS = 9
"""Impulse (3), angular impulse about the com (3), work of the drives, of the contacts and of the joint stops."""

MOST_EVENTS = 2000
"""Events from one target time or tick to the next, after which the motion chatters."""

SAME_TIME = 1e-12
"""A tick and a target time (s) this close are one: k period is not exact."""

SHORTEST_STEP = 1e-9
"""A piece (s) that cannot be followed for this long is none."""

MOST_IN_PLACE = 40
"""Attempts without any time between them, after which the motion chatters."""


def solution(
    law: SoftLaw,
    torque: Torque,
    start: tuple[Floats, Floats],
    times: Sequence[float],
    period: float = 0.0,
    rtol: float = 1e-12,
    atol: float = 1e-13,
) -> Solution:
    """The motion from the state `start` (q, v) at t = 0 through all `times` (s, ascending; the last one ends it).

    `torque(t, q, v)` (actuators,) N m is what acts at the joints, a smooth function between the times; with a `period` it is
    asked at every tick, t = k period, and held between. Raises ArithmeticError where the motion chatters or the step vanishes,
    ValueError for times or a state that cannot be.
    """
    motion = Integration(law, torque, start, rtol, atol)
    targets = [t for t in np.asarray(times, dtype=float).tolist() if t > 0.0]
    if not targets or targets != sorted(targets):
        raise ValueError(f"times {list(times)}: give the times (s) to be reached, ascending, at least one of them above 0")
    ticks = np.arange(0.0, targets[-1], period) if period else np.empty(0)
    others = [t for t in ticks.tolist() if t > 0.0 and min(abs(t - one) for one in targets) > SAME_TIME]
    begin = 0.0
    for t in sorted(targets + others):
        if len(ticks) and np.abs(ticks - begin).min() <= SAME_TIME:
            motion.hold()
        motion.go_on(t)
        begin = t
    return motion.solution()


class Integration:
    """A motion while it is integrated; y = [q, u, totals]."""

    def __init__(self, law: SoftLaw, torque: Torque, start: tuple[Floats, Floats], rtol: float, atol: float) -> None:
        law.forget()
        self._law, self._plant, self._torque, self._tolerances = law, law.plant, torque, (rtol, atol)
        self._com = kernel(self._plant.tree, ("com_position",), compile_code=False)
        tree = self._plant.tree
        q, v = sound_state(tree.name, self._plant.free_base, *start, (tree.nq, tree.nv))
        u = world_velocity(self._plant.free_base, q, v)
        self._t, self._y = 0.0, np.concatenate([q, u, np.zeros(TOTALS)])
        self._held: Floats | None = None
        self._step = 1e-5
        self._piece = SoftPiece()
        self._rows: list[tuple[float, Floats]] = [(0.0, self._y)]
        self._airborne: list[bool] = []
        self._events: list[tuple[float, SoftPiece]] = []

    @property
    def state(self) -> tuple[Floats, Floats]:
        """(q, u) at the present time."""
        return self._state(self._y)

    def hold(self, torque: Floats | None = None) -> None:
        """Holds a torque (actuators,) N m from here on, by default the one asked for at the present state."""
        self._held = torque
        self._held = self._torques(self._t, *self.state)
        self._begin_piece()

    def pushes(self) -> tuple[Floats, Floats]:
        """(contact forces (points, 3) N, torques (nv,) N m of the joint stops) at the present state."""
        motion, _ = self._moving(self._t, *self.state)
        return motion.forces, motion.stops

    def _begin_piece(self) -> None:
        q, u = self.state
        self._piece = self._law.piece(q, u, self._force(self._torques(self._t, q, u), u))
        self._events.append((self._t, self._piece))

    def go_on(self, until: float) -> None:
        """Integrates to a time."""
        if not self._events:
            self._begin_piece()
        in_place, events = 0, len(self._events)
        while self._t < until:
            before = self._t
            self._smooth_part(until)
            in_place = in_place + 1 if self._t <= before else 0
            if in_place > MOST_IN_PLACE or len(self._events) - events > MOST_EVENTS:
                raise ContactSolverError(f"the motion chatters at t = {self._t:.6f} s: contacts change without end")

    def _smooth_part(self, until: float) -> None:
        """Steps as far as the piece goes without an event, at most to `until`; a step that left the piece's reach is cut."""
        solver = self._solver(self._t, self._y, until)
        while solver.status == "running":
            try:
                message = solver.step()
                crossing = None if message else self._first_event(solver)
            except ArithmeticError:
                self._step = min(self._step, solver.h_abs) / 4.0
                if self._step < SHORTEST_STEP:
                    raise
                return
            if message:
                raise ContactSolverError(f"the adaptive step vanished at t = {self._t:.6f} s: {message}")
            if crossing is not None:
                self._cross(*crossing)
                return
            self._step = solver.h_abs
            self._keep(solver.t, solver.y)

    def _first_event(self, solver: DOP853) -> tuple[float, int] | None:
        """The first event within the step that the solver has just made."""
        between = solver.dense_output()
        return first_crossing(lambda t: self._margins(t, between(t)), solver.t_old, solver.t)

    def _solver(self, t: float, y: Floats, until: float) -> DOP853:
        rtol, atol = self._tolerances
        first = min(self._step, abs(until - t))
        rates: Any = self._rates  # SciPy's own types want it for complex numbers too
        return DOP853(rates, t, y, until, first_step=first, rtol=rtol, atol=atol)

    def _cross(self, t: float, which: int) -> None:
        """Steps to an event, corrects its time once by the margin that is left there, and takes up the next piece."""
        if t > self._t:
            y = self._integrate(self._t, self._y, t)
            width = max(1e-9, 1e-6 * (t - self._t))
            left, before = self._margins(t, y)[which], self._margins(t - width, self._integrate(t, y, t - width))[which]
            correction = width * left / (before - left) if before > left else 0.0
            if 0.0 < abs(correction) < width:
                t, y = t + correction, self._integrate(t, y, t + correction)
            self._keep(t, y)
        q, u = self.state
        self._piece = self._law.next_piece(self._piece, which, q, u, self._force(self._torques(self._t, q, u), u))
        self._events.append((self._t, self._piece))

    def _integrate(self, t: float, y: Floats, until: float) -> Floats:
        """y at another time, this piece held; forwards or backwards."""
        if until == t:
            return y
        solver = self._solver(t, y, until)
        while solver.status == "running":
            solver.step()
        return solver.y

    def _keep(self, t: float, y: Floats) -> None:
        self._t, self._y = float(t), y.copy()
        self._rows.append((t, self._y))
        self._airborne.append(not self._piece.pushes)

    def _state(self, y: Floats) -> tuple[Floats, Floats]:
        """(q with a unit quaternion, u) of y."""
        nq, nv = self._plant.tree.nq, self._plant.tree.nv
        q = y[:nq].copy()
        if self._plant.free_base:
            q[3:7] /= np.linalg.norm(q[3:7])
        return q, y[nq : nq + nv]

    def _torques(self, t: float, q: Floats, u: Floats) -> Floats:
        if self._held is not None:
            return self._held
        return self._torque(t, q, canonical_velocity(self._plant.free_base, q, u))

    def _force(self, torque: Floats, u: Floats) -> Floats:
        """Force (nv,) of the actuators' torques, less the joints' damping."""
        force, joints = self._plant.generalised_force(torque), self._plant.joints
        force[joints.u] -= joints.damping * u[joints.u]
        return force

    def _margins(self, t: float, y: Floats) -> Floats:
        return self._moving(t, *self._state(y))[0].margins

    def _moving(self, t: float, q: Floats, u: Floats) -> tuple[SoftMotion, Floats]:
        """What the robot does, and the actuators' torques."""
        torque = self._torques(t, q, u)
        return self._law.motion(self._piece, q, u, self._force(torque, u)), torque

    def _rates(self, t: float, y: Floats) -> Floats:
        """dy/dt."""
        q, u = self._state(y)
        motion, torque = self._moving(t, q, u)
        totals = np.zeros(TOTALS)
        if self._piece.pushes:
            self._add_contacts(motion, q, u, totals)
        totals[6], totals[8] = torque @ u[self._plant.driven_u], motion.stops @ u
        return np.concatenate([configuration_rate(self._plant.free_base, y[3:7], u), motion.udot, totals])

    def _add_contacts(self, motion: SoftMotion, q: Floats, u: Floats, totals: Floats) -> None:
        """Force, torque about the com and power of the contacts, into their places."""
        which, equations, forces, levers = motion.points, motion.equations, motion.pushes, motion.levers
        arms = equations.centres[which] - self._com(q[None])["com_position"][0] + levers
        velocities = equations.J[which] @ u + cross_products(equations.J_w[which] @ u, levers)
        x, y, z = arms.T
        fx, fy, fz = forces.T
        totals[:3] = forces.sum(axis=0)
        totals[3:6] = (y * fz - z * fy).sum(), (z * fx - x * fz).sum(), (x * fy - y * fx).sum()
        totals[7] = (forces * velocities).sum()

    def solution(self) -> Solution:
        """What has been integrated so far."""
        y = np.array([row for _, row in self._rows])
        states = [self._state(row) for row in y]
        totals = y[:, -TOTALS:]
        return Solution(
            time=np.array([t for t, _ in self._rows]),
            q=np.array([q for q, _ in states]),
            v=np.array([canonical_velocity(self._plant.free_base, q, u) for q, u in states]),
            impulse=totals[:, :3],
            angular_impulse=totals[:, 3:6],
            actuator_work=totals[:, 6],
            contact_work=totals[:, 7],
            stop_work=totals[:, 8],
            airborne=np.array(self._airborne, dtype=bool),
            events=tuple(self._events),
        )
