"""The rows of the table out of the timings: ratios first, what they were made of beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from leapcheck_evidence.bench.contenders import (
    ARITHMETIC,
    GENERATED,
    LAYOUTS,
    MUJOCO,
    PINOCCHIO,
    WIDTHS,
    TimingName,
    bound_name,
    own_name,
    truth_name,
)
from leapcheck_evidence.bench.goals import GOALS_ROBOT, PROGRAM_GOALS, ROBOT_GOALS, BenchGoal, Standing
from leapcheck_evidence.bench.measure import Timing, ratio
from leapcheck_evidence.bench.record import BenchRow
from leapcheck_evidence.bench.states import ALL


class Measured(NamedTuple):
    """A measurement by minima and, where there are many samples, by medians; or None, and the reason in `detail`."""

    value: float | None
    by_medians: float | None
    detail: str


class Pairing(NamedTuple):
    """A goal whose measurement is the time of one contender over that of another."""

    slow: str
    fast: str


PAIRINGS = {
    "mujoco_rows_8": Pairing(MUJOCO, own_name(LAYOUTS[0], 8)),
    "mujoco_rows_4": Pairing(MUJOCO, own_name(LAYOUTS[0], 4)),
    "mujoco_compact_8": Pairing(MUJOCO, own_name(LAYOUTS[1], 8)),
    "mujoco_compact_4": Pairing(MUJOCO, own_name(LAYOUTS[1], 4)),
    "pinocchio_rows_8": Pairing(PINOCCHIO, own_name(LAYOUTS[0], 8)),
    "pinocchio_compact_8": Pairing(PINOCCHIO, own_name(LAYOUTS[1], 8)),
    "generated_rows_8": Pairing(GENERATED, own_name(LAYOUTS[0], 8)),
    "generated_rows_4": Pairing(GENERATED, own_name(LAYOUTS[0], 4)),
    "truth_8": Pairing(MUJOCO, truth_name(8)),
    "truth_4": Pairing(MUJOCO, truth_name(4)),
}


def robot_rows(robot: str, measured: Mapping[str, Measured]) -> tuple[BenchRow, ...]:
    """The rows of one robot; floors and goals are those of one robot only, another is measured beside it."""
    return tuple(_row(goal, measured, robot == GOALS_ROBOT) for goal in ROBOT_GOALS)


def program_rows(measured: Mapping[str, Measured]) -> tuple[BenchRow, ...]:
    """The rows of the program itself."""
    return tuple(_row(goal, measured, True) for goal in PROGRAM_GOALS)


NOT_ASKED = {
    "memory": f"asked for by --memory, of {GOALS_ROBOT}",
    "comparison": "left out by --states 0",
    "comparison_4": "left out by --states 0",
    "rate": "left out by --states 0",
}
"""Why there is no measurement where nothing went wrong."""


def kernel_measurements(
    timings: Mapping[str, Timing], missing: Mapping[str, str], operations: Mapping[str, int]
) -> dict[str, Measured]:
    """The ratios of the kernels to the peers and to the arithmetic bound, by the keys of the goals."""
    measurements = {key: _pair_measurement(pairing, timings, missing) for key, pairing in PAIRINGS.items()}
    measurements |= {f"bound_{lanes}": bound_share(timings, missing, operations, lanes) for lanes in WIDTHS}
    return measurements


def fastest(timings: Mapping[str, Timing], who: str, part: str = ALL) -> Timing | None:
    """The timing of a contender: with the number of states per call, and of the ways to call it, that is fastest by medians."""
    ways = [
        timing
        for name, timing in timings.items()
        if not name.startswith(ARITHMETIC) and _is_way(TimingName.from_text(name), who, part)
    ]
    return min(ways, key=lambda timing: timing.median, default=None)


def bound_share(timings: Mapping[str, Timing], missing: Mapping[str, str], operations: Mapping[str, int], lanes: int) -> Measured:
    """Per cent of the time that the kernel's operations alone would take, of the time that it takes."""
    kernel = own_name(LAYOUTS[1], lanes)
    at, bound = fastest(timings, kernel), timings.get(bound_name(lanes))
    if at is None or bound is None:
        return Measured(None, None, missing.get(kernel if at is None else bound_name(lanes), "not timed"))
    count = operations[ALL]
    detail = f"{count} operations at {1 / bound.minimum:.1f} GFLOP/s: {count * bound.minimum:.1f} ns of {at.minimum:.1f} ns"
    return Measured(100 * count * bound.minimum / at.minimum, 100 * count * bound.median / at.median, detail)


def measurement_or_reason(measure: Callable[[], Measured], refusals: type[Exception]) -> Measured:
    """The measurement, or the reason why there is none."""
    try:
        return measure()
    except refusals as reason:
        return Measured(None, None, str(reason))


def _pair_measurement(pairing: Pairing, timings: Mapping[str, Timing], missing: Mapping[str, str]) -> Measured:
    slow, fast = fastest(timings, pairing.slow), fastest(timings, pairing.fast)
    if slow is None or fast is None:
        absent = pairing.slow if slow is None else pairing.fast
        return Measured(None, None, missing.get(absent, "not timed"))
    times = ratio(slow, fast)
    return Measured(times.minima, times.medians, f"{slow.minimum:.1f} / {fast.minimum:.1f} ns")


def _row(goal: BenchGoal, measurements: Mapping[str, Measured], is_meant: bool) -> BenchRow:
    measured = measurements.get(goal.key, Measured(None, None, NOT_ASKED.get(goal.key, "")))
    standing = goal.standing(measured.value)
    if not is_meant and standing is not Standing.NOT_MEASURED:
        standing = Standing.BESIDE
    return BenchRow(goal, standing, measured.value, measured.by_medians, measured.detail)


def _is_way(name: TimingName, who: str, part: str) -> bool:
    """Whether a timing is that of a contender, or of one of several ways to call it (`MuJoCo, ...`)."""
    return name.part == part and (name.who == who or name.who.startswith(f"{who}, "))
