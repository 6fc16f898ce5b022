"""Reduction of answers to records, unit by unit: nothing of the size of all states is ever kept."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from leapcheck.compare.entries import entry_name, entry_unit
from leapcheck.compare.errors import scale_free, scales
from leapcheck.compare.records import HISTOGRAM_DECADES, Comparison, KindRow, Verdict, WorstState
from leapcheck.quantities import QUANTITIES
from leapcheck.states import Floats, States
from leapcheck_models.spec import CONFIGURATION_SIZE, JointType, RobotSpec

TOLERANCE_UNITS = 256.0
"""Tolerance in units of the expected rounding.

An engine rounds after each of the hundreds of operations on the way from a state to an entry; the unit holds one
perturbation of each input. Measured worst of 2 000 states of each named robot and 200 of each of 50 random trees over
MuJoCo and Pinocchio: see reports/accuracy.md.
"""

NEAR = 10.0
"""Base positions up to here (m) get no allowance for cancellation far from the origin."""

REACH = 0.01
"""Length (m) by which a distance from the world's origin is measured in that allowance: a small link's gyration radius."""


@dataclass(slots=True)
class PairTally:
    """What is kept of one quantity and engine pair while the units go by; merged in the order of the units."""

    states: int = 0
    error: float = 0.0
    absolute: float = 0.0
    absolute_place: tuple[int, ...] = ()
    rounding: float = -1.0
    tolerance: float = 0.0
    worst: WorstState | None = None
    kinds: dict[str, KindRow] = field(default_factory=dict)
    histogram: NDArray[np.int64] = field(default_factory=lambda: np.zeros(np.diff(HISTOGRAM_DECADES)[0], dtype=np.int64))
    heat: Floats | None = None
    near: bool = True
    """Whether the figures are those of states near the origin or of discrepancies; else of far states, for want of others."""

    def merge(self, later: PairTally) -> None:
        """Adds what a later unit found; on a tie the earlier unit keeps the worst state."""
        self.states += later.states
        self.histogram = self.histogram + later.histogram
        for kind, row in later.kinds.items():
            mine = self.kinds.get(kind)
            self.kinds[kind] = row if mine is None else _joined_rows(mine, row)
        if later.near == self.near:
            self._merge_figures(later)
        elif later.near:
            for name in ("error", "absolute", "absolute_place", "rounding", "tolerance", "worst", "heat", "near"):
                setattr(self, name, getattr(later, name))

    def _merge_figures(self, later: PairTally) -> None:
        self.error = max(self.error, later.error)
        if later.absolute > self.absolute:
            self.absolute, self.absolute_place = later.absolute, later.absolute_place
        if later.rounding > self.rounding:
            self.rounding, self.tolerance, self.worst = later.rounding, later.tolerance, later.worst
        if later.heat is not None:
            self.heat = later.heat if self.heat is None else np.maximum(self.heat, later.heat)


def pair_tally(
    spec: RobotSpec, quantity: str, states: States, values: Floats, against: Floats, in_house: Floats, rounding: Floats
) -> PairTally:
    """One unit's tally of a pair: `values` held `against` another engine's, scaled by the in-house answers.

    `rounding` (n,) is the expected scale-free rounding of each state. The figures are those of the states near the
    origin and of discrepancies: a loss of digits far out hides nothing, and is told by the rows of the kinds.
    """
    n = len(states)
    with np.errstate(invalid="ignore"):  # infinite on both sides: no number, thus wrong
        difference = values - against
    error = scale_free(difference, scales(quantity, in_house)).reshape(n, -1)
    if not error.size:
        return PairTally(states=n)
    per_state = error.max(axis=1)
    in_units = per_state / rounding
    distance = _base_distance(spec, states)
    verdicts = _verdicts(distance, in_units)
    told = (distance <= NEAR) | np.array([verdict is Verdict.DISCREPANCY for verdict in verdicts])
    near = bool(told.any())
    told |= not near
    worst = int(np.where(told, in_units, -1.0).argmax())
    flat = int(error[worst].argmax())
    place = tuple(int(i) for i in np.unravel_index(flat, values.shape[1:])) if values.ndim > 1 else ()
    absolute = np.nan_to_num(np.abs(difference), nan=np.inf, posinf=np.inf).reshape(n, -1)[told]
    largest = np.unravel_index(int(absolute.max(axis=0).argmax()), values.shape[1:]) if values.ndim > 1 else ()
    return PairTally(
        states=n,
        error=float(per_state[told].max()),
        absolute=float(absolute.max()),
        absolute_place=tuple(int(i) for i in largest),
        rounding=float(in_units[worst]),
        tolerance=TOLERANCE_UNITS * float(rounding[worst]),
        worst=_worst_state(spec, quantity, states, worst, place, float(values[(worst, *place)]), float(against[(worst, *place)])),
        kinds=_kind_rows(states, per_state, in_units, verdicts),
        histogram=_histogram(per_state),
        heat=error[told].reshape(-1, *values.shape[1:]).max(axis=0) if quantity == "mass_matrix" else None,
        near=near,
    )


def comparison(spec: RobotSpec, quantity: str, engine: str, against: str, tally: PairTally) -> Comparison:
    """The finished record of a pair."""
    worst_error = tally.rounding * tally.tolerance / TOLERANCE_UNITS
    return Comparison(
        quantity=quantity,
        engine=engine,
        against=against,
        states=tally.states,
        error=tally.error,
        absolute=tally.absolute,
        unit=entry_unit(spec, quantity, tally.absolute_place) if tally.worst else QUANTITIES[quantity].unit,
        scale=str(QUANTITIES[quantity].scale),
        rounding=max(tally.rounding, 0.0),
        tolerance=tally.tolerance,
        margin=tally.tolerance / worst_error if worst_error > 0.0 else float("inf"),
        verdict=_worst_verdict([row.verdict for row in tally.kinds.values()]),
        kinds=tuple(tally.kinds.values()),
        histogram=tuple(int(count) for count in tally.histogram),
        worst=tally.worst,
    )


def _verdicts(distance: Floats, in_units: Floats) -> list[Verdict]:
    """Verdict of each state. Far from the origin an engine that computes in world coordinates cancels: imprecise, not wrong."""
    allowance = np.where(distance > NEAR, 1.0 + distance / REACH, 1.0)
    return [
        Verdict.AGREE if x <= TOLERANCE_UNITS else Verdict.IMPRECISE if x <= TOLERANCE_UNITS * a else Verdict.DISCREPANCY
        for x, a in zip(in_units, allowance, strict=True)
    ]


def _base_distance(spec: RobotSpec, states: States) -> Floats:
    """Largest distance (n,) of a floating base from the world's origin, m."""
    distance, q = np.zeros(len(states)), 0
    for body in spec.bodies:
        if body.joint.type is JointType.FREE:
            distance = np.maximum(distance, np.linalg.norm(states.q[:, q : q + 3], axis=1))
        q += CONFIGURATION_SIZE[body.joint.type]
    return distance


