"""Frames, velocities and accelerations of every link and rotor, outwards from the root.

Velocities and accelerations are spatial, in link axes at the link's origin (Featherstone, table 5.1, left column).
Link positions are kept relative to the root link's origin, so that nothing is lost far from the world's origin.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_models.spec import JointType
from leapcheck_reference.links import Link, TreeRotor
from leapcheck_reference.rotation import acceleration_matrix, axis_rotation, cross, quaternion_rotation
from leapcheck_reference.sharing import share
from leapcheck_reference.spatial import Transform, compose, motion_cross, motion_to_child
from leapcheck_reference.state import configuration, vector
from leapcheck_reference.tree import Tree


@dataclass(frozen=True, slots=True)
class Frames:
    """Poses at one configuration: of each link in its parent (`X`), of each rotor in the parent of its joint (`X_rotor`),
    of each link in world axes (`X_W`: R_WB, and the origin relative to the root link's), and where the root's origin is.
    """

    X: tuple[Transform, ...]
    X_rotor: tuple[Transform | None, ...]
    X_W: tuple[Transform, ...]
    root_position: tuple[Array, ...]
    dtype: np.dtype[Any]

    def zeros(self, *shape: int) -> Array:
        """Zeros of the scalar type that the poses and the tree's constants have together."""
        return np.zeros(shape, dtype=self.dtype)

    def position(self, link: int) -> Array:
        """p_WB (3,) of a link's origin in the world, m."""
        return self.root_position[link] + self.X_W[link].p


@dataclass(frozen=True, slots=True)
class SpatialVectors:
    """Six-vectors per link (`links`) and per rotor (`rotors`, None where a joint has none)."""

    links: tuple[Array, ...]
    rotors: tuple[Array | None, ...]


@dataclass(frozen=True, slots=True)
class BodyMotion:
    """How a body turns and accelerates, in its own axes: angular velocity `w`, angular acceleration `alpha`, and the
    classical acceleration `a` of its origin (3,). The point at r accelerates at a + A r, with A = alpha~ + w~ w~ (3, 3).
    """

    w: Array
    alpha: Array
    a: Array
    A: Array


@dataclass(frozen=True, slots=True)
class Kinematics:
    """Result of `forward_kinematics`: world poses, spatial velocities V, velocity-product accelerations c.

    `R_WB` (bodies, 3, 3), `p_WB` (bodies, 3) m; `V` and `c` in link (rotor) axes at the link's (rotor's) origin.
    """

    R_WB: Array
    p_WB: Array
    V: SpatialVectors
    c: SpatialVectors


def joint_transform(link: Link, q: Array) -> Transform:
    """Pose of the link in its parent: placement composed with the joint's motion (Featherstone table 4.1)."""
    X = link.placement
    match link.type:
        case JointType.FREE:
            return Transform(quaternion_rotation(q[3:7]), q[:3])
        case JointType.REVOLUTE:
            return Transform(X.R @ axis_rotation(link.axis, q[0]), X.p)
        case JointType.PRISMATIC:
            return Transform(X.R, X.p + X.R @ (link.axis * q[0]))
        case JointType.BALL:
            return Transform(X.R @ quaternion_rotation(q), X.p)
        case JointType.FIXED:
            return X


def rotor_transform(rotor: TreeRotor, q: Array) -> Transform:
    """Pose of a rotor in the parent of its joint; one that looks the same at every angle is left unturned."""
    X = rotor.placement
    if not rotor.spins:
        return X
    return Transform(X.R @ axis_rotation(rotor.axis, rotor.gear_ratio * q[0]), X.p)


@share
def frames(tree: Tree, q: Any) -> Frames:
    """Poses of all links and rotors; ValueError for a q that is no configuration of the tree."""
    q = configuration(tree, q)
    X = tuple(joint_transform(link, q[link.q]) for link in tree.links)
    X_rotor = tuple(rotor_transform(link.rotor, q[link.q]) if link.rotor else None for link in tree.links)
    X_W: list[Transform] = []
    roots: list[Array] = []
    for link, X_link in zip(tree.links, X, strict=True):
        if link.parent >= 0:
            X_W.append(compose(X_W[link.parent], X_link))
            roots.append(roots[link.parent])
        else:
            X_W.append(Transform(X_link.R, np.zeros(3)))
            roots.append(X_link.p)
    poses = [*X, *(X_r for X_r in X_rotor if X_r)]
    dtype = np.result_type(tree.gravity, *{part.dtype for X_i in poses for part in (X_i.R, X_i.p)})
    return Frames(X, X_rotor, tuple(X_W), tuple(roots), dtype)


def velocities(tree: Tree, poses: Frames, v: Array) -> tuple[SpatialVectors, SpatialVectors]:
    """(V, c): V_i = X V_parent + S qd and c_i = V_i x S qd, for links and rotors (Featherstone 5.14, 5.16).

    The order is v x S qd; a text that prints v_J x v has the opposite sign.
    """
    V: list[Array] = []
    V_rotor: list[Array | None] = []
    c: list[Array] = []
    c_rotor: list[Array | None] = []
    for link, X, X_rotor in zip(tree.links, poses.X, poses.X_rotor, strict=True):
        parent = V[link.parent] if link.parent >= 0 else np.zeros(6)
        V_i, c_i = _behind_joint(X, parent, link.S @ v[link.v])
        V.append(V_i)
        c.append(c_i)
        V_r, c_r = _behind_joint(X_rotor, parent, link.rotor.S @ v[link.v]) if link.rotor and X_rotor else (None, None)
        V_rotor.append(V_r)
        c_rotor.append(c_r)
    return SpatialVectors(tuple(V), tuple(V_rotor)), SpatialVectors(tuple(c), tuple(c_rotor))


def _behind_joint(X: Transform, V_parent: Array, V_joint: Array) -> tuple[Array, Array]:
    """Velocity behind a joint and its velocity-product acceleration; V_joint x V_joint = 0 is left out."""
    # V = X V_p + S qd;  c = V x S qd
    carried = motion_to_child(X, V_parent)
    return carried + V_joint, motion_cross(carried, V_joint)


def spatial_accelerations(tree: Tree, poses: Frames, c: SpatialVectors, vdot: Array, root: Array) -> SpatialVectors:
    """A_i = X A_parent + S vdot + c (Featherstone 5.15) for links and rotors; `root` (6,) is the world's acceleration."""
    A: list[Array] = []
    A_rotor: list[Array | None] = []
    for i, (link, X, X_rotor) in enumerate(zip(tree.links, poses.X, poses.X_rotor, strict=True)):
        parent = A[link.parent] if link.parent >= 0 else root
        # A_i = X A_p + S vdot + c
        A.append(motion_to_child(X, parent) + link.S @ vdot[link.v] + c.links[i])
        if link.rotor and X_rotor:
            A_rotor.append(motion_to_child(X_rotor, parent) + link.rotor.S @ vdot[link.v] + c.rotors[i])
        else:
            A_rotor.append(None)
    return SpatialVectors(tuple(A), tuple(A_rotor))


def link_motions(tree: Tree, poses: Frames, v: Array, vdot: Array, root: Array) -> list[BodyMotion]:
    """Motion of every link; `root` (3,) is the world's acceleration.

    From the parent's motion at the joint (Luh, Walker and Paul 1980; Craig, Introduction to Robotics, section 6.5), with
    the joint's velocity [w_J; v_J] = S qd and rate [alpha_J; a_J] = S vdot in link axes, and w_p = R^T w of the parent:
    w = w_p + w_J, alpha = R^T alpha + w_p x w_J + alpha_J, a = R^T (a + A p) + (w_p + w) x v_J + a_J.
    """
    links: list[BodyMotion] = []
    for link, X in zip(tree.links, poses.X, strict=True):
        parent = links[link.parent] if link.parent >= 0 else _world_motion(root)
        links.append(_motion_behind_joint(X, parent, link.S @ v[link.v], link.S @ vdot[link.v]))
    return links


def rotor_motions(
    tree: Tree, poses: Frames, links: Sequence[BodyMotion], v: Array, vdot: Array, root: Array
) -> list[BodyMotion | None]:
    """Motion of every rotor, None where a joint has none, likewise from that of its joint's parent among the `links`."""
    rotors: list[BodyMotion | None] = []
    for link, X_rotor in zip(tree.links, poses.X_rotor, strict=True):
        parent, rotor = links[link.parent] if link.parent >= 0 else _world_motion(root), link.rotor
        spun = rotor and X_rotor and _motion_behind_joint(X_rotor, parent, rotor.S @ v[link.v], rotor.S @ vdot[link.v])
        rotors.append(spun or None)
    return rotors


def _world_motion(root: Array) -> BodyMotion:
    return BodyMotion(np.zeros(3), np.zeros(3), root, np.zeros((3, 3)))


def _motion_behind_joint(X: Transform, parent: BodyMotion, V_joint: Array, A_joint: Array) -> BodyMotion:
    """Motion of the body behind a joint, in its own axes."""
    w_joint, v_joint = V_joint[:3], V_joint[3:]
    carried = X.R.T @ parent.w
    # w = R^T w_p + w_J
    w = carried + w_joint
    # alpha = R^T alpha_p + R^T w_p x w_J + alpha_J
    alpha = X.R.T @ parent.alpha + cross(carried, w_joint) + A_joint[:3]
    # a = R^T (a_p + A_p p) + (R^T w_p + w) x v_J + a_J
    a = X.R.T @ (parent.a + parent.A @ X.p) + cross(carried + w, v_joint) + A_joint[3:]
    return BodyMotion(w, alpha, a, acceleration_matrix(w, alpha))


def base_acceleration(tree: Tree) -> Array:
    """Acceleration (6,) given to the world so that gravity acts on every body: [0; -g]."""
    return np.concatenate([np.zeros(3), -tree.gravity])


def forward_kinematics(tree: Tree, q: Any, v: Any) -> Kinematics:
    """World poses, spatial velocities and velocity-product accelerations of every link and rotor (S2)."""
    poses = frames(tree, q)
    V, c = velocities(tree, poses, vector(f"v of '{tree.name}'", v, tree.nv))
    R_WB = np.stack([X.R for X in poses.X_W])
    p_WB = np.stack([poses.position(i) for i in range(len(tree.links))])
    return Kinematics(R_WB, p_WB, V, c)


def bias_accelerations(tree: Tree, q: Any, v: Any) -> SpatialVectors:
    """Spatial accelerations of links and rotors at vdot = 0, without gravity: Jdot v of every body (S2)."""
    poses = frames(tree, q)
    _, c = velocities(tree, poses, vector(f"v of '{tree.name}'", v, tree.nv))
    return spatial_accelerations(tree, poses, c, np.zeros(tree.nv), np.zeros(6))


def forward_accelerations(tree: Tree, q: Any, v: Any, vdot: Any) -> SpatialVectors:
    """Spatial accelerations of links and rotors with gravity lifted into the world's acceleration -g (S2)."""
    poses = frames(tree, q)
    _, c = velocities(tree, poses, vector(f"v of '{tree.name}'", v, tree.nv))
    vdot = vector(f"vdot of '{tree.name}'", vdot, tree.nv)
    return spatial_accelerations(tree, poses, c, vdot, base_acceleration(tree))
