"""Engines whose base velocity is another than the canonical one, and adapters that forget to convert it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation

from leapcheck.engines.protocol import Answers
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.sampling import States
from leapcheck_models.spec import CONFIGURATION_SIZE, JointType, RobotSpec
from tests.harness.judge.planted_faults import Array, Fault, Planted, bases, right

FORCES = ("bias_force", "coriolis_force", "gravity_force")


def q_starts(spec: RobotSpec) -> list[int]:
    """First place in q of each body's joint."""
    return np.cumsum([0, *(CONFIGURATION_SIZE[body.joint.type] for body in spec.bodies)]).tolist()


def base_rotations(spec: RobotSpec, states: States) -> list[tuple[int, Array]]:
    """For each free joint its first dof and R_WB (n, 3, 3)."""
    starts = [q for q, body in zip(q_starts(spec), spec.bodies, strict=False) if body.joint.type is JointType.FREE]
    turns = [Rotation.from_quat(states.q[:, [q + 4, q + 5, q + 6, q + 3]]).as_matrix() for q in starts]
    return list(zip(bases(spec), turns, strict=True))


def apply(A: Array, x: Array) -> Array:
    return np.einsum("...ij,...j->...i", A, x)


class Foreign:
    """An engine whose base velocity is u = T v, written like "v_W-w_B" (axes W, B or H, the heading's).

    It stands behind an adapter that forgets some conversions. `tdot` is how often the adapter counts the Tdot term;
    `consistent` says that its Tdot v follows what the engine takes for v.
    """

    name, version, route = "foreign", "0", "in other base coordinates"

    def __init__(
        self, spec: RobotSpec, kind: str, inputs: bool, outputs: bool, tdot: float = 1.0, consistent: bool = False
    ) -> None:
        self._spec, self._engine, self._kind = spec, ReferenceEngine(spec), kind.split("-")
        self._inputs, self._outputs, self._tdot, self._consistent = inputs, outputs, tdot, consistent
        self.quantities = self._engine.quantities

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        T = self._map(states)
        back = np.swapaxes(T, 1, 2)
        taken = states if self._inputs else replace(states, v=apply(back, states.v), tau=apply(back, states.tau))
        answers = self._engine.evaluate(taken, quantities)
        rate = self._rate(taken)
        counted = self._tdot * (rate if self._consistent else self._rate(states))
        return {name: self._answer(name, values, T, rate, counted, taken) for name, values in answers.items()}

    def _answer(self, name: str, values: Array, T: Array, rate: Array, counted: Array, taken: States) -> Array:
        back = np.swapaxes(T, 1, 2)
        drift = rate - counted if self._outputs else rate
        if name in ("bias_force", "coriolis_force"):
            values = values - apply(right(self._spec, "mass_matrix", taken), apply(back, drift))
        if name == "contact_bias_accelerations":
            J = right(self._spec, "contact_jacobians", taken)
            values = values - np.einsum("npij,nj->npi", J, apply(back, drift))
        if name == "forward_dynamics":
            values = values + apply(back, drift)
        if self._outputs or name not in ("mass_matrix", "contact_jacobians", "forward_dynamics", *FORCES):
            return values
        if name == "mass_matrix":
            return T @ values @ back
        return values @ back[:, None] if name == "contact_jacobians" else apply(T, values)

    def _map(self, states: States) -> Array:
        T = np.zeros((len(states), self._spec.nv, self._spec.nv)) + np.eye(self._spec.nv)
        for start, R in base_rotations(self._spec, states):
            T[:, start : start + 6, start : start + 6] = 0.0
            for row, part in enumerate(self._kind):
                column = start + 3 * (part[0] == "v")
                axes = {"W": R, "H": without_yaw(R), "B": np.eye(3)}[part[-1]]
                T[:, start + 3 * row : start + 3 * row + 3, column : column + 3] = axes
        return T

    def _rate(self, states: States) -> Array:
        rate = np.zeros_like(states.v)
        for start, R in base_rotations(self._spec, states):
            w, v = states.v[:, start : start + 3], states.v[:, start + 3 : start + 6]
            for row, part in enumerate(self._kind):
                x = v if part[0] == "v" else w
                if part == "v_W":
                    rate[:, start + 3 * row : start + 3 * row + 3] = apply(R, np.cross(w, x))
                if part[-1] == "H":
                    turning = apply(R, w) - yaw_rate(R, w)[:, None] * np.array([0.0, 0.0, 1.0])
                    back = without_yaw(R) @ np.swapaxes(R, 1, 2)
                    rate[:, start + 3 * row : start + 3 * row + 3] = apply(back, np.cross(turning, apply(R, x)))
        return rate


