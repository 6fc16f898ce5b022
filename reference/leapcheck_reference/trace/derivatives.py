"""Derivatives of recorded algorithms, by differentiation of the record; of dynamics and of frames' motion by name.

The derivatives are recorded as the algorithms are: equal operations once, no products with zero. Forward mode fits a tree
of links: a joint's coordinate moves the links behind it alone, and the rates of all others are zeros that cost nothing.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_models.spec import JointType
from leapcheck_reference.factorization import Factors, factorization, inverse_product, solution
from leapcheck_reference.forward_dynamics import factored_forward_dynamics
from leapcheck_reference.inverse_dynamics import bias_force, inverse_dynamics
from leapcheck_reference.link_frames import frame_accelerations, frame_bias_accelerations, frame_velocities
from leapcheck_reference.links import Link
from leapcheck_reference.mass_matrix import mass_matrix
from leapcheck_reference.rotation import quaternion_rotation, skew
from leapcheck_reference.trace.graph import Op
from leapcheck_reference.trace.symbol import Recorder, Symbol
from leapcheck_reference.tree import Tree

Along = tuple[Array, Array]
"""Symbols that move, of any shape, and their rates (*shape, k) in each of k directions."""


def inverse_dynamics_derivative_q(tree: Tree, q: Array, v: Array, vdot: Array) -> Array:
    """d tau / d q (nv, nv) at fixed v and vdot, component by component; q moves as a velocity would move it.

    Column j is the change of tau when q moves along the unit velocity of dof j: a base by [w; v] in its own axes. All
    arguments are symbols of one recorder, here and below.
    """
    return derivative(inverse_dynamics(tree, q, v, vdot), tangents(tree, q))


def inverse_dynamics_derivative_v(tree: Tree, q: Array, v: Array) -> Array:
    """d tau / d v (nv, nv) at fixed q and vdot; it does not depend on vdot. (d tau / d vdot is the mass matrix.)"""
    return derivative(bias_force(tree, q, v), [(v, np.eye(tree.nv))])


def forward_dynamics_derivative_q(tree: Tree, q: Array, v: Array, tau: Array) -> Array:
    """d vdot / d q (nv, nv) at fixed v and tau = -M^-1 d tau / d q, at the vdot that tau brings about.

    From tau = ID(q, v, vdot(q, v, tau)) (Carpentier and Mansard, Analytical derivatives of rigid body dynamics
    algorithms, 2018); columns as in `inverse_dynamics_derivative_q`.
    """
    vdot = factored_forward_dynamics(tree, q, v, tau)
    fixed_vdot = (vdot, np.zeros((tree.nv, tree.nv)))
    return -solution(_factors(tree, q), derivative(inverse_dynamics(tree, q, v, vdot), [*tangents(tree, q), fixed_vdot]))


def forward_dynamics_derivative_v(tree: Tree, q: Array, v: Array) -> Array:
    """d vdot / d v (nv, nv) at fixed q and tau = -M^-1 d tau / d v; it does not depend on tau."""
    return -solution(_factors(tree, q), inverse_dynamics_derivative_v(tree, q, v))


def forward_dynamics_derivative_tau(tree: Tree, q: Array) -> Array:
    """d vdot / d tau (nv, nv) = M^-1."""
    return inverse_product(_factors(tree, q), np.eye(tree.nv))


def frame_velocity_derivative_q(tree: Tree, q: Array, v: Array) -> Array:
    """d [w; pdot] / d q (frames, 6, nv) of each frame at fixed v."""
    return derivative(frame_velocities(tree, q, v), tangents(tree, q))


def frame_acceleration_derivative_q(tree: Tree, q: Array, v: Array, vdot: Array) -> Array:
    """d [wdot; pddot] / d q (frames, 6, nv) of each frame at fixed v and vdot."""
    return derivative(frame_accelerations(tree, q, v, vdot), tangents(tree, q))


def frame_acceleration_derivative_v(tree: Tree, q: Array, v: Array) -> Array:
    """d [wdot; pddot] / d v (frames, 6, nv) of each frame at fixed q and vdot."""
    return derivative(frame_bias_accelerations(tree, q, v), [(v, np.eye(tree.nv))])


def derivative(outputs: Array, along: Sequence[Along]) -> Array:
    """Rates (*shape, k) of symbols when others move.

    Those that move are variables of their own: what they were computed from is not looked at, so that a rate of zero
    holds them. Raises ValueError for an operation without a derivative.
    """
    directions = along[0][1].shape[-1]
    recorder = next((x.recorder for x in outputs.ravel() if isinstance(x, Symbol)), None)
    if recorder is None:  # numbers
        return np.zeros((*outputs.shape, directions), dtype=object)
    rates = _seeds(along)
    for number in _nodes_between(recorder, outputs, rates):
        if any(a in rates for a in recorder.node(number).arguments):
            rates[number] = _rate(recorder, number, rates)
    rows = [_symbol_rate(x, rates, directions) for x in outputs.ravel()]
    return np.array(rows, dtype=object).reshape(*outputs.shape, directions)


def tangents(tree: Tree, q: Array) -> list[Along]:
    """How a configuration moves along each unit velocity: the coordinates of joints, positions and rotations of bases.

    A rotation R, not its quaternion, is what moves: Rdot = R w~. The quaternion moves too, for what else may depend on it.
    """
    along: list[Along] = []
    for link in tree.links:
        if link.type in (JointType.REVOLUTE, JointType.PRISMATIC):
            along.append(_tangent(tree, link.v, q[link.q], np.eye(1)))
        elif link.type in (JointType.FREE, JointType.BALL):
            along += _base_tangents(tree, link, q[link.q])
    return along


def _base_tangents(tree: Tree, link: Link, q: Array) -> list[Along]:
    quaternion, turns = q[-4:], slice(link.v.start, link.v.start + 3)
    R = quaternion_rotation(quaternion)
    s, u = quaternion[0], quaternion[1:]
    quaternion_rate = 0.5 * np.vstack([-u, s * np.eye(3) + skew(u)])
    R_rate = np.stack([R @ skew(axis) for axis in np.eye(3)], axis=-1)
    along = [_tangent(tree, turns, quaternion, quaternion_rate), _tangent(tree, turns, R, R_rate)]
    if link.type is JointType.FREE:
        along.append(_tangent(tree, slice(turns.stop, link.v.stop), q[:3], R))
    return along


def _tangent(tree: Tree, dofs: slice, x: Array, rates: Array) -> Along:
    """The rates of some dofs among those of all."""
    of_all = np.zeros((*x.shape, tree.nv), dtype=object)
    of_all[..., dofs] = rates
    return x, of_all


def _factors(tree: Tree, q: Array) -> Factors:
    return factorization(mass_matrix(tree, q), tree.dof_parent)


def _seeds(along: Sequence[Along]) -> dict[int, Array]:
    """The rates (k,) of the nodes of the symbols that move."""
    seeds: dict[int, Array] = {}
    for symbols, rates in along:
        for place, symbol in np.ndenumerate(symbols):
            if isinstance(symbol, Symbol):
                seeds[symbol.node] = -rates[place] if symbol.negative else rates[place]
    return seeds


def _nodes_between(recorder: Recorder, outputs: Array, seeds: Mapping[int, Any]) -> list[int]:
    """The nodes between the seeds and the outputs, each after its arguments."""
    needed: set[int] = set()
    stack = [x.node for x in outputs.ravel() if isinstance(x, Symbol)]
    while stack:
        number = stack.pop()
        if number not in needed and number not in seeds:
            needed.add(number)
            stack.extend(recorder.node(number).arguments)
    return sorted(needed)


def _rate(recorder: Recorder, number: int, rates: Mapping[int, Any]) -> Any:
    """Rates (k,) of one operation from those of its arguments, by the rules of differentiation."""
    node = recorder.node(number)
    x, y, z = (_symbol(recorder, n) for n in (node.arguments[0], node.arguments[-1], number))
    dx, dy = (rates.get(argument, 0.0) for argument in (node.arguments[0], node.arguments[-1]))
    match node.op:
        case Op.ADD:
            return dx + dy
        case Op.SUB:
            return dx - dy
        case Op.MUL:
            return dx * y + x * dy
        case Op.DIV:
            return (dx - z * dy) * (1.0 / y)
        case Op.NEG:
            return -dx
        case Op.SQRT:
            return dx * (0.5 / z)
        case Op.SIN:
            return dx * x.cos()
        case Op.COS:
            return -dx * x.sin()
    raise ValueError(f"operation '{node.op}' of the record has no derivative: differentiate before it is lowered")


def _symbol(recorder: Recorder, number: int) -> Symbol:
    node = recorder.node(number)
    return recorder.constant(node.value) if node.op is Op.CONSTANT else Symbol(recorder, number, False)


def _symbol_rate(x: Any, rates: Mapping[int, Array], directions: int) -> Array:
    if not isinstance(x, Symbol) or x.node not in rates:
        return np.zeros(directions, dtype=object)
    return -rates[x.node] if x.negative else rates[x.node]
