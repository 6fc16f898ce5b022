"""The figures of a jump arranged for reading: groups, error bars, spread, each simulator's value."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leapcheck.jumping.judging.thresholds import JumpVerdict
from leapcheck.jumping.measures.estimates import Estimate, Value
from leapcheck.report.jump.words import between, plain_number, seconds, unit_text, with_error

if TYPE_CHECKING:
    from leapcheck.jumping.study import JumpStudy

HEADLINES = ("height", "take_off_speed", "torque_use", "voltage_use", "line_use", "friction_use", "force_landing")
"""Figures in large type at the top of the page, where they exist."""

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


TONES = {JumpVerdict.GO: "good", JumpVerdict.MARGINAL: "warn", JumpVerdict.NO_GO: "bad", JumpVerdict.UNDECIDED: "warn"}


def simulator_names(run: JumpStudy) -> tuple[str, ...]:
    """The simulators that have figures, in the order of the options."""
    names = dict.fromkeys(name for estimate in run.estimates for name in estimate.by_simulator)
    return tuple(sorted(names, key=[*run.logs, *names].index))


def figure_groups(run: JumpStudy) -> tuple[FigureGroup, ...]:
    """All figures by group, in the order of the groups; groups of other names come last."""
    names = simulator_names(run)
    tones = _tones(run)
    rows: dict[str, tuple[list[FigureRow], list[FigureRow]]] = {group: ([], []) for group in GROUPS}
    for estimate in run.estimates:
        rows.setdefault(estimate.group, ([], []))[bool(estimate.joint)].append(_figure(estimate, names, tones))
    return tuple(
        FigureGroup(GROUPS.get(group, group), tuple(whole), tuple(joints))
        for group, (whole, joints) in rows.items()
        if whole or joints
    )


def headline_figures(run: JumpStudy) -> tuple[FigureRow, ...]:
    """The rows in large type."""
    by_key = {estimate.key: estimate for estimate in run.estimates}
    names, tones = simulator_names(run), _tones(run)
    request = None if run.setup.plan is None else run.setup.plan.request
    asked = () if request is None else (*(("yaw",) if request.yaw else ()), *(("roll",) if request.roll else ()))
    keys = (HEADLINES[0], *asked, "total_distance", *HEADLINES[1:])
    return tuple(_figure(by_key[key], names, tones) for key in keys if key in by_key)


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


def _tones(run: JumpStudy) -> dict[str, str]:
    """The worst tone that the reasons give to each item."""
    order = list(TONES.values())
    tones: dict[str, str] = {}
    for reason in run.judgement.reasons:
        tone = TONES[reason.verdict]
        if order.index(tone) > order.index(tones.get(reason.item, "good")):
            tones[reason.item] = tone
    return tones
