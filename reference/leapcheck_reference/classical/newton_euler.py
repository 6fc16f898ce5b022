"""Newton-Euler recursion in 3-vectors, in link frames and in one common frame (Craig, *Introduction to Robotics*, section 6.5).

Outward from the base: w, w', v', v_C' of each link, then the F = m v_C' and N = I w' + w x I w that move it. Inward from
the tip: the force f and moment n that link i-1 exerts on link i, and tau along the joint axis. Gravity enters as a base
that accelerates by -g; a base that itself accelerates by a feels g - a. Craig's recursion is for revolute joints;
prismatic ones (his eq. 6.35) are here too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from leapcheck_models.arrays import Array
from leapcheck_models.spec import JointType
from leapcheck_reference.classical.rigid_body import euler_moment, newton_force
from leapcheck_reference.classical.serial_chain import SerialLink, TipWrench, pose_in_parent
from leapcheck_reference.rotation import cross
from leapcheck_reference.scalar import stack
from leapcheck_reference.spatial import Transform


@dataclass(frozen=True, slots=True, eq=False)
class NewtonEuler:
    """What the recursion finds; row i of each (n, 3) array belongs to link i, `tau` (n,) in N m (revolute) or N (prismatic).

    `w`, `wdot`, `vdot` (of the joint's origin) and `vdot_C` (of the com), the resultants `F` and `N`, and `f` and `n`,
    force and moment by link i-1 on link i at joint i. Link frames: each row in its own link's axes; common frame: base axes.
    The accelerations contain -g.
    """

    w: Array
    wdot: Array
    vdot: Array
    vdot_C: Array
    F: Array
    N: Array
    f: Array
    n: Array
    tau: Array


def newton_euler_in_link_frames(
    links: Sequence[SerialLink], q: Array, qd: Array, qdd: Array, gravity: Array, tip: TipWrench | None = None
) -> NewtonEuler:
    """The recursion with each link's vectors in its own axes (Craig, eqs. 6.45 to 6.53).

    `q`, `qd`, `qdd` (n,) in rad or m and their rates; `gravity` (3,) m/s^2 in base axes; `tip` what the tip exerts.
    """
    X = [pose_in_parent(link, q_i) for link, q_i in zip(links, q, strict=True)]
    w, wdot, vdot = np.zeros(3), np.zeros(3), -gravity
    outward: list[tuple[Array, ...]] = []
    for link, X_i, qd_i, qdd_i in zip(links, X, qd, qdd, strict=True):
        R, z = X_i.R.T, link.axis  # R takes vectors of link i-1 to link i
        vdot = R @ (vdot + cross(wdot, X_i.p) + cross(w, cross(w, X_i.p)))
        w, wdot = R @ w, R @ wdot
        if link.type is JointType.REVOLUTE:
            wdot = wdot + z * qdd_i + cross(w, z * qd_i)
            w = w + z * qd_i
        else:
            vdot = vdot + z * qdd_i + 2.0 * cross(w, z * qd_i)
        vdot_C = vdot + cross(wdot, link.com) + cross(w, cross(w, link.com))
        outward.append((w, wdot, vdot, vdot_C, newton_force(link.mass, vdot_C), euler_moment(link.rotational, w, wdot)))

    f, n, X_next = _tip_in_last_link(X, tip)
    inward: list[tuple[Any, ...]] = []
    for i in reversed(range(len(links))):
        link, F, N = links[i], outward[i][4], outward[i][5]
        f_next = X_next.R @ f
        n = N + X_next.R @ n + cross(link.com, F) + cross(X_next.p, f_next)
        f = F + f_next
        inward.append((f, n, (n if link.type is JointType.REVOLUTE else f) @ link.axis))
        X_next = X[i]
    return _stack_rows(outward, inward[::-1])


def newton_euler_in_common_frame(
    links: Sequence[SerialLink], q: Array, qd: Array, qdd: Array, gravity: Array, tip: TipWrench | None = None
) -> NewtonEuler:
    """The recursion with all vectors in base axes; arguments as in `newton_euler_in_link_frames`.

    r_i is the vector from joint i-1 to joint i, s_i the vector from joint i to the com of link i, z_i the joint axis:
    v_i' = v_(i-1)' + w_(i-1)' x r_i + w_(i-1) x (w_(i-1) x r_i), v_Ci' = v_i' + w_i' x s_i + w_i x (w_i x s_i).
    """
    w, wdot, vdot, X_0 = np.zeros(3), np.zeros(3), -gravity, Transform(np.eye(3), np.zeros(3))
    outward: list[tuple[Array, ...]] = []
    geometry: list[tuple[Array, ...]] = []
    for link, q_i, qd_i, qdd_i in zip(links, q, qd, qdd, strict=True):
        X_i = pose_in_parent(link, q_i)
        r, R = X_0.R @ X_i.p, X_0.R @ X_i.R
        z, s, rotational = R @ link.axis, R @ link.com, R @ link.rotational @ R.T
        vdot = vdot + cross(wdot, r) + cross(w, cross(w, r))
        if link.type is JointType.REVOLUTE:
            wdot = wdot + z * qdd_i + cross(w, z * qd_i)
            w = w + z * qd_i
        else:
            vdot = vdot + z * qdd_i + 2.0 * cross(w, z * qd_i)
        vdot_C = vdot + cross(wdot, s) + cross(w, cross(w, s))
        outward.append((w, wdot, vdot, vdot_C, newton_force(link.mass, vdot_C), euler_moment(rotational, w, wdot)))
        geometry.append((r, s, z))
        X_0 = Transform(R, X_0.p + r)

    f, n = (np.zeros(3), np.zeros(3)) if tip is None else (tip.force, tip.moment)
    r_next = np.zeros(3) if tip is None else X_0.R @ tip.position
    inward: list[tuple[Any, ...]] = []
    for i in reversed(range(len(links))):
        (r, s, z), F, N = geometry[i], outward[i][4], outward[i][5]
        n = N + n + cross(s, F) + cross(r_next, f)
        f = F + f
        inward.append((f, n, (n if links[i].type is JointType.REVOLUTE else f) @ z))
        r_next = r
    return _stack_rows(outward, inward[::-1])


def _tip_in_last_link(X: Sequence[Transform], tip: TipWrench | None) -> tuple[Array, Array, Transform]:
    """Force and moment by the tip in base axes, and the pose, in the last link, of a frame at the tip with those axes."""
    if tip is None:
        return np.zeros(3), np.zeros(3), Transform(np.eye(3), np.zeros(3))
    R = np.eye(3)
    for X_i in X:
        R = R @ X_i.R
    return tip.force, tip.moment, Transform(R.T, tip.position)


def _stack_rows(outward: list[tuple[Array, ...]], inward: list[tuple[Any, ...]]) -> NewtonEuler:
    """The record of both passes, link by link."""
    w, wdot, vdot, vdot_C, F, N = (np.stack(column) for column in zip(*outward, strict=True))
    f, n = (np.stack([step[k] for step in inward]) for k in (0, 1))
    return NewtonEuler(w, wdot, vdot, vdot_C, F, N, f, n, stack([step[2] for step in inward], len(inward)))
