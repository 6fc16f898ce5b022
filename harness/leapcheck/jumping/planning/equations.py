"""What the planner solves for in every pose, over any scalar, and the programs that do so for many poses at once.

A foot moves with the trunk and with the three joints of its own leg only, so each leg is a system of three equations and the
trunk is another (Schur complement), by cofactors. In a pose in which a leg is exactly singular the answers are not finite.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import leapcheck_reference as reference
from leapcheck_models.arrays import Array
from leapcheck_reference.rotation import cross, quaternion_rotation
from leapcheck_reference.scalar import as_objects
from leapcheck_reference.sharing import sharing
from leapcheck_reference.trace.graph import Graph
from leapcheck_reference.trace.kernel import Program, program
from leapcheck_reference.trace.key import key_of
from leapcheck_reference.trace.symbol import Recorder
from leapcheck_reference.tree import Tree

Legs = NDArray[np.intp]
"""Places in v of each leg's three joints (feet, 3)."""


def newton_step(tree: Tree, legs: Legs, q: Array, com: Array, feet: Array) -> dict[str, Array]:
    """One step of Newton's towards com (3,) and foot centres (feet, 3), the trunk's orientation as it is.

    `step` (nq - 4,): of the trunk's position in the world and the joints; `off` (3 + 3 feet,) m: how far off they are before it.
    """
    com_off, feet_off = com - reference.com_position(tree, q), feet - reference.contact_positions(tree, q)
    J_com, J = reference.com_jacobian(tree, q), reference.contact_jacobians(tree, q)
    x = _by_legs(legs - 3, J_com[:, 3:], J[..., 3:], com_off, feet_off)
    x[:3] = quaternion_rotation(q[3:7]) @ x[:3]
    return {"step": x, "off": np.concatenate([com_off, feet_off.ravel()])}


def rolling_velocity(tree: Tree, legs: Legs, radii: Array, q: Array, pitch_rate: Array, com: Array) -> dict[str, Array]:
    """`v` (nv,) over feet that roll, with the trunk's turn (1,) rad/s about the world's y axis and the com's velocity (3,) m/s
    given; `centres` (feet, 3) m/s of the feet.
    """
    turning = quaternion_rotation(q[3:7])[1] * pitch_rate[0]
    v = _motion(tree, legs, radii, q, turning, com, np.zeros((len(legs), 3), dtype=object))
    return {"v": v, "centres": reference.contact_jacobians(tree, q) @ v}


def rolling_acceleration(
    tree: Tree, legs: Legs, radii: Array, q: Array, v: Array, turning: Array, com: Array, points: Array
) -> dict[str, Array]:
    """`vdot` (nv,) for accelerations of the trunk's turning in its axes (3,), of the com (3,) and of the points that touch the
    ground (feet, 3); `force` (nv,) that it takes, and `slip` (feet, 3, nv), the points' Jacobian.
    """
    bias = at_the_ground(
        radii, reference.contact_bias_accelerations(tree, q, v), reference.contact_angular_bias_accelerations(tree, q, v)
    )
    vdot = _motion(tree, legs, radii, q, turning, com - reference.com_bias_acceleration(tree, q, v), points - bias)
    return {"vdot": vdot, "force": reference.inverse_dynamics(tree, q, v, vdot), "slip": _points_jacobian(tree, radii, q)}


def _motion(tree: Tree, legs: Legs, radii: Array, q: Array, turning: Array, com: Array, points: Array) -> Array:
    """v (nv,) with the wanted turning of the trunk in its axes (3,), motion of the com (3,), of the contact points (feet, 3)."""
    J_com, J = reference.com_jacobian(tree, q), _points_jacobian(tree, radii, q)
    x = _by_legs(legs - 3, J_com[:, 3:], J[..., 3:], com - J_com[:, :3] @ turning, points - J[..., :3] @ turning)
    return np.concatenate([turning, x])


def _points_jacobian(tree: Tree, radii: Array, q: Array) -> Array:
    """(feet, 3, nv): world velocity of the point of each foot that touches the ground, as a point of the foot."""
    return at_the_ground(radii, reference.contact_jacobians(tree, q), reference.contact_angular_jacobians(tree, q))


def at_the_ground(radii: Array, centres: Array, turning: Array) -> Array:
    """What holds for the feet's contact points of what holds for their centres and their turning, (feet, 3, ...) each.

    w x (-r n) is r (-w_y, w_x, 0).
    """
    points = centres.copy()
    for point, turn, r in zip(points, turning, radii.tolist(), strict=True):
        point[0] = point[0] - r * turn[1]
        point[1] = point[1] + r * turn[0]
    return points


def _by_legs(legs: Legs, J_com: Array, J: Array, com: Array, feet: Array) -> Array:
    """x (k,), the trunk's three rates and the joints', that moves the com by `com` (3,) and the feet by `feet` (feet, 3).

    `J_com` (3, k) and `J` (feet, 3, k) are the Jacobians; `legs` the places in x of each leg's joints.
    """
    x = np.empty(J_com.shape[1], dtype=object)
    trunk, left, solved = J_com[:, :3], com, []
    for leg, J_foot, foot in zip(legs, J, feet, strict=True):
        # x_leg = J_l^-1 (foot - J_t x_t), put into the com's equation
        inverse, share = _inverse(J_foot[:, leg]), J_com[:, leg]
        by_trunk, alone = inverse @ J_foot[:, :3], inverse @ foot
        trunk, left = trunk - share @ by_trunk, left - share @ alone
        solved.append((leg, by_trunk, alone))
    x[:3] = _inverse(trunk) @ left
    for leg, by_trunk, alone in solved:
        x[leg] = alone - by_trunk @ x[:3]
    return x


def _inverse(A: Array) -> Array:
    """A^-1 (3, 3) by cofactors."""
    a, b, c = A
    columns = [cross(b, c), cross(c, a), cross(a, b)]
    inverse: Array = np.stack(columns, axis=1) / (a @ columns[0])
    return inverse


def equations(function: Callable[..., dict[str, Array]], tree: Tree, *constants: Array, **shapes: tuple[int, ...]) -> Program:
    """The function of a tree, arrays of constants and inputs of these shapes, for many poses at once.

    Interpreted: for the hundred thousand poses of a search the compiler's two seconds would gain a tenth of one.
    """

    def graph() -> Graph:
        recorder = Recorder(float)
        inputs = [recorder.input(name, *shape) for name, shape in shapes.items()]
        with sharing():
            return recorder.graph(function(as_objects(tree), *constants, *inputs))

    return program(function.__name__.encode() + key_of(tree, constants, shapes), graph, compile_code=False)
