"""Pinocchio's regressors: columns of its joints turned into those of links and rotors.

Pinocchio has ten parameters for each joint, in whose frame what is fixed together counts as one body. A link's own ten, in its
own frame, are moved there by a constant matrix; links that are fixed to the world have potential energy alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pinocchio as pin

from leapcheck.engines.pinocchio.build import UNIVERSE
from leapcheck.engines.pinocchio.steps import Step
from leapcheck.engines.projection import Assembly
from leapcheck_models.arrays import Floats
from leapcheck_reference.regressors import PAIRS
from leapcheck_reference.spatial import RigidInertia, Transform, inertia_to_parent

TEN = 10


@dataclass(frozen=True, slots=True, eq=False)
class BodyColumns:
    """For each body the number of its joint, and B (10, 10): its parameters are B times its own in the joint's frame."""

    joints: tuple[int, ...]
    moved: tuple[Floats, ...]


def body_columns(model: pin.Model, frames: Sequence[int]) -> BodyColumns:
    """The columns of bodies, by their frames."""
    joints = tuple(int(model.frames[frame].parentJoint) for frame in frames)
    return BodyColumns(joints, tuple(_moved(model.frames[frame].placement) for frame in frames))


def steps(model: pin.Model, data: pin.Data) -> tuple[Step, ...]:
    """Pinocchio's algorithms."""
    columns = TEN * (model.njoints - 1)
    torque, kinetic, potential = np.zeros((model.nv, columns)), np.zeros(columns), np.zeros(columns)

    def torque_rows(q: Floats, v: Floats, vdot: Floats) -> None:
        torque[:] = np.reshape(pin.computeJointTorqueRegressor(model, data, q, v, vdot), torque.shape)

    def kinetic_row(q: Floats, v: Floats) -> None:
        kinetic[:] = np.ravel(pin.computeKineticEnergyRegressor(model, data, q, v))

    def potential_row(q: Floats) -> None:
        potential[:] = np.ravel(pin.computePotentialEnergyRegressor(model, data, q))

    return (
        Step(torque_rows, ("q", "v", "vdot"), {"torque_columns": torque}),
        Step(kinetic_row, ("q", "v"), {"kinetic_columns": kinetic}),
        Step(potential_row, ("q",), {"potential_columns": potential}),
    )


def assembly(model: pin.Model, bodies: BodyColumns) -> dict[str, Assembly]:
    """The regressors put together of these columns."""
    still, weight = np.zeros(TEN), np.concatenate([[0.0], -model.gravity.linear, np.zeros(TEN - 4)])
    return {
        "joint_torque_regressor": Assembly(("torque_columns",), partial(_of_bodies, bodies, still)),
        "kinetic_energy_regressor": Assembly(("kinetic_columns",), partial(_of_bodies, bodies, still)),
        "potential_energy_regressor": Assembly(("potential_columns",), partial(_of_bodies, bodies, weight)),
    }


def _of_bodies(bodies: BodyColumns, on_world: Floats, columns: Floats) -> Floats:
    """Columns (..., 10 bodies) of those of joints; `on_world` (10,) are those of the world's own frame."""
    blocks = []
    for joint, B in zip(bodies.joints, bodies.moved, strict=True):
        own = columns[..., TEN * (joint - 1) : TEN * joint]
        blocks.append(0.0 * columns[..., :TEN] + on_world @ B if joint == UNIVERSE else own @ B)
    return np.concatenate(blocks, axis=-1)


def _moved(placement: pin.SE3) -> Floats:
    """B (10, 10): the parameters in the frame in which another one is placed, of those in that one."""
    X = Transform(placement.rotation, placement.translation)
    columns = []
    for unit in np.eye(TEN):
        I = np.zeros((3, 3))
        for (i, j), entry in zip(PAIRS, unit[4:], strict=True):
            I[i, j] = I[j, i] = entry
        inertia = inertia_to_parent(X, RigidInertia(unit[0], unit[1:4], I))
        columns.append(np.concatenate([[inertia.mass], inertia.mc, [inertia.I[place] for place in PAIRS]]))
    return np.stack(columns, axis=1)
