"""Exact geared rotors in a MuJoCo model that has them lumped with armature: what lumping leaves out, by MuJoCo's own Jacobians.

For a rotor on the link p, with axial inertia Ia, gear ratio N, its axis a in world axes, on the joint with the dof j:

    M += N Ia (e_j (a^T J_p) + (J_p^T a) e_j^T)
    h += J_p^T (w_p x (N Ia qd_j a)) + e_j N Ia a^T (Jdot_p u)

with the angular Jacobian J_p (3, nv) of p and its rate in MuJoCo's own velocity. Exact for rotors that are symmetric about
their axis.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import mujoco
import numpy as np
from numpy.typing import NDArray

from leapcheck.engines.mujoco.build import places
from leapcheck_models.arrays import Array, Floats
from leapcheck_models.rotors import axial_inertia, rotation_matrix
from leapcheck_models.spec import WORLD, RobotSpec
from leapcheck_reference.simulate.plant import BoundProgram
from leapcheck_reference.trace.graph import Graph
from leapcheck_reference.trace.key import key_of
from leapcheck_reference.trace.symbol import Recorder
from leapcheck_reference.tree import build

NEXT, AFTER = np.array([1, 2, 0]), np.array([2, 0, 1])
"""Axes behind x, y, z and those behind these: (a x b)_i = a_next b_after - a_after b_next."""


@dataclass(frozen=True, slots=True, eq=False)
class RotorTerm:
    """Rotors of a robot that ride on moving links, by MuJoCo's numbers.

    For each rotor `link` (rotors,) is the body that carries it, `carried` (rotors, nv) 1 for the dofs that move that body and 0
    for the others, `dof` (rotors,) that of its joint, `momentum` (rotors, 3) kg m^2 its axis in link axes times N Ia. A rotor
    couples its joint to dofs before it, so that it stands in its joint's row of MuJoCo's lower triangle: at `entries` of d.M that
    of the rotor `entry_rotor` with the dof `entry_dof`.
    """

    link: NDArray[np.intp]
    carried: Floats
    dof: NDArray[np.intp]
    momentum: Floats
    entries: NDArray[np.intp]
    entry_rotor: NDArray[np.intp]
    entry_dof: NDArray[np.intp]


NONE: NDArray[np.intp] = np.empty(0, dtype=np.intp)
NO_ROTORS = RotorTerm(NONE, np.empty((0, 0)), NONE, np.empty((0, 3)), NONE, NONE, NONE)


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
    rows = np.repeat(np.arange(m.nv), m.M_rownnz)
    entries = np.flatnonzero(np.isin(rows, dofs))
    return RotorTerm(
        link=np.array(bodies, dtype=np.intp),
        carried=np.array([_moving_dofs(m, body) for body in bodies]).reshape(-1, m.nv),
        dof=np.array(dofs, dtype=np.intp),
        momentum=np.array(momenta).reshape(-1, 3),
        entries=entries,
        entry_rotor=np.array([dofs.index(row) for row in rows[entries]], dtype=np.intp),
        entry_dof=m.M_colind[entries].astype(np.intp),
    )


def _moving_dofs(m: mujoco.MjModel, body: int) -> Floats:
    """(nv,) 1 for the dofs that move a body, 0 for the others."""
    moving = np.zeros(m.nv)
    while body and not m.body_dofnum[body]:
        body = int(m.body_parentid[body])
    dof = int(m.body_dofadr[body]) + int(m.body_dofnum[body]) - 1 if body else -1
    while dof >= 0:
        moving[dof] = 1.0
        dof = int(m.dof_parentid[dof])
    return moving


def rotor_coupling(term: RotorTerm, cdof: Array, cdof_dot: Array, xmat: Array, qvel: Array) -> tuple[Array, Array]:
    """(C (rotors, nv), h (nv,)) that lumping leaves out, over any scalar, of MuJoCo's numbers after its velocity stage.

    The mass matrix lacks e_j C_r + C_r^T e_j^T for each rotor r on the joint with the dof j. The columns of J_p and Jdot_p are
    the angular parts of `cdof` and `cdof_dot` (nv, 6); `xmat` (bodies, 9).
    """
    axes, turning, moved = cdof[:, :3], cdof_dot[:, :3], term.carried * qvel
    R = xmat[term.link].reshape(-1, 3, 3)
    momentum = (R * term.momentum[:, None, :]).sum(axis=2)  # world axes, per unit of joint speed
    w, spin = moved @ axes, momentum * qvel[term.dof, None]
    torque = w[:, NEXT] * spin[:, AFTER] - w[:, AFTER] * spin[:, NEXT]
    h: Array = ((torque @ axes.T) * term.carried).sum(axis=0)
    h[term.dof] += (momentum * (moved @ turning)).sum(axis=1)
    return (momentum @ axes.T) * term.carried, h


class LumpedRotors:
    """Adds what lumping left out of a model's rotors, by a compiled `rotor_coupling`."""

    def __init__(self, term: RotorTerm, m: mujoco.MjModel) -> None:
        self._entries = term.entries
        self._evaluate: BoundProgram | None = None
        if len(term.dof):
            shapes = {"cdof": (m.nv, 6), "cdof_dot": (m.nv, 6), "xmat": (m.nbody, 9), "qvel": (m.nv,)}
            self._evaluate = BoundProgram(b"rotor coupling " + key_of(term), partial(_coupling_graph, term, shapes))

    def add(self, m: mujoco.MjModel, d: mujoco.MjData) -> None:
        """Adds it to d.M and d.qfrc_bias, and factors d.M again; between mj_step1 and mj_step2."""
        if self._evaluate is None:
            return
        left_out = self._evaluate(d.cdof, d.cdof_dot, d.xmat, d.qvel)
        d.M[self._entries] += left_out["entries"]
        d.qfrc_bias[:] += left_out["h"]
        mujoco.mj_factorM(m, d)


def _coupling_graph(term: RotorTerm, shapes: Mapping[str, tuple[int, ...]]) -> Graph:
    recorder = Recorder(float)
    inputs = [recorder.input(name, *shape) for name, shape in shapes.items()]
    coupling, h = rotor_coupling(term, *inputs)
    return recorder.graph({"entries": coupling[term.entry_rotor, term.entry_dof], "h": h})
