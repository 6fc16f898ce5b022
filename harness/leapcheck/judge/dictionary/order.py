"""Another order of joints or legs in the state, or of dofs, bodies or contact points in the answers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from leapcheck.judge.belief import AnswerEdit, AnswerView, Belief, Hypothesis, convention
from leapcheck.judge.dictionary.robust import GAIN, deviating_quantities, grow, matching_share, promising
from leapcheck.judge.layout import BODY_QUANTITIES, DOF_AXES, POINT_QUANTITIES
from leapcheck.judge.pattern import rows
from leapcheck.judge.words import name_list
from leapcheck.quantities import QUANTITIES
from leapcheck.sampling import States
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import CONFIGURATION_SIZE, VELOCITY_SIZE, WORLD, JointType, RobotSpec

Order = tuple[int, ...]
Places = NDArray[np.intp]

KINDS = {
    "rows": ("dofs", tuple(DOF_AXES)),
    "bodies": ("bodies", BODY_QUANTITIES),
    "points": ("contact points", POINT_QUANTITIES),
}
"""What may be in another order, and in which quantities it shows."""

MOST_CHILDREN = 4
"""Up to here every order of a link's children is tried; beyond, exchanges of two."""

MOST_ROWS = 4000
"""Numbers of a row that are compared when rows are matched."""

NEAR = 1e-9
"""Share by which a distance may exceed the least one and count as equal to it: far more than it is rounded by."""


def joint_orders(belief: Belief) -> Iterator[Hypothesis]:
    """The state read with siblings by name, reversed, or breadth-first, and the answers in that order or in the right one."""
    spec = belief.evidence.spec
    tried = {tuple(range(len(spec.bodies)))}
    for what, remark, order in known_orders(spec):
        if order not in tried:
            tried.add(order)
            yield from (_in_order(spec, order, both, what, remark) for both in (False, True))


def joint_exchanges(belief: Belief) -> Iterator[Hypothesis]:
    """Joints of one type, or the subtrees of one link, exchanged in state, or in state and answers.

    Of all that may be exchanged, those that make most entries right; and several exchanges one after another.
    """
    spec = belief.evidence.spec
    known = {tuple(range(len(spec.bodies))), *(order for *_, order in known_orders(spec))}
    orders = [order for order in dict.fromkeys((*_subtree_orders(spec), *_exchanges(spec))) if order not in known]
    family = {h.name: (h, order, both) for order in orders for both in (False, True) for h in [_in_order(spec, order, both)]}
    best = promising(belief, [hypothesis for hypothesis, _, _ in family.values()])
    yield from best
    for _, start, both in [family[hypothesis.name] for hypothesis in best[:1]]:

        def combination(several: tuple[Order, ...], both: bool = both) -> Hypothesis:
            return _in_order(spec, reduce(lambda order, then: tuple(order[i] for i in then), several), both)

        several = grow(belief, start, orders, combination)
        if len(several) > 1:
            yield from (combination(several, other) for other in (False, True))


def row_orders(belief: Belief) -> Iterator[Hypothesis]:
    """The answers' rows (dofs, bodies, contact points) in another order: which, how, and in which quantities."""
    spec = belief.evidence.spec
    for kind, (what, quantities) in KINDS.items():
        orders: dict[Order, list[str]] = {}
        for quantity in deviating_quantities(belief, sorted(quantities, key=lambda name: len(DOF_AXES.get(name, ())))):
            order = _assignment(belief, quantity, DOF_AXES[quantity] if kind == "rows" else (1,))
            if list(order) != sorted(order):
                orders.setdefault(order, []).append(quantity)
        for order, own in orders.items():
            names = _names(spec, kind, own[0])
            moved = name_list(f"{names[j]} in the place of {names[i]}" for i, j in enumerate(order) if i != j)
            name = f"order/{kind}" if order == next(iter(orders)) else f"order/{kind}:{own[0]}"
            answered = tuple(quantity for quantity in quantities if quantity in belief.evidence.quantities)
            cause = f"the {what} are in another order: {moved}"
            every = convention(name, cause, answer_edit=_reordering(kind, order))
            if matching_share(belief.plus(every), own[0]) > matching_share(belief, own[0]) + GAIN:
                yield every
                if set(own) != set(answered):
                    labels = name_list((QUANTITIES[quantity].label for quantity in own), 6)
                    cause = f"the {what} of {labels} alone are in another order: {moved}"
                    yield convention(
                        f"order/{kind}:{','.join(own)} alone", cause, answer_edit=_reordering(kind, order, own), prior=2.0
                    )


def _names(spec: RobotSpec, kind: str, quantity: str) -> list[str]:
    if kind == "rows":
        return list(rows(spec, quantity))
    return [body.name for body in spec.bodies] if kind == "bodies" else [p.name for p in spec.contact_points if p.computed]


def known_orders(spec: RobotSpec) -> Iterator[tuple[str, str, Order]]:
    """Orders of the bodies with name and remark: siblings by name, reversed; breadth-first."""
    children = _children(spec)
    for names in ([body.joint.name for body in spec.bodies], [body.name for body in spec.bodies]):
        by_name = {parent: sorted(its, key=names.__getitem__) for parent, its in children.items()}
        yield "alphabetical", " (siblings by name, as URDF parsers sort them)", _depth_first(spec, by_name)
    yield "reversed", " (siblings reversed)", _depth_first(spec, {parent: its[::-1] for parent, its in children.items()})
    yield "breadth-first", " (breadth-first)", _breadth_first(spec, children)


