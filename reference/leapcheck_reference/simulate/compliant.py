"""Springy contact laws of a point pressed `depth` (m) into the ground, with friction by the deflection of a tangential spring.

    SpringDamper   (Cheetah-Software)   F_n = max(0, s (K depth + D rate)),                s = sqrt(depth), rate = d depth/dt
    HuntCrossley   (1975)               F_n = max(0, s K depth (1 + 3/2 c rate)),          c the slope of restitution 1 - c v

    both: F_t = -K s x - D s v_t with xdot = v_t; where that exceeds mu F_n it is scaled to mu F_n, and then
          xdot = -(F_t + K s x) / (D s); out of contact xdot = -K/D x.

In one step of dt both the spring's length and its rate are those of the step's end, and only s is that of the depth foreseen
with the step's first velocity: then F_n = max(0, a - b v_n') with constants a, b, and the same for the tangents, which is a
Coulomb problem with compliance 1 / (dt b) (`rows`): no stiffness or damping makes it run away, and its error is of
order dt. (A ground so stiff that a body sinks in by less than g dt^2 lets it tremble by as much: then take rigid contact.)
By the law of the deflection x' = (D x / dt - F_t / s) / (K + D / dt), whether it sticks, slides or is in the air.
"""

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from leapcheck_models.arrays import Array, Floats
from leapcheck_reference.factorization import factorization, solution
from leapcheck_reference.simulate.moving import Moving
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.predicted import (
    CONDITIONS,
    Inputs,
    Points,
    StepModel,
    accuracy_condition,
    contact_solution,
    motion,
    others,
    step_answers,
    step_inputs,
    sticking_conditions,
)
from leapcheck_reference.simulate.rows import Chosen


@dataclass(frozen=True, slots=True)
class Stop:
    """A joint stop: `stiffness` N m/rad and `damping` N m s/rad against a joint that is beyond its limit; both 0: no stop."""

    stiffness: float = 5e3
    damping: float = 20.0


@dataclass(frozen=True, slots=True)
class SpringDamper:
    """Cheetah-Software's ground: `stiffness` K N/m^1.5 and `damping` D N s/m^1.5, normal and tangential alike."""

    stiffness: float = 5e5
    damping: float = 5e3
    stop: Stop = Stop()

    def __post_init__(self) -> None:
        _check(self.stiffness, self.damping, self.stop)

    @property
    def tangential_damping(self) -> float:
        """D N s/m^1.5 of the tangential spring."""
        return self.damping

    def normal(self, depth: Array, foreseen: Array, dt: Any) -> tuple[Array, Array]:
        """(a, b) of F_n = max(0, a - b v_n') of points (n,): `depth` now, `foreseen` > 0 with the present velocity."""
        s = np.sqrt(foreseen)
        return s * self.stiffness * depth, s * (self.stiffness * dt + self.damping)


@dataclass(frozen=True, slots=True)
class HuntCrossley:
    """Hunt and Crossley's ground: `stiffness` K N/m^1.5, `dissipation` c s/m; its tangents as the spring-damper's."""

    stiffness: float = 5e5
    dissipation: float = 1.0
    tangential_damping: float = 5e3
    stop: Stop = Stop()

    def __post_init__(self) -> None:
        _check(self.stiffness, self.tangential_damping, self.stop)
        if not (math.isfinite(self.dissipation) and self.dissipation >= 0.0):
            raise ValueError(f"dissipation {self.dissipation} s/m: give 0 or more")

    def normal(self, depth: Array, foreseen: Array, dt: Any) -> tuple[Array, Array]:
        """(a, b) of F_n = max(0, a - b v_n') of points (n,): `depth` now, `foreseen` > 0 with the present velocity."""
        s = np.sqrt(foreseen)
        return s * self.stiffness * depth, s * self.stiffness * (dt + 1.5 * self.dissipation * foreseen)


ContactLaw = SpringDamper | HuntCrossley


def spring_points(law: ContactLaw, depth: Floats, foreseen: Floats, x: Floats, dt: float) -> Chosen:
    """The points that will be in the ground, as rows; all arrays (points, ...): depths now and foreseen m, deflections x m."""
    which = np.flatnonzero(foreseen)
    return Chosen(which, *spring_rows(law, depth[which], foreseen[which], x[which], dt))


def spring_rows(law: ContactLaw, depth: Array, foreseen: Array, x: Array, dt: Any) -> tuple[Array, Array]:
    """(wanted velocity m/s, compliance) (n, 3) of the rows of n points in the ground, over any scalar."""
    K, D = law.stiffness, law.tangential_damping
    a, b = law.normal(depth, foreseen, dt)
    wanted, strength = np.empty_like(x, shape=(len(x), 3)), np.empty_like(x, shape=(len(x), 3))
    wanted[:, :2], wanted[:, 2] = -K / (K * dt + D) * x, a / b
    strength[:, :2], strength[:, 2] = (np.sqrt(foreseen) * (K * dt + D))[:, None], b
    return wanted, 1.0 / (dt * strength)


