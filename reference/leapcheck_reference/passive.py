"""Passive forces of joints: springs and dampers, and dry friction apart from them. They are no part of the bias force.

At rest dry friction is a set: any force between -friction and friction that keeps the joint still. Here it is the force of a
joint that slides, the middle of the set where none does; it is not smoothed.
"""

from collections.abc import Callable
from typing import Any

from leapcheck_models.arrays import Array
from leapcheck_models.spec import ONE_DOF
from leapcheck_reference.links import Link
from leapcheck_reference.scalar import Scalar, sign, stack
from leapcheck_reference.state import configuration, vector
from leapcheck_reference.tree import Tree


def passive_forces(tree: Tree, q: Any, v: Any) -> Array:
    """-stiffness (q - springref) - damping v of each joint of one dof, (nv,) in N m or N; zero for balls and bases.

    As MuJoCo's qfrc_passive (https://mujoco.readthedocs.io/en/stable/computation/index.html#passive-forces).
    """
    q, v = configuration(tree, q), vector(f"v of '{tree.name}'", v, tree.nv)

    def force(link: Link) -> Scalar:
        spring = -link.stiffness * (q[link.q.start] - link.springref) if link.stiffness != 0.0 else 0.0
        return spring - link.damping * v[link.v.start]

    return _of_joints(tree, force)


def dry_friction(tree: Tree, v: Any) -> Array:
    """-friction sign(v) of each joint of one dof, (nv,) in N m or N; zero where v is, in the middle of what it may be there."""
    v = vector(f"v of '{tree.name}'", v, tree.nv)
    return _of_joints(tree, lambda link: -link.friction * sign(v[link.v.start]) if link.friction != 0.0 else 0.0)


def _of_joints(tree: Tree, force: Callable[[Link], Scalar]) -> Array:
    forces: list[Scalar] = [0.0] * tree.nv
    for link in tree.links:
        if link.type in ONE_DOF:
            forces[link.v.start] = force(link)
    return stack(forces, tree.nv)
