"""Robots whose URDF texts, as `leapcheck.versions.routes` writes them, readers have gone wrong on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from leapcheck_models.spec import Body, Inertia, Joint, JointType, RobotSpec
from leapcheck_models.validation import rotational_matrix
from tests.real_defects.mjcf_features import floating


def principal() -> RobotSpec:
    """The floating robot with inertias along the links' axes, which every version reads exactly."""
    return _with(floating(), _along_axes)


def with_fixed_link() -> RobotSpec:
    """The same with link 3 fixed to link 2."""
    return _with(principal(), lambda body: replace(body, joint=Joint("weld", JointType.FIXED)) if body.name == "link_3" else body)


def _with(spec: RobotSpec, changed) -> RobotSpec:
    return replace(spec, bodies=tuple(changed(body) for body in spec.bodies), poses=())


def _along_axes(body: Body) -> Body:
    moments = np.linalg.eigvalsh(rotational_matrix(body.inertia.rotational))
    x, y, z = map(float, moments)
    return replace(body, inertia=Inertia(body.inertia.mass, body.inertia.com, (x, 0.0, 0.0, y, 0.0, z)))
