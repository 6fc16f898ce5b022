"""Engines with a fault: the reference on a robot that may be another, with states and answers that may be altered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation

import leapcheck_reference as reference
from leapcheck.engines.protocol import Answers
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.sampling import States
from leapcheck_models.arrays import Array
from leapcheck_models.spec import CONFIGURATION_SIZE, VELOCITY_SIZE, Body, Inertia, JointType, RobotSpec
from leapcheck_models.validation import rotational_matrix

ROWS = ("bias_force", "coriolis_force", "gravity_force", "forward_dynamics")
"""Quantities with one row for each dof."""

Fault = Callable[[RobotSpec], "Planted"]


class Planted:
    """The protocol around the reference that holds `held`, reads `inputs(states)` and answers `outputs(name, values, states)`."""

    name = "planted"
    version = "0"
    route = "the reference with a fault"

    def __init__(
        self,
        held: RobotSpec,
        inputs: Callable[[States], States] = lambda states: states,
        outputs: Callable[[str, Array, States], Array] = lambda _name, values, _states: values,
    ) -> None:
        self._engine, self.held, self.inputs, self.outputs = ReferenceEngine(held), held, inputs, outputs
        self.quantities = self._engine.quantities

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        answers = self._engine.evaluate(self.inputs(states), quantities)
        return {name: self.outputs(name, values.copy(), states) for name, values in answers.items()}


def right(spec: RobotSpec, name: str, states: States) -> Array:
    return ReferenceEngine(spec).evaluate(states, (name,))[name]


# Another robot held


def with_bodies(changed: Callable[[Body], Body], only: str = "") -> Fault:
    def fault(spec: RobotSpec) -> Planted:
        return Planted(replace(spec, bodies=tuple(changed(b) if only in ("", b.name) else b for b in spec.bodies)))

    return fault


def with_armature(share: float, extra: float = 0.0, only: str = "") -> Fault:
    return with_bodies(lambda b: replace(b, joint=replace(b.joint, armature=share * b.joint.armature + extra)), only)


def with_inertia(changed: Callable[[Inertia], Inertia], only: str = "") -> Fault:
    return with_bodies(lambda b: replace(b, inertia=changed(b.inertia)), only)


def turned(angle: float) -> Callable[[Inertia], Inertia]:
    R = Rotation.from_rotvec([angle, -angle, 0.3 * angle]).as_matrix()

    def changed(inertia: Inertia) -> Inertia:
        m = R @ rotational_matrix(inertia.rotational) @ R.T
        entries = tuple(float(m[i, j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))
        return replace(inertia, rotational=entries)

    return changed


def nearest(inertia: Inertia) -> Inertia:
    return replace(inertia, rotational=inertia.nearest or inertia.rotational, realisable=True, nearest=None)


def heavier(inertia: Inertia, factor: float) -> Inertia:
    return replace(inertia, mass=factor * inertia.mass)


def six_digits(body: Body) -> Body:
    """Com and position alone with six digits: unlike MuJoCo's file, so that no exact rule recognises it."""
    x, y, z = (float(f"{c:.6g}") for c in body.inertia.com)
    px, py, pz = (float(f"{c:.6g}") for c in body.placement.p)
    return replace(body, inertia=replace(body.inertia, com=(x, y, z)), placement=replace(body.placement, p=(px, py, pz)))


def shifted(body: Body) -> Body:
    x, y, z = body.placement.p
    return replace(body, placement=replace(body.placement, p=(x + 0.02, y - 0.01, z + 0.03)))


def with_reversed_axis(body: Body) -> Body:
    x, y, z = body.joint.axis or (0.0, 0.0, 0.0)
    return replace(body, joint=replace(body.joint, axis=(-x, -y, -z)))


def scaled(inertia: Inertia, mass: float, length: float) -> Inertia:
    x, y, z = (length * c for c in inertia.com)
    rotational = tuple(mass * length**2 * entry for entry in inertia.rotational)
    nearest = inertia.nearest and tuple(mass * length**2 * entry for entry in inertia.nearest)
    return replace(inertia, mass=mass * inertia.mass, com=(x, y, z), rotational=rotational, nearest=nearest)


