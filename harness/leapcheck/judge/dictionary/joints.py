"""Joints counted the other way round, or from another zero."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from leapcheck.judge.belief import Belief, Hypothesis, View, tabulate
from leapcheck.judge.coordinates import Place, places, scaled_dofs
from leapcheck.judge.dictionary.robust import deviating, few_states, grown, promising
from leapcheck.judge.words import listed
from leapcheck.states import Floats, States
from leapcheck_models.spec import ONE_DOF, WORLD, JointType, RobotSpec

WAYS = {
    "": ("counted the other way round", ("q", "v", "tau"), True),
    ":read": ("read the other way round: q, v and tau, but the answers are right", ("q", "v", "tau"), False),
    ":q": ("of the opposite sign in q alone", ("q",), False),
    ":v": ("of the opposite sign in v alone", ("v",), False),
    ":answers": ("of the opposite sign in the answers alone", (), True),
}
"""In what a joint's sign may be wrong: parts of the state, and the answers."""


def joint_signs(belief: Belief) -> Iterator[Hypothesis]:
    """One joint counted the other way round; all joints so, or in q, in v or in the answers alone."""
    joints = _one_dof(belief)
    if len(joints) > 1:
        yield from (_sign(joints, way, "all") for way in WAYS)
    yield from (_sign([at], "") for at in joints)
    yield from (_sign(alike, "") for alike in _alike(belief.evidence.spec, joints))


def _alike(spec: RobotSpec, joints: Sequence[Place]) -> Iterator[list[Place]]:
    """Joints of one type and depth, as the hips of legs, where that is neither one joint nor all."""
    depth = {WORLD: 0}
    groups: dict[tuple[int, str], list[Place]] = {}
    for i, body in enumerate(spec.bodies):
        depth[body.name] = depth[body.parent] + 1
        own = [at for at in joints if at.body == i]
        groups.setdefault((depth[body.name], body.joint.type), []).extend(own)
    return (group for group in groups.values() if 1 < len(group) < len(joints))


def partial_joint_signs(belief: Belief) -> Iterator[Hypothesis]:
    """Joints with the wrong sign in q, in v or in the answers alone, one or several: those that make most entries right."""
    joints = _one_dof(belief)
    family = {hypothesis.name: (hypothesis, at, way) for at in joints for way in WAYS for hypothesis in [_sign([at], way)]}
    best = promising(belief, [hypothesis for hypothesis, _, _ in family.values()])
    yield from (hypothesis for hypothesis in best if family[hypothesis.name][2])
    for _, start, way in [family[hypothesis.name] for hypothesis in best[:1]]:
        several = grown(belief, start, joints, partial(_sign, way=way))
        if len(several) > 1:  # in other ways, too: without v in it a quantity does not tell them apart
            yield from (_sign(several, other) for other in WAYS)


def _one_dof(belief: Belief) -> list[Place]:
    return [at for at in places(belief.evidence.spec) if at.joint.type in ONE_DOF]


def _sign(joints: Sequence[Place], way: str, name: str = "") -> Hypothesis:
    how, parts, answered = WAYS[way]
    whose = f"joint{'s' if len(joints) > 1 else ''} {listed(at.joint.name for at in joints)}"
    words = f"every joint is {how}" if name == "all" else f"{whose} {'are' if len(joints) > 1 else 'is'} {how}"
    reading, answering = _reversed(joints, parts) if parts else None, _reversed_rows(joints) if answered else None
    name = name or ",".join(sorted(at.joint.name for at in joints))
    return Hypothesis(f"sign/{name}{way}", "convention", words, None, None, reading, answering, 2.0 if way else 1.0)


def _reversed(joints: Sequence[Place], parts: Sequence[str]) -> Callable[[RobotSpec, States], States]:
    def reading(_spec: RobotSpec, states: States) -> States:
        changed = {part: getattr(states, part).copy() for part in parts}
        for part, block in changed.items():
            for at in joints:
                block[:, at.q if part == "q" else at.v] *= -1.0
        return replace(states, **changed)

    return reading


def _reversed_rows(joints: Sequence[Place]) -> Callable[[View, str, Floats], Floats]:
    def answering(view: View, quantity: str, values: Floats) -> Floats:
        factors = np.ones(view.spec.nv)
        for at in joints:
            factors[at.v] = -1.0
        return scaled_dofs(quantity, values, factors)

    return answering


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

Start = tuple[Place, float]


def joint_offsets(belief: Belief) -> Iterator[Hypothesis]:
    """The zeros of one joint or of some elsewhere: offsets by a grid and Gauss-Newton, quarter turns named as such."""
    found: list[Start] = []
    held = belief
    while len(found) < MOST_OFFSETS and (best := _best_offsets(held)):
        if not found:
            yield from (_offset([start]) for start in best)
        found.append(best[0])
        held = belief.with_(_offset(found))
        if len(found) > 1:
            yield _offset(found)
        if not deviating(held, most=1):
            return


