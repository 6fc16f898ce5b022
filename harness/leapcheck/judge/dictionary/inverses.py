"""M^-1 and the points' J M^-1 J^T as something else: not inverted, in another order, axes or at another point."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from leapcheck.judge.belief import AnswerView, Belief, Hypothesis, convention
from leapcheck.judge.edits import edit_answers
from leapcheck.judge.robot_rows import inverse_or_nan
from leapcheck.quantities import QUANTITIES
from leapcheck_models.arrays import Floats

INVERSES = ("minverse", "forward_dynamics_derivative_tau")

OPERATIONAL = "operational_inertia_inverse"

Map = Callable[[AnswerView], Floats]


def inverse_forms(belief: Belief) -> Iterator[Hypothesis]:
    """M^-1 in other forms."""
    for quantity in INVERSES:
        for name, (words, edit) in FORMS.items() if quantity in belief.evidence.quantities else ():
            cause = f"{QUANTITIES[quantity].label}: {words}"
            yield convention(f"inverse/{name}:{quantity}", cause, answer_edit=edit_answers((quantity,), edit))


def operational_forms(belief: Belief) -> Iterator[Hypothesis]:
    """J M^-1 J^T of the points in other forms."""
    if OPERATIONAL not in belief.evidence.quantities or not any(p.computed for p in belief.evidence.spec.contact_points):
        return
    label = QUANTITIES[OPERATIONAL].label
    words = f"{label}: inverted, the operational inertia itself"
    edit = edit_answers((OPERATIONAL,), lambda _view, values: inverse_or_nan(values))
    yield convention(f"operational/inverted:{OPERATIONAL}", words, answer_edit=edit)
    for name, (words, turn) in MAPS.items():
        edit = edit_answers((OPERATIONAL,), _mapped(turn))
        yield convention(f"operational/{name}:{OPERATIONAL}", f"{label}: {words}", answer_edit=edit)


def _mapped(turn: Map) -> Callable[[AnswerView, Floats], Floats]:
    def edit(view: AnswerView, values: Floats) -> Floats:
        X = turn(view)
        return X @ values @ np.swapaxes(X, -1, -2)

    return edit


def _of_diagonal(view: AnswerView, values: Floats) -> Floats:
    diagonal = np.diagonal(view.value("mass_matrix"), axis1=1, axis2=2)
    return np.eye(values.shape[-1]) / diagonal[:, None]


def _local(view: AnswerView) -> Floats:
    R = view.value("frame_placements")[..., :3]
    R = R[:, len(view.spec.bodies) :]
    X = np.zeros((*R.shape[:2], 6, 6))
    X[..., :3, :3] = X[..., 3:, 3:] = np.swapaxes(R, -1, -2)
    return X


def _at_links(view: AnswerView) -> Floats:
    """v of the link's origin is v + w x (p_link - p) = v + (p - p_link) x w."""
    p = view.value("frame_placements")[..., 3]
    links = [view.spec.body_index(point.body) for point in view.spec.contact_points if point.computed]
    r = p[:, len(view.spec.bodies) :] - p[:, links]
    X = np.zeros((*r.shape[:2], 6, 6)) + np.eye(6)
    X[..., 3:, :3] = np.swapaxes(np.cross(r[..., None, :], np.eye(3)), -1, -2)
    return X


FORMS: dict[str, tuple[str, Callable[[AnswerView, Floats], Floats]]] = {
    "not-inverted": ("M itself, not its inverse", lambda view, _values: view.value("mass_matrix")),
    "of-diagonal": ("one over the diagonal of M: its couplings are left out", _of_diagonal),
}

MAPS: dict[str, tuple[str, Map]] = {
    "linear-first": ("[linear; angular] instead of [angular; linear]", lambda _view: np.roll(np.eye(6), 3, axis=0)),
    "local": ("in the points' own axes (Pinocchio's LOCAL) instead of the world's", _local),
    "at-link": ("at the origins of the points' links", _at_links),
}
"""Name, words and map (..., 6, 6) of the twist."""