def in_units(mass: float, length: float) -> Fault:
    """All masses and lengths of the model multiplied, rotational inertias with them."""

    def changed(body: Body) -> Body:
        rotor = body.rotor
        if rotor:
            p = tuple(length * x for x in rotor.placement.p)
            rotor = replace(rotor, placement=replace(rotor.placement, p=p), inertia=scaled(rotor.inertia, mass, length))
        placement = replace(body.placement, p=tuple(length * x for x in body.placement.p))
        return replace(body, placement=placement, inertia=scaled(body.inertia, mass, length), rotor=rotor)

    def fault(spec: RobotSpec) -> Planted:
        points = tuple(replace(point, position=tuple(length * x for x in point.position)) for point in spec.contact_points)
        return with_bodies(changed)(replace(spec, contact_points=points))

    return fault


def with_gravity(*g: float) -> Fault:
    return lambda spec: Planted(replace(spec, gravity=g))


# Inputs read otherwise


def rotations(states: States) -> Array:
    """R_WB (n, 3, 3) of a free joint at the start of q."""
    return Rotation.from_quat(states.q[:, [4, 5, 6, 3]]).as_matrix()


def bases(spec: RobotSpec) -> list[int]:
    """First dof of each free joint."""
    starts = np.cumsum([0, *(VELOCITY_SIZE[body.joint.type] for body in spec.bodies)])
    return [int(i) for i, body in zip(starts, spec.bodies, strict=False) if body.joint.type is JointType.FREE]


def reading_quaternion(*places: int, sign: float = 1.0) -> Fault:
    def inputs(states: States) -> States:
        q = states.q.copy()
        q[:, 3:7] = q[:, [3 + i for i in places]] * [1.0, sign, sign, sign]
        return replace(states, q=q)

    return lambda spec: Planted(spec, inputs)


def reading_world_velocity(spec: RobotSpec) -> Planted:
    def inputs(states: States) -> States:
        v = states.v.copy()
        v[:, 3:6] = np.einsum("nji,nj->ni", rotations(states), v[:, 3:6])
        return replace(states, v=v)

    return Planted(spec, inputs)


def reading_degrees(spec: RobotSpec) -> Planted:
    starts = np.cumsum([0, *(CONFIGURATION_SIZE[b.joint.type] for b in spec.bodies)])
    angles = [int(i) for i, body in zip(starts, spec.bodies, strict=False) if body.joint.type is JointType.REVOLUTE]

    def inputs(states: States) -> States:
        q = states.q.copy()
        q[:, angles] = np.deg2rad(q[:, angles])
        return replace(states, q=q)

    return Planted(spec, inputs)


LEVELS = [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]  # breadth-first: the abads, the hips, the knees
LEGS = [3, 4, 5, 0, 1, 2, 9, 10, 11, 6, 7, 8]  # FL, FR, HL, HR for FR, FL, HR, HL


def reading_legs(answers_too: bool, order: Sequence[int] = tuple(LEGS)) -> Fault:
    """The Mini Cheetah's leg joints each read from another's place, by number; alphabetical legs unless given otherwise."""
    swapped = [*range(6), *(6 + i for i in order)]
    back = np.argsort(swapped).tolist()

    def inputs(states: States) -> States:
        q = np.concatenate([states.q[:, :7], states.q[:, 7:][:, order]], axis=1)
        return replace(states, q=q, v=states.v[:, swapped], tau=states.tau[:, swapped])

    def outputs(name: str, values: Array, _states: States) -> Array:
        return reordered(name, values, back)

    return lambda spec: Planted(spec, inputs, outputs) if answers_too else Planted(spec, inputs)


# Answers altered


def reordered(name: str, values: Array, order: Sequence[int]) -> Array:
    """Dofs in another order."""
    if name == "mass_matrix":
        return values[:, order][:, :, order]
    return values[..., order] if name in (*ROWS, "contact_jacobians") else values