def without_yaw(R: Array) -> Array:
    """R_HB (n, 3, 3) of the heading's axes H, by roll and pitch of R_WB."""
    euler = Rotation.from_matrix(R).as_euler("ZYX")
    euler[:, 0] = 0.0
    return np.asarray(Rotation.from_euler("ZYX", euler).as_matrix())


def turned_by_heading(spec: RobotSpec) -> Planted:
    """An engine that takes the linear velocity in body axes when its caller has turned it by the yaw."""

    def turned(states: States) -> States:
        v = states.v.copy()
        for start, R in base_rotations(spec, states):
            yaw = Rotation.from_euler("Z", Rotation.from_matrix(R).as_euler("ZYX")[:, :1]).as_matrix()
            v[:, start + 3 : start + 6] = apply(yaw, v[:, start + 3 : start + 6])
        return replace(states, v=v)

    return Planted(spec, turned)


def yaw_rate(R: Array, w: Array) -> Array:
    """Rate (n,) of the yaw of R_WB at w in body axes, by the kinematics of the angles."""
    _, pitch, roll = Rotation.from_matrix(R).as_euler("ZYX").T
    return np.asarray((np.sin(roll) * w[:, 1] + np.cos(roll) * w[:, 2]) / np.cos(pitch))


def foreign(kind: str, inputs: bool, outputs: bool, tdot: float = 1.0, consistent: bool = False) -> Fault:
    return lambda spec: Foreign(spec, kind, inputs, outputs, tdot, consistent)


def tdot(share: float) -> Fault:
    return foreign("v_W-w_B", True, True, share)


def other_zero(com: bool, position: bool) -> Fault:
    """The base's velocity, or its position, taken as that of its com."""

    def fault(spec: RobotSpec) -> Planted:
        def inputs(states: States) -> States:
            q, v, tau = states.q.copy(), states.v.copy(), states.tau.copy()
            for (start, R), body in zip(base_rotations(spec, states), free_bodies(spec), strict=True):
                c = np.array(spec.bodies[body].inertia.com)
                if position:
                    q[:, q_starts(spec)[body] : q_starts(spec)[body] + 3] -= R @ c
                if com:
                    v[:, start + 3 : start + 6] -= np.cross(v[:, start : start + 3], c)
                    tau[:, start : start + 3] += np.cross(c, tau[:, start + 3 : start + 6])
            return replace(states, q=q, v=v, tau=tau)

        return Planted(spec, inputs)

    return fault


def free_bodies(spec: RobotSpec) -> list[int]:
    return [i for i, body in enumerate(spec.bodies) if body.joint.type is JointType.FREE]


def about_com(spec: RobotSpec, name: str, values: Array, _states: States) -> Array:
    """Forces, M and Jacobians for the velocity of the base's com."""
    for start, body in zip(bases(spec), free_bodies(spec), strict=True):
        c = np.array(spec.bodies[body].inertia.com)
        w, v = slice(start, start + 3), slice(start + 3, start + 6)
        if name in FORCES:
            values[:, w] -= np.cross(c, values[:, v])
        if name == "forward_dynamics":
            values[:, v] += np.cross(values[:, w], c)
        if name == "contact_jacobians":
            values[..., w] -= np.cross(c, values[..., v])
        if name == "mass_matrix":
            values[:, w] -= np.cross(c, values[:, v], axisb=1, axisc=1)
            values[:, :, w] -= np.cross(c, values[:, :, v])
    return values
