"""Entries of the answers that are zero wherever the true ones are not: never filled in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from leapcheck.judge.belief import AnswerEdit, AnswerView, Belief, Hypothesis, engine_fault
from leapcheck.judge.dictionary.robust import deviating_quantities
from leapcheck.judge.joint_words import dofs_in_words
from leapcheck.judge.layout import DOF_AXES, POINT_QUANTITIES
from leapcheck.judge.pattern import rows
from leapcheck.judge.words import name_list
from leapcheck.quantities import QUANTITIES
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

Flags = NDArray[np.bool_]

MOST_NAMES = 6
"""Dofs and contact points that are named."""


def zero_entries(belief: Belief) -> Iterator[Hypothesis]:
    """Rows of dofs or of contact points, or other entries, that are zero: in each quantity, and in all that have the same."""
    masks = {name: mask for name in deviating_quantities(belief) if (mask := _never_filled_in(belief, name)).any()}
    groups: dict[str, dict[str, Flags]] = {}
    for name, mask in masks.items():
        groups.setdefault(_whose(belief.evidence.spec, name, mask), {})[name] = mask
    for whose, own in groups.items():
        for chosen in [own] if len(own) == 1 else [own, *({name: mask} for name, mask in own.items())]:
            labels = name_list((QUANTITIES[name].label for name in chosen), MOST_NAMES)
            words = f"{whose} in {labels} are missing: never filled in, they hold only zeros"
            yield engine_fault(f"zero/{','.join(chosen)}", words, answer_edit=_with_zeros(chosen), prior=2.0)


def _never_filled_in(belief: Belief, name: str) -> Flags:
    """Entries (...) of one answer that are zero at all states, while the believed ones are not; none of a scalar."""
    answers, predicted = belief.evidence.answers[name], belief.prediction(name)
    mask = np.asarray(~answers.any(axis=0) & (np.abs(predicted) > 0.0).any(axis=0))
    if answers.ndim == 1 or not answers.any() or (len(DOF_AXES.get(name, ())) == 2 and not np.diag(mask).any()):
        return np.zeros_like(mask)  # M without couplings, its diagonal right, is what `consistency` asks about
    return mask


def _whose(spec: RobotSpec, name: str, mask: Flags) -> str:
    """The entries in words: rows of dofs, of contact points, or how many there are."""
    if name in DOF_AXES:
        axis = DOF_AXES[name][0] - 1
        other = tuple(i for i in range(mask.ndim) if i != axis)
        touched = list(np.asarray(mask.any(axis=other)))
        what = "the columns" if name == "contact_jacobians" else "the rows"
        if len(DOF_AXES[name]) == 2:
            touched = list(np.diag(mask))  # its columns go without saying
        if not QUANTITIES[name].in_mujoco_coordinates:
            return f"{what} of {dofs_in_words(spec, np.array(touched, dtype=bool))}"
        return f"{what} {name_list((dof for dof, flag in zip(rows(spec, name), touched, strict=True) if flag), MOST_NAMES)}"
    if name in POINT_QUANTITIES:
        points = [point.name for point in spec.contact_points if point.computed]
        touched = list(np.asarray(mask.any(axis=tuple(range(1, mask.ndim)))))
        return f"the rows {name_list((p for p, flag in zip(points, touched, strict=True) if flag), MOST_NAMES)}"
    return f"{int(mask.sum())} entries"


def _with_zeros(masks: Mapping[str, Flags]) -> AnswerEdit:
    def edit(_view: AnswerView, quantity: str, values: Floats) -> Floats:
        return np.where(masks[quantity], 0.0, values) if quantity in masks else values

    return edit
