"""Steps of a robot on MuJoCo's soft contact, by MuJoCo's own integrators: the in-house twin of `mj_step`."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dposv

from leapcheck_reference.simulate.coordinates import displacement_rate, moved
from leapcheck_reference.simulate.moving import Stepped
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.soft import Response, SoftContact, response, weights

Floats = NDArray[np.float64]
Integrator = Literal["euler", "implicitfast", "rk4"]

STAGES = ((0.0, 1.0 / 6.0), (0.5, 1.0 / 3.0), (0.5, 1.0 / 3.0), (1.0, 1.0 / 6.0))
"""(a, b) of each stage of the classical Runge-Kutta method."""


class SoftSimulator(Stepped):
    """A robot on soft contact; owns its state. A `leapcheck.jump.simulation.Simulator`.

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
        self._step = self._runge_kutta if integrator == "rk4" else self._euler
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
        self._forces, self._limit_torques = np.zeros((len(self._plant.radii), 3)), np.zeros(self._plant.tree.nv)

    def step(self, torque: Floats) -> None:
        """Goes on by dt with the joint torques (actuators,) N m held. ArithmeticError when the solver fails."""
        self._step(self._plant.generalised(torque))

    def _response(self, q: Floats, u: Floats, force: Floats) -> Response:
        answer = response(self._plant, self._contact, self._weights, q, u, force, self.dt, self._warm)
        self._warm = answer.udot
        return answer

    def _euler(self, force: Floats) -> None:
        answer = self._response(self._q, self._u, force)
        udot = answer.udot
        if self._damping.any():
            M = answer.M + np.diag(self.dt * self._damping)
            _, udot, _ = dposv(M, answer.smooth + answer.constraint)
        self._u = self._u + self.dt * udot
        self._q = moved(self._plant.free_base, self._q, self.dt * self._u)
        self._forces, self._limit_torques = answer.forces, answer.limit_torques

    def _runge_kutta(self, force: Floats) -> None:
        free, dt, q0, u0 = self._plant.free_base, self.dt, self._q, self._u
        rate, udot = np.zeros_like(u0), np.zeros_like(u0)
        total_rate, total_udot = np.zeros_like(u0), np.zeros_like(u0)
        forces, limit_torques = np.zeros_like(self._forces), np.zeros_like(self._limit_torques)
        for a, b in STAGES:
            displacement = dt * a * rate
            q, u = (moved(free, q0, displacement), u0 + dt * a * udot) if a else (q0, u0)
            answer = self._response(q, u, force)
            rate, udot = displacement_rate(free, displacement, u), answer.udot
            total_rate, total_udot = total_rate + b * rate, total_udot + b * udot
            forces += b * answer.forces
            limit_torques += b * answer.limit_torques
        self._q, self._u = moved(free, q0, dt * total_rate), u0 + dt * total_udot
        self._forces, self._limit_torques = forces, limit_torques
