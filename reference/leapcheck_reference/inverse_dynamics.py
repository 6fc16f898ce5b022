"""Recursive Newton-Euler (Luh, Walker and Paul 1980) about the links' origins, with geared rotors, and what follows from it.

Gravity is lifted: the world accelerates at -g. The inertias are the regrouped ones.
"""

from typing import Any

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_models.spec import JointType
from leapcheck_reference.kinematics import BodyMotion, Frames, frames, link_motions, rotor_motions
from leapcheck_reference.links import Link
from leapcheck_reference.rotation import cross
from leapcheck_reference.scalar import stack
from leapcheck_reference.spatial import RigidInertia, force_to_parent
from leapcheck_reference.state import vector
from leapcheck_reference.tree import Tree


def inverse_dynamics(tree: Tree, q: Any, v: Any, vdot: Any, f_ext: Any = None) -> Array:
    """tau (nv,) = M vdot + h - sum J^T f_ext, in N m and N, canonical; vdot is the component-wise rate of v.

    `f_ext` (bodies, 6): external [moment; force] on each link, in link axes, at its origin.
    """
    return _newton_euler(tree, q, v, vdot, -tree.gravity, f_ext)


def inverse_dynamics_with_contacts(tree: Tree, q: Any, v: Any, vdot: Any, contact_forces: Any) -> Array:
    """tau (nv,) = M vdot + h - sum J^T f, in N m and N, canonical; vdot is the component-wise rate of v.

    `contact_forces` (points, 3), or in one row (3 points,): the force f on the robot at each computed contact point, N,
    world axes.
    """
    n, forces = len(tree.points), np.asarray(contact_forces)
    forces = forces.ravel() if forces.shape == (n, 3) else forces
    forces = vector(f"contact_forces of '{tree.name}'", forces, 3 * n).reshape(n, 3)
    return _newton_euler(tree, q, v, vdot, -tree.gravity, _forces_on_links(tree, frames(tree, q), forces))


def bias_force(tree: Tree, q: Any, v: Any) -> Array:
    """h (nv,) = C(q, v) v + g(q): the force that keeps vdot = 0, without damping, springs or friction."""
    return _newton_euler(tree, q, v, np.zeros(tree.nv), -tree.gravity)


def gravity_force(tree: Tree, q: Any) -> Array:
    """g(q) (nv,): the bias force at v = 0, the gradient of the potential energy."""
    zero = np.zeros(tree.nv)
    return _newton_euler(tree, q, zero, zero, -tree.gravity)


def coriolis_force(tree: Tree, q: Any, v: Any) -> Array:
    """C(q, v) v (nv,): the bias force without gravity."""
    return _newton_euler(tree, q, v, np.zeros(tree.nv), np.zeros(3))


def _newton_euler(tree: Tree, q: Any, v: Any, vdot: Any, root: Array, f_ext: Any = None) -> Array:
    poses = frames(tree, q)
    v, vdot = vector(f"v of '{tree.name}'", v, tree.nv), vector(f"vdot of '{tree.name}'", vdot, tree.nv)
    links = link_motions(tree, poses, v, vdot, root)
    rotors = rotor_motions(tree, poses, links, v, vdot, root)
    F = [net_force(inertia, motion) for inertia, motion in zip(tree.regrouped.links, links, strict=True)]
    if f_ext is not None:
        F = [F_i - f for F_i, f in zip(F, external_forces(tree, f_ext), strict=True)]
    tau: list[Array] = [np.zeros(0)] * len(tree.links)
    for i in reversed(range(len(tree.links))):
        link = tree.links[i]
        # tau_i = S^T f_i + armature qdd_i;  f_p += X^T f_i
        tau[i] = link.S.T @ F[i] + link.armature * own_acceleration(link, v, vdot)
        carried = force_to_parent(poses.X[i], F[i])
        rotor, X_rotor, inertia, motion = link.rotor, poses.X_rotor[i], tree.regrouped.rotors[i], rotors[i]
        if rotor and X_rotor and inertia and motion:
            # tau_i += Sr^T f_r;  f_p += Xr^T f_r
            F_rotor = net_force(inertia, motion)
            tau[i] = tau[i] + rotor.S.T @ F_rotor
            carried = carried + force_to_parent(X_rotor, F_rotor)
        if link.parent >= 0:
            F[link.parent] = F[link.parent] + carried
    return np.concatenate(tau)


def own_acceleration(link: Link, v: Array, vdot: Array) -> Array:
    """What the armature of a joint resists: vdot (k,) of the joint, a free joint's linear part with w x v.

    A free joint's linear velocity counts in world axes (MuJoCo's `dof_armature`), while v and vdot stand in the base's.
    """
    acceleration: Array = vdot[link.v]
    if link.type is JointType.FREE:
        w, v_B = v[link.v][:3], v[link.v][3:]
        acceleration = acceleration + np.concatenate([np.zeros(3), cross(w, v_B)])
    return acceleration


def net_force(inertia: RigidInertia, motion: BodyMotion) -> Array:
    """[n; f] (6,) that moves a body so, about its origin: f = m a + A mc (Newton), n = I alpha + w x I w + mc x a (Euler)."""
    f = inertia.mass * motion.a + motion.A @ inertia.mc
    n = _turning_moment(inertia.I, motion.w, motion.alpha) + cross(inertia.mc, motion.a)
    return np.concatenate([n, f])


def _turning_moment(I: Array, w: Array, alpha: Array) -> Array:
    """I alpha + w x I w (3,), component by component (Hibbeler, Engineering Mechanics: Dynamics, section 21.4).

    Written out it takes products of two components of w, which A = alpha~ + w~ w~ takes too.
    """
    rows = []
    entries, w, alpha = I.tolist(), w.tolist(), alpha.tolist()
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        diagonal = entries[i][i] * alpha[i] + (entries[k][k] - entries[j][j]) * (w[j] * w[k])
        products = entries[i][j] * (alpha[j] - w[k] * w[i]) + entries[i][k] * (alpha[k] + w[i] * w[j])
        rows.append(diagonal + products + entries[j][k] * (w[j] * w[j] - w[k] * w[k]))
    return stack(rows, 3, like=I)


def _forces_on_links(tree: Tree, poses: Frames, forces: Array) -> Array | None:
    """[moment; force] (bodies, 6) of world forces (points, 3) at the contact points, as `f_ext`; None without any points."""
    if not tree.points:
        return None
    on_links: dict[int, Array] = {}
    for point, force in zip(tree.points, forces, strict=True):
        # f_B = R_WB^T f;  n = p x f_B
        f = poses.X_W[point.link].R.T @ force
        wrench = np.concatenate([cross(point.position, f), f])
        on_links[point.link] = on_links[point.link] + wrench if point.link in on_links else wrench
    return np.stack([on_links.get(i, np.zeros(6)) for i in range(len(tree.links))])


def external_forces(tree: Tree, f_ext: Any) -> Array:
    """f_ext as an array (bodies, 6); ValueError for another shape, NaN or infinity."""
    forces, name = np.asarray(f_ext), f"f_ext of '{tree.name}'"
    if forces.shape != (len(tree.links), 6):
        raise ValueError(f"{name} has shape {forces.shape}: give ({len(tree.links)}, 6)")
    return vector(name, forces.ravel(), forces.size).reshape(forces.shape)