def answering(outputs: Callable[[RobotSpec, str, Array, States], Array]) -> Fault:
    return lambda spec: Planted(spec, outputs=lambda name, values, states: outputs(spec, name, values, states))


def without_tdot(spec: RobotSpec, name: str, values: Array, states: States) -> Array:
    rate = np.zeros_like(states.v)
    for i in bases(spec):
        rate[:, i + 3 : i + 6] = np.cross(states.v[:, i : i + 3], states.v[:, i + 3 : i + 6])
    if name == "forward_dynamics":
        return values + rate
    if name == "contact_bias_accelerations":
        return values - np.einsum("npij,nj->npi", right(spec, "contact_jacobians", states), rate)
    if name not in ("bias_force", "coriolis_force"):
        return values
    return values - np.einsum("nij,nj->ni", right(spec, "mass_matrix", states), rate)


def in_world_velocity(_spec: RobotSpec, name: str, values: Array, states: States) -> Array:
    """M, forces and Jacobians left for a base velocity [w_body; v_world]."""
    R = rotations(states)
    if name not in ("mass_matrix", "contact_jacobians", "gravity_force"):  # forces at speed and accelerations have a Tdot term
        return values
    if name == "contact_jacobians":
        values[..., 3:6] = values[..., 3:6] @ np.swapaxes(R, 1, 2)[:, None]
        return values
    T = np.zeros((len(R), values.shape[1], values.shape[1])) + np.eye(values.shape[1])
    T[:, 3:6, 3:6] = R
    return T @ values @ np.swapaxes(T, 1, 2) if name == "mass_matrix" else np.einsum("nij,nj->ni", T, values)


def linear_first(spec: RobotSpec, name: str, values: Array, _states: States) -> Array:
    return reordered(name, values, [3, 4, 5, 0, 1, 2, *range(6, spec.nv)])


def last_two_dofs_exchanged(spec: RobotSpec, name: str, values: Array, _states: States) -> Array:
    return reordered(name, values, [*range(spec.nv - 2), spec.nv - 1, spec.nv - 2])


def in_link_axes(spec: RobotSpec, name: str, values: Array, states: States) -> Array:
    """Jacobians alone."""
    if name != "contact_jacobians":
        return values
    tree, links = reference.build(spec), carriers(spec)
    for i in range(len(values)):
        R_WB = reference.forward_kinematics(tree, states.q[i], states.v[i]).R_WB
        for k, link in enumerate(links):
            values[i, k] = R_WB[link].T @ values[i, k]
    return values


def spatial_acceleration(spec: RobotSpec, name: str, values: Array, states: States) -> Array:
    if name != "contact_bias_accelerations":
        return values
    tree, links = reference.build(spec), carriers(spec)
    for i, velocity in enumerate(right(spec, "contact_velocities", states)):
        at = reference.forward_kinematics(tree, states.q[i], states.v[i])
        values[i] -= np.cross([at.R_WB[k] @ at.V.links[k][:3] for k in links], velocity)
    return values


def carriers(spec: RobotSpec) -> list[int]:
    return [spec.body_index(point.body) for point in spec.contact_points if point.computed]


def damped(spec: RobotSpec, name: str, values: Array, states: States) -> Array:
    """Damping 0.01 and, in accelerations, dry friction 0.2 on every dof behind the base."""
    joint = np.arange(spec.nv) >= 6
    if name in ("bias_force", "coriolis_force"):
        return values + 0.01 * joint * states.v
    if name != "forward_dynamics":
        return values
    loss = joint * (0.01 * states.v + 0.2 * np.sign(states.v))
    return right(spec, name, replace(states, tau=states.tau - loss))


def entrywise(changed: Callable[[Array], Array]) -> Fault:
    return answering(lambda _spec, _name, values, _states: changed(values))


def other_quantity(name: str) -> Fault:
    return answering(lambda spec, _name, _values, states: right(spec, name, states))
