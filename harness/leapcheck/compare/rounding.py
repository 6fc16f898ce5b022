"""The rounding to expect of any correct engine: how far the in-house values move when every number is off by 2 ulp."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from leapcheck.compare.errors import scale_free, scales
from leapcheck.engines.protocol import Answers
from leapcheck.engines.reference_engine import ReferenceEngine
from leapcheck.states import UNIT, Floats, States, perturbed
from leapcheck_models.spec import WORLD, Body, Inertia, JointType, Placement, RobotSpec

ULPS = 2.0
"""Size of the perturbation of every input and every parameter, in units in the last place."""

DRAWS = 3
"""Independent perturbations; the largest movement counts."""

FLOOR = ULPS * float(np.finfo(float).eps)
"""Least scale-free rounding expected of any value: that of storing it and its inputs."""

CANCELLING = {"bias_force", "coriolis_force"}
"""Forces that may vanish while the terms they consist of do not, as in an arm stretched to 1e-12 rad."""


class ExpectedRounding:
    """Expected scale-free rounding of each quantity at each state of a robot.

    Backward-error view: an engine that is right to rounding returns the exact answer of a slightly different question.
    The in-house algorithms answer `DRAWS` such questions, with state and robot off by up to 2 ulp everywhere; the
    largest movement of any entry is the unit in which errors are measured. Conditioning (a nearly singular leg, a light
    link behind a heavy one) is thereby part of the unit.
    """

    def __init__(self, spec: RobotSpec) -> None:
        self._exact = ReferenceEngine(spec)
        self._moved = [ReferenceEngine(_perturbed_spec(spec, np.random.default_rng(draw))) for draw in range(DRAWS)]

    def __call__(self, states: States, answers: Answers) -> dict[str, Floats]:
        """Per quantity of the in-house `answers` the expected rounding (n,) of each state."""
        if "csr" in answers:
            # A moved robot has no simple bodies, so its CSR has other rows; qM holds the same entries in one layout for all.
            others = {name: values for name, values in answers.items() if name != "csr"}
            found = self(states, others if "qM" in others else others | self._exact.evaluate(states, ("qM",)))
            return {name: found["qM" if name == "csr" else name] for name in answers}
        unit = int(states.index[0]) // UNIT if len(states) else 0
        largest = {name: np.full(len(states), FLOOR) for name in answers}
        for draw, engine in enumerate(self._moved):
            moved_states = perturbed(states, np.random.default_rng((unit, draw)), ULPS)
            moved = engine.evaluate(moved_states, tuple(answers))
            for name, values in answers.items():
                error = scale_free(moved[name] - values, scales(name, values))
                largest[name] = np.maximum(largest[name], error.reshape(len(states), -1).max(axis=1, initial=0.0))
        for name in CANCELLING & answers.keys():
            largest[name] = np.maximum(largest[name], self._cancellation(states, answers[name]))
        return largest

    def _cancellation(self, states: States, force: Floats) -> Floats:
        """Rounding (n,) left where centripetal terms, each as large as 2 E_k per radian, cancel to a small force."""
        energy = self._exact.evaluate(states, ("kinetic_energy",))["kinetic_energy"]
        scale = np.abs(force).max(axis=1, initial=0.0)
        ratio: Floats = np.divide(2.0 * energy, scale, out=np.zeros_like(scale), where=scale > 0.0)
        return FLOOR * ratio


def _perturbed_spec(spec: RobotSpec, rng: np.random.Generator) -> RobotSpec:
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
