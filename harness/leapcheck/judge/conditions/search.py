"""The condition under which an engine is wrong in one quantity: found by asking it along lines, checked at fresh states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from leapcheck.judge.conditions.features import StateFeature, features
from leapcheck.judge.conditions.probe import MOVED, Boundaries, ErrorProbe, NoAnswerError
from leapcheck.judge.conditions.regions import Flags, StateRegion, merge, regions
from leapcheck.judge.evidence import Evidence, rows_of
from leapcheck.judge.layout import places, quaternions
from leapcheck.quantities import QUANTITIES
from leapcheck.sampling import STATE_PARTS, States, generated_states, join_states
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import JointType, RobotSpec

FRESH = 40
"""States drawn besides those of the evidence, and as many again on which a condition is checked."""

SEEDS = (9_001, 9_002)
"""Their seeds."""

GENTLE, GENTLY = 6, 0.1
"""States, out of these, that are drawn again with joints and velocities so many times as large."""

NUDGE, NUDGES = 1e-3, 2
"""By how much (rad, m, rad/s) a right state is moved, how often: one that stays right is no weakly excited one."""

FAR_OUT = {JointType.REVOLUTE: (3.0, 5.0, 9.0), JointType.PRISMATIC: (0.45,)}
"""Places (rad, m) of one joint alone, either way: beyond usual limits, and more than a turn."""

FASTEST = (80.0,)
"""The same of one velocity (rad/s, m/s)."""

MOST_MOVED = 64
"""Such states from which lines begin."""

RIGHT, WRONG = 3, 3
"""Right and wrong states that lines join in one round."""

CLEARLY_RIGHT = 0.25
"""Error, in units of what rounding explains, up to which a state counts as right: a small fault may hide in the rest."""

ROUNDS = 8

MOST_WORDS = 4
"""Regions that a sentence lists."""

INSIDE = 0.02
"""Relative distance from a threshold at which a state is well inside."""

ASIDE = 1e-3
"""Relative distance on either side of a threshold at which the check asks."""

LEAST_SHARE = 0.5
"""Share of the states in a region in which the engine must be wrong: at rest, say, the same fault may not show."""


@dataclass(frozen=True, slots=True, eq=False)
class StateCondition:
    """Where an engine is wrong in a quantity: in any of the `regions`, and nowhere else; `is_exact`: in all of their states.

    `checked` counts the states, drawn for the check, at which right and wrong were foretold.
    """

    regions: tuple[StateRegion, ...]
    is_exact: bool
    checked: int
    probe: ErrorProbe

    def contains(self, states: States) -> Flags:
        """Which states (n,) are inside."""
        return _inside(self.regions, states)

    def is_near(self, states: States) -> Flags:
        """Which states (n,) are too near a threshold for a prediction."""
        return _near(self.regions, states)

    @property
    def words(self) -> str:
        """ "wrong exactly where |FR_knee_joint| > 2.7 rad"."""
        regions = [region.words for region in self.regions]
        more = [f"{len(regions) - MOST_WORDS} more like these"] if len(regions) > MOST_WORDS else []
        return f"wrong {'exactly' if self.is_exact else 'only'} where {' or '.join([*regions[:MOST_WORDS], *more])}"


def condition(evidence: Evidence, quantity: str) -> StateCondition | None:
    """The condition; None where the engine is wrong everywhere, where no condition foretells its errors, or where it fails."""
    probe = ErrorProbe(evidence, quantity)
    try:
        drawn = generated_states(evidence.spec, FRESH, SEEDS[0], 0)
        probe.errors(join_states([drawn, _gentle(evidence.spec, drawn[:GENTLE])]))
        right = _robust_states(probe)
        if right is None or not probe.is_clear.any():
            return None
        probe.errors(_along_axes(evidence.spec, quantity, right))
        options = features(evidence.spec, quantity)
        regions_of = _covering_regions(probe, right, options)
        return _checked(probe, regions_of, right) if regions_of else None
    except NoAnswerError:
        return None


def _robust_states(probe: ErrorProbe, among: Flags | None = None) -> States | None:
    """States that are clearly right and stay so when all their numbers move a little; None where there are none.

    None of them is far from the origin: there rounding may hide an error.
    """
    order = {"generic": 0, "file": 0, "large": 1}
    is_right = (probe.ratio <= CLEARLY_RIGHT) & probe.is_drawn & np.array([kind != "far" for kind in probe.states.kind])
    rows = [int(i) for i in np.flatnonzero(is_right if among is None else is_right & among)]
    rows = sorted(rows, key=lambda i: order.get(probe.states.kind[i], 3))[: 3 * RIGHT]
    if not rows:
        return None
    states, rng = rows_of(probe.states, rows), np.random.default_rng(0)
    moved = [_nudged(probe.spec, states, rng) for _ in range(NUDGES)]
    ratio = np.max([probe.errors(block) for block in moved], axis=0)
    robust = [row for row, of_row in zip(rows, ratio, strict=True) if of_row <= CLEARLY_RIGHT]
    return rows_of(probe.states, robust[:RIGHT]) if robust else None


def _along_axes(spec: RobotSpec, quantity: str, right: States) -> States:
    """The first of some states with one joint or velocity at a time far out: few others meet one branch of many alone."""
    blocks: dict[str, list[Floats]] = {part: [] for part in STATE_PARTS}
    arguments = QUANTITIES[quantity].arguments
    columns = [("q", place.q.start, FAR_OUT[place.joint.type]) for place in places(spec) if place.joint.type in FAR_OUT]
    columns += [("v", column, FASTEST) for column in range(spec.nv)]
    for part, column, ends in columns:
        for end in (*ends, *(-end for end in ends)) if part in arguments else ():
            for name, block in blocks.items():
                block.append(getattr(right, name)[0].copy())
            blocks[part][-1][column] = end
    count = len(blocks["q"])
    parts = {part: np.array(block) for part, block in blocks.items()}
    return States(index=np.full(count, -1), kind=(MOVED,) * count, **parts)


def _gentle(spec: RobotSpec, states: States) -> States:
    """The states with small joint coordinates and velocities: where limits are many, others keep none of them."""
    q = states.q.copy()
    for place in places(spec):
        if place.joint.type in FAR_OUT:
            q[:, place.q] *= GENTLY
    return replace(states, q=q, v=GENTLY * states.v)


def _nudged(spec: RobotSpec, states: States, rng: np.random.Generator) -> States:
    def nudge(block: Floats) -> Floats:
        points: Floats = block + NUDGE * rng.uniform(0.5, 1.0, block.shape) * rng.choice([-1.0, 1.0], block.shape)
        return points

    q, v, tau = nudge(states.q), nudge(states.v), nudge(states.tau)
    for place in quaternions(spec):
        q[:, place] /= np.linalg.norm(q[:, place], axis=1, keepdims=True)
    return replace(states, q=q, v=v, tau=tau)


def _covering_regions(probe: ErrorProbe, right: States, options: Sequence[StateFeature]) -> list[StateRegion]:
    """Regions that hold every state at which the engine is known to be wrong, and none at which it is robustly right.

    None where that takes too many lines.
    """
    lines: Boundaries | None = None
    chosen: list[StateRegion] = []
    targets = right
    for number in range(ROUNDS):
        inside, near = _inside(chosen, probe.states), _near(chosen, probe.states)
        rows = np.flatnonzero(probe.is_clear & ~inside & ~near)
        if chosen and not len(rows):
            refuting = _robust_states(probe, inside & ~near)
            if refuting is None:
                return merge(options, _needed(chosen, probe.states))
            targets, rows = refuting, np.flatnonzero(probe.is_clear & ~_is_moved(probe.states))
        new = probe.boundaries(*_pairs(probe, rows, targets))
        lines = new if lines is None else lines.join(new)
        if not len(lines):
            break
        chosen = list(_best_regions(probe, options, lines, right))
        if number and not chosen:
            break
    return []


def _is_moved(states: States) -> Flags:
    return np.array([kind == MOVED for kind in states.kind])


def _pairs(probe: ErrorProbe, rows: NDArray[np.intp], targets: States) -> tuple[States, States]:
    """Wrong states out of some rows, and right ones, to be joined: those that differ in one number, else a few of each."""
    moved = rows[_is_moved(probe.states)[rows]][:MOST_MOVED].tolist()
    if moved:
        return rows_of(probe.states, moved), join_states([targets[:1]] * len(moved))
    picked = rows[np.linspace(0, len(rows) - 1, min(WRONG, len(rows)), dtype=int)]
    wrong = rows_of(probe.states, [int(i) for i in np.repeat(picked, len(targets))])
    return wrong, join_states([targets] * len(picked))


def _inside(chosen: Sequence[StateRegion], states: States) -> Flags:
    flags = np.zeros(len(states), dtype=bool)
    for region in chosen:
        flags |= region.contains(states)
    return flags


def _near(chosen: Sequence[StateRegion], states: States) -> Flags:
    flags = np.zeros(len(states), dtype=bool)
    for region in chosen:
        flags |= region.is_near(states)
    return flags


def _needed(chosen: Sequence[StateRegion], states: States) -> list[StateRegion]:
    """The regions without those that lie inside the others, at the states that are known."""
    needed = list(chosen)
    for region in sorted(chosen, key=lambda region: int(region.contains(states).sum())):
        others = [other for other in needed if other is not region]
        if others and not (region.contains(states) & ~_inside(others, states)).any():
            needed = others
    return needed


def _best_regions(probe: ErrorProbe, options: Sequence[StateFeature], lines: Boundaries, right: States) -> Iterator[StateRegion]:
    """Of the regions into which lines cross those in which the engine is wrong, until they hold all states where it is."""
    left, covered = frozenset(range(len(lines))), np.zeros(0, dtype=bool)
    for region in regions(options, lines):
        is_new = region.contains(probe.states)
        covered = np.pad(covered, (0, len(is_new) - len(covered)))  # more states were asked
        if len(region.lines & left) > 1 and (is_new & ~covered & probe.is_clear).any() and _is_wrong_inside(probe, region, right):
            left -= region.lines
            covered = np.pad(covered | is_new, (0, len(probe.states) - len(is_new)))
            yield region


def _is_wrong_inside(probe: ErrorProbe, region: StateRegion, right: States) -> bool:
    """Whether the engine is wrong at most of the region's states that are known, and of right ones that are moved into it."""
    for block in _moved_inside(region, right):
        if float(np.mean(probe.errors(block) > 1.0)) < LEAST_SHARE:
            return False
    inside = region.contains(probe.states) & ~region.is_near(probe.states)
    return bool(inside.any()) and float(np.mean(probe.ratio[inside] > 1.0)) >= LEAST_SHARE


