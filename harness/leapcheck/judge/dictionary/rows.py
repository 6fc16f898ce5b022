"""Rows and columns of answers that are those of another frame, or multiplied by a factor: one link, one joint, some of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from leapcheck.judge.belief import AnswerEdit, AnswerView, Belief, Hypothesis, engine_fault
from leapcheck.judge.dictionary.robust import deviating_quantities, tolerance
from leapcheck.judge.joint_words import dofs_in_words
from leapcheck.judge.layout import DOF_AXES, FRAME_QUANTITIES, places
from leapcheck.judge.words import FACTORS, name_list, number_words, suggestion
from leapcheck.quantities import PARAMETER_COUNT, QUANTITIES, QuantityGroup, names_of_group
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

KNOWN = FACTORS | {180.0 / np.pi: "degrees for rad", np.pi / 180.0: "rad for degrees"}

NEAR_KNOWN = 1e-9
"""A factor so near to a known one is that."""

MOST_NAMES = 8

REGRESSORS = names_of_group(QuantityGroup.REGRESSORS)

Flags = NDArray[np.bool_]


def frame_rows(belief: Belief) -> Iterator[Hypothesis]:
    """Frames that answer what others do: a link its parent, points their links."""
    spec = belief.evidence.spec
    names = [*(body.name for body in spec.bodies), *(point.name for point in spec.contact_points if point.computed)]
    links = len(spec.bodies)
    carriers = {links + i: spec.body_index(p.body) for i, p in enumerate(p for p in spec.contact_points if p.computed)}
    for quantity in deviating_quantities(belief, FRAME_QUANTITIES):
        sources = _sources(belief, quantity)
        if not sources:
            continue
        if sources.items() <= carriers.items() and len(sources) > 1:
            name, words = "points-at-links", "contact points stand at their links' origins"
        else:
            pairs = {names[to]: names[source] for to, source in sources.items()}
            name = "+".join(f"{source}-for-{to}" for to, source in pairs.items())
            words = f"those of {name_list((f'{source} in the place of {to}' for to, source in pairs.items()), MOST_NAMES)}"
        cause = f"{QUANTITIES[quantity].label}: {words}"
        yield engine_fault(f"frame/{name}:{quantity}", cause, answer_edit=_taken(quantity, sources), prior=2.0)


def _sources(belief: Belief, quantity: str) -> dict[int, int]:
    """For each wrong frame another one that is right there; none unless all wrong ones have one."""
    answers, predicted = belief.evidence.answers[quantity], belief.prediction(quantity)
    near = tolerance(belief.evidence, quantity, predicted)
    axes = tuple(i for i in range(answers.ndim) if i != 1)
    wrong = np.flatnonzero((np.abs(answers - predicted) > near).any(axis=axes))
    sources = {}
    for to in wrong.tolist():
        off = np.abs(answers[:, to : to + 1] - predicted) <= near
        same = [k for k in np.flatnonzero(off.all(axis=axes)).tolist() if k != to]
        if not same:
            return {}
        sources[to] = same[0]
    return sources


def _taken(quantity: str, sources: dict[int, int]) -> AnswerEdit:
    def edit(_view: AnswerView, name: str, values: Floats) -> Floats:
        if name != quantity:
            return values
        changed = values.copy()
        for to, source in sources.items():
            changed[:, to] = values[:, source]
        return changed

    return edit


def parameter_columns(belief: Belief) -> Iterator[Hypothesis]:
    """Regressors in which some bodies' ten columns are those of others."""
    wrong = deviating_quantities(belief, REGRESSORS)
    candidates = [_block_sources(belief, quantity) for quantity in wrong]
    if not candidates or not all(candidates):
        return
    bodies = {to for own in candidates for to in own}
    common = {to: set.intersection(*(own[to] for own in candidates if to in own)) for to in bodies}
    if not all(common.values()):
        return
    sources = {to: min(of) for to, of in common.items()}
    spec = belief.evidence.spec
    names = [*(body.name for body in spec.bodies), *(body.rotor.name for body in spec.bodies if body.rotor)]
    moved = name_list((f"{names[source]} in the place of {names[to]}" for to, source in sources.items()), MOST_NAMES)
    labels = name_list(QUANTITIES[quantity].label for quantity in wrong)
    edit = _taken_columns(tuple(wrong), sources)
    yield engine_fault(
        "order/columns", f"{labels}: the columns of bodies are in another order: {moved}", answer_edit=edit, prior=2.0
    )


