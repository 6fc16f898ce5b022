"""Closed loops and coupled joints as constraints on the tree: J, Jdot v, and the forward dynamics that keep J vdot + Jdot v = 0.

Rows, loop by loop and then coupling by coupling, world axes: a connect has 3, the velocity of the point of body 2 minus that of
the point of body 1; a weld has 6, the angular velocity of body 2 minus that of body 1, then the same 3; a coupling has 1, qd of
the joint minus p'(x) qd of its leader. The two points need not coincide, so every state will do.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_models.spec import LoopType
from leapcheck_reference.contact import (
    contact_angular_bias_accelerations,
    contact_angular_jacobians,
    contact_bias_accelerations,
    contact_jacobians,
)
from leapcheck_reference.factorization import factorization, inwards, outwards
from leapcheck_reference.forward_dynamics import factored_forward_dynamics
from leapcheck_reference.links import Point, TreeLoop
from leapcheck_reference.mass_matrix import mass_matrix
from leapcheck_reference.state import configuration, vector
from leapcheck_reference.tree import Tree

DEPENDENT = 1.5e-7
"""A row is left out whose part that is independent of the rows before is shorter than this, relative to the vector that it is a
component of. What vanishes by structure, or where a planar loop closes, leaves 1e-15 to 1e-17.
"""

ZERO_ROW = 1e-60
"""Added to squares of lengths, so that rows of zeros can be divided by them; larger than what balls of 256 bits are wide."""


def constraint_jacobian(tree: Tree, q: Any) -> Array:
    """J (rows, nv): J v is the velocity at which the loops open; m, 1."""
    q = configuration(tree, q)
    anchored = _with_anchors(tree)
    linear, angular = contact_jacobians(anchored, q), contact_angular_jacobians(anchored, q)
    rows = _loop_rows(tree.loops, linear, angular, np.zeros((3, tree.nv)))
    for coupling in tree.couplings:
        row = np.zeros(tree.nv, dtype=linear.dtype)
        row[coupling.dof] = 1.0
        if coupling.leader is not None:
            row[coupling.leader.v] = -slope(coupling.coefficients, q[coupling.leader.q])
        rows.append(row[None])
    return np.concatenate(rows) if rows else np.zeros((0, tree.nv))


def constraint_bias(tree: Tree, q: Any, v: Any) -> Array:
    """Jdot v (rows,), m/s^2, rad/s^2: the acceleration at which the loops open at vdot = 0."""
    q, v = configuration(tree, q), vector(f"v of '{tree.name}'", v, tree.nv)
    anchored = _with_anchors(tree)
    linear = contact_bias_accelerations(anchored, q, v)
    angular = contact_angular_bias_accelerations(anchored, q, v)
    rows = _loop_rows(tree.loops, linear, angular, np.zeros(3))
    for coupling in tree.couplings:
        rate = 0.0 * v[coupling.dof]
        if coupling.leader is not None:
            # d/dt p'(x) xd at xdd = 0 is p''(x) xd^2
            speed = v[coupling.leader.v]
            rate = -curvature(coupling.coefficients, q[coupling.leader.q]) * speed * speed
        rows.append(np.array([rate], dtype=v.dtype))
    return np.concatenate(rows) if rows else np.zeros(0)


def constrained_forward_dynamics(tree: Tree, q: Any, v: Any, tau: Any) -> Array:
    """vdot (nv,) with M vdot + h = tau + J^T lambda and J vdot + Jdot v = 0: rigid, without feedback of the loops' errors.

    Rows that depend on rows before them, by structure or at this state, as those of a planar loop where it closes, which no force
    can change, are left out: see `independent_constraints`.
    """
    free = factored_forward_dynamics(tree, q, v, tau)
    J = constraint_jacobian(tree, q)
    if not len(J):
        return free
    M = mass_matrix(tree, q)
    factors = factorization(M, tree.dof_parent)
    groups = row_groups([loop.type for loop in tree.loops], len(tree.couplings))
    U, c, share = independent_constraints(J, constraint_bias(tree, q, v), groups, 1.0 / np.diagonal(M))
    z = constraint_part(inwards(factors, U.T), 1.0 / factors.D, c - U @ free, share)
    vdot: Array = free + outwards(factors, z)
    return vdot


def constraint_part(Y: Array, weights: Array, missing: Array, share: Sequence[Any]) -> Array:
    """The shortest z (nv,) with Y^T W z = missing, W = diag(weights), by columns of Y (nv, rows) made orthogonal.

    With M = L^T D L, Y = L^-T U^T and W = D^-1 it is what the constraints add to L^-T M vdot (Gauss's least constraint).
    """
    z = 0.0 * Y[:, 0]
    before: list[tuple[Array, Any]] = []
    for k, kept in enumerate(share):
        w = Y[:, k]
        for w_j, inverse in before:
            w = w - inverse * ((weights * w_j) @ w) * w_j
        inverse = kept / ((weights * w) @ w + ZERO_ROW)
        z = z + inverse * (missing[k] - (weights * Y[:, k]) @ z) * w
        before.append((w, inverse))
    return z


def row_groups(loops: Iterable[LoopType], couplings: int) -> list[int]:
    """For each row the number of the vector that it is a component of: a loop's relative velocity, a weld's angular velocity."""
    vectors = [length for kind in loops for length in ((3, 3) if kind is LoopType.WELD else (3,))] + [1] * couplings
    return [number for number, length in enumerate(vectors) for _ in range(length)]


def independent_constraints(J: Array, bias: Array, groups: Sequence[int], weights: Array) -> tuple[Array, Array, list[Any]]:
    """(U, c, share) with U vdot = c as J vdot = -bias, the rows of U orthogonal, and `share` 1 where one is independent, else 0.

    By modified Gram-Schmidt in the metric <a, b> = sum_i weights_i a_i b_i, row by row; `groups` as `row_groups`, for a component
    that is zero by structure is rounding alone. The share fades, see `inverse_square`.
    """
    squares = [(weights * row) @ row for row in J]
    whole = [sum(square for square, other in zip(squares, groups, strict=True) if other == group) for group in groups]
    rows: list[tuple[Array, Any, Any]] = []
    share: list[Any] = []
    for row, b, vector_square in zip(J, bias, whole, strict=True):
        u, c = row, -b
        for u_j, g_j, c_j in rows:
            part = g_j * ((weights * u_j) @ u)
            u, c = u - part * u_j, c - part * c_j
        square = (weights * u) @ u
        g = inverse_square(square, vector_square)
        rows.append((u, g, c))
        share.append(g * square)
    return np.array([u for u, _, _ in rows]), np.array([c for _, _, c in rows]), share


def inverse_square(square: Any, whole: Any) -> Any:
    """1 / |u|^2 of the part u of a row that is independent of the rows before, fading to 0 where it is DEPENDENT of the whole.

    r^7 / (r^8 + DEPENDENT^16) / whole with r = |u|^2 / whole: without a branch, so that it can be traced and that states
    which nearly close a loop have one answer. It is 1 / |u|^2 to rounding down to 10 DEPENDENT.
    """
    inverse_whole = 1.0 / (whole + ZERO_ROW)
    r = square * inverse_whole
    r_4 = (r * r) * (r * r)
    return (r_4 * (r * r) * r) / (r_4 * r_4 + DEPENDENT**16) * inverse_whole


def _with_anchors(tree: Tree) -> Tree:
    """The tree with the loops' points as its contact points, those on the world left out."""
    anchors = [anchor for loop in tree.loops for anchor in (loop.point1, loop.point2) if anchor.link >= 0]
    return replace(tree, points=tuple(anchors))


def _loop_rows(loops: Sequence[TreeLoop], linear: Array, angular: Array, at_rest: Array) -> list[Array]:
    """Rows of each loop: what both points' numbers, in the order of `_with_anchors`, differ by."""
    numbers = iter(zip(linear, angular, strict=True))

    def point_numbers(point: Point) -> tuple[Array, Array]:
        return next(numbers) if point.link >= 0 else (at_rest, at_rest)

    rows: list[Array] = []
    for loop in loops:
        (linear1, angular1), (linear2, angular2) = point_numbers(loop.point1), point_numbers(loop.point2)
        rows += [angular2 - angular1] if loop.type is LoopType.WELD else []
        rows.append(linear2 - linear1)
    return rows


def slope(coefficients: Sequence[Any], x: Any) -> Any:
    """p'(x) of the polynomial p with these coefficients, the constant first."""
    return _polynomial(_derivative(coefficients), x)


def curvature(coefficients: Sequence[Any], x: Any) -> Any:
    """p''(x)."""
    return _polynomial(_derivative(_derivative(coefficients)), x)


def _polynomial(coefficients: Sequence[Any], x: Any) -> Any:
    """c_0 + c_1 x + c_2 x^2 + ..., by Horner's rule."""
    value: Any = 0.0
    for coefficient in reversed(coefficients):
        value = value * x + coefficient
    return value


def _derivative(coefficients: Sequence[Any]) -> list[Any]:
    """Coefficients of the polynomial's derivative."""
    return [power * coefficient for power, coefficient in enumerate(coefficients)][1:]
