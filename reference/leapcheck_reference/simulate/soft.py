"""MuJoCo's soft contact in house: what a robot on the ground z = 0 does at one state."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dposv

from leapcheck_models.rotors import with_lumped_rotors
from leapcheck_models.spec import JointType
from leapcheck_reference.kinematics import frames
from leapcheck_reference.rotation import skew
from leapcheck_reference.simulate.plant import Plant
from leapcheck_reference.simulate.soft_contact import SoftContact
from leapcheck_reference.simulate.soft_newton import minimiser
from leapcheck_reference.simulate.soft_rows import Rows, Weights, rows

__all__ = ["Response", "SoftContact", "Weights", "reference_configuration", "response", "weights"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Response:
    """What happens at one state: `udot` (nv,) solves M udot + h = smooth + constraint.

    `smooth` (nv,) is the force asked about, less joint damping and h; `constraint` (nv,) that of all constraints, of which
    `forces` (points, 3) N are contact forces on the robot in world axes, `limit_torques` (nv,) joint stops,
    `friction_torques` (nv,) dry friction. M (nv, nv) is the plant's own array, overwritten by its next call.
    """

    udot: Floats
    smooth: Floats
    constraint: Floats
    forces: Floats
    limit_torques: Floats
    friction_torques: Floats
    M: Floats


def weights(plant: Plant) -> Weights:
    """The inverse inertias that scale MuJoCo's regularisation, at the reference configuration (joints at zero).

    A contact point's is the mean of the diagonal of J M^-1 J^T, J of its link's com with any rotors lumped into the link (as
    MuJoCo's bodies have them); a joint's is its diagonal entry of M^-1.
    """
    q = reference_configuration(plant)
    at = plant.at(q, np.zeros(plant.tree.nv))
    inverse = np.linalg.inv(at.M)
    poses = frames(plant.tree, q)
    lumped = with_lumped_rotors(plant.spec).bodies
    points = []
    for i, point in enumerate(plant.tree.points):
        arm = poses.X_W[point.link].R @ (np.array(lumped[point.link].inertia.com) - point.position)
        J = at.J[i] - skew(arm) @ at.J_w[i]
        points.append(np.trace(J @ inverse @ J.T) / 3.0)
    return Weights(np.array(points), np.diag(inverse)[plant.joints.u].copy())


def reference_configuration(plant: Plant) -> Floats:
    """q (nq,) with all joints at zero and a floating base at its placement: MuJoCo's qpos0."""
    q = np.zeros(plant.tree.nq)
    if plant.tree.links[0].type is JointType.FREE:
        placement = plant.spec.bodies[0].placement
        q[:3], q[3:7] = placement.p, placement.quaternion
    return q


def response(
    plant: Plant,
    contact: SoftContact,
    weights: Weights,
    q: Floats,
    u: Floats,
    force: Floats,
    dt: float = 0.0,
    warm: Floats | None = None,
) -> Response:
    """What the robot does at q (nq,), u (nv,) under a generalised `force` (nv,) in the coordinates u.

    `weights` are `weights(plant)`. `dt` (s) bounds the time constants from below, as MuJoCo's refsafe does; 0 is the model
    without a time step. `warm` (nv,) is a guess of the acceleration. ArithmeticError where the solver fails or a number is
    not finite.
    """
    at = plant.at(q, u)
    smooth = force - at.h
    smooth[plant.joints.u] -= plant.joints.damping * u[plant.joints.u]
    _, free, failed = dposv(at.M.T, smooth)
    if failed or not np.isfinite(free).all():
        raise ArithmeticError("no finite acceleration: the state or the torque has run away")
    held = rows(plant, contact, weights, at, q, u, dt)
    if held is None:
        zeros = np.zeros((3, len(u)))
        return Response(free, smooth, zeros[0], np.zeros((len(plant.radii), 3)), zeros[1], zeros[2], at.M)
    udot, pushes = minimiser(at.M, free, held, warm)
    edges, boxes = 4 * len(held.edged), len(held.D)
    stops = slice(edges, edges + len(held.stopped))
    sliding = slice(stops.stop, boxes)
    return Response(
        udot=udot,
        smooth=smooth,
        constraint=pushes @ held.J,
        forces=_contact_forces(len(plant.radii), contact, held, pushes),
        limit_torques=pushes[stops] @ held.J[stops],
        friction_torques=pushes[sliding] @ held.J[sliding],
        M=at.M,
    )


def _contact_forces(points: int, contact: SoftContact, held: Rows, pushes: Floats) -> Floats:
    """Forces (points, 3) N in world axes of the rows' forces; a contact's axes are n = z, t1 = y, t2 = -x."""
    forces = np.zeros((points, 3))
    if held.cones:
        local = pushes[len(held.D) :].reshape(-1, 3)
        forces[[cone.point for cone in held.cones]] = local[:, [2, 1, 0]] * (-1.0, 1.0, 1.0)
    if held.edged:
        edge = pushes[: 4 * len(held.edged)].reshape(-1, 4)
        y, minus_x = contact.friction * (edge[:, 0] - edge[:, 1]), contact.friction * (edge[:, 2] - edge[:, 3])
        forces[held.edged] = np.stack([-minus_x, y, edge.sum(axis=1)], axis=1)
    return forces
