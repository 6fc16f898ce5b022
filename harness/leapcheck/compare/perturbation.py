"""A robot whose every parameter is off by a few units in the last place: the question that a rounding engine answers."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leapcheck_models.spec import WORLD, Body, Inertia, JointType, Placement, RobotSpec

ULPS = 2.0
"""Size of the perturbation of every input and every parameter, in units in the last place."""

DRAWS = 3
"""Independent perturbations; the largest movement counts."""


def perturbation(rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Factors 1 +- up to `ULPS` units in the last place."""
    factors: NDArray[np.float64] = 1.0 + ULPS * np.finfo(float).eps * rng.uniform(-1.0, 1.0, shape)
    return factors


def perturbed_spec(spec: RobotSpec, rng: np.random.Generator) -> RobotSpec:
    """The robot with every parameter off by up to `ULPS` units in the last place, either way."""
    arms: dict[str, float] = {WORLD: 0.0}
    for body in spec.bodies:
        arms[body.name] = arms[body.parent] + math.hypot(*body.placement.p)
    bodies = tuple(_perturbed_body(body, arms[body.name], rng) for body in spec.bodies)
    points = tuple(replace(p, position=_off_by_norm(p.position, rng, arms[p.body])) for p in spec.contact_points)
    return replace(spec, bodies=bodies, contact_points=points, gravity=_off_by_norm(spec.gravity, rng))


def _perturbed_body(body: Body, arm: float, rng: np.random.Generator) -> Body:
    """Mass, com, inertia, placement, axis, armature and rotor off by a few ulp.

    Positions are off by ulps of the `arm` from the root (m), as an engine leaves them that computes in axes of the world;
    inertias by ulps of their largest entry, as after turning them there and back; directions and angles (axes,
    quaternions) by ulps of each entry, so that parallel axes stay parallel.
    """
    free = body.joint.type is JointType.FREE
    joint = replace(body.joint, axis=_off(body.joint.axis, rng), armature=_off(body.joint.armature, rng))
    placement = body.placement if free else _off_placement(body.placement, arm, rng)
    inertia = _off_inertia(body.inertia, arm, rng)
    rotor = body.rotor
    if rotor is not None:
        rotor = replace(
            rotor,
            inertia=_off_inertia(rotor.inertia, arm, rng),
            placement=_off_placement(rotor.placement, arm, rng),
            gear_ratio=_off(rotor.gear_ratio, rng),
        )
    return replace(body, joint=joint, placement=placement, inertia=inertia, rotor=rotor)


def _off_placement(placement: Placement, arm: float, rng: np.random.Generator) -> Placement:
    return Placement(_off_by_norm(placement.p, rng, arm), _off(placement.quaternion, rng))


def _off_inertia(inertia: Inertia, arm: float, rng: np.random.Generator) -> Inertia:
    mass, com = _off(inertia.mass, rng), _off_by_norm(inertia.com, rng, arm)
    return replace(inertia, mass=mass, com=com, rotational=_off_by_norm(inertia.rotational, rng))


def _off_by_norm(values: Any, rng: np.random.Generator, at_least: float = 0.0) -> Any:
    """Each number of a tuple off by up to 2 ulp of the largest, or of `at_least` where that is more."""
    largest = max(at_least, *(abs(value) for value in values))
    return tuple(float(value + ULPS * np.finfo(float).eps * largest * rng.uniform(-1.0, 1.0)) for value in values)


def _off(value: Any, rng: np.random.Generator) -> Any:
    """A number, or each number of a tuple, times 1 +- 2 ulp; None stays None."""
    if value is None:
        return None
    if isinstance(value, tuple):
        return tuple(_off(x, rng) for x in value)
    return float(value * (1.0 + ULPS * np.finfo(float).eps * rng.uniform(-1.0, 1.0)))
