"""Estimates planted by hand, for tests of the verdict."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from leapcheck.jumping.judging.verdict import JumpJudgement, judge_jump
from leapcheck.jumping.measures.estimates import Estimate, Value

GOOD = {
    "torque_use": 0.5,
    "voltage_use": 0.5,
    "line_use": 0.5,
    "friction_use": 0.4,
    "friction_needed": 0.32,
    "thermal_load": 0.1,
    "limit_margin": 0.5,
    "clearance": 0.05,
    "final_tilt": 1.0,
    "final_speed": 0.01,
    "pitch_off": 2.0,
    "roll_touch_down": 1.0,
    "slip_push": 0.001,
    "slip_landing": 0.002,
    "height_share": 1.0,
    "distance_off": 0.001,
    "run_up_share": 1.0,
    "turn": 0.1,
    "turn_off": 0.1,
    "roll": 359.0,
    "roll_off": -1.0,
    "yaw": 90.0,
    "yaw_off": -1.0,
    "trunk_clearance": 0.05,
    "landing_off": 0.001,
    "beyond_gap": 0.05,
    "take_off_time": 0.5,
    "take_off_speed": 2.0,
    "flight_time": 0.4,
    "height": 0.2,
    "rise": 0.33,
}
"""A jump that is GO under every rule."""


@dataclass(frozen=True)
class Varied:
    """What a Monte Carlo found, as the verdict sees it."""

    successes: int
    count: int
    interval: tuple[float, float]


@dataclass(frozen=True)
class Run:
    """The part of a log that the verdict looks at."""

    dt: float = 1e-3
    stopped: str = ""
    time: tuple[float, ...] = (0.0,)


def estimate(key: str, by_simulator: Mapping[str, tuple[float, float]], time: float = 0.4, where: str = "") -> Estimate:
    """An estimate from (value, error) of each simulator: at twice the step it was larger by the error."""
    name, _, joint = key.partition(".")
    values = {simulator: Value(v, e, 1.0, ((2e-3, v + e), (1e-3, v)), where, time) for simulator, (v, e) in by_simulator.items()}
    numbers = sorted(v for v, _ in by_simulator.values())
    errors = [e for _, e in by_simulator.values()]
    middle = (numbers[(len(numbers) - 1) // 2] + numbers[len(numbers) // 2]) / 2
    error = math.nan if any(map(math.isnan, errors)) else max(errors)
    return Estimate(name, joint, values, middle, error, numbers[0], numbers[-1])


def case(changed: Mapping[str, object] = {}, simulators: tuple[str, ...] = ("a", "b"), **keywords: object) -> JumpJudgement:
    """The judgement of the good jump with some figures changed: to a value, or to (value, error) by simulator."""
    found = {**GOOD, **changed}
    measured = []
    for key, value in found.items():
        if value is None:
            continue
        by = value if isinstance(value, dict) else {name: (float(value), 1e-6) for name in simulators}
        measured.append(estimate(key, by))
    logs = keywords.pop("logs", {name: [Run()] for name in simulators})
    return judge_jump(measured, keywords.pop("books", {}), logs, **keywords)
