"""Torques and energies as linear functions of the inertial parameters: Y pi.

A body's ten parameters are `m, mc_x, mc_y, mc_z, Ixx, Ixy, Iyy, Ixz, Iyz, Izz`: mass, first moment and rotational inertia about
its origin, in its own axes (Pinocchio's order). Links come first, then rotors, in the order of their joints, in axes that turn
with them. The armature of joints is no parameter.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_reference.energy import body_jacobians
from leapcheck_reference.inverse_dynamics import own_acceleration
from leapcheck_reference.kinematics import BodyMotion, Frames, frames, link_motions, rotor_motions, velocities
from leapcheck_reference.rotation import cross, skew
from leapcheck_reference.spatial import Transform, compose, force_to_parent
from leapcheck_reference.state import vector
from leapcheck_reference.tree import Tree

PARAMETERS = ("m", "mc_x", "mc_y", "mc_z", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
"""Names of a body's parameters, in their order."""

PAIRS = ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))
"""Places of the last six in the rotational inertia."""


def joint_torque_regressor(tree: Tree, q: Any, v: Any, vdot: Any) -> Array:
    """Y (nv, 10 bodies): inverse dynamics without the armature's part is Y pi.

    Newton's and Euler's equations of each body are linear in its parameters (Khalil and Dombre, Modeling, Identification and
    Control of Robots, section 12.3); what they are for each parameter is carried rootwards as any force.
    """
    tree, v = _with_turning_rotors(tree), vector(f"v of '{tree.name}'", v, tree.nv)
    vdot = vector(f"vdot of '{tree.name}'", vdot, tree.nv)
    poses = frames(tree, q)
    motions = link_motions(tree, poses, v, vdot, -tree.gravity)
    rotors = rotor_motions(tree, poses, motions, v, vdot, -tree.gravity)
    Y: Array = np.zeros((tree.nv, 10 * body_count(tree)), dtype=object if poses.dtype.hasobject or v.dtype.hasobject else float)
    column = 10 * len(tree.links)
    for i, (link, motion) in enumerate(zip(tree.links, motions, strict=True)):
        _carry(tree, poses, i, _force_rows(motion), Y[:, 10 * i : 10 * i + 10])
        rotor, X_rotor, rotor_motion = link.rotor, poses.X_rotor[i], rotors[i]
        if rotor and X_rotor and rotor_motion:
            rows = _force_rows(rotor_motion)
            # tau_i = Sr^T W;  the parent feels Xr^T W
            Y[link.v, column : column + 10] = rotor.S.T @ rows
            _carry(tree, poses, link.parent, force_to_parent(X_rotor, rows), Y[:, column : column + 10])
            column += 10
    return Y


def kinetic_energy_regressor(tree: Tree, q: Any, v: Any) -> Array:
    """y (10 bodies,): the kinetic energy without the armature's part is y pi."""
    tree, v = _with_turning_rotors(tree), vector(f"v of '{tree.name}'", v, tree.nv)
    V, _ = velocities(tree, frames(tree, q), v)
    bodies = [*V.links, *(V_rotor for V_rotor in V.rotors if V_rotor is not None)]
    return np.concatenate([_energy_row(V_B[:3], V_B[3:]) for V_B in bodies])


def potential_energy_regressor(tree: Tree, q: Any) -> Array:
    """y (10 bodies,): the potential energy is y pi."""
    tree = _with_turning_rotors(tree)
    poses, g = frames(tree, q), tree.gravity
    rows = []
    for R, p in _placements(tree, poses):
        # -g . (m p + R mc)
        rows.append(np.concatenate([[-(g @ p)], -(R.T @ g), np.zeros(6)]))
    return np.concatenate(rows)


def gyroscopic_regressor(tree: Tree, q: Any, v: Any) -> Array:
    """Y (nv, 10 bodies) of the sum over bodies of Jw^T (w x I w) alone, which is Y pi."""
    tree, v = _with_turning_rotors(tree), vector(f"v of '{tree.name}'", v, tree.nv)
    poses = frames(tree, q)
    V, _ = velocities(tree, poses, v)
    jacobians = body_jacobians(tree, poses)
    moving = [*((V_B, J) for V_B, (J, _) in zip(V.links, jacobians, strict=True))]
    moving += [(V_B, J) for V_B, (_, J) in zip(V.rotors, jacobians, strict=True) if V_B is not None and J is not None]
    return np.concatenate([J[:3].T @ _gyroscopic_rows(V_B[:3]) for V_B, J in moving], axis=1)


