"""Seeded random trees: every joint type, generic axes and inertias, rotors of both kinds, up to 40 dof.

Synthetic robots for comparing engines: nothing in them is aligned, symmetric or zero by accident. All ranges are this
project's choice.
"""

from dataclasses import dataclass, replace

import numpy as np

from leapcheck_models.robots.draws import direction, generator, inertia, offset, placement, symmetric_inertia, uniform
from leapcheck_models.spec import (
    ONE_DOF,
    VELOCITY_SIZE,
    WORLD,
    Body,
    ContactPoint,
    Joint,
    JointType,
    Placement,
    RobotSpec,
    Rotor,
)

SOURCE = "synthetic: PCG64 draws of this project"
MAX_DOF = 40
MASS, GYRATION, COM = (0.1, 10.0), (0.06, 0.3), 0.15  # kg; largest radius of gyration, m; m
JOINT_OFFSET, POINT_OFFSET = 0.4, 0.2  # m
ROTOR_MASS, ROTOR_GYRATION, ROTOR_COM, ROTOR_OFFSET = (0.02, 0.3), (0.005, 0.03), 0.01, 0.1  # kg, m, m, m
GEAR_RATIO = {JointType.REVOLUTE: (1.0, 20.0), JointType.PRISMATIC: (20.0, 200.0)}  # rad/rad, rad/m
ARMATURE = {JointType.REVOLUTE: 0.05, JointType.PRISMATIC: 1.0}  # at most: kg m^2, kg
GRAVITY = 9.81  # m/s^2

MOVING = (JointType.REVOLUTE, JointType.REVOLUTE, JointType.REVOLUTE, JointType.PRISMATIC, JointType.BALL)  # weights


@dataclass(frozen=True, slots=True)
class Recipe:
    """What one tree is like: dof in all, chance to go deeper, chances of a rotor and of a free root."""

    dof: int
    deeper: float
    geared: float
    floating: float


def random_tree(seed: int) -> RobotSpec:
    """The random robot `random_<seed>` with 1 to 40 dof; the same seed gives the same robot on every machine."""
    rng = generator(seed)
    recipe = Recipe(
        1 + int(uniform(rng, 0.0, MAX_DOF)), uniform(rng, 0.3, 0.97), uniform(rng, 0.0, 0.6), 1.0 if rng.random() < 0.5 else 0.2
    )
    bodies: list[Body] = []
    chain: list[str] = [WORLD]
    remaining = recipe.dof
    while remaining:
        body = _body(rng, recipe, len(bodies), _parent(rng, recipe, chain), remaining)
        del chain[chain.index(body.parent) + 1 :]
        chain.append(body.name)
        bodies.append(body)
        remaining -= VELOCITY_SIZE[body.joint.type]
    tilted = rng.random() < 0.4
    x, y, z = direction(rng) if tilted else (0.0, 0.0, -1.0)
    return RobotSpec(
        f"random_{seed}",
        tuple(bodies),
        _contact_points(rng, bodies),
        gravity=(GRAVITY * x, GRAVITY * y, GRAVITY * z),
        source=SOURCE,
        description=f"seeded random tree {seed}: {len(bodies)} links, {recipe.dof} dof",
    )


def _parent(rng: np.random.Generator, recipe: Recipe, chain: list[str]) -> str:
    """The last body, or one of its ancestors; seldom the world, once there is a body."""
    if rng.random() < recipe.deeper:
        return chain[-1]
    place = int(uniform(rng, 0.0, len(chain)))
    return chain[place] if place or rng.random() < 0.4 else chain[-1]


def _body(rng: np.random.Generator, recipe: Recipe, number: int, parent: str, remaining: int) -> Body:
    """Body `link_<number>`, its joint of at most `remaining` dof."""
    kind = _joint_type(rng, recipe, parent)
    if VELOCITY_SIZE[kind] > remaining:
        kind = JointType.REVOLUTE
    has_armature = rng.random() < 0.2
    body = Body(
        f"link_{number}",
        Joint(f"joint_{number}", kind),
        inertia(rng, MASS, GYRATION, COM),
        parent,
        Placement() if kind is JointType.FREE else placement(rng, JOINT_OFFSET),
        source=SOURCE,
    )
    if kind not in ONE_DOF:
        return body
    armature = uniform(rng, 0.0, ARMATURE[kind]) if has_armature else 0.0
    joint = Joint(f"joint_{number}", kind, direction(rng), armature=armature)
    rotor = _rotor(rng, kind, number) if rng.random() < recipe.geared else None
    return replace(body, joint=joint, rotor=rotor)


def _joint_type(rng: np.random.Generator, recipe: Recipe, parent: str) -> JointType:
    """Free joints at roots only; one body in ten is fixed."""
    if parent == WORLD and rng.random() < recipe.floating:
        return JointType.FREE
    if rng.random() < 0.1:
        return JointType.FIXED
    return MOVING[int(uniform(rng, 0.0, len(MOVING)))]


def _rotor(rng: np.random.Generator, kind: JointType, number: int) -> Rotor:
    """Rotor with a gear ratio of either sign; half of them symmetric about their axis, half with the com off it."""
    axis = direction(rng)
    ratio = uniform(rng, *GEAR_RATIO[kind]) * (1.0 if rng.random() < 0.5 else -1.0)
    if rng.random() < 0.5:
        spinning = symmetric_inertia(rng, ROTOR_MASS, ROTOR_GYRATION, axis)
    else:
        spinning = inertia(rng, ROTOR_MASS, ROTOR_GYRATION, ROTOR_COM)
    return Rotor(f"rotor_{number}", ratio, spinning, placement(rng, ROTOR_OFFSET), axis)


def _contact_points(rng: np.random.Generator, bodies: list[Body]) -> tuple[ContactPoint, ...]:
    """Up to two points on three of five bodies, fixed ones included; leaves carry feet; one in five is not computed."""
    parents = {body.parent for body in bodies}
    points: list[ContactPoint] = []
    for body in bodies:
        for _ in range(int(uniform(rng, 0.0, 2.5))):
            name = f"point_{len(points)}"
            point = ContactPoint(name, body.name, offset(rng, POINT_OFFSET), body.name not in parents, rng.random() >= 0.2)
            points.append(point)
    return tuple(points)
