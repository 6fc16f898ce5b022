"""MuJoCo's soft contact in house: what a robot on the ground does at one state."""

from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from leapcheck_models.arrays import Floats
from leapcheck_reference.simulate.coordinates import displace, displacement_rate
from leapcheck_reference.simulate.definite import definite_solution
from leapcheck_reference.simulate.moving import Stepped
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.predicted import PATIENCE, PredictedSteps, StepModel
from leapcheck_reference.simulate.soft_contact import SoftContact
from leapcheck_reference.simulate.soft_newton import minimiser
from leapcheck_reference.simulate.soft_predicted import can_be_predicted, predicted_stage
from leapcheck_reference.simulate.soft_rows import SoftRows, Weights, gains, rows
from leapcheck_reference.simulate.soft_weights import reference_configuration, weights
from leapcheck_reference.trace.runge_kutta import STAGES

__all__ = ["Response", "SoftContact", "Weights", "reference_configuration", "response", "weights"]


@dataclass(frozen=True, slots=True, eq=False)
class Response:
    """What happens at one state: `udot` (nv,) solves M udot + h = smooth + constraint.

    `smooth` (nv,) is the force asked about, less joint damping and h; `constraint` (nv,) that of all constraints, of which
    `forces` (points, 3) N are contact forces on the robot in world axes, `limit_torques` (nv,) joint stops,
    `friction_torques` (nv,) dry friction. M (nv, nv) is the plant's own array, overwritten by its next call.
    """

    udot: Floats
    smooth: Floats
    constraint: Floats
    forces: Floats
    limit_torques: Floats
    friction_torques: Floats
    M: Floats


def response(
    plant: Plant,
    contact: SoftContact,
    weights: Weights,
    q: Floats,
    u: Floats,
    force: Floats,
    dt: float = 0.0,
    warm: Floats | None = None,
) -> Response:
    """What the robot does at q (nq,), u (nv,) under a generalised `force` (nv,) in the coordinates u.

    `weights` are `weights(plant)`. `dt` (s) bounds the time constants from below, as MuJoCo's refsafe does; 0 is the model
    without a time step. `warm` (nv,) is a guess of the acceleration. ArithmeticError where the solver fails or a number is
    not finite.
    """
    equations = plant.at(q, u)
    smooth = force - equations.h
    smooth[plant.joints.u] -= plant.joints.damping * u[plant.joints.u]
    free = definite_solution(equations.M, smooth)
    if free is None:
        raise ArithmeticError("no finite acceleration: the state or the torque has run away")
    constraints = rows(plant, contact, weights, equations, q, u, dt)
    if constraints is None:
        zeros = np.zeros((3, len(u)))
        return Response(free, smooth, zeros[0], np.zeros((len(plant.radii), 3)), zeros[1], zeros[2], equations.M)
    udot, pushes = minimiser(equations.M, free, constraints, warm)
    edges, boxes = 4 * len(constraints.edged), len(constraints.D)
    stops = slice(edges, edges + len(constraints.stopped))
    sliding = slice(stops.stop, boxes)
    return Response(
        udot=udot,
        smooth=smooth,
        constraint=pushes @ constraints.J,
        forces=_contact_forces(len(plant.radii), contact, constraints, pushes),
        limit_torques=pushes[stops] @ constraints.J[stops],
        friction_torques=pushes[sliding] @ constraints.J[sliding],
        M=equations.M,
    )


def _contact_forces(points: int, contact: SoftContact, constraints: SoftRows, pushes: Floats) -> Floats:
    """Forces (points, 3) N in world axes of the rows' forces; a contact's frame is n, t1 = y, t2 = -x."""
    forces = np.zeros((points, 3))
    if constraints.cones:
        touching = [cone.point for cone in constraints.cones]
        local = pushes[len(constraints.D) :].reshape(-1, 3)[:, [2, 1, 0]] * (-1.0, 1.0, 1.0)
    elif constraints.edged:
        touching = constraints.edged
        edge = pushes[: 4 * len(touching)].reshape(-1, 4)
        y, minus_x = contact.friction * (edge[:, 0] - edge[:, 1]), contact.friction * (edge[:, 2] - edge[:, 3])
        local = np.stack([-minus_x, y, edge.sum(axis=1)], axis=1)
    else:
        return forces
    if constraints.axes is None:
        forces[touching] = local
    else:
        np.add.at(forces, touching, np.einsum("nij,ni->nj", constraints.axes, local))
    return forces


Integrator = Literal["euler", "implicitfast", "rk4"]


class Stage(NamedTuple):
    """What happens at one stage of a step: `rates` (2 nv + 3 points,) as in `predicted_stage`, and torques of the joint stops."""

    rates: Floats
    limit_torques: Floats


