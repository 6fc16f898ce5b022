"""Momentum about the robot's centre of mass, its rate and its inertia, and how the centre of mass moves; rotors included.

World axes, angular first. The armature of joints, which stands for rotors that are not modelled, has no momentum here.
"""

from typing import Any

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_reference.energy import com_position, placed_bodies, total_mass
from leapcheck_reference.inverse_dynamics import net_force
from leapcheck_reference.kinematics import frames, link_motions, rotor_motions
from leapcheck_reference.mass_matrix import composite_inertias
from leapcheck_reference.rotation import skew
from leapcheck_reference.spatial import Transform, force_to_parent
from leapcheck_reference.state import vector
from leapcheck_reference.tree import Tree


def centroidal_momentum_matrix(tree: Tree, q: Any) -> Array:
    """A (6, nv): A v is the robot's momentum about its centre of mass, world axes, angular first (Orin and Goswami 2008).

    A joint's columns are the momentum of all that it moves as one rigid body, and of its own rotor; moved to the com.
    """
    poses = frames(tree, q)
    com = com_position(tree, q)
    bodies = placed_bodies(tree, poses)
    columns: list[Array] = []
    for link, Ic in zip(tree.links, composite_inertias(tree, q), strict=True):
        # A_i = X^T Ic_i S_i + Xr^T Ir Sr, X to the com
        _, X_W, root = next(bodies)
        column = force_to_parent(Transform(X_W.R, X_W.p + (root - com)), Ic @ link.S)
        if link.rotor:
            inertia, X_W, root = next(bodies)
            column = column + force_to_parent(Transform(X_W.R, X_W.p + (root - com)), inertia @ link.rotor.S)
        columns.append(column)
    A: Array = np.concatenate(columns, axis=1)
    return A


def centroidal_momentum(tree: Tree, q: Any, v: Any) -> Array:
    """Momentum (6,) about the robot's centre of mass in world axes: [angular N m s; linear N s]."""
    return centroidal_momentum_matrix(tree, q) @ vector(f"v of '{tree.name}'", v, tree.nv)


def centroidal_momentum_rate(tree: Tree, q: Any, v: Any) -> Array:
    """Adot v (6,): the rate of the centroidal momentum at vdot = 0, [N m; N], the sum of what moves every body so."""
    poses = frames(tree, q)
    com = com_position(tree, q)
    v, rest = vector(f"v of '{tree.name}'", v, tree.nv), np.zeros(tree.nv)
    links = link_motions(tree, poses, v, rest, np.zeros(3))
    rotors = rotor_motions(tree, poses, links, v, rest, np.zeros(3))
    motions = [motion for both in zip(links, rotors, strict=True) for motion in both if motion is not None]
    rate: Array = np.zeros(6)
    for (inertia, X_W, root), motion in zip(placed_bodies(tree, poses), motions, strict=True):
        # Adot v += X^T f, X to the com: the momentum moves along with the com, so that this adds no moment
        rate = rate + force_to_parent(Transform(X_W.R, X_W.p + (root - com)), net_force(inertia, motion))
    return rate


def centroidal_inertia(tree: Tree, q: Any) -> Array:
    """I (6, 6) of the robot as one rigid body, joints locked, about its centre of mass: [[I_C, 0], [0, m 1]] in world axes."""
    poses = frames(tree, q)
    com = com_position(tree, q)
    turning = np.zeros((3, 3))
    for inertia, X_W, root in placed_bodies(tree, poses):
        p, mc = X_W.p + (root - com), X_W.R @ inertia.mc
        # I_C += R I R^T - m p~ p~ - (mc)~ p~ - p~ (mc)~
        across, first = skew(p), skew(mc)
        turning = turning + X_W.R @ inertia.I @ X_W.R.T - inertia.mass * (across @ across) - first @ across - across @ first
    for i, j in ((1, 0), (2, 0), (2, 1)):  # exactly symmetric, also where the products round otherwise
        turning[i, j] = turning[j, i]
    mass, zero = total_mass(tree) * np.eye(3), np.zeros((3, 3))
    return np.block([[turning, zero], [zero, mass]])


def com_velocity(tree: Tree, q: Any, v: Any) -> Array:
    """Velocity (3,) of the centre of mass in the world, m/s: linear momentum over total mass."""
    velocity: Array = centroidal_momentum(tree, q, v)[3:] / total_mass(tree)
    return velocity


def com_jacobian(tree: Tree, q: Any) -> Array:
    """J (3, nv): the velocity of the centre of mass in the world is J v; the linear rows of A over the total mass."""
    J: Array = centroidal_momentum_matrix(tree, q)[3:] / total_mass(tree)
    return J


def com_bias_acceleration(tree: Tree, q: Any, v: Any) -> Array:
    """Jdot v (3,), m/s^2: the acceleration of the centre of mass in the world at vdot = 0, without gravity."""
    acceleration: Array = centroidal_momentum_rate(tree, q, v)[3:] / total_mass(tree)
    return acceleration
