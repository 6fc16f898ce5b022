"""Exact geared rotors in a MuJoCo model that has them lumped with armature: what lumping leaves out, by MuJoCo's own Jacobians.

For a rotor on the link p, with axial inertia Ia, gear ratio N, its axis a in world axes, on the joint with the dof j:

    M += N Ia (e_j (a^T J_p) + (J_p^T a) e_j^T)
    h += J_p^T (w_p x (N Ia qd_j a)) + e_j N Ia a^T (Jdot_p u)

with the angular Jacobian J_p (3, nv) of p and its rate in MuJoCo's own velocity. Exact for rotors that are symmetric about
their axis.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from leapcheck.engines.mujoco.build import places
from leapcheck_models.arrays import Floats
from leapcheck_models.rotors import axial_inertia, rotation_matrix
from leapcheck_models.spec import WORLD, RobotSpec
from leapcheck_reference.tree import build

NEXT, AFTER = [1, 2, 0], [2, 0, 1]
"""Axes behind x, y, z and those behind these: (a x b)_i = a_next b_after - a_after b_next."""


@dataclass(frozen=True, slots=True, eq=False)
class RotorTerm:
    """Rotors of a robot that ride on moving links, by MuJoCo's numbers.

    `links` are the bodies that carry them; for each rotor `link` (rotors,) is its place there, `dof` (rotors,) that of its
    joint, `momentum` (rotors, 3) kg m^2 its axis in link axes times N Ia.
    """

    links: tuple[int, ...]
    link: NDArray[np.intp]
    dof: NDArray[np.intp]
    momentum: Floats


NO_ROTORS = RotorTerm((), np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp), np.empty((0, 3)))


def rotor_term(spec: RobotSpec, m: mujoco.MjModel) -> RotorTerm:
    """The rotors of a spec in its compiled model; ValueError names a rotor that is not symmetric about its axis."""
    for turning in (link.rotor for link in build(spec).links if link.rotor is not None):
        if turning.spins:
            raise ValueError(f"rotor '{turning.name}' is not symmetric about its axis: step it with rotors='armature'")
    joint_places = places(spec, m)
    bodies, dofs, momenta = [], [], []
    for body in spec.bodies:
        rotor = body.rotor
        if rotor is not None and body.parent != WORLD:
            axis = rotation_matrix(rotor.placement.quaternion) @ rotor.axis
            bodies.append(int(mujoco.mj_name2id(m, mujoco.mjtObj.mjOBJ_BODY, body.parent)))
            dofs.append(joint_places[body.joint.name].v)
            momenta.append(rotor.gear_ratio * axial_inertia(rotor) * axis)
    links = tuple(sorted(set(bodies)))
    numbers = np.array([links.index(body) for body in bodies], dtype=np.intp)
    return RotorTerm(links, numbers, np.array(dofs, dtype=np.intp), np.array(momenta).reshape(-1, 3))


def lumping_residual(term: RotorTerm, m: mujoco.MjModel, d: mujoco.MjData) -> tuple[Floats, Floats]:
    """(M (nv, nv), h (nv,)) that lumping leaves out, at the state of `d`, whose position and velocity stages are done."""
    J, Jdot = np.empty((len(term.links), 3, m.nv)), np.empty((len(term.links), 3, m.nv))
    for i, body in enumerate(term.links):
        mujoco.mj_jacBody(m, d, None, J[i], body)
        mujoco.mj_jacDot(m, d, None, Jdot[i], d.xpos[body], body)
    R = d.xmat[list(term.links)].reshape(-1, 3, 3)[term.link]
    momentum = np.matmul(R, term.momentum[:, :, None])[:, None, :, 0]  # (rotors, 1, 3), per unit of joint speed
    coupling = np.matmul(momentum, J[term.link])[:, 0]
    M = np.zeros((m.nv, m.nv))
    M[term.dof] += coupling
    M[:, term.dof] += coupling.T
    w = (J @ d.qvel)[term.link]
    spin = momentum[:, 0] * d.qvel[term.dof, None]
    torque = w[:, NEXT] * spin[:, AFTER] - w[:, AFTER] * spin[:, NEXT]
    h: Floats = np.einsum("ri,rin->n", torque, J[term.link])
    h[term.dof] += np.matmul(momentum, (Jdot @ d.qvel)[term.link][:, :, None])[:, 0, 0]
    return M, h


def add_rotors(term: RotorTerm, m: mujoco.MjModel, d: mujoco.MjData) -> None:
    """Adds what lumping left out to d.M and d.qfrc_bias, and factors d.M again; between mj_step1 and mj_step2."""
    if not term.links:
        return
    M, h = lumping_residual(term, m, d)
    rows = np.repeat(np.arange(m.nv), m.M_rownnz)
    d.M[:] += M[rows, m.M_colind]
    d.qfrc_bias[:] += h
    mujoco.mj_factorM(m, d)
