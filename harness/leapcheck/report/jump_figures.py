"""The figures of a jump arranged for reading: groups, error bars, spread, each simulator's value."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leapcheck.jump.judging.rules import Verdict
from leapcheck.jump.measures.estimates import Estimate, Value
from leapcheck.report.jump_words import between, plain_number, seconds, unit_text, with_error

if TYPE_CHECKING:
    from leapcheck.jump.run import JumpRun

HEADLINES = ("height", "take_off_speed", "torque_use", "voltage_use", "friction_use", "force_landing")
"""Figures that stand in large type at the top, as far as there are."""

GROUPS = {
    "jump": "The jump",
    "drives": "Drives",
    "ground": "Ground",
    "power": "Power and battery",
    "flight": "Flight",
    "landing": "Landing",
}


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure of one simulator: its value with error bar, and by step size what it was, for those who look closer."""

    text: str
    detail: str


@dataclass(frozen=True, slots=True)
class FigureRow:
    """A figure over all simulators, in words; `cells` in the order of the simulators, None where one has none.

    `tone` is the worst verdict that a reason gives to it, empty where none does.
    """

    label: str
    meaning: str
    value: str
    unit: str
    spread: str
    where: str
    cells: tuple[Cell | None, ...]
    tone: str


@dataclass(frozen=True, slots=True)
class FigureGroup:
    """The rows of one group, those of the whole robot and those of single joints."""

    title: str
    rows: tuple[FigureRow, ...]
    joints: tuple[FigureRow, ...]


TONES = {Verdict.GO: "good", Verdict.MARGINAL: "warn", Verdict.NO_GO: "bad"}


def simulator_names(run: JumpRun) -> tuple[str, ...]:
    """The simulators that have figures, in the order asked for."""
    found = dict.fromkeys(name for estimate in run.estimates for name in estimate.by_simulator)
    return tuple(sorted(found, key=[*run.logs, *found].index))


def figure_groups(run: JumpRun) -> tuple[FigureGroup, ...]:
    """All figures by group, in the order of the groups; groups of other names come last."""
    names = simulator_names(run)
    tones = _tones(run)
    groups = dict.fromkeys([*GROUPS, *(estimate.group for estimate in run.estimates)])
    found = []
    for group in groups:
        of_group = [estimate for estimate in run.estimates if estimate.group == group]
        rows = [(estimate.joint, _figure(estimate, names, tones)) for estimate in of_group]
        if rows:
            whole = tuple(row for joint, row in rows if not joint)
            found.append(FigureGroup(GROUPS.get(group, group), whole, tuple(row for joint, row in rows if joint)))
    return tuple(found)


def headline_figures(run: JumpRun) -> tuple[FigureRow, ...]:
    """The rows in large type."""
    by_key = {estimate.key: estimate for estimate in run.estimates}
    names, tones = simulator_names(run), _tones(run)
    return tuple(_figure(by_key[key], names, tones) for key in HEADLINES if key in by_key)


def _figure(estimate: Estimate, names: Iterable[str], tones: Mapping[str, str]) -> FigureRow:
    unit = unit_text(estimate.unit)
    cells = tuple(_cell(estimate.by_simulator[name]) if name in estimate.by_simulator else None for name in names)
    spread = between(estimate.spread_low, estimate.spread_high) if len(estimate.by_simulator) > 1 else ""
    return FigureRow(
        label=estimate.label,
        meaning=estimate.kind.meaning,
        value=with_error(estimate.value, estimate.error),
        unit=unit,
        spread=spread,
        where=_where(estimate),
        cells=cells,
        tone=tones.get(estimate.key, ""),
    )


def _cell(value: Value) -> Cell:
    steps = ", ".join(f"{plain_number(figure, 6)} at {seconds(dt)}" for dt, figure in value.by_step)
    order = "" if math.isnan(value.order) else f"; observed order {value.order:.2f}"
    return Cell(with_error(value.value, value.error), f"{steps}{order}")


def _where(estimate: Estimate) -> str:
    """The joints or feet, and from when to when, that give the figure in the simulators; a joint's own row does not name it."""
    places = dict.fromkeys(
        value.where for value in estimate.by_simulator.values() if value.where and value.where != estimate.joint
    )
    times = [value.time for value in estimate.by_simulator.values() if math.isfinite(value.time)]
    when = f"{min(times):.3f} s" if times and max(times) - min(times) < 1e-3 else ""
    if times and not when:
        when = f"{min(times):.3f} to {max(times):.3f} s"
    return ", ".join(filter(None, (" / ".join(places), when)))


def _tones(run: JumpRun) -> dict[str, str]:
    """The worst tone that the reasons give to each item."""
    order = list(TONES.values())
    found: dict[str, str] = {}
    for reason in run.judgement.reasons:
        tone = TONES[reason.verdict]
        if order.index(tone) > order.index(found.get(reason.item, "good")):
            found[reason.item] = tone
    return found