def _moved_inside(region: StateRegion, right: States) -> Iterator[States]:
    """Right states put inside each of a region's intervals, by all the coordinates of its feature or by one after the other."""
    feature = region.feature
    columns = list(feature.columns)
    for low, high in region.intervals if columns else ():
        if feature.is_size and high < np.inf:
            block = getattr(right, feature.part).copy()
            block[:, columns] *= (0.5 * high / np.abs(block[:, columns]).max(axis=1))[:, None]
            yield replace(right, **{feature.part: block})
            continue
        rows = np.resize(np.arange(len(right)), max(len(columns), len(right)))
        block = getattr(right, feature.part)[rows].copy()
        block[np.arange(len(rows)), np.resize(columns, len(rows))] = _inner_value(low, high)
        yield replace(rows_of(right, rows.tolist()), **{feature.part: block})


def _inner_value(low: float, high: float) -> float:
    """A value between two, one of which may be infinite: then not far from the other."""
    if np.isfinite(low) and np.isfinite(high):
        return 0.5 * (low + high)
    end, side = (low, 1.0) if np.isfinite(low) else (high, -1.0)
    return end + side * (INSIDE * abs(end) or 1.0)


def _checked(probe: ErrorProbe, chosen: Sequence[StateRegion], right: States) -> StateCondition | None:
    """The condition, if it foretells at which states drawn for the check the engine is right and wrong."""
    condition = StateCondition(tuple(chosen), False, 0, probe)
    drawn = generated_states(probe.spec, FRESH, SEEDS[1], 0)
    states = join_states([drawn, *(block for region in chosen for block in _beside(region, right))])
    ratio = probe.errors(states)
    counted = ~condition.is_near(states)
    inside = condition.contains(states)
    if (ratio[counted & ~inside] > 1.0).any():
        return None
    everywhere = ~condition.is_near(probe.states) & condition.contains(probe.states)
    everywhere &= np.array([kind != "far" for kind in probe.states.kind])  # there rounding may hide an error
    share = float(np.mean(probe.ratio[everywhere] > 1.0))
    return replace(condition, is_exact=share == 1.0, checked=int(counted.sum())) if share >= LEAST_SHARE else None


def _beside(region: StateRegion, right: States) -> Iterator[States]:
    """Right states with one coordinate put a little below or above each threshold."""
    feature = region.feature
    for end in region.ends if feature.columns else ():
        for side in (1.0 - ASIDE, 1.0 + ASIDE):
            block = getattr(right, feature.part).copy()
            signs = np.where(np.arange(len(block)) % 2, -1.0, 1.0) if feature.is_size else 1.0
            block[np.arange(len(block)), np.resize(feature.columns, len(block))] = signs * side * end
            yield replace(right, **{feature.part: block})
