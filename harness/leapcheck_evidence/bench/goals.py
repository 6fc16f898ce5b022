"""Floors and goals of the bench, in one table."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

GOALS_ROBOT = "mini_cheetah_armature"
"""The robot that floors and goals are meant for; others are measured beside it."""


class Standing(StrEnum):
    """How a measurement compares with floor and goal."""

    MET = "met"
    FLOOR_ONLY = "floor only"
    NOT_MET = "not met"
    BESIDE = ""
    NOT_MEASURED = "not measured"


@dataclass(frozen=True, slots=True)
class BenchGoal:
    """One line of the table; `at_least`: more is better. Without a `goal` the floor is all there is."""

    key: str
    label: str
    floor: float
    goal: float | None
    unit: str
    at_least: bool

    def standing(self, measured: float | None) -> Standing:
        """Whether a measurement meets goal or floor."""
        if measured is None:
            return Standing.NOT_MEASURED
        if self._meets(measured, self.floor if self.goal is None else self.goal):
            return Standing.MET
        return Standing.FLOOR_ONLY if self._meets(measured, self.floor) else Standing.NOT_MET

    def _meets(self, measured: float, mark: float) -> bool:
        return measured >= mark if self.at_least else measured <= mark


ROBOT_GOALS = (
    BenchGoal("mujoco_rows_8", "MuJoCo's C loop / kernel, NumPy layout, AVX-512", 11.0, 14.0, "x", True),
    BenchGoal("mujoco_rows_4", "MuJoCo's C loop / kernel, NumPy layout, AVX2 code", 8.0, 9.0, "x", True),
    BenchGoal("mujoco_compact_8", "MuJoCo's C loop / kernel, compact layout, AVX-512", 24.0, 30.0, "x", True),
    BenchGoal("mujoco_compact_4", "MuJoCo's C loop / kernel, compact layout, AVX2 code", 14.0, None, "x", True),
    BenchGoal("pinocchio_rows_8", "Pinocchio / kernel, NumPy layout, AVX-512", 23.0, 28.0, "x", True),
    BenchGoal("pinocchio_compact_8", "Pinocchio / kernel, compact layout, AVX-512", 49.0, 58.0, "x", True),
    BenchGoal("generated_rows_8", "Pinocchio's generated C / kernel, NumPy layout, AVX-512", 1.0, None, "x", True),
    BenchGoal("generated_rows_4", "Pinocchio's generated C / kernel, NumPy layout, AVX2 code", 1.0, None, "x", True),
    BenchGoal("bound_8", "share of the arithmetic bound, compact layout, AVX-512", 45.0, 60.0, "%", True),
    BenchGoal("bound_4", "share of the arithmetic bound, compact layout, AVX2 code", 45.0, 60.0, "%", True),
    BenchGoal("truth_8", "MuJoCo's C loop / double-double truth, AVX-512", 1.0, 2.0, "x", True),
    BenchGoal("truth_4", "MuJoCo's C loop / double-double truth, AVX2 code", 1.0, 2.0, "x", True),
    BenchGoal("comparison", "whole comparison: wall x workers / engines' own evaluation", 1.5, 1.3, "x", False),
    BenchGoal("comparison_4", "the same, AVX2 code", 1.5, 1.3, "x", False),
    BenchGoal("rate", "whole comparison: states per second, all cores", 150_000.0, 200_000.0, "1/s", True),
    BenchGoal("memory", "memory of 5 million states above that of 50 000", 64.0, None, "MiB", False),
    BenchGoal("first_use", "first use: trace, emit, compile", 2.0, None, "s", False),
    BenchGoal("from_cache", "the same from the cache", 30.0, None, "ms", False),
    BenchGoal("bits", "entries that differ from the readable code on Python floats", 0.0, None, "", False),
)
"""Per robot. Ratios are of times per state for M, bias, 16 points with position, J and Jdot v; one thread."""

PROGRAM_GOALS = (BenchGoal("help", "leapcheck --help", 0.3, 0.2, "s", False),)
"""Of the program itself, whatever the robot."""
