"""The whole robot's centre of mass and momentum by Pinocchio's own algorithms."""

from __future__ import annotations

from functools import partial

import numpy as np
import pinocchio as pin

from leapcheck.engines.pinocchio.steps import Step, by_columns
from leapcheck.engines.projection import Assembly
from leapcheck_models.arrays import Floats

ANGULAR_FIRST = [3, 4, 5, 0, 1, 2]
"""Pinocchio's six-vectors are linear first."""


def steps(model: pin.Model, data: pin.Data) -> tuple[Step, ...]:
    """The algorithms, with the arrays that they leave behind by their names in `projection`, or in `assembly` below."""
    return (_centre_of_mass(model, data), _com_jacobian(model, data), _momentum(model, data), _momentum_rate(model, data))


def assembly() -> dict[str, Assembly]:
    """The quantities that are put together of these numbers."""
    return {
        "com_jacobian": Assembly(("Jcom_columns",), _rows),
        "centroidal_momentum": Assembly(("hg",), _angular_first),
        "centroidal_momentum_matrix": Assembly(("Ag_columns",), _matrix),
        "centroidal_momentum_rate": Assembly(("dhg",), _angular_first),
    }


def quantities(model: pin.Model) -> tuple[str, ...]:
    """All of the robot as a whole, unless mass is fixed to the world, which Pinocchio leaves out of it."""
    if model.inertias[0].mass:
        return ()
    return ("com_position", "com_velocity", "com_bias_acceleration", "centroidal_inertia", *assembly())


def _centre_of_mass(model: pin.Model, data: pin.Data) -> Step:
    rest = np.zeros(model.nv)

    def move(q: Floats, v: Floats) -> None:
        pin.centerOfMass(model, data, q, v, rest, False)

    views = {"com_position": data.com[0], "com_velocity": data.vcom[0], "com_bias_acceleration": data.acom[0]}
    return Step(move, ("q", "v"), views)


def _com_jacobian(model: pin.Model, data: pin.Data) -> Step:
    return Step(partial(pin.jacobianCenterOfMass, model, data), ("q",), {"Jcom_columns": by_columns(data.Jcom, 3)})


def _momentum(model: pin.Model, data: pin.Data) -> Step:
    momentum, inertia = np.zeros(6), np.zeros((6, 6))

    def run(q: Floats, v: Floats) -> None:
        pin.ccrba(model, data, q, v)
        momentum[:] = data.hg.vector
        inertia[:3, :3], inertia[3:, 3:] = data.Ig.inertia, data.Ig.mass * np.eye(3)

    results = {"hg": momentum, "Ag_columns": by_columns(data.Ag, 6), "centroidal_inertia": inertia}
    return Step(run, ("q", "v"), results)


def _momentum_rate(model: pin.Model, data: pin.Data) -> Step:
    rate, rest = np.zeros(6), np.zeros(model.nv)

    def run(q: Floats, v: Floats) -> None:
        rate[:] = pin.computeCentroidalMomentumTimeVariation(model, data, q, v, rest).vector

    return Step(run, ("q", "v"), {"dhg": rate})


def _angular_first(vector: Floats) -> Floats:
    return vector[..., ANGULAR_FIRST]


def _matrix(columns: Floats) -> Floats:
    """A (..., 6, nv) of its columns (..., nv, 6)."""
    return _rows(columns[..., ANGULAR_FIRST])


def _rows(columns: Floats) -> Floats:
    """A matrix (..., rows, nv) of its columns (..., nv, rows)."""
    return np.swapaxes(columns, -1, -2)
