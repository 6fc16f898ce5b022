"""The Coriolis force out of a Coriolis matrix that does not know of mimic joints, as Pinocchio's computeCoriolisMatrix (4.1.0).

With rotors as joints that mimic others there are fewer dofs than columns in its Jacobian. The matrix leaves out the rotors' own
columns, and where it walks up from a joint it takes the number of a dof for the number of a column: it meets other joints.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from leapcheck.judge.belief import AnswerView, Belief, Hypothesis, engine_fault
from leapcheck.judge.edits import edit_answers
from leapcheck_models.arrays import Floats
from leapcheck_models.rotors import with_rotor_bodies, with_rotor_coordinates
from leapcheck_models.spec import WORLD, RobotSpec
from leapcheck_reference.kinematics import frames
from leapcheck_reference.rotation import skew
from leapcheck_reference.spatial import inertia_matrix
from leapcheck_reference.tree import Tree, build

WORDS = (
    "the Coriolis force is C v of a Coriolis matrix that is wrong where rotors are mimic joints: Pinocchio's "
    "computeCoriolisMatrix (use nonLinearEffects)"
)


def mimic_coriolis(belief: Belief) -> Iterator[Hypothesis]:
    """That the velocity terms are this matrix times v."""
    off = set(belief.evidence.deviating)
    if any(body.rotor for body in belief.evidence.spec.bodies) and off & {"bias_force", "coriolis_force"}:
        yield engine_fault(
            "engine/mimic-coriolis", WORDS, answer_edit=edit_answers(("bias_force", "coriolis_force"), _with_engine_coriolis)
        )


def _with_engine_coriolis(view: AnswerView, values: Floats) -> Floats:
    full, G = with_rotor_bodies(view.spec)
    tree, q, v = build(full), with_rotor_coordinates(view.spec, view.read.q), view.read.v
    numbering = _numbering(view.spec, full)
    forces = np.array([_coriolis(tree, numbering, q_i, v_i, G @ v_i) for q_i, v_i in zip(q, v, strict=True)])
    return np.asarray(values - view.value("coriolis_force") + forces, dtype=float)


class _Numbering(NamedTuple):
    """For each body of the robot with rotors as bodies: first dof, or -1 for a rotor; and above each column the next one."""

    dofs: list[int]
    above: list[int]


def _numbering(spec: RobotSpec, full: RobotSpec) -> _Numbering:
    rotors = {body.rotor.name for body in spec.bodies if body.rotor}
    tree, dofs, above, dof = build(full), [], [], 0
    for body, link in zip(full.bodies, tree.links, strict=True):
        size = link.v.stop - link.v.start
        dofs.append(-1 if body.name in rotors else dof)
        dof += 0 if body.name in rotors else size
        if size:
            above += [_last_column(tree, link.parent) if body.parent != WORLD else -1]
            above += list(range(link.v.start, link.v.stop - 1))
    return _Numbering(dofs, above)


def _last_column(tree: Tree, link: int) -> int:
    """The last column of the nearest link at or above this one that moves; -1 where there is none."""
    while link >= 0 and tree.links[link].v.stop == tree.links[link].v.start:
        link = tree.links[link].parent
    return tree.links[link].v.stop - 1 if link >= 0 else -1


def _coriolis(tree: Tree, numbering: _Numbering, q: Floats, v: Floats, v_full: Floats) -> Floats:
    """C v (nv,) of one state, all in world axes about the root's origin; B u = (V x* I u - I V x u + u x* I V) / 2."""
    J, dJ, _, Y, B = _motions(tree, q, v_full)
    for i in reversed(range(len(tree.links))):
        if tree.links[i].parent >= 0:
            Y[tree.links[i].parent] += Y[i]
            B[tree.links[i].parent] += B[i]
    force = np.zeros((len(tree.links), 6))  # of the dofs in each subtree, rotors left out
    result = np.zeros(len(v))
    for i in reversed(range(len(tree.links))):
        link, dof = tree.links[i], numbering.dofs[i]
        columns = slice(link.v.start, link.v.stop)
        if dof >= 0:
            own = v[dof : dof + columns.stop - columns.start]
            force[i] += (Y[i] @ dJ[:, columns] + B[i] @ J[:, columns]) @ own
            rows = J[:, columns].T
            result[dof : dof + len(own)] = rows @ force[i]
            j = numbering.above[dof] if len(own) else -1  # of the dof, not of its column
            while j >= 0:
                result[dof : dof + len(own)] += rows @ (Y[i] @ dJ[:, j] + B[i] @ J[:, j]) * v[j]
                j = numbering.above[j]
        if link.parent >= 0:
            force[link.parent] += force[i]
    return result


def _motions(tree: Tree, q: Floats, v: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Columns J and V x J (6, nv), and for each body V (6,), its inertia and B (6, 6)."""
    posed, n = frames(tree, q), len(tree.links)
    J, dJ, V = np.zeros((6, tree.nv)), np.zeros((6, tree.nv)), np.zeros((n, 6))
    Y, B = np.zeros((n, 6, 6)), np.zeros((n, 6, 6))
    for i, link in enumerate(tree.links):
        R, p = posed.X_W[i].R, np.asarray(posed.X_W[i].p, dtype=float)
        X = np.block([[R, np.zeros((3, 3))], [skew(p) @ R, R]])  # link to world, motions
        J[:, link.v] = X @ link.S
        V[i] = J[:, link.v] @ v[link.v] + (V[link.parent] if link.parent >= 0 else 0.0)
        dJ[:, link.v] = _cross(V[i]) @ J[:, link.v]
        inverse = np.linalg.inv(X)
        Y[i] = inverse.T @ inertia_matrix(link.inertia) @ inverse
        momentum = Y[i] @ V[i]
        n_, f = skew(momentum[:3]), skew(momentum[3:])
        of_momentum = -np.block([[n_, f], [f, np.zeros((3, 3))]])  # u x* h
        B[i] = 0.5 * (-_cross(V[i]).T @ Y[i] - Y[i] @ _cross(V[i]) + of_momentum)
    return J, dJ, V, Y, B


def _cross(V: Floats) -> NDArray[np.float64]:
    """V x (6, 6); V x* is minus its transpose."""
    return np.block([[skew(V[:3]), np.zeros((3, 3))], [skew(V[3:]), skew(V[:3])]])
