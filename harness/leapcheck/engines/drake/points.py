"""Points of a plant's bodies."""

from __future__ import annotations

from typing import NamedTuple

from pydrake.multibody.math import SpatialVelocity
from pydrake.multibody.tree import Frame, JacobianWrtVariable
from pydrake.systems.framework import Context

from leapcheck_models.arrays import Floats

BY_V = JacobianWrtVariable.kV
"""Jacobians and bias accelerations are those of the generalized velocity, not of qdot."""


class PlantPoint(NamedTuple):
    """A contact point, or a link's origin: the frame of its body, and its place there, (3, 1) in m."""

    frame: Frame
    offset: Floats


def point_velocity(context: Context, point: PlantPoint) -> SpatialVelocity:
    """The point's velocity in world axes, with the body's angular one."""
    arm = point.frame.CalcRotationMatrixInWorld(context).multiply(point.offset[:, 0])
    return point.frame.CalcSpatialVelocityInWorld(context).Shift(arm)
