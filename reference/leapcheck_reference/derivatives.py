"""Derivatives of dynamics and of frames' motion on the robot's manifold, by numbers that carry their rates: any scalar.

Column j of a derivative by q is the change when q moves along the unit velocity of dof j: a base by [w; v] in its own axes; v,
vdot and tau stay what they are, component by component. Kernels record the same by `trace.derivatives`, in fewer operations.
"""

from typing import Any

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_models.spec import JointType
from leapcheck_reference.dual import dual, rates_of
from leapcheck_reference.factorization import factorization, solution
from leapcheck_reference.forward_dynamics import factored_forward_dynamics, minverse
from leapcheck_reference.inverse_dynamics import bias_force, inverse_dynamics
from leapcheck_reference.link_frames import frame_accelerations, frame_bias_accelerations, frame_velocities
from leapcheck_reference.mass_matrix import mass_matrix
from leapcheck_reference.rotation import quaternion_rotation, skew
from leapcheck_reference.state import configuration, vector
from leapcheck_reference.tree import Tree


def inverse_dynamics_derivative_q(tree: Tree, q: Any, v: Any, vdot: Any) -> Array:
    """d tau / d q (nv, nv) at fixed v and vdot."""
    return rates_of(inverse_dynamics(tree, moving_configuration(tree, q), v, vdot), tree.nv)


def inverse_dynamics_derivative_v(tree: Tree, q: Any, v: Any) -> Array:
    """d tau / d v (nv, nv) at fixed q and vdot; it does not depend on vdot. (d tau / d vdot is the mass matrix.)"""
    v = vector(f"v of '{tree.name}'", v, tree.nv)
    return rates_of(bias_force(tree, q, dual(v, np.eye(tree.nv))), tree.nv)


def forward_dynamics_derivative_q(tree: Tree, q: Any, v: Any, tau: Any) -> Array:
    """d vdot / d q (nv, nv) at fixed v and tau = -M^-1 d tau / d q, at the vdot that tau brings about.

    From tau = ID(q, v, vdot(q, v, tau)) (Carpentier and Mansard, Analytical derivatives of rigid body dynamics algorithms, 2018).
    """
    return _solved(tree, q, inverse_dynamics_derivative_q(tree, q, v, factored_forward_dynamics(tree, q, v, tau)))


def forward_dynamics_derivative_v(tree: Tree, q: Any, v: Any) -> Array:
    """d vdot / d v (nv, nv) at fixed q and tau = -M^-1 d tau / d v; it does not depend on tau."""
    return _solved(tree, q, inverse_dynamics_derivative_v(tree, q, v))


def forward_dynamics_derivative_tau(tree: Tree, q: Any) -> Array:
    """d vdot / d tau (nv, nv) = M^-1."""
    return minverse(tree, q)


def frame_velocity_derivative_q(tree: Tree, q: Any, v: Any) -> Array:
    """d [w; pdot] / d q (frames, 6, nv) of each frame at fixed v; by v it is J."""
    return rates_of(frame_velocities(tree, moving_configuration(tree, q), v), tree.nv)


def frame_acceleration_derivative_q(tree: Tree, q: Any, v: Any, vdot: Any) -> Array:
    """d [wdot; pddot] / d q (frames, 6, nv) of each frame at fixed v and vdot: classical, without gravity; by vdot it is J."""
    return rates_of(frame_accelerations(tree, moving_configuration(tree, q), v, vdot), tree.nv)


def frame_acceleration_derivative_v(tree: Tree, q: Any, v: Any) -> Array:
    """d [wdot; pddot] / d v (frames, 6, nv) of each frame at fixed q and vdot; it does not depend on vdot."""
    v = vector(f"v of '{tree.name}'", v, tree.nv)
    return rates_of(frame_bias_accelerations(tree, q, dual(v, np.eye(tree.nv))), tree.nv)


def moving_configuration(tree: Tree, q: Any) -> Array:
    """q (nq,) with the rate of each entry along the unit velocity of each dof."""
    q = configuration(tree, q)
    rates = np.zeros((tree.nq, tree.nv), dtype=object)
    for link in tree.links:
        if link.type in (JointType.REVOLUTE, JointType.PRISMATIC):
            rates[link.q, link.v] = 1.0
        elif link.type in (JointType.FREE, JointType.BALL):
            quaternion, turns = slice(link.q.stop - 4, link.q.stop), slice(link.v.start, link.v.start + 3)
            s, u = q[quaternion][0], q[quaternion][1:]
            # qdot = (q times w) / 2;  pdot = R v
            rates[quaternion, turns] = 0.5 * np.vstack([-u, s * np.eye(3) + skew(u)])
            if link.type is JointType.FREE:
                rates[link.q.start : quaternion.start, turns.stop : link.v.stop] = quaternion_rotation(q[quaternion])
    return dual(q, rates)


def _solved(tree: Tree, q: Any, force: Array) -> Array:
    """-M^-1 times columns of forces (nv, nv)."""
    solved: Array = -solution(factorization(mass_matrix(tree, q), tree.dof_parent), force)
    return solved
