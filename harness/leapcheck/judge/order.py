"""Fingerprints of another order: of joints, legs, contact points, or of the entries of MuJoCo's storage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

import leapcheck_reference as reference
from leapcheck.compare.entries import dof_names, mujoco_dof_names
from leapcheck.compare.errors import scales
from leapcheck.judge.case import Case, Cause, Hypothesis, first_explanation, listed, values
from leapcheck.judge.storage import unpacked
from leapcheck.quantities import QUANTITIES
from leapcheck.states import Floats
from leapcheck_models.spec import CONFIGURATION_SIZE, VELOCITY_SIZE, WORLD, JointType, RobotSpec

Order = tuple[int, ...]

DOF_AXES = {
    "mass_matrix": (1, 2),
    "qM": (1, 2),
    "csr": (1, 2),
    "bias_force": (1,),
    "coriolis_force": (1,),
    "gravity_force": (1,),
    "forward_dynamics": (1,),
    "contact_jacobians": (3,),
    "cdof": (1,),
}
"""Axes of the answers (n, ...) along which the dofs stand."""

BODY_QUANTITIES = ("cinert", "crb")
POINT_QUANTITIES = ("contact_positions", "contact_velocities", "contact_bias_accelerations", "contact_jacobians")

MOST_CHILDREN = 4
"""Up to here every order of a link's children is tried; beyond, exchanges of two, alphabetical and reversed order."""


def storage_form(at: Case) -> Cause | None:
    """qM and CSR mixed up: qM's rows start at the diagonal and walk to the root, CSR's end at the diagonal."""
    other = {"qM": "csr", "csr": "qM"}.get(at.quantity)
    layout = reference.layout(reference.build(at.spec))
    if other is None or layout.nM != layout.nC:  # simple bodies: the forms differ in length
        return None
    cause = f"the entries of {at.quantity} stand in the order of {other}: diagonal first in qM's rows, last in those of CSR"
    swapped = replace(at, found=unpacked(at.spec, at.answer, other))
    canonical = values("mass_matrix", at.spec, at.states)
    return first_explanation(swapped, [Hypothesis("convention", cause, at.expected)]) or first_explanation(
        at, [Hypothesis("convention", f"{at.quantity} holds M in the canonical coordinates instead of MuJoCo's", canonical)]
    )


def row_order(at: Case) -> Cause | None:
    """The answers are right but their rows (dofs, bodies, contact points) stand in another order: which, and how."""
    return first_explanation(at, _row_orders(at))


def joint_order(at: Case) -> Cause | None:
    """The state is read in another order of joints or legs, and the answers stand in that order or in the right one."""
    return first_explanation(at, _joint_orders(at))


def _row_orders(at: Case) -> Iterator[Hypothesis]:
    points = [point.name for point in at.spec.contact_points if point.computed]
    axes = [("dofs", DOF_AXES.get(at.quantity, ()), rows(at))]
    axes += [("bodies", (1,), [body.name for body in at.spec.bodies])] if at.quantity in BODY_QUANTITIES else []
    axes += [("contact points", (1,), points)] if at.quantity in POINT_QUANTITIES else []
    for what, along, names in axes:
        if along and len(names) > 1:
            order = _matched(at, along)
            moved = [f"{names[j]} in the place of {names[i]}" for i, j in enumerate(order) if i != j]
            if moved:
                cause = f"the {what} stand in another order: {listed(moved)}"
                yield Hypothesis("convention", cause, _reordered(at.expected, along, order))


def rows(at: Case) -> list[str]:
    """Names of the dofs, in the order of the case's coordinates."""
    return list(mujoco_dof_names(at.spec) if QUANTITIES[at.quantity].in_mujoco_coordinates else dof_names(at.spec))


