"""Frames of all links, then of all contact points, which have the axes of their links: world axes, at each frame's origin."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_reference.energy import body_jacobian_rates, body_jacobians
from leapcheck_reference.kinematics import frames, link_motions, velocities
from leapcheck_reference.rotation import cross, skew
from leapcheck_reference.state import vector
from leapcheck_reference.tree import Tree


def frame_placements(tree: Tree, q: Any) -> Array:
    """[R_WF, p_WF] (frames, 3, 4) of each frame, p in m."""
    poses = frames(tree, q)
    placements = [np.column_stack([poses.X_W[i].R, poses.position(i) + poses.X_W[i].R @ r]) for i, r in _places(tree)]
    return np.stack(placements)


def frame_velocities(tree: Tree, q: Any, v: Any) -> Array:
    """[w; pdot] (frames, 6) of each frame in the world, rad/s and m/s."""
    poses = frames(tree, q)
    V, _ = velocities(tree, poses, vector(f"v of '{tree.name}'", v, tree.nv))
    rows = []
    for i, r in _places(tree):
        R, w, v_B = poses.X_W[i].R, V.links[i][:3], V.links[i][3:]
        # [R w; R (v + w x r)]
        rows.append(np.concatenate([R @ w, R @ (v_B + cross(w, r))]))
    return np.stack(rows)


def frame_jacobians(tree: Tree, q: Any) -> Array:
    """J (frames, 6, nv): the velocity [w; pdot] of each frame is J v."""
    poses = frames(tree, q)
    jacobians = body_jacobians(tree, poses)
    rows = []
    for i, r in _places(tree):
        R, (J, _) = poses.X_W[i].R, jacobians[i]
        rows.append(np.concatenate([R @ J[:3], R @ (J[3:] - skew(r) @ J[:3])]))
    return np.stack(rows)


def frame_jacobian_rates(tree: Tree, q: Any, v: Any) -> Array:
    """Jdot (frames, 6, nv): how fast each entry of `frame_jacobians` changes at v; Jdot v are the bias accelerations."""
    poses = frames(tree, q)
    v = vector(f"v of '{tree.name}'", v, tree.nv)
    V, _ = velocities(tree, poses, v)
    jacobians, rates = body_jacobians(tree, poses), body_jacobian_rates(tree, poses, v)
    rows = []
    for i, r in _places(tree):
        R, (J, _), (Jdot, _), turn = poses.X_W[i].R, jacobians[i], rates[i], skew(V.links[i][:3])
        # d/dt [R J_w; R (J_v - r x J_w)], with Rdot = R w~
        J_r, Jdot_r = J[3:] - skew(r) @ J[:3], Jdot[3:] - skew(r) @ Jdot[:3]
        rows.append(np.concatenate([R @ (turn @ J[:3] + Jdot[:3]), R @ (turn @ J_r + Jdot_r)]))
    return np.stack(rows)


def frame_bias_accelerations(tree: Tree, q: Any, v: Any) -> Array:
    """Jdot v (frames, 6): angular and classical linear acceleration of each frame at vdot = 0, without gravity."""
    return frame_accelerations(tree, q, v, np.zeros(tree.nv))


def frame_accelerations(tree: Tree, q: Any, v: Any, vdot: Any) -> Array:
    """J vdot + Jdot v (frames, 6): angular and classical linear acceleration of each frame, without gravity."""
    poses = frames(tree, q)
    v, vdot = (vector(f"{name} of '{tree.name}'", x, tree.nv) for name, x in (("v", v), ("vdot", vdot)))
    motions = link_motions(tree, poses, v, vdot, np.zeros(3))
    rows = []
    for i, r in _places(tree):
        R, motion = poses.X_W[i].R, motions[i]
        # [R alpha; R (a + A r)]
        rows.append(np.concatenate([R @ motion.alpha, R @ (motion.a + motion.A @ r)]))
    return np.stack(rows)


def _places(tree: Tree) -> Iterator[tuple[int, Array]]:
    """Link and place in its axes (m) of each frame."""
    yield from ((i, np.zeros(3)) for i in range(len(tree.links)))
    yield from ((point.link, point.position) for point in tree.points)
