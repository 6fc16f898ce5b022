"""Serial chains as MuJoCo and Pinocchio models, built through the engines' own API, and random chains to build them from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin

from leapcheck_models.spec import JointType
from leapcheck_reference.classical.planar_arm import TwoLink
from leapcheck_reference.classical.serial_chain import SerialLink
from leapcheck_reference.rotation import quaternion_rotation
from leapcheck_reference.spatial import Transform

R, P = JointType.REVOLUTE, JointType.PRISMATIC


def random_chain(rng: np.random.Generator, types: Sequence[JointType]) -> tuple[SerialLink, ...]:
    """Links with generic axes, placements and physical inertias."""
    links = []
    for kind in types:
        axis = rng.normal(size=3)
        frame = Transform(quaternion_rotation(rng.normal(size=4)), rng.uniform(-0.4, 0.4, 3))
        points = rng.uniform(-0.3, 0.3, (6, 3))
        second = points.T @ points
        rotational = np.trace(second) * np.eye(3) - second
        links.append(
            SerialLink(kind, axis / np.linalg.norm(axis), frame, rng.uniform(0.1, 5), rng.uniform(-0.2, 0.2, 3), rotational)
        )
    return tuple(links)


def random_state(rng: np.random.Generator, n: int) -> tuple[Any, Any, Any]:
    """q, qd, qdd (n,)."""
    return rng.uniform(-2, 2, n), rng.normal(size=n) * 2, rng.normal(size=n) * 5


def planar_chain(links: TwoLink, *, leg: bool) -> tuple[SerialLink, ...]:
    """The two-link arm (x-y plane, about z) or leg (x-z plane, about -y, hanging down) as a spatial chain."""
    axis = np.array([0.0, -1.0, 0.0]) if leg else np.array([0.0, 0.0, 1.0])
    along = np.array([0.0, 0.0, -1.0]) if leg else np.array([1.0, 0.0, 0.0])
    chain, start = [], np.zeros(3)
    for link in (links.first, links.second):
        placement = Transform(np.eye(3), start)
        chain.append(SerialLink(R, axis, placement, link.mass, link.com * along, link.inertia * np.eye(3)))
        start = link.length * along
    return tuple(chain)


def pinocchio_model(links: Sequence[SerialLink], gravity: Any) -> pin.Model:
    """Pinocchio model of a chain."""
    model = pin.Model()
    model.gravity.linear = np.asarray(gravity)
    parent = 0
    for i, link in enumerate(links):
        joint = (pin.JointModelRevoluteUnaligned if link.type is R else pin.JointModelPrismaticUnaligned)(link.axis)
        parent = model.addJoint(parent, joint, pin.SE3(link.placement.R, link.placement.p), f"joint{i}")
        model.appendBodyToJoint(parent, pin.Inertia(link.mass, link.com, link.rotational), pin.SE3.Identity())
    return model


def mujoco_model(links: Sequence[SerialLink], gravity: Any) -> mujoco.MjModel:
    """MuJoCo model of a chain; body i + 1 is link i."""
    spec = mujoco.MjSpec()
    spec.option.gravity = np.asarray(gravity)
    parent = spec.worldbody
    for i, link in enumerate(links):
        x, y, z, w = pin.Quaternion(link.placement.R).coeffs()
        I = link.rotational
        parent = parent.add_body(
            name=f"link{i}",
            pos=link.placement.p,
            quat=[w, x, y, z],
            explicitinertial=True,
            mass=link.mass,
            ipos=link.com,
            fullinertia=[I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]],
        )
        kind = mujoco.mjtJoint.mjJNT_HINGE if link.type is R else mujoco.mjtJoint.mjJNT_SLIDE
        parent.add_joint(type=kind, axis=link.axis)
    return spec.compile()
