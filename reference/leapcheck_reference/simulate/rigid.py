"""Rigid, inelastic contact with Coulomb friction, by time-stepping on velocities and impulses.

A gap that would close within the step may not: v_n' >= -gap / dt (Stewart and Trinkle, International Journal for Numerical
Methods in Engineering 39, 1996). So a point comes to rest on the ground exactly, none sinks in by its speed times dt, and none
that stands is lost to rounding; with the rule "v_n' >= 0 once the gap is closed" both happen. The impact is spread over two
steps and has no rebound. Where a gap is negative (a start inside the ground) it is opened no faster than `ncp_problem.PUSH_OUT`.
Joint stops are unilateral rows of the same problem; dry friction of a passive plant's joints bounded ones.
"""

import numpy as np
from numpy.typing import NDArray

from leapcheck_models.arrays import Array, Floats
from leapcheck_reference.factorization import factorization, solution
from leapcheck_reference.simulate.moving import Moving
from leapcheck_reference.simulate.ncp_problem import PUSH_OUT
from leapcheck_reference.simulate.plant import Equations, Plant
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
from leapcheck_reference.simulate.rows import Chosen, ConstraintRows, FreeStep


def rigid_step(rows: ConstraintRows, equations: Equations, q: Floats, free: FreeStep, dt: float) -> Floats:
    """u' (nv,) at the end of a step of dt; `rows` holds the impulses of the last step and takes the new ones.

    Only rows that are violated, or were active in the last step, are solved for, and those that this brings about are added
    until none is: the same solution as with all rows.
    """
    least = wanted_velocity(rows.gaps(equations), dt), wanted_velocity(rows.rooms(q), dt)
    points, stops = rows.points[:, 2] > 0.0, rows.stops > 0.0
    u, again = free.u, bool(points.any() or stops.any() or rows.any_dry)
    while True:
        upwards, away = rows.opening(equations, u)
        new_points, new_stops = (upwards < least[0]) & ~points, (away < least[1]) & ~stops
        if not (again or new_points.any() or new_stops.any()):
            break
        points, stops, again = points | new_points, stops | new_stops, False
        u = rows.solve(
            equations, free, _rigid_points(np.flatnonzero(points), least[0]), _rigid_stops(np.flatnonzero(stops), least[1])
        )
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


def predicted_rigid_step(plant: Plant, points: Points, inputs: Inputs) -> dict[str, Array]:
    """A step in which `points` stick and nothing else touches, over any scalar: the rule of `rigid_step`."""
    moving, dt = motion(plant, inputs["q"], inputs["u"]), inputs["dt"]
    factors = factorization(moving.equations.M, moving.parent)
    free = moving.u + solution(factors, dt * moving.force(inputs["torque"]))
    closing = moving.gaps / dt
    wanted = np.zeros((len(points), 3), dtype=object)
    wanted[:, 2] = -closing[list(points)]
    new = contact_solution(free, factors, moving.contact_jacobians(points), wanted.ravel(), np.zeros(wanted.size))
    free_points = others(moving, points)
    rising = moving.equations.J[free_points, 2] @ new.u + closing[free_points]
    receding = moving.away(new.u) + moving.rooms / dt
    pushed_out = PUSH_OUT + np.concatenate([closing, moving.rooms / dt])
    conditions = [
        *sticking_conditions(new.impulses, inputs["friction"][list(points)]),
        *accuracy_condition(new),
        *rising,
        *receding,
        *pushed_out,
    ]
    return {**step_answers(moving, points, new, dt), CONDITIONS: np.array(conditions, dtype=object)}


class RigidSimulator(Moving):
    """Semi-implicit steps: velocities with the impulses of contacts and stops, then positions with the new velocities."""

    name = "rigid"

    def __init__(self, plant: Plant, dt: float, friction: float | Floats = 0.8) -> None:
        """`friction`: Coulomb's coefficient, one number or one for each contact point; ValueError where it or dt is no such."""
        super().__init__(plant, dt, friction, StepModel(("rigid",), step_inputs(plant), predicted_rigid_step))

    def step(self, torque: Floats) -> None:
        """Goes on by dt with the joint torques (actuators,) N m held. Raises ArithmeticError when it cannot."""
        if self._has_moved(torque) is not None:
            return
        equations, free = self._free(torque)
        self._move(rigid_step(self._rows, equations, self._q, free, self.dt))
