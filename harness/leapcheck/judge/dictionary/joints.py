"""Joints with the opposite sign, or with another zero."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from leapcheck.judge.belief import AnswerEdit, AnswerView, Belief, Hypothesis, StateEdit, convention, tabulate
from leapcheck.judge.dictionary.robust import deviating_quantities, grow, promising, sample_of
from leapcheck.judge.edits import edit_state
from leapcheck.judge.layout import JointPlace, places, scale_dofs
from leapcheck.judge.words import name_list
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import ONE_DOF, WORLD, JointType, RobotSpec

WAYS = {
    "": ("with the opposite sign", ("q", "v", "tau"), True),
    ":read": ("read with the opposite sign: q, v and tau, but the answers are right", ("q", "v", "tau"), False),
    ":q": ("of the opposite sign in q alone", ("q",), False),
    ":v": ("of the opposite sign in v alone", ("v",), False),
    ":answers": ("of the opposite sign in the answers alone", (), True),
}
"""Where a joint's sign may be wrong: in parts of the state, and in the answers."""

GRID = np.pi / 4.0
"""Step (rad) of the offsets that are tried before one is fitted."""

ROUNDS, FOLLOWED = 6, 3
"""Gauss-Newton steps, each with difference quotients over STEP (rad or m), and how many joints are followed to the end."""

STEP = 1e-7

SMALL = 1e-12
"""Residual below which an equation weighs no more."""

NEAR = 1e-9
"""Distance (rad) from a multiple of a quarter turn at which it is meant."""

STATES = 4
"""States on which an offset is fitted."""

MOST_OFFSETS = 4
"""Joints whose zeros are sought together."""

QUARTER = 0.5 * np.pi

Offset = tuple[JointPlace, float]


def joint_signs(belief: Belief) -> Iterator[Hypothesis]:
    """One joint with the opposite sign; all joints so, or in q, in v or in the answers alone."""
    joints = _one_dof(belief)
    if len(joints) > 1:
        yield from (_sign(joints, way, "all") for way in WAYS)
    yield from (_sign([joint], "") for joint in joints)
    yield from (_sign(alike, "") for alike in _alike(belief.evidence.spec, joints))


def _alike(spec: RobotSpec, joints: Sequence[JointPlace]) -> Iterator[list[JointPlace]]:
    """Joints of one type and depth, such as the hips of legs, where that is neither one joint nor all."""
    depth = {WORLD: 0}
    groups: dict[tuple[int, str], list[JointPlace]] = {}
    for i, body in enumerate(spec.bodies):
        depth[body.name] = depth[body.parent] + 1
        own = [joint for joint in joints if joint.body == i]
        groups.setdefault((depth[body.name], body.joint.type), []).extend(own)
    return (group for group in groups.values() if 1 < len(group) < len(joints))


def partial_joint_signs(belief: Belief) -> Iterator[Hypothesis]:
    """Joints with the wrong sign in q, in v or in the answers alone, one or several: those that make most entries right."""
    joints = _one_dof(belief)
    family = {h.name: (h, joint, way) for joint in joints for way in WAYS for h in [_sign([joint], way)]}
    best = promising(belief, [hypothesis for hypothesis, _, _ in family.values()])
    yield from (hypothesis for hypothesis in best if family[hypothesis.name][2])
    for _, start, way in [family[hypothesis.name] for hypothesis in best[:1]]:
        several = grow(belief, start, joints, partial(_sign, way=way))
        if len(several) > 1:  # in other ways, too: without v in it a quantity does not distinguish them
            yield from (_sign(several, other) for other in WAYS)


def _one_dof(belief: Belief) -> list[JointPlace]:
    return [place for place in places(belief.evidence.spec) if place.joint.type in ONE_DOF]


def _sign(joints: Sequence[JointPlace], way: str, name: str = "") -> Hypothesis:
    how, parts, answered = WAYS[way]
    whose = f"{'joint' if len(joints) == 1 else 'joints'} {name_list(joint.joint.name for joint in joints)}"
    words = f"every joint is {how}" if name == "all" else f"{whose} {'are' if len(joints) > 1 else 'is'} {how}"
    name = name or ",".join(sorted(joint.joint.name for joint in joints))
    return convention(
        f"sign/{name}{way}",
        words,
        state_edit=_reverse_state(joints, parts) if parts else None,
        answer_edit=_reverse_rows(joints) if answered else None,
        prior=2.0 if way else 1.0,
    )


def _reverse_state(joints: Sequence[JointPlace], parts: Sequence[str]) -> StateEdit:
    def edit(_spec: RobotSpec, q: Floats, v: Floats, tau: Floats) -> None:
        for part, block in (("q", q), ("v", v), ("tau", tau)):
            for joint in joints if part in parts else ():
                block[:, joint.q if part == "q" else joint.v] *= -1.0

    return edit_state(edit)


def _reverse_rows(joints: Sequence[JointPlace]) -> AnswerEdit:
    def edit(view: AnswerView, quantity: str, values: Floats) -> Floats:
        factors = np.ones(view.spec.nv)
        for joint in joints:
            factors[joint.v] = -1.0
        return scale_dofs(quantity, values, factors)

    return edit