def spring_stops(stop: Stop, room: Floats, away: Floats, dt: float) -> Chosen:
    """The stops that will be reached, as rows: `room` (stops,) rad left, negative beyond, and velocities `away` rad/s."""
    strength = stop.stiffness * dt + stop.damping
    if strength == 0.0:
        return Chosen(np.empty(0, dtype=np.intp), np.empty(0), np.empty(0))
    which = np.flatnonzero(room + dt * away < 0.0)
    return Chosen(which, -stop.stiffness / strength * room[which], np.full(len(which), 1.0 / (dt * strength)))


def deflections(law: ContactLaw, x: Floats, tangential_force: Floats, s: Floats, dt: float) -> Floats:
    """Tangential deflections x' (n, 2) m after a step in which F_t (n, 2) N acted; `s` (n,) m^0.5, 0 in the air."""
    share = np.divide(tangential_force, s[:, None], out=np.zeros_like(tangential_force), where=s[:, None] > 0.0)
    return next_deflections(law, x, share, dt)


def next_deflections(law: ContactLaw, x: Array, share: Array, dt: Any) -> Array:
    """x' = (D x / dt - F_t / s) / (K + D / dt) with the `share` F_t / s (n, 2), over any scalar."""
    K, D = law.stiffness, law.tangential_damping
    answer: Array = (D / dt * x - share) / (K + D / dt)
    return answer


def _check(stiffness: float, damping: float, stop: Stop) -> None:
    values = (stiffness, damping, stop.stiffness, stop.damping)
    if not (all(math.isfinite(value) and value >= 0.0 for value in values) and stiffness > 0.0 and damping > 0.0):
        raise ValueError(f"stiffness {stiffness}, damping {damping}, {stop}: give positive numbers (a stop's may be zero)")


def predicted_compliant_step(law: ContactLaw, plant: Plant, points: Points, inputs: Inputs) -> dict[str, Array]:
    """A step in which the springs of `points` carry and stick and nothing else touches, over any scalar."""
    moving, dt = motion(plant, inputs["q"], inputs["u"]), inputs["dt"]
    factors = factorization(moving.equations.M, moving.parent)
    free = moving.u + solution(factors, dt * moving.force(inputs["torque"]))
    foreseen = -moving.gaps - dt * (moving.equations.J[:, 2] @ moving.u)
    chosen, free_points, x = list(points), others(moving, points), inputs["deflections"]
    wanted, compliance = spring_rows(law, -moving.gaps[chosen], foreseen[chosen], x[chosen], dt)
    new = contact_solution(free, factors, moving.contact_jacobians(points), wanted.ravel(), compliance.ravel())
    share = np.zeros_like(x)
    share[chosen] = new.impulses[:, :2] / dt / np.sqrt(foreseen[chosen])[:, None]
    stopped = moving.rooms + dt * moving.away(moving.u) if law.stop != Stop(0.0, 0.0) else []
    conditions = [*sticking_conditions(new.impulses, inputs["friction"][chosen]), *accuracy_condition(new), *stopped]
    conditions += [*foreseen[chosen], *-foreseen[free_points]]
    answers = step_answers(moving, points, new, dt)
    return {**answers, "deflections": next_deflections(law, x, share, dt), CONDITIONS: np.array(conditions, dtype=object)}


class CompliantSimulator(Moving):
    """Semi-implicit steps, implicit in the contact forces: velocities first, then positions with the new velocities."""

    name = "spring-damper"

    def __init__(self, plant: Plant, dt: float, law: ContactLaw = SpringDamper(), friction: float | Floats = 0.8) -> None:
        """`friction`: Coulomb's coefficient, one number or one for each contact point; ValueError where it or dt is no such."""
        inputs = {**step_inputs(plant), "deflections": (len(plant.radii), 2)}
        super().__init__(plant, dt, friction, StepModel(("compliant", law), inputs, partial(predicted_compliant_step, law)))
        self._law = law
        self._deflections = np.zeros((len(plant.pair_points), 2))

    def _forget(self) -> None:
        """All tangential springs are relaxed."""
        super()._forget()
        self._deflections[:] = 0.0

    def step(self, torque: Floats) -> None:
        """Goes on by dt with the joint torques (actuators,) N m held. Raises ArithmeticError when it cannot."""
        law, rows, dt = self._law, self._rows, self.dt
        made = self._has_moved(torque, self._deflections)
        if made is not None:
            self._deflections[:] = made["deflections"]
            return
        equations, free = self._free(torque)
        depth, room = -rows.gaps(equations), rows.rooms(self._q)
        upwards, away = rows.opening(equations, self._u)
        foreseen = np.maximum(depth - dt * upwards, 0.0)
        points = spring_points(law, depth, foreseen, self._deflections, dt)
        u = rows.solve(equations, free, points, spring_stops(law.stop, room, away, dt))
        self._deflections = deflections(law, self._deflections, rows.points[:, :2] / dt, np.sqrt(foreseen), dt)
        self._move(u)