def body_rotations(tree: Tree, q: Any) -> Array:
    """R_WB (bodies, 3, 3) of the axes in which each body's parameters are: links, then rotors, in axes that turn with them."""
    tree = _with_turning_rotors(tree)
    return np.stack([R for R, _ in _placements(tree, frames(tree, q))])


def inertial_parameters(tree: Tree) -> Array:
    """pi (10 bodies,) of the tree, in kg, kg m and kg m^2."""
    inertias = [*(link.inertia for link in tree.links), *(link.rotor.inertia for link in tree.links if link.rotor)]
    rows = [np.concatenate([[I.mass], I.mc, [I.I[place] for place in PAIRS]]) for I in inertias]
    return np.concatenate(rows)


def armature_force(tree: Tree, v: Any, vdot: Any) -> Array:
    """What the armature of the joints takes of inverse dynamics (nv,)."""
    v, vdot = vector(f"v of '{tree.name}'", v, tree.nv), vector(f"vdot of '{tree.name}'", vdot, tree.nv)
    return np.concatenate([link.armature * own_acceleration(link, v, vdot) for link in tree.links])


def body_count(tree: Tree) -> int:
    """Links and rotors."""
    return len(tree.links) + sum(link.rotor is not None for link in tree.links)


def _with_turning_rotors(tree: Tree) -> Tree:
    """The tree with rotors whose axes turn with them, symmetric or not: the parameters stand in these."""
    links = [replace(link, rotor=replace(link.rotor, spins=True)) if link.rotor else link for link in tree.links]
    return replace(tree, links=tuple(links))


def _force_rows(motion: BodyMotion) -> Array:
    """W (6, 10): what moves a body so is [n; f] = W pi, about its origin."""
    # f = m a + A mc;  n = mc x a + I alpha + w x I w
    mass = np.concatenate([np.zeros(3), motion.a])[:, None]
    moment = np.concatenate([-skew(motion.a), motion.A])
    turning = [np.concatenate([_turning_column(motion, i, j), np.zeros(3)])[:, None] for i, j in PAIRS]
    return np.concatenate([mass, moment, *turning], axis=1)


def _turning_column(motion: BodyMotion, i: int, j: int) -> Array:
    """I alpha + w x I w (3,) of the rotational inertia that is 1 in row i, column j, and in column i, row j."""
    unit = np.zeros((3, 3))
    unit[i, j] = unit[j, i] = 1.0
    return unit @ motion.alpha + cross(motion.w, unit @ motion.w)


def _gyroscopic_rows(w: Array) -> Array:
    """w x I w (3, 10)."""
    units = [np.zeros((3, 3)) for _ in PAIRS]
    for unit, (i, j) in zip(units, PAIRS, strict=True):
        unit[i, j] = unit[j, i] = 1.0
    return np.concatenate([np.zeros((3, 4)), np.stack([cross(w, unit @ w) for unit in units], axis=1)], axis=1)


def _energy_row(w: Array, v: Array) -> Array:
    # T = m v . v / 2 + mc . (v x w) + w . I w / 2
    products = [(0.5 if i == j else 1.0) * (w[i] * w[j]) for i, j in PAIRS]
    return np.concatenate([[0.5 * (v @ v)], cross(v, w), products])


def _carry(tree: Tree, poses: Frames, link: int, F: Array, Y: Array) -> None:
    """Adds to Y (nv, 10) what forces on a link (6, 10) take of its joint and of those before it."""
    while link >= 0:
        joint = tree.links[link]
        # tau = S^T F;  F_p = X^T F
        Y[joint.v] = Y[joint.v] + joint.S.T @ F
        F, link = force_to_parent(poses.X[link], F), joint.parent


def _placements(tree: Tree, poses: Frames) -> Iterator[tuple[Array, Array]]:
    """(R_WB, p_WB) of links, then of rotors."""
    yield from ((X.R, poses.position(i)) for i, X in enumerate(poses.X_W))
    for link, X_rotor in zip(tree.links, poses.X_rotor, strict=True):
        if X_rotor is not None:
            if link.parent < 0:
                yield X_rotor.R, X_rotor.p
            else:
                X: Transform = compose(poses.X_W[link.parent], X_rotor)
                yield X.R, poses.root_position[link.parent] + X.p
