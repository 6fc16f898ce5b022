"""Energies, mass and centre of mass of the whole robot, rotors included."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_reference.kinematics import Frames, frames, velocities
from leapcheck_reference.scalar import Scalar
from leapcheck_reference.spatial import RigidInertia, Transform, compose, motion_cross, motion_to_child
from leapcheck_reference.state import vector
from leapcheck_reference.tree import Tree


def kinetic_energy(tree: Tree, q: Any, v: Any) -> Scalar:
    """Sum of V^T I V / 2 over links and rotors, plus armature qd^2 / 2 (J)."""
    poses = frames(tree, q)
    v = vector(f"v of '{tree.name}'", v, tree.nv)
    V, _ = velocities(tree, poses, v)
    energy: Scalar = 0.0
    for link, V_i, V_r in zip(tree.links, V.links, V.rotors, strict=True):
        # V^T I V + armature qd^2
        energy = energy + V_i @ (link.inertia @ V_i) + link.armature * (v[link.v] @ v[link.v])
        if link.rotor and V_r is not None:
            energy = energy + V_r @ (link.rotor.inertia @ V_r)
    return 0.5 * energy


def potential_energy(tree: Tree, q: Any) -> Scalar:
    """-sum m g . p_com over links and rotors (J), zero for mass at the world's origin."""
    poses = frames(tree, q)
    energy: Scalar = 0.0
    for inertia, X_W, root in placed_bodies(tree, poses):
        # -g . m (p + R c)
        energy = energy - tree.gravity @ (inertia.mass * (root + X_W.p) + X_W.R @ inertia.mc)
    return energy


def total_mass(tree: Tree) -> Scalar:
    """Mass of all links and rotors (kg)."""
    rotors = (link.rotor.inertia.mass for link in tree.links if link.rotor)
    return sum((link.inertia.mass for link in tree.links), start=0.0) + sum(rotors, start=0.0)


def com_position(tree: Tree, q: Any) -> Array:
    """Centre of mass (3,) of the robot in the world, m."""
    poses = frames(tree, q)
    com: Array = np.zeros(3)
    mass = total_mass(tree)
    for inertia, X_W, root in placed_bodies(tree, poses):
        # sum of m (p + R c) / sum of m
        com = com + (inertia.mass * (root + X_W.p) + X_W.R @ inertia.mc) / mass
    return com


def body_jacobians(tree: Tree, poses: Frames) -> list[tuple[Array, Array | None]]:
    """(J, J_rotor) of each link and its joint's rotor: (6, nv) each, V = J v in the body's own axes at its origin."""
    jacobians: list[tuple[Array, Array | None]] = []
    for link, X, X_rotor in zip(tree.links, poses.X, poses.X_rotor, strict=True):
        parent = jacobians[link.parent][0] if link.parent >= 0 else np.zeros((6, tree.nv))
        # J_i = X J_p + S
        J = motion_to_child(X, parent)
        J[:, link.v] = J[:, link.v] + link.S
        J_rotor = None
        if link.rotor and X_rotor:
            J_rotor = motion_to_child(X_rotor, parent)
            J_rotor[:, link.v] = J_rotor[:, link.v] + link.rotor.S
        jacobians.append((J, J_rotor))
    return jacobians


def body_jacobian_rates(tree: Tree, poses: Frames, v: Array) -> list[tuple[Array, Array | None]]:
    """(Jdot, Jdot_rotor) of each link and its joint's rotor: component-wise rates (6, nv) of `body_jacobians` at v."""
    rates: list[tuple[Array, Array | None]] = []
    nothing = np.zeros((6, tree.nv))
    jacobians = body_jacobians(tree, poses)
    for link, X, X_rotor in zip(tree.links, poses.X, poses.X_rotor, strict=True):
        J_parent, Jdot_parent = (jacobians[link.parent][0], rates[link.parent][0]) if link.parent >= 0 else (nothing, nothing)
        rotor, Jdot_rotor = link.rotor, None
        if rotor and X_rotor:
            Jdot_rotor = _rate(X_rotor, J_parent, Jdot_parent, rotor.S @ v[link.v])
        rates.append((_rate(X, J_parent, Jdot_parent, link.S @ v[link.v]), Jdot_rotor))
    return rates


def _rate(X: Transform, J_parent: Array, Jdot_parent: Array, V_joint: Array) -> Array:
    """Rate of X J_parent + S: X Jdot_parent - V_joint x X J_parent, since S is constant and Xdot = -V_joint x X."""
    rate: Array = motion_to_child(X, Jdot_parent) - motion_cross(V_joint, motion_to_child(X, J_parent))
    return rate


def placed_bodies(tree: Tree, poses: Frames) -> Iterator[tuple[RigidInertia, Transform, Array]]:
    """(inertia, pose relative to the root, root position) of each link and, next to it, of its joint's rotor."""
    for i, link in enumerate(tree.links):
        yield link.inertia, poses.X_W[i], poses.root_position[i]
        X_rotor = poses.X_rotor[i]
        if link.rotor and X_rotor:
            if link.parent >= 0:
                yield link.rotor.inertia, compose(poses.X_W[link.parent], X_rotor), poses.root_position[link.parent]
            else:
                yield link.rotor.inertia, X_rotor, np.zeros(3)