def _block_sources(belief: Belief, quantity: str) -> dict[int, set[int]]:
    """For each body whose columns are wrong all those whose columns they are; none unless every one has some."""
    answers, predicted = belief.evidence.answers[quantity], belief.prediction(quantity)
    near = tolerance(belief.evidence, quantity, predicted)

    def blocks(values: Floats) -> Floats:
        by_body = values.reshape(len(values), -1, values.shape[-1] // PARAMETER_COUNT, PARAMETER_COUNT)
        return np.moveaxis(by_body, 2, 0)

    answers, predicted, near = blocks(answers), blocks(predicted), blocks(near)
    sources: dict[int, set[int]] = {}
    for to in np.flatnonzero((np.abs(answers - predicted) > near).any(axis=(1, 2, 3))).tolist():
        same = (np.abs(answers[to] - predicted) <= near).all(axis=(1, 2, 3))
        sources[to] = set(np.flatnonzero(same).tolist())
    return sources if all(sources.values()) else {}


def _taken_columns(quantities: tuple[str, ...], sources: dict[int, int]) -> AnswerEdit:
    def edit(_view: AnswerView, name: str, values: Floats) -> Floats:
        if name not in quantities:
            return values
        by_body = values.reshape(*values.shape[:-1], -1, PARAMETER_COUNT)
        order = np.arange(by_body.shape[-2])
        order[list(sources)] = list(sources.values())
        return by_body[..., order, :].reshape(values.shape)

    return edit


def dof_factors(belief: Belief) -> Iterator[Hypothesis]:
    """The rows, or columns, of some dofs multiplied by one factor in one quantity, all others right."""
    for quantity in deviating_quantities(belief, [name for name in DOF_AXES if not QUANTITIES[name].in_mujoco_coordinates]):
        for axis in DOF_AXES[quantity]:
            if fitted := _factor(belief, quantity, axis):
                wrong, factor = fitted
                what = "columns" if axis > 1 else "rows"
                whose = dofs_in_words(belief.evidence.spec, wrong)
                label = QUANTITIES[quantity].label
                cause = (
                    f"the {what} of {whose} in the {label} are multiplied by {number_words(factor)}{suggestion(factor, KNOWN)}"
                )
                name = f"factor/{_joints(belief.evidence.spec, wrong)}:{quantity}"
                yield engine_fault(name, cause, answer_edit=_multiplied(quantity, axis, wrong, factor), prior=2.0)


def _factor(belief: Belief, quantity: str, axis: int) -> tuple[Flags, float] | None:
    """The dofs whose entries along an axis are off, but not all, and their common factor."""
    answers, predicted = (np.moveaxis(a, axis, 0) for a in (belief.evidence.answers[quantity], belief.prediction(quantity)))
    near = np.moveaxis(tolerance(belief.evidence, quantity, belief.prediction(quantity)), axis, 0)
    rest = tuple(range(1, answers.ndim))
    wrong: Flags = np.asarray((np.abs(answers - predicted) > near).any(axis=rest))
    if not wrong.any() or wrong.all():
        return None
    a, p = answers[wrong].ravel(), predicted[wrong].ravel()
    largest = int(np.argmax(np.abs(p)))
    if not np.isfinite(a).all() or not p[largest] or not a[largest]:
        return None
    factor = float(a[largest] / p[largest])
    factor = next((k for known in KNOWN for k in (known, -known) if abs(factor - k) < NEAR_KNOWN * abs(k)), factor)
    return (wrong, factor) if (np.abs(a - factor * p) <= np.maximum(1.0, abs(factor)) * near[wrong].ravel()).all() else None


def _joints(spec: RobotSpec, wrong: Flags) -> str:
    return "+".join(place.joint.name for place in places(spec) if wrong[place.v].any())


def _multiplied(quantity: str, axis: int, wrong: Flags, factor: float) -> AnswerEdit:
    factors = np.where(wrong, factor, 1.0)

    def edit(_view: AnswerView, name: str, values: Floats) -> Floats:
        return values * factors.reshape(-1, *(1,) * (values.ndim - 1 - axis)) if name == quantity else values

    return edit