def joint_offsets(belief: Belief) -> Iterator[Hypothesis]:
    """Other zeros of one joint or of some: offsets by a grid and Gauss-Newton, quarter turns named as such."""
    offsets: list[Offset] = []
    rest = belief
    while len(offsets) < MOST_OFFSETS and (best := _best_offsets(rest)):
        if not offsets:
            yield from (_offset([offset]) for offset in best)
        offsets.append(best[0])
        rest = belief.plus(_offset(offsets))
        if len(offsets) > 1:
            yield _offset(offsets)
        if not deviating_quantities(rest, most=1):
            return


def _best_offsets(belief: Belief) -> list[Offset]:
    """Up to two offsets that make most entries right."""
    quantities = deviating_quantities(belief, most=2)
    joints = _one_dof(belief)
    if not quantities or not joints:
        return []
    few = belief.about(sample_of(belief.evidence, STATES))
    starts, all_show = _starts(few, joints, quantities[0])
    fits = [offset for offset in _newton(few, starts, quantities[:1] if all_show else quantities) if abs(offset[1]) > STEP**2]
    family = {f"offset/{offset[0].joint.name}": offset for offset in fits}
    return [family[h.name] for h in promising(belief, [_offset([offset]) for offset in fits], most=2)]


def _starts(few: Belief, joints: Sequence[JointPlace], quantity: str) -> tuple[list[Offset], bool]:
    """For each joint the offset of the grid under which least is left, and whether every joint shows in the quantity."""
    steps = {JointType.REVOLUTE: range(-3, 5)}
    grid = [(joint, k * GRID) for joint in joints for k in steps.get(joint.joint.type, range(2))]
    residuals = _residuals(few, grid, (quantity,))
    left = _left_over(residuals)
    best = {grid[i][0].joint.name: grid[i] for i in np.argsort(-left, kind="stable")}
    hidden = {name for name in best if not np.ptp(residuals[[joint.joint.name == name for joint, _ in grid]], axis=0).any()}
    return list(best.values()), not hidden


def _residuals(few: Belief, offsets: Sequence[Offset], quantities: Sequence[str]) -> Floats:
    """Scale-free errors of the quantities under each offset: (offsets, equations)."""
    beliefs = [few.plus(_offset([offset])) for offset in offsets]
    blocks = []
    for quantity in quantities:
        tabulate(beliefs, quantity)
        answers, scale = few.evidence.answers[quantity], few.evidence.scale[quantity]
        blocks.append(np.stack([((answers - belief.prediction(quantity)) / scale).ravel() for belief in beliefs]))
    return np.concatenate(blocks, axis=1)


def _newton(few: Belief, starts: Sequence[Offset], quantities: Sequence[str]) -> list[Offset]:
    """The offsets of least absolute residual near the starts: Gauss-Newton, each equation weighted by how well it holds.

    After some rounds only the best are followed further.
    """
    for rounds in (ROUNDS // 2, ROUNDS):
        joints, amounts = [joint for joint, _ in starts], np.array([amount for _, amount in starts])
        left = np.zeros(len(starts))
        for _ in range(rounds):
            both = _residuals(few, [*zip(joints, amounts, strict=True), *zip(joints, amounts + STEP, strict=True)], quantities)
            residual, slope = both[: len(joints)], (both[: len(joints)] - both[len(joints) :]) / STEP
            weight = slope / np.maximum(np.abs(residual), SMALL)
            change = (weight * residual).sum(axis=1) / np.maximum((weight * slope).sum(axis=1), SMALL)
            amounts = amounts + np.clip(change, -GRID, GRID)
            left = _left_over(residual)
        starts = [(joints[i], float(amounts[i])) for i in np.argsort(left, kind="stable")[:FOLLOWED]]
    return [(joint, _snap(joint, amount)) for joint, amount in starts]


def _left_over(residuals: Floats) -> Floats:
    """What is left under each offset (offsets,): a mean that large residuals do not dominate."""
    size = np.abs(residuals)
    return np.asarray((size / (size + 0.1)).mean(axis=1))


def _snap(joint: JointPlace, amount: float) -> float:
    """An angle within half a turn; a multiple of a quarter turn where it is near."""
    if joint.joint.type is not JointType.REVOLUTE:
        return amount
    amount = float(np.remainder(amount + np.pi, 2.0 * np.pi) - np.pi)
    nearest = QUARTER * round(amount / QUARTER)
    return nearest if abs(amount - nearest) < NEAR else amount


def _offset(offsets: Sequence[Offset]) -> Hypothesis:
    chosen = tuple(offsets)

    def edit(_spec: RobotSpec, q: Floats, _v: Floats, _tau: Floats) -> None:
        for joint, amount in chosen:
            q[:, joint.q] += amount

    names = ",".join(sorted(joint.joint.name for joint, _ in chosen))
    words = "; ".join(f"the zero of joint {joint.joint.name} is elsewhere: {_amount(joint, amount)}" for joint, amount in chosen)
    return convention(f"offset/{names}", words, state_edit=edit_state(edit), prior=float(len(chosen)))


def _amount(joint: JointPlace, amount: float) -> str:
    unit = "rad" if joint.joint.type is JointType.REVOLUTE else "m"
    quarters = round(amount / QUARTER)
    turns = f" ({quarters:+d} quarter {'turn' if abs(quarters) == 1 else 'turns'})" if amount == quarters * QUARTER else ""
    return f"{amount:+.7g} {unit} is added{turns}"
