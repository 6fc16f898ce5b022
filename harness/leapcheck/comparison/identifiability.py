"""Which inertial parameters of a robot can be told from its torques."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leapcheck.quantities import answer_shape
from leapcheck.sampling import UNIT, generated_block
from leapcheck.system.singular_values import singular_values
from leapcheck_models.spec import RobotSpec
from leapcheck_reference import build, joint_torque_regressor
from leapcheck_reference.batch import evaluate_batch

ROWS_PER_PARAMETER = 3
"""Torques at so many times as many random states as there are parameters."""

ZERO = 1e-9
"""Singular values below this share of the largest are rounding, at most 1e-14 in ten robots, whose others are at least 1e-2."""


@dataclass(frozen=True, slots=True)
class Identifiability:
    """How many inertial parameters a robot has, and how many combinations of them its torques show: its base parameters."""

    parameters: int
    base_parameters: int

    def __str__(self) -> str:
        return (
            f"of {self.parameters} inertial parameters torques show {self.base_parameters} combinations, the base parameters "
            "(Gautier and Khalil 1990); the rest cannot be identified from them"
        )


def identifiability(spec: RobotSpec) -> Identifiability:
    """The rank of the torque regressor over random states, its columns scaled to unit length."""
    nv, parameters = answer_shape("joint_torque_regressor", spec)
    count = -(-ROWS_PER_PARAMETER * parameters // nv)
    units = range(-(-4 * count // UNIT))  # a part of their states is at rest, singular or far away
    states = generated_block(spec, UNIT * len(units), 0, units)
    rows = [i for i, kind in enumerate(states.kind) if kind == "generic"][:count]
    tree = build(spec)
    Y = evaluate_batch(joint_torque_regressor, tree, states.q[rows], states.v[rows], states.vdot[rows]).reshape(-1, parameters)
    length = np.linalg.norm(Y, axis=0)
    singular = singular_values(Y[:, length > 0.0] / length[length > 0.0]).sigma
    return Identifiability(parameters, int((singular > ZERO * singular.max(initial=0.0)).sum()))