def _matched(at: Case, axes: tuple[int, ...]) -> NDArray[np.intp]:
    """For each found row the expected row that is nearest to it over all states, one to one.

    Where rows and columns are exchanged together, a row's entries are compared sorted: no order changes that.
    """
    scale = scales(at.quantity, at.expected)

    def features(answers: Floats) -> Floats:
        rows_first = np.moveaxis(answers if len(axes) > 1 else answers / scale, axes[0], 0)
        sorted_rows = np.sort(rows_first, axis=-1) if len(axes) > 1 else rows_first
        return sorted_rows.reshape(len(sorted_rows), -1)

    _, order = linear_sum_assignment(cdist(features(at.found), features(at.expected), "chebyshev"))
    return order


def _reordered(answers: Floats, axes: tuple[int, ...], order: Sequence[int] | NDArray[np.intp]) -> Floats:
    for axis in axes:
        answers = np.take(answers, np.asarray(order), axis=axis)
    return answers


def _joint_orders(at: Case) -> Iterator[Hypothesis]:
    tried = {tuple(range(len(at.spec.bodies)))}
    for remark, order in _orders(at.spec):
        if order in tried:
            continue
        tried.add(order)
        moved = [at.spec.bodies[j].joint.name for i, j in enumerate(order) if i != j]
        how = f"in the order {listed(moved, 6)}{remark}"
        q, v = (_slots(at.spec, order, sizes) for sizes in (CONFIGURATION_SIZE, VELOCITY_SIZE))
        states = replace(at.states, q=_read(at.states.q, q), v=_read(at.states.v, v), tau=_read(at.states.tau, v))
        value = values(at.quantity, at.spec, states)
        yield Hypothesis("convention", f"the joints of the state are read {how}", value)
        axes = DOF_AXES.get(at.quantity, ())
        yield Hypothesis("convention", f"the joints of state and answers are {how}", _reordered(value, axes, v))


def _read(numbers: Floats, slots: list[int]) -> Floats:
    """What each joint gets when an engine with other slots reads the canonical row of numbers."""
    read = np.empty_like(numbers)
    read[:, slots] = numbers
    return read


def _slots(spec: RobotSpec, order: Order, sizes: dict[JointType, int]) -> list[int]:
    """The canonical place behind each of the places that follow one another in another order of joints."""
    lengths = [sizes[body.joint.type] for body in spec.bodies]
    starts = np.cumsum([0, *lengths])
    return [int(starts[i]) + k for i in order for k in range(lengths[i])]


def _orders(spec: RobotSpec) -> Iterator[tuple[str, Order]]:
    """Orders of the bodies with a remark: siblings by name, reversed; breadth-first; the children of one link otherwise."""
    children: dict[str, list[int]] = {WORLD: [], **{body.name: [] for body in spec.bodies}}
    for i, body in enumerate(spec.bodies):
        children[body.parent].append(i)
    for names in ([body.joint.name for body in spec.bodies], [body.name for body in spec.bodies]):
        by_name = {parent: sorted(its, key=names.__getitem__) for parent, its in children.items()}
        yield " (siblings by name, as URDF parsers sort them)", _depth_first(spec, by_name)
    yield " (siblings reversed)", _depth_first(spec, {parent: its[::-1] for parent, its in children.items()})
    yield " (breadth-first)", _breadth_first(spec, children)
    for parent, its in children.items():
        for other in _other_orders(its):
            yield "", _depth_first(spec, {**children, parent: list(other)})


def _other_orders(its: list[int]) -> Iterator[Sequence[int]]:
    if len(its) <= MOST_CHILDREN:
        yield from permutations(its)
        return
    for i, j in combinations(range(len(its)), 2):
        other = list(its)
        other[i], other[j] = other[j], other[i]
        yield other


def _depth_first(spec: RobotSpec, children: dict[str, list[int]]) -> Order:
    def below(name: str) -> Iterator[int]:
        for i in children[name]:
            yield i
            yield from below(spec.bodies[i].name)

    return tuple(below(WORLD))


def _breadth_first(spec: RobotSpec, children: dict[str, list[int]]) -> Order:
    order: list[int] = []
    level = [WORLD]
    while level:
        found = [i for name in level for i in children[name]]
        order += found
        level = [spec.bodies[i].name for i in found]
    return tuple(order)