def _subtree_orders(spec: RobotSpec) -> Iterator[Order]:
    """The children of one link in another order, each with its subtree."""
    children = _children(spec)
    for parent, its in children.items():
        for other in _other_orders(its):
            yield _depth_first(spec, {**children, parent: list(other)})


def _exchanges(spec: RobotSpec) -> Iterator[Order]:
    """Two joints of one type in each other's place."""
    for i, j in combinations(range(len(spec.bodies)), 2):
        one, other = spec.bodies[i].joint, spec.bodies[j].joint
        if one.type is other.type and one.type is not JointType.FIXED:
            order = list(range(len(spec.bodies)))
            order[i], order[j] = j, i
            yield tuple(order)


def _children(spec: RobotSpec) -> dict[str, list[int]]:
    children: dict[str, list[int]] = {WORLD: [], **{body.name: [] for body in spec.bodies}}
    for i, body in enumerate(spec.bodies):
        children[body.parent].append(i)
    return children


def _in_order(spec: RobotSpec, order: Order, both: bool, what: str = "", remark: str = "") -> Hypothesis:
    """The state read with the joints in an order, and the answers in it if `both`."""
    moved = [spec.bodies[j].joint.name for i, j in enumerate(order) if i != j]
    how = f"in the order {name_list(moved, 6)}{remark}"
    q, v = (_slots(spec, order, sizes) for sizes in (CONFIGURATION_SIZE, VELOCITY_SIZE))

    def reading(_spec: RobotSpec, states: States) -> States:
        return replace(states, q=_read(states.q, q), v=_read(states.v, v), tau=_read(states.tau, v), vdot=_read(states.vdot, v))

    name, prior = what or ",".join(moved), 1.0 if remark else 2.0
    if not both:
        words = f"the joints of the state are read {how}"
        return convention(f"order/read:{name}", words, state_edit=reading, prior=prior)
    words, answering = f"the joints of state and answers are {how}", _reordering("rows", tuple(v))
    return convention(f"order/state-and-answers:{name}", words, None, None, reading, answering, prior)


def _reordering(kind: str, order: Order, only: Collection[str] = ()) -> AnswerEdit:
    """The rows of one kind in an order, in all quantities that have them, or in some `only`."""

    def edit(_view: AnswerView, quantity: str, values: Floats) -> Floats:
        if only and quantity not in only:
            return values
        if kind == "rows":
            return _reorder(values, DOF_AXES.get(quantity, ()), order)
        if kind == "points" and quantity == "contact_inertia":
            return _reorder(values, (1, 2), [3 * k + i for k in order for i in range(3)])
        return _reorder(values, (1,), order) if quantity in KINDS[kind][1] else values

    return edit


def _reorder(answers: Floats, axes: Sequence[int], order: Sequence[int]) -> Floats:
    for axis in axes:
        answers = np.take(answers, np.asarray(order), axis=axis)
    return answers


def _assignment(belief: Belief, quantity: str, axes: tuple[int, ...]) -> Order:
    """For each row of the answers the predicted row that is nearest to it over all states, one to one.

    Where rows and columns are exchanged together, a row's entries are compared sorted: no order changes that.
    """
    evidence = belief.evidence
    scale = np.abs(evidence.expected[quantity]).reshape(len(evidence.states), -1).max(axis=1, initial=0.0)
    scale = np.where(scale > 0.0, scale, 1.0)

    def features(answers: Floats) -> Floats:
        rows_first = np.moveaxis(answers / scale.reshape(-1, *(1,) * (answers.ndim - 1)), axes[0], 0)
        rows_first = np.sort(rows_first, axis=-1) if len(axes) > 1 else rows_first
        return rows_first.reshape(len(rows_first), -1)[:, :MOST_ROWS]

    answers, predicted = features(evidence.answers[quantity]), features(belief.prediction(quantity))
    if not (np.isfinite(answers).all() and np.isfinite(predicted).all()):
        return ()
    return _one_to_one(answers, predicted)


def _one_to_one(points: Floats, others: Floats) -> Order:
    """For each of n points (n, k) one of the others (n, k), so that the sum of their distances is least."""
    distances = np.reshape([np.abs(point - others).sum(axis=1) for point in points], (len(points), len(others)))
    near = distances <= distances.min(axis=1, keepdims=True, initial=np.inf) * (1.0 + NEAR)
    if (near.sum(axis=0) == 1).all() and (near.sum(axis=1) == 1).all():  # each is the only one that is nearest to another
        return tuple(near.argmax(axis=1).tolist())
    from scipy.optimize import linear_sum_assignment  # here: SciPy takes longer to import than most errors to explain
    from scipy.spatial.distance import cdist

    _, order = linear_sum_assignment(cdist(points, others, "cityblock"))
    return tuple(order.tolist())


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
        below = [i for name in level for i in children[name]]
        order += below
        level = [spec.bodies[i].name for i in below]
    return tuple(order)
