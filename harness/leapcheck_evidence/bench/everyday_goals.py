"""What a user does every day, and how long it may take."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

ROBOT = "mini_cheetah"
STATES = 256

NAIVE = "naive"
"""Key of the script that a user would write instead."""

FILES = ("go2.urdf", "go1.urdf", "anymal.urdf", "solo12.urdf", "ur5_robot.urdf", "talos_reduced.urdf")
"""Robots that others have published, in the package example-robot-data."""


class EverydayClock(StrEnum):
    """Which seconds a goal is about."""

    CPU = "CPU"
    WALL = "wall"
    FIRST_VERDICT = "wall, to the first verdict"


@dataclass(frozen=True, slots=True)
class EverydayGoal:
    """At most `seconds` (None: shown without a goal) and, where there is a `ratio`, at most so many times the naive script.

    `less` names what is taken off first: the same command where nothing is wrong.
    """

    key: str
    label: str
    seconds: float | None
    clock: EverydayClock = EverydayClock.CPU
    ratio: float | None = None
    less: str = ""


def file_key(name: str) -> str:
    """Key of the row of a published robot."""
    return f"file {name}"


GOALS = (
    EverydayGoal(NAIVE, f"naive script: M, h, J of {STATES} states in MuJoCo and Pinocchio", None),
    EverydayGoal("compare warm", f"leapcheck compare {ROBOT} --states {STATES}", 2.0, ratio=5.0),
    EverydayGoal("compare cold", "the same, empty cache", 5.0),
    EverydayGoal("second call", "second lc.compare in a running Python, user's engine, reference alone", 0.2),
    EverydayGoal("pytest cold", "starter project: pytest without other plugins, empty cache", 6.0),
    EverydayGoal("pytest again", "starter project: pytest again", 2.5),
    EverydayGoal("C wrong", "added by one wrong parameter, engine in C", 5.0, less="C right"),
    EverydayGoal("Python wrong", "added by one wrong parameter, engine in Python", 5.0, less="Python right"),
    *(EverydayGoal(file_key(name), f"leapcheck compare {name}", 3.0) for name in FILES),
    EverydayGoal("jump", f"leapcheck jump {ROBOT} --height 0.2", 10.0),
    EverydayGoal("jump", "the same: first verdict line", 3.0, EverydayClock.FIRST_VERDICT),
    EverydayGoal("highest", f"leapcheck jump {ROBOT} --highest", 15.0),
    EverydayGoal("impossible", f"leapcheck jump {ROBOT} --height 20", 5.0),
    EverydayGoal("make quick", "make quick", 60.0, EverydayClock.WALL),
    EverydayGoal("make test", "make test", 360.0, EverydayClock.WALL),
)
"""On two cores with a warm page cache."""
