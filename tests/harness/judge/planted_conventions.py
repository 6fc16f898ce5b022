"""Engines that keep other conventions, one for each of the dictionary's names; written without its code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

import leapcheck_reference as reference
from leapcheck.sampling import States
from leapcheck_models.rotors import axial_inertia, with_lumped_rotors
from leapcheck_models.spec import VELOCITY_SIZE, Body, JointType, RobotSpec
from tests.harness.judge.planted_base_velocities import FORCES, apply, q_starts
from tests.harness.judge.planted_faults import Array, Fault, Planted, answering, bases, right, with_bodies

POINTS = ("contact_velocities", "contact_jacobians", "contact_bias_accelerations", "contact_inertia")


def v_starts(spec: RobotSpec) -> list[int]:
    return np.cumsum([0, *(VELOCITY_SIZE[body.joint.type] for body in spec.bodies)]).tolist()


# States read otherwise


def quaternions(places: Sequence[int], sign: float, *kinds: JointType) -> Fault:
    """`places` of (w, x, y, z) behind the entries that are read; the vector part times `sign` before."""

    def fault(spec: RobotSpec) -> Planted:
        def inputs(states: States) -> States:
            q = states.q.copy()
            for (_, end), body in zip(pairwise(q_starts(spec)), spec.bodies, strict=True):
                if body.joint.type in kinds:
                    q[:, end - 4 : end] = (q[:, end - 4 : end] * [1.0, sign, sign, sign])[:, places]
            return replace(states, q=q)

        return Planted(spec, inputs)

    return fault


def joint_factors(kind: JointType, q_factor: float, v_factor: float, tau_factor: float = 1.0, only: str = "") -> Fault:
    """q, v and tau of joints of one type, or of one joint, multiplied."""

    def fault(spec: RobotSpec) -> Planted:
        which = [i for i, b in enumerate(spec.bodies) if b.joint.type is kind and only in ("", b.joint.name)]
        return Planted(spec, lambda states: times(spec, states, which, q_factor, v_factor, tau_factor))

    return fault


def times(spec: RobotSpec, states: States, which: Sequence[int], *factors: float) -> States:
    q, v, tau = states.q.copy(), states.v.copy(), states.tau.copy()
    for i in which:
        q[:, q_starts(spec)[i]] *= factors[0]
        v[:, v_starts(spec)[i]] *= factors[1]
        tau[:, v_starts(spec)[i]] *= factors[2]
    return replace(states, q=q, v=v, tau=tau)


def one_dof(spec: RobotSpec) -> list[int]:
    return [i for i, body in enumerate(spec.bodies) if VELOCITY_SIZE[body.joint.type] == 1]


def both(one: Fault, other: Fault) -> Fault:
    """The robot of one fault, the reading and the answers of both."""

    def fault(spec: RobotSpec) -> Planted:
        a, b = one(spec), other(spec)
        return Planted(
            a.held if b.held == spec else b.held,
            lambda states: b.inputs(a.inputs(states)),
            lambda name, values, states: b.outputs(name, a.outputs(name, values, states), states),
        )

    return fault


def rows_times(name: str, values: Array, factors: Array) -> Array:
    """Entries of dofs multiplied, in rows, columns or both."""
    if name in ("mass_matrix", "qM", "csr"):
        return values * factors[:, None] * factors
    if name in ("forward_dynamics", "contact_jacobians", *FORCES):
        return values * factors
    return values


def signs(way: str, joint: Callable[[RobotSpec], list[int]] = one_dof) -> Fault:
    """Joints with the opposite sign in what `way` names."""

    def fault(spec: RobotSpec) -> Planted:
        factors = np.ones(spec.nv)
        factors[[v_starts(spec)[i] for i in joint(spec)]] = -1.0
        read = {"": (-1, -1, -1), "read": (-1, -1, -1), "q": (-1, 1, 1), "v": (1, -1, 1), "answers": (1, 1, 1)}[way]
        return Planted(
            spec,
            lambda states: times(spec, states, joint(spec), *read),
            lambda name, values, _: rows_times(name, values, factors) if way in ("", "answers") else values,
        )

    return fault


def last_joint(spec: RobotSpec) -> list[int]:
    return one_dof(spec)[-1:]


def joints_named(*bodies: str) -> Callable[[RobotSpec], list[int]]:
    return lambda spec: [spec.body_index(name) for name in bodies]


def offset(amount: float, joint: Callable[[RobotSpec], list[int]] = last_joint) -> Fault:
    def fault(spec: RobotSpec) -> Planted:
        def inputs(states: States) -> States:
            q = states.q.copy()
            q[:, [q_starts(spec)[i] for i in joint(spec)]] += amount
            return replace(states, q=q)

        return Planted(spec, inputs)

    return fault


def exchanged_joints(spec: RobotSpec) -> tuple[int, int]:
    """The last two joints of one type with one dof."""
    joints = one_dof(spec)
    return next(
        (i, j) for j in joints[::-1] for i in joints[::-1] if i < j and spec.bodies[i].joint.type is spec.bodies[j].joint.type
    )


def exchange(answers_too: bool, answers_only: bool = False) -> Fault:
    def fault(spec: RobotSpec) -> Planted:
        i, j = exchanged_joints(spec)

        def inputs(states: States) -> States:
            q, v, tau = states.q.copy(), states.v.copy(), states.tau.copy()
            for block, starts in ((q, q_starts(spec)), (v, v_starts(spec)), (tau, v_starts(spec))):
                block[:, [starts[i], starts[j]]] = block[:, [starts[j], starts[i]]]
            return replace(states, q=q, v=v, tau=tau)

        dofs = np.arange(spec.nv)
        dofs[[v_starts(spec)[i], v_starts(spec)[j]]] = v_starts(spec)[j], v_starts(spec)[i]

        def outputs(name: str, values: Array, _states: States) -> Array:
            if name == "mass_matrix":
                return values[:, dofs][:, :, dofs]
            return values[..., dofs] if name in ("forward_dynamics", "contact_jacobians", *FORCES) else values

        right_inputs: Callable[[States], States] = lambda states: states  # noqa: E731
        return Planted(spec, right_inputs if answers_only else inputs, outputs) if answers_too else Planted(spec, inputs)

    return fault


# Answers altered


def only(names: Sequence[str], changed: Callable[[RobotSpec, str, Array, States], Array]) -> Fault:
    """Some of the quantities altered."""
    return answering(lambda spec, name, values, states: changed(spec, name, values, states) if name in names else values)


def doubled(_spec: RobotSpec, _name: str, values: Array, _states: States) -> Array:
    return 2.0 * values


def points_reversed(_spec: RobotSpec, name: str, values: Array, _states: States) -> Array:
    if name == "contact_inertia":
        n, k = len(values), values.shape[1] // 3
        return values.reshape(n, k, 3, k, 3)[:, ::-1, :, ::-1].reshape(values.shape)
    return values[:, ::-1] if name in ("contact_positions", *POINTS) else values


def poses(spec: RobotSpec, states: States) -> tuple[Array, Array, Array, Array]:
    """R (n, points, 3, 3) of the links that carry the points and of their bases, p of the bases, w of the links."""
    tree = reference.build(spec)
    links = [point.link for point in tree.points]
    roots = links.copy()
    while any(tree.links[i].parent >= 0 for i in roots):
        roots = [max(tree.links[i].parent, 0) if tree.links[i].parent >= 0 else i for i in roots]
    at = [reference.forward_kinematics(tree, q, v) for q, v in zip(states.q, states.v, strict=True)]
    w = np.array([[k.R_WB[i] @ k.V.links[i][:3] for i in links] for k in at])
    return np.array([k.R_WB[links] for k in at]), np.array([k.R_WB[roots] for k in at]), np.array([k.p_WB[roots] for k in at]), w


def in_axes(base: bool, power: int, names: Sequence[str] = POINTS) -> Fault:
    def changed(spec: RobotSpec, name: str, values: Array, states: States) -> Array:
        R_link, R_base, _, _ = poses(spec, states)
        R = np.linalg.matrix_power(np.swapaxes(R_base if base else R_link, -1, -2), power)
        if name == "contact_jacobians":
            return R @ values
        if name != "contact_inertia":
            return apply(R, values)
        n, k = R.shape[:2]
        block = np.zeros((n, 3 * k, 3 * k))
        for i in range(k):
            block[:, 3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = R[:, i]
        return block @ values @ np.swapaxes(block, 1, 2)

    return only(names, changed)


def point_acceleration(spatial: bool, gravity: float, axes: str = "") -> Fault:
    def changed(spec: RobotSpec, _name: str, values: Array, states: States) -> Array:
        R_link, R_base, _, w = poses(spec, states)
        values = values - np.cross(w, right(spec, "contact_velocities", states)) if spatial else values
        values = values + gravity * np.array(spec.gravity)
        return apply(np.swapaxes({"link": R_link, "base": R_base}[axes], -1, -2), values) if axes else values

    return only(("contact_bias_accelerations",), changed)


def from_base(in_its_axes: bool) -> Fault:
    def changed(spec: RobotSpec, _name: str, values: Array, states: States) -> Array:
        _, R, p, _ = poses(spec, states)
        return apply(np.swapaxes(R, -1, -2), values - p) if in_its_axes else values - p

    return only(("contact_positions",), changed)


def instead(**by: str) -> Fault:
    """Each quantity answered by another."""
    return answering(lambda spec, name, values, states: right(spec, by[name], states) if name in by else values)


def with_losses(damping: float, friction: float) -> Fault:
    """In all that moves, on every dof but a base's."""

    def changed(spec: RobotSpec, name: str, values: Array, states: States) -> Array:
        on = np.ones(spec.nv)
        for start in bases(spec):
            on[start : start + 6] = 0.0
        loss = on * (damping * states.v + friction * np.sign(states.v))
        if name in ("bias_force", "coriolis_force"):
            return values + loss
        return right(spec, name, replace(states, tau=states.tau - loss)) if name == "forward_dynamics" else values

    return answering(changed)


