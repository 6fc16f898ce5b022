"""Robots whose joints have springs, dampers and dry friction, which the named and the random ones lack."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_models.robots import load
from leapcheck_models.spec import ONE_DOF, Body, RobotSpec
from tests.reference.generic_states import joint_slices


def with_passive_joints(robot: str, seed: int = 0, *, springs: bool = True) -> RobotSpec:
    """The robot with drawn damping, friction, stiffness and springref in every hinge and slide."""
    rng = np.random.default_rng(seed)

    def passive(body: Body) -> Body:
        if body.joint.type not in ONE_DOF:
            return body
        damping, friction, stiffness, springref = (float(x) for x in rng.uniform(0.3, 2.0, 4))
        joint = replace(body.joint, damping=damping, friction=friction)
        return replace(body, joint=replace(joint, stiffness=stiffness, springref=springref) if springs else joint)

    spec = load(robot)
    return replace(spec, bodies=tuple(map(passive, spec.bodies)))


def spring_energy(spec: RobotSpec, q: Array) -> Array:
    """Sum of stiffness (q - springref)^2 / 2, by the tests' own places of joints."""
    pairs = zip(spec.bodies, joint_slices(spec), strict=True)
    joints = [(body.joint, q[place.start]) for body, (_, place, _) in pairs if body.joint.axis]
    return np.asarray(sum(joint.stiffness * (x - joint.springref) ** 2 / 2.0 for joint, x in joints))
