"""The Coriolis force out of a Coriolis matrix that does not know of mimic joints, as Pinocchio's computeCoriolisMatrix (4.1.0).

With rotors as joints that mimic others there are fewer dofs than columns in its Jacobian. The matrix leaves out the rotors' own
columns, and where it walks up from a joint it takes the number of a dof for the number of a column: it meets other joints.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from leapcheck.judge.belief import AnswerView, Belief, Hypothesis, engine_fault
from leapcheck.judge.edits import edit_answers
from leapcheck_models.arrays import Array, Floats
from leapcheck_models.rotors import with_rotor_bodies, with_rotor_coordinates
from leapcheck_models.spec import WORLD, RobotSpec
from leapcheck_reference.batch import evaluate_batch
from leapcheck_reference.kinematics import frames
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
    forces = _coriolis(tree, _numbering(view.spec, full), q, v, v @ G.T)
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
    """C v (n, nv), all in world axes about the root's origin; B u = (V x* I u - I V x u + u x* I V) / 2."""
    J, dJ, Y, B = _motions(tree, q, v_full)
    for i in reversed(range(len(tree.links))):
        if tree.links[i].parent >= 0:
            Y[:, tree.links[i].parent] += Y[:, i]
            B[:, tree.links[i].parent] += B[:, i]
    force = np.zeros((len(q), len(tree.links), 6))  # of the dofs in each subtree, rotors left out
    result = np.zeros(v.shape)
    for i in reversed(range(len(tree.links))):
        link, dof = tree.links[i], numbering.dofs[i]
        columns = slice(link.v.start, link.v.stop)
        if dof >= 0:
            own = slice(dof, dof + columns.stop - columns.start)
            force[:, i] += _applied(Y[:, i] @ dJ[:, :, columns] + B[:, i] @ J[:, :, columns], v[:, own])
            met = force[:, i].copy()
            j = numbering.above[dof] if columns.stop > columns.start else -1  # of the dof, not of its column
            while j >= 0:
                met += _applied(Y[:, i] @ dJ[:, :, j : j + 1] + B[:, i] @ J[:, :, j : j + 1], v[:, j : j + 1])
                j = numbering.above[j]
            result[:, own] = _applied(J[:, :, columns].swapaxes(1, 2), met)
        if link.parent >= 0:
            force[:, link.parent] += force[:, i]
    return result


def _motions(tree: Tree, q: Floats, v: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Columns J and V x J (n, 6, nv), and for each body its inertia and B (n, links, 6, 6)."""
    poses, count = evaluate_batch(_poses, tree, q), len(q)
    J, dJ = np.zeros((count, 6, tree.nv)), np.zeros((count, 6, tree.nv))
    Y, B = (np.zeros((count, len(tree.links), 6, 6)) for _ in range(2))
    V = np.zeros((count, len(tree.links), 6))
    for i, link in enumerate(tree.links):
        R, p = poses[:, i, :, :3], _skews(poses[:, i, :, 3])
        J[:, :, link.v] = _of_blocks(R, 0.0, p @ R, R) @ link.S
        V[:, i] = _applied(J[:, :, link.v], v[:, link.v]) + (V[:, link.parent] if link.parent >= 0 else 0.0)
        turning = _skews(V[:, i, :3])
        across = _of_blocks(turning, 0.0, _skews(V[:, i, 3:]), turning)  # V x; V x* is minus its transpose
        dJ[:, :, link.v] = across @ J[:, :, link.v]
        R_T = R.swapaxes(1, 2)
        to_link = _of_blocks(R_T, 0.0, -R_T @ p, R_T)
        Y[:, i] = to_link.swapaxes(1, 2) @ inertia_matrix(link.inertia) @ to_link
        momentum = _applied(Y[:, i], V[:, i])
        n, f = _skews(momentum[:, :3]), _skews(momentum[:, 3:])
        B[:, i] = 0.5 * (-across.swapaxes(1, 2) @ Y[:, i] - Y[:, i] @ across - _of_blocks(n, f, f, 0.0))  # the last is u x* I V
    return J, dJ, Y, B


def _poses(tree: Tree, q: Array) -> Array:
    """R and p (links, 3, 4) of each link in world axes, p from the root's origin."""
    return np.array([np.column_stack([X.R, X.p]) for X in frames(tree, q).X_W])


def _skews(a: Floats) -> Floats:
    """Matrices (n, 3, 3) of a x b for vectors a (n, 3)."""
    x, y, z = a.T
    zero = np.zeros(len(a))
    return np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]).transpose(2, 0, 1)


def _of_blocks(a: Floats, b: Floats | float, c: Floats, d: Floats | float) -> Floats:
    """[[a, b], [c, d]] (n, 6, 6)."""
    matrix = np.empty((len(a), 6, 6))
    matrix[:, :3, :3], matrix[:, :3, 3:], matrix[:, 3:, :3], matrix[:, 3:, 3:] = a, b, c, d
    return matrix


def _applied(matrices: Floats, vectors: Floats) -> Floats:
    """Matrix times vector in each state, (n, rows)."""
    return np.asarray((matrices @ vectors[..., None])[..., 0], dtype=float)