def damped_forces(spec: RobotSpec) -> Planted:
    """Damping of every joint in the forces alone."""
    on = np.ones(spec.nv)
    for start in bases(spec):
        on[start : start + 6] = 0.0
    return only(("bias_force", "coriolis_force"), lambda _s, _n, values, states: values + 0.02 * on * states.v)(spec)


def torques_times(factor: float) -> Fault:
    def changed(spec: RobotSpec, _name: str, values: Array, _states: States) -> Array:
        for start, body in zip(v_starts(spec), spec.bodies, strict=False):
            if body.joint.type is not JointType.PRISMATIC:
                values[:, start : start + min(3, VELOCITY_SIZE[body.joint.type])] *= factor
        return values

    return only(FORCES, changed)


def revolute_accelerations_in_degrees(spec: RobotSpec, _name: str, values: Array, _states: States) -> Array:
    for start, body in zip(v_starts(spec), spec.bodies, strict=False):
        if body.joint.type is JointType.REVOLUTE:
            values[:, start] = np.rad2deg(values[:, start])
    return values


# Other robots held


def with_gears_reversed(body: Body) -> Body:
    return replace(body, rotor=replace(body.rotor, gear_ratio=-body.rotor.gear_ratio)) if body.rotor else body


def rotors_as_armature_only(spec: RobotSpec) -> Planted:
    def changed(body: Body) -> Body:
        reflected = body.rotor.gear_ratio**2 * axial_inertia(body.rotor) if body.rotor else 0.0
        return replace(body, rotor=None, joint=replace(body.joint, armature=body.joint.armature + reflected))

    return with_bodies(changed)(spec)


def rotors_that_do_not_turn(spec: RobotSpec) -> Planted:
    lumped = with_lumped_rotors(spec)
    back = [replace(b, joint=own.joint) for b, own in zip(lumped.bodies, spec.bodies, strict=True)]
    return Planted(replace(lumped, bodies=tuple(back)))