class SoftSimulator(Stepped):
    """A robot on soft contact; owns its state. A `leapcheck.simulators.protocol.Simulator`.

    "euler" is MuJoCo's semi-implicit Euler method with joint damping implicit; "implicitfast" is the same scheme, since the
    only velocity-dependent forces here are joint damping; "rk4" holds the torque over the step, like MuJoCo.
    """

    def __init__(self, plant: Plant, contact: SoftContact, dt: float, integrator: Integrator = "euler") -> None:
        """The robot at q = 0, at rest; ValueError for an unknown integrator, or unless dt > 0."""
        if integrator not in get_args(Integrator):
            raise ValueError(f"integrator {integrator!r}: use one of {', '.join(get_args(Integrator))}")
        super().__init__(plant, dt)
        self.name = f"in-house soft {integrator}"
        self._contact, self._weights = contact, weights(plant)
        self._damping = np.zeros(plant.tree.nv)
        self._damping[plant.joints.u] = plant.joints.damping
        self._none = np.zeros(plant.tree.nv)
        self._none.flags.writeable = False
        self._udot = slice(plant.tree.nv, 2 * plant.tree.nv)
        self._step = self._runge_kutta if integrator == "rk4" else self._euler
        self._gains = np.array(gains(contact.solref, contact.solimp, dt))
        nq, nv = plant.tree.nq, plant.tree.nv
        shapes = {"q": (nq,), "moved": (2 * nv,), "force": (nv,), "gains": (2,)}
        stage = partial(predicted_stage, contact, self._weights)
        model = StepModel(("soft",), shapes, stage, contact_key=(contact, self._weights))
        patience = PATIENCE * (len(STAGES) if integrator == "rk4" else 1)
        self._predicted = PredictedSteps(plant, model, patience) if can_be_predicted(contact, plant) else None
        self._forget()

    @property
    def forces(self) -> Floats:
        """Contact forces (points, 3) N of the last step; the mean over the stages of a Runge-Kutta step."""
        return self._forces.copy()

    @property
    def limit_torques(self) -> Floats:
        """Torques (nv,) N m of the joint stops in the last step."""
        return self._limit_torques.copy()

    def _forget(self) -> None:
        self._warm: Floats | None = None
        self._active: NDArray[np.bool_] | None = None
        if self._predicted is not None:
            self._predicted.begin()
        self._forces, self._limit_torques = np.zeros((len(self._plant.radii), 3)), self._none

    def step(self, torque: Floats) -> None:
        """Goes on by dt with the joint torques (actuators,) N m held. ArithmeticError when the solver fails."""
        self._step(self._plant.generalised_force(torque))

    def _stage(self, moved: Floats, force: Floats) -> Stage:
        """What the robot does where it has `moved` (2 nv,) since the step's begin, under a generalised force.

        `moved` is the displacement, and u.
        """
        if self._predicted is not None and self._active is not None:
            made = self._predicted(self._active, self._q, moved, force, self._gains)
            if made is not None:
                rates = made["rates"].copy()
                self._warm = rates[self._udot]
                return Stage(rates, self._none)
        displacement, u, free_base = moved[: len(self._u)], moved[len(self._u) :], self._plant.free_base
        there = displace(free_base, self._q, displacement) if displacement.any() else self._q
        answer = response(self._plant, self._contact, self._weights, there, u, force, self.dt, self._warm)
        self._warm, self._active = answer.udot, answer.forces[:, 2] > 0.0
        udot = answer.udot
        if self._damping.any() and self._step == self._euler:
            damped = answer.M + np.diag(self.dt * self._damping)
            udot = np.linalg.solve(damped, answer.smooth + answer.constraint).astype(float, copy=False)
        rates = np.concatenate([displacement_rate(free_base, displacement, u), udot, answer.forces.ravel()])
        return Stage(rates, answer.limit_torques)

    def _advance(self, displacement: Floats, u: Floats) -> None:
        """Moves by the displacement (nv,) and takes u (nv,) for the velocity."""
        there = self._plant.displacement(self._q, displacement, u)
        self._go_to(there["q"].copy(), u, there["v"].copy())

    def _euler(self, force: Floats) -> None:
        made = self._stage(np.concatenate([self._none, self._u]), force)
        u = self._u + self.dt * made.rates[self._udot]
        self._advance(self.dt * u, u)
        self._forces, self._limit_torques = made.rates[2 * len(u) :].reshape(-1, 3), made.limit_torques

    def _runge_kutta(self, force: Floats) -> None:
        start = np.concatenate([self._none, self._u])
        moved, mean, limit_torques = self._whole_step(start, force) or self._stage_by_stage(start, force)
        nv = len(self._u)
        self._advance(moved[:nv], moved[nv:])
        self._forces, self._limit_torques = mean[2 * nv :].reshape(-1, 3), limit_torques

    def _whole_step(self, start: Floats, force: Floats) -> tuple[Floats, Floats, Floats] | None:
        """What `_stage_by_stage` gives, by one call, if the contacts go on as they were through all stages."""
        if self._predicted is None or self._active is None:
            return None
        made = self._predicted.runge_kutta(self._active, start, self.dt, self._q, force, self._gains)
        if made is None:
            return None
        self._warm = made.last[self._udot].copy()
        return made.moved.copy(), made.mean.copy(), self._none

    def _stage_by_stage(self, start: Floats, force: Floats) -> tuple[Floats, Floats, Floats]:
        """(where the step leads (2 nv,), mean rates, mean torques of the joint stops)."""
        dt, moving = self.dt, len(start)
        rates = mean = np.zeros(moving + self._forces.size)
        limit_torques = self._none
        for a, b in STAGES:
            rates, torques = self._stage(start + dt * a * rates[:moving], force)
            mean = mean + b * rates
            if torques is not self._none:
                limit_torques = limit_torques + b * torques
        return start + dt * mean[:moving], mean, limit_torques
