"""Inverse dynamics whose contact forces count otherwise: sign, axes, where they act, and which point each acts at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations

import numpy as np

from leapcheck.coordinates.conventions import product, transpose
from leapcheck.coordinates.frame_maps import link_coms
from leapcheck.judge.belief import AnswerView, Belief, Hypothesis, convention, engine_fault
from leapcheck.judge.dictionary.contacts import TURNS, carriers, has_points, poses_of
from leapcheck.judge.dictionary.robust import deviating_quantities, promising
from leapcheck.judge.edits import edit_answers
from leapcheck.judge.layout import force_columns
from leapcheck_models.arrays import Floats

QUANTITY = "inverse_dynamics_with_contacts"
LABEL = "inverse dynamics with contacts"

MOST_POINTS = 32
"""Points of which every two are tried in each other's place."""


def contact_force_forms(belief: Belief) -> Iterator[Hypothesis]:
    """All contact forces with another sign, in other axes, or at other places of their links."""
    if QUANTITY not in belief.evidence.quantities or not has_points(belief):
        return
    for name, (words, torque) in FORMS.items():
        yield convention(f"contact-forces/{name}", f"{LABEL}: {words}", answer_edit=_counted(torque))
    for name, (words, turn) in TURNS.items():
        torque = partial(_turned, turn=turn)
        yield convention(f"contact-forces/{name}", f"{LABEL}: the contact forces are {words}", answer_edit=_counted(torque))
    for name, (words, place) in PLACES.items():
        cause = f"{LABEL}: each contact force acts at {words} instead of at its point"
        yield engine_fault(f"contact-forces/{name}", cause, answer_edit=_counted(partial(_moved, place=place)))


def contact_force_points(belief: Belief) -> Iterator[Hypothesis]:
    """The forces of two contact points in each other's place, or the force at one left out."""
    points = [point.name for point in belief.evidence.spec.contact_points if point.computed]
    if not deviating_quantities(belief, (QUANTITY,)) or len(points) > MOST_POINTS:
        return
    family = []
    for i, name in enumerate(points):
        order = list(range(len(points)))
        cause = f"{LABEL}: the contact force at {name} is missing"
        torque = partial(_of_points, order=order, counted=[k != i for k in order])
        family.append(engine_fault(f"contact-forces/left-out:{name}", cause, answer_edit=_counted(torque), prior=2.0))
    for i, j in combinations(range(len(points)), 2):
        order = list(range(len(points)))
        order[i], order[j] = j, i
        cause = f"{LABEL}: the contact forces at {points[i]} and {points[j]} are exchanged"
        torque = partial(_of_points, order=order, counted=[True] * len(points))
        name = f"contact-forces/exchanged:{points[i]},{points[j]}"
        family.append(engine_fault(name, cause, answer_edit=_counted(torque), prior=2.0))
    yield from promising(belief, family, most=2, among=(QUANTITY,))


Torque = Callable[[AnswerView], Floats]
"""What an engine takes for sum J^T f (n, nv)."""


def _counted(torque: Torque) -> Callable[[AnswerView, str, Floats], Floats]:
    """Contact forces counted so instead of as sum J^T f."""
    return edit_answers((QUANTITY,), lambda view, values: values + _own(view) - torque(view))


def _own(view: AnswerView) -> Floats:
    return _torque(view.value("contact_jacobians"), _forces(view))


def _forces(view: AnswerView) -> Floats:
    """The contact forces (n, points, 3)."""
    return view.read.contact_forces.reshape(len(view.read), -1, 3)


def _torque(J: Floats, forces: Floats) -> Floats:
    """Sum of J^T f (n, nv) over the points."""
    torque: Floats = np.einsum("npxi,npx->ni", J, forces)
    return torque


def _turned(view: AnswerView, turn: Callable[..., Floats]) -> Floats:
    """Of forces that are read in the axes of which `turn` gives the rotation from the world's."""
    return _torque(view.value("contact_jacobians"), product(transpose(turn(poses_of(view))), _forces(view)))


def _moved(view: AnswerView, place: Callable[[AnswerView, Sequence[int]], Floats]) -> Floats:
    """Of forces at places r (n, points, 3) from the origins of their links, in world axes."""
    links, _ = carriers(view.spec)
    J = view.value("frame_jacobians")[:, links]
    return _torque(J[:, :, 3:] + np.cross(J[:, :, :3], place(view, links)[..., None], axis=2), _forces(view))


def _of_points(view: AnswerView, order: Sequence[int], counted: Sequence[bool]) -> Floats:
    """Of the forces in another order, some of them left out."""
    columns = view.read.contact_forces[:, force_columns(order)]
    forces = columns.reshape(len(view.read), -1, 3) * np.array(counted, dtype=float)[:, None]
    return _torque(view.value("contact_jacobians"), forces)


def _at_origin(view: AnswerView, links: Sequence[int]) -> Floats:
    return np.zeros((len(view.read), len(links), 3))


def _at_com(view: AnswerView, links: Sequence[int]) -> Floats:
    return product(poses_of(view).R_link, link_coms(view.spec, len(view.spec.bodies))[list(links)])


def _arm_in_link_axes(view: AnswerView, links: Sequence[int]) -> Floats:
    arms = np.array([point.position for point in view.spec.contact_points if point.computed])
    return np.broadcast_to(arms, (len(view.read), len(links), 3))


FORMS: dict[str, tuple[str, Torque]] = {
    "sign": ("the contact forces count with the opposite sign", lambda view: -_own(view)),
    "left-out": ("the contact forces are missing", lambda view: 0.0 * _own(view)),
}

PLACES: dict[str, tuple[str, Callable[[AnswerView, Sequence[int]], Floats]]] = {
    "at-origin": ("the origin of its link", _at_origin),
    "at-com": ("the centre of mass of its link", _at_com),
    "unrotated-arm": ("the point's offset from its link in the link's axes, taken along the world's,", _arm_in_link_axes),
}