def _best_offsets(belief: Belief) -> list[Start]:
    """Up to two offsets that make most entries right."""
    quantities = deviating(belief, most=2)
    joints = _one_dof(belief)
    if not quantities or not joints:
        return []
    few = belief.at(few_states(belief.evidence, STATES))
    starts, all_show = _starts(few, joints, quantities[0])
    found = [start for start in _newton(few, starts, quantities[:1] if all_show else quantities) if abs(start[1]) > STEP**2]
    family = {f"offset/{start[0].joint.name}": start for start in found}
    return [family[h.name] for h in promising(belief, [_offset([start]) for start in found], most=2)]


def _starts(few: Belief, joints: Sequence[Place], quantity: str) -> tuple[list[Start], bool]:
    """For each joint the offset of the grid under which least is left, and whether every joint shows in the quantity."""
    grid = [(at, k * GRID) for at in joints for k in (range(-3, 5) if at.joint.type is JointType.REVOLUTE else (0, 1))]
    residuals = _residuals(few, grid, (quantity,))
    left = _left(residuals)
    best = {grid[i][0].joint.name: grid[i] for i in np.argsort(-left, kind="stable")}
    hidden = {name for name in best if not np.ptp(residuals[[at.joint.name == name for at, _ in grid]], axis=0).any()}
    return list(best.values()), not hidden


def _residuals(few: Belief, starts: Sequence[Start], quantities: Sequence[str]) -> Floats:
    """What is left of the quantities, scale-free, under each offset: (offsets, equations)."""
    beliefs = [few.with_(_offset([start])) for start in starts]
    blocks = []
    for quantity in quantities:
        tabulate(beliefs, quantity)
        found, scale = few.evidence.found[quantity], few.evidence.scale[quantity]
        blocks.append(np.stack([((found - belief.predicted(quantity)) / scale).ravel() for belief in beliefs]))
    return np.concatenate(blocks, axis=1)


def _newton(few: Belief, starts: Sequence[Start], quantities: Sequence[str]) -> list[Start]:
    """The offsets of least absolute residual near the starts: Gauss-Newton, each equation weighted by how well it holds.

    After some rounds only the best are followed further.
    """
    for rounds in (ROUNDS // 2, ROUNDS):
        joints, amounts = [at for at, _ in starts], np.array([amount for _, amount in starts])
        left = np.zeros(len(starts))
        for _ in range(rounds):
            both = _residuals(few, [*zip(joints, amounts, strict=True), *zip(joints, amounts + STEP, strict=True)], quantities)
            residual, slope = both[: len(joints)], (both[: len(joints)] - both[len(joints) :]) / STEP
            weight = slope / np.maximum(np.abs(residual), SMALL)
            change = (weight * residual).sum(axis=1) / np.maximum((weight * slope).sum(axis=1), SMALL)
            amounts = amounts + np.clip(change, -GRID, GRID)
            left = _left(residual)
        starts = [(joints[i], float(amounts[i])) for i in np.argsort(left, kind="stable")[:FOLLOWED]]
    return [(at, _snapped(at, amount)) for at, amount in starts]


def _left(residuals: Floats) -> Floats:
    """What is left under each offset (offsets,): a mean that large residuals do not rule."""
    size = np.abs(residuals)
    return np.asarray((size / (size + 0.1)).mean(axis=1))


def _snapped(at: Place, amount: float) -> float:
    """An angle within half a turn; a multiple of a quarter turn where it is near."""
    if at.joint.type is not JointType.REVOLUTE:
        return amount
    amount = float(np.remainder(amount + np.pi, 2.0 * np.pi) - np.pi)
    nearest = QUARTER * round(amount / QUARTER)
    return nearest if abs(amount - nearest) < NEAR else amount


def _offset(starts: Sequence[Start]) -> Hypothesis:
    def reading(_spec: RobotSpec, states: States) -> States:
        q = states.q.copy()
        for at, amount in starts:
            q[:, at.q] += amount
        return replace(states, q=q)

    names = ",".join(sorted(at.joint.name for at, _ in starts))
    words = "; ".join(f"the zero of joint {at.joint.name} is elsewhere: {_amount(at, amount)}" for at, amount in starts)
    return Hypothesis(f"offset/{names}", "convention", words, reading=reading, prior=float(len(starts)))


def _amount(at: Place, amount: float) -> str:
    unit = "rad" if at.joint.type is JointType.REVOLUTE else "m"
    quarters = round(amount / QUARTER)
    turns = f" ({quarters:+d} quarter turn{'s' if abs(quarters) > 1 else ''})" if amount == quarters * QUARTER else ""
    return f"{amount:+.7g} {unit} is added{turns}"
