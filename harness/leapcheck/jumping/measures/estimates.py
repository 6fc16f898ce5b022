"""The figures of a jump as far as simulation knows them: limits as the step goes to zero, error bars, spread over models."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leapcheck.jumping.measures.figure_list import FIGURES, FigureKind, JumpFigure
from leapcheck.jumping.measures.figures import figures
from leapcheck.simulators.log import JumpLog
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.simulate.actuator import Drives
from leapcheck_reference.simulate.battery import Battery
from leapcheck_reference.simulate.heat import ThermalRating
from leapcheck_reference.simulate.richardson import extrapolate
from leapcheck_reference.simulate.terrain import LEVEL, Terrain

if TYPE_CHECKING:
    from leapcheck.jumping.planning.records import JumpPlan

HALVING = 1e-6
"""Two steps are a halving apart where their ratio is 2 to this part."""


@dataclass(frozen=True, slots=True)
class Value:
    """One simulator's figure: `value` as dt -> 0 with the half-width `error` of its bar; `order`, the observed one, NaN where it
    cannot be told; `by_step`: (dt s, figure) from the coarsest step to the finest; `where` and `time` of the finest.

    A figure that has no limit stands at its finest step with a NaN as error, and so does one of a single step.
    """

    value: float
    error: float
    order: float
    by_step: tuple[tuple[float, float], ...]
    where: str = ""
    time: float = float("nan")

    @property
    def dt(self) -> float:
        """Finest step (s)."""
        return self.by_step[-1][0]


@dataclass(frozen=True, slots=True)
class Estimate:
    """One figure over all simulators. `value`: the median of their values; `error`: their largest error bar, NaN where one is
    unknown; `spread_low`, `spread_high`: their smallest and largest value. None of it depends on the simulators' order.
    """

    name: str
    joint: str
    by_simulator: Mapping[str, Value]
    value: float
    error: float
    spread_low: float
    spread_high: float

    @property
    def key(self) -> str:
        """Name that no other estimate has: `torque_use`, `torque_use.FR_knee`."""
        return f"{self.name}.{self.joint}" if self.joint else self.name

    @property
    def kind(self) -> FigureKind:
        """What the figure is."""
        return FIGURES[self.name]

    @property
    def label(self) -> str:
        """What the figure is, in words."""
        return f"{self.kind.label}, {self.joint}" if self.joint else self.kind.label

    @property
    def unit(self) -> str:
        """Unit, "1" for a ratio."""
        return self.kind.unit

    @property
    def group(self) -> str:
        """Table that it stands in."""
        return self.kind.group

    @property
    def lowest(self) -> float:
        """Lower end of everything that the error bars and the spread allow; an unknown error counts as none."""
        return min(value.value - _or_zero(value.error) for value in self.by_simulator.values())

    @property
    def highest(self) -> float:
        """Upper end of the same."""
        return max(value.value + _or_zero(value.error) for value in self.by_simulator.values())


def estimates(
    spec: RobotSpec,
    plan: JumpPlan | None,
    logs: Mapping[str, Sequence[JumpLog]],
    drives: Drives,
    battery: Battery = Battery(),
    friction: float | None = None,
    rating: ThermalRating | None = None,
    turn: float | None = None,
    terrain: Terrain = LEVEL,
    landing: float | None = None,
    yaw: float | None = None,
    far_edge: float | None = None,
) -> tuple[Estimate, ...]:
    """The estimates from each simulator's logs, the coarsest step first, in the order of `FIGURES`.

    `friction` is what the ground offers, by default the plan's; `rating` what each motor's winding bears: without it there is
    no thermal load; `turn`, `yaw` rad, `landing` m: how far the trunk is to pitch and to turn about the vertical, where there is
    no plan of leapcheck, and how high the feet are to stand on the `terrain` at the end; `far_edge` m: of the gap
    crossed. A log that stopped early has no part in a limit: it is left out, unless it is the finest.
    """
    runs = {
        name: [
            (log.dt, figures(spec, plan, log, drives, battery, friction, rating, turn, terrain, landing, yaw, far_edge))
            for log in levels
            if log is levels[-1] or not log.stopped
        ]
        for name, levels in logs.items()
    }
    return combine_estimates(runs)


def combine_estimates(runs: Mapping[str, Sequence[tuple[float, Mapping[str, JumpFigure]]]]) -> tuple[Estimate, ...]:
    """The estimates from each simulator's figures at its steps: (dt s, figures by key), the coarsest first."""
    finest = [levels[-1][1] for levels in runs.values() if levels]
    keys = dict.fromkeys(key for figures in finest for key in figures)
    place = list(FIGURES)
    ordered = sorted(keys, key=lambda key: place.index(key.partition(".")[0]))
    return tuple(_estimate(key, runs) for key in ordered)


def limit_value(levels: Sequence[tuple[float, JumpFigure]]) -> Value:
    """The value of one figure from (dt s, figure) at one step or more, the coarsest first: steps that are halved are used."""
    used = [levels[-1]]
    for dt, figure in reversed(levels[:-1]):
        if abs(dt / used[0][0] - 2.0) > HALVING:
            break
        used.insert(0, (dt, figure))
    by_step = tuple((dt, figure.value) for dt, figure in levels)
    last = used[-1][1]
    if len(used) < 2 or not FIGURES[last.name].converges:
        return Value(last.value, math.nan, math.nan, by_step, last.where, last.time)
    limit = extrapolate([figure.value for _, figure in used])
    return Value(float(limit.limit), float(limit.error), float(limit.order), by_step, last.where, last.time)


def _estimate(key: str, runs: Mapping[str, Sequence[tuple[float, Mapping[str, JumpFigure]]]]) -> Estimate:
    by_simulator: dict[str, Value] = {}
    for simulator, levels in runs.items():
        if levels and key in levels[-1][1]:
            by_simulator[simulator] = limit_value([(dt, figure[key]) for dt, figure in levels if key in figure])
    values, errors = [[getattr(value, part) for value in by_simulator.values()] for part in ("value", "error")]
    if any(map(math.isnan, values)):
        values = [math.nan]
    name, _, joint = key.partition(".")
    return Estimate(
        name=name,
        joint=joint,
        by_simulator=by_simulator,
        value=statistics.median(values),
        error=math.nan if any(map(math.isnan, errors)) else max(errors),
        spread_low=min(values),
        spread_high=max(values),
    )


def _or_zero(error: float) -> float:
    return 0.0 if math.isnan(error) else error