def _kind_rows(states: States, error: Floats, in_units: Floats, verdicts: list[Verdict]) -> dict[str, KindRow]:
    rows = {}
    kinds = np.array(states.kind)
    for kind in dict.fromkeys(states.kind):
        of_kind = np.flatnonzero(kinds == kind)
        verdict = _worst_verdict([verdicts[i] for i in of_kind])
        rows[kind] = KindRow(kind, len(of_kind), float(error[of_kind].max()), float(in_units[of_kind].max()), verdict)
    return rows


def _joined_rows(a: KindRow, b: KindRow) -> KindRow:
    return replace(
        a,
        states=a.states + b.states,
        error=max(a.error, b.error),
        rounding=max(a.rounding, b.rounding),
        verdict=_worst_verdict([a.verdict, b.verdict]),
    )


def _worst_verdict(verdicts: list[Verdict]) -> Verdict:
    order = (Verdict.DISCREPANCY, Verdict.IMPRECISE, Verdict.AGREE)
    return next((verdict for verdict in order if verdict in verdicts), Verdict.AGREE)


def _worst_state(
    spec: RobotSpec, quantity: str, states: States, row: int, place: tuple[int, ...], value: float, against: float
) -> WorstState:
    q, v, tau = (tuple(float(x) for x in part[row]) for part in (states.q, states.v, states.tau))
    entry = entry_name(spec, quantity, place)
    return WorstState(int(states.index[row]), states.kind[row], entry, value, against, None, q, v, tau, place)


def _histogram(error: Floats) -> NDArray[np.int64]:
    """Counts of states per power of ten of their error; exact zeros in the first bin, anything larger in the last."""
    first, last = HISTOGRAM_DECADES
    with np.errstate(divide="ignore"):
        decade = np.clip(np.floor(np.log10(error)), first, last - 1).astype(np.int64)
    return np.bincount(decade - first, minlength=last - first)
