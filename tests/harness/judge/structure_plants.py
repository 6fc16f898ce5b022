"""Structure faults planted by editing specs: none of it shares code with the hypotheses that are to name them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from leapcheck.engines.protocol import Answers
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.quantities import DEFAULT, QUANTITIES
from leapcheck.sampling import States
from leapcheck_models.rotors import with_rotor_bodies, with_rotor_coordinates
from leapcheck_models.spec import (
    CONFIGURATION_SIZE,
    VELOCITY_SIZE,
    WORLD,
    Body,
    Inertia,
    Joint,
    JointType,
    Placement,
    RobotSpec,
)

CANONICAL = tuple(name for name in DEFAULT if not QUANTITIES[name].in_mujoco_coordinates)
VECTORS = ("bias_force", "gravity_force", "coriolis_force", "forward_dynamics")


class Held:
    """The reference on another robot with joints of the same names, its coordinates taken by name."""

    name, version, route = "planted", "0", "the reference on another robot"
    quantities = frozenset(CANONICAL)

    def __init__(self, spec: RobotSpec, held: RobotSpec) -> None:
        self._engine = ReferenceEngine(held)
        self._q, self._v = (_by_name(spec, held, sizes) for sizes in (CONFIGURATION_SIZE, VELOCITY_SIZE))

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        v, back = self._v, np.argsort(self._v)
        read = replace(states, q=states.q[:, self._q], v=states.v[:, v], tau=states.tau[:, v])
        answers = self._engine.evaluate(read, quantities)
        for name, x in answers.items():
            if name == "mass_matrix":
                answers[name] = x[:, back][:, :, back]
            elif name in VECTORS:
                answers[name] = x[:, back]
            elif name == "contact_jacobians":
                answers[name] = x[..., back]
        return answers


def _by_name(spec: RobotSpec, held: RobotSpec, sizes: dict[JointType, int]) -> list[int]:
    places, start = {}, 0
    for body in spec.bodies:
        size = sizes[body.joint.type]
        places[body.joint.name] = range(start, start + size)
        start += size
    return [place for body in held.bodies for place in places.get(body.joint.name, ())]


class RotorElsewhere:
    """The reference with one rotor, as a body, on another link."""

    name, version, route = "planted", "0", "a rotor on another link"
    quantities = frozenset(("mass_matrix", "bias_force", "kinetic_energy"))

    def __init__(self, spec: RobotSpec, rotor: str, other: str) -> None:
        self._spec = spec
        full, self._G = with_rotor_bodies(spec)
        bodies = tuple(replace(body, parent=other) if body.name == rotor else body for body in full.bodies)
        self._engine = ReferenceEngine(replace(full, bodies=bodies, poses=()))

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        v = states.v @ self._G.T
        read = replace(states, q=with_rotor_coordinates(self._spec, states.q), v=v, tau=np.zeros_like(v))
        answers = self._engine.evaluate(read, quantities)
        if "mass_matrix" in answers:
            answers["mass_matrix"] = self._G.T @ answers["mass_matrix"] @ self._G
        if "bias_force" in answers:
            answers["bias_force"] = answers["bias_force"] @ self._G
        return answers


def changed(spec: RobotSpec, names: Sequence[str], change: Callable[[Body], Body]) -> RobotSpec:
    return replace(spec, bodies=tuple(change(body) if body.name in names else body for body in spec.bodies))


def branch(spec: RobotSpec, name: str) -> list[str]:
    names = [name]
    for body in spec.bodies:
        if body.parent in names:
            names.append(body.name)
    return names


def hung(spec: RobotSpec, name: str, other: str) -> RobotSpec:
    """One body on another parent, the bodies depth-first again."""
    bodies = [replace(body, parent=other) if body.name == name else body for body in spec.bodies]
    ordered: list[Body] = []

    def add(parent: str) -> None:
        for body in bodies:
            if body.parent == parent:
                ordered.append(body)
                add(body.name)

    add(WORLD)
    return replace(spec, bodies=tuple(ordered), poses=())


def placed_after_joints(spec: RobotSpec, names: Sequence[str]) -> RobotSpec:
    """Each joint stands in the parent's origin, and what should be its placement is a rigid link behind it."""
    bodies: list[Body] = []
    for body in spec.bodies:
        if body.name in names:
            pivot = f"{body.name}_pivot"
            bodies.append(Body(pivot, body.joint, Inertia(0.0), body.parent, Placement(), body.rotor))
            fixed = Joint(f"{body.name}_fixed", JointType.FIXED)
            bodies.append(Body(body.name, fixed, body.inertia, pivot, body.placement))
        else:
            bodies.append(body)
    return replace(spec, bodies=tuple(bodies), poses=())


def with_payload(spec: RobotSpec, link: str, mass: float, com: tuple[float, float, float]) -> RobotSpec:
    """A ball fixed to a link."""
    moment = 0.4 * mass * 0.03**2
    inertia = Inertia(mass, com, (moment, 0.0, 0.0, moment, 0.0, moment))
    payload = Body("payload", Joint("payload_joint", JointType.FIXED), inertia, link)
    i = spec.body_index(link) + 1
    return replace(spec, bodies=(*spec.bodies[:i], payload, *spec.bodies[i:]), poses=())


def doubled(inertia: Inertia) -> Inertia:
    xx, xy, xz, yy, yz, zz = (2.0 * x for x in inertia.rotational)
    nearest = inertia.nearest and tuple(2.0 * x for x in inertia.nearest)
    return replace(inertia, mass=2.0 * inertia.mass, rotational=(xx, xy, xz, yy, yz, zz), nearest=nearest)


def mirrored(inertia: Inertia) -> Inertia:
    """Com and products of inertia of the other side."""
    (x, y, z), (xx, xy, xz, yy, yz, zz) = inertia.com, inertia.rotational
    nearest = inertia.nearest
    if nearest:
        nearest = (nearest[0], -nearest[1], nearest[2], nearest[3], -nearest[4], nearest[5])
    return replace(inertia, com=(x, -y, z), rotational=(xx, -xy, xz, yy, -yz, zz), nearest=nearest)


def on_the_other_side(placement: Placement) -> Placement:
    x, y, z = placement.p
    return replace(placement, p=(x, -y, z))
