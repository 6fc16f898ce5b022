"""A kind of defect."""

from __future__ import annotations

from dataclasses import dataclass

from leapcheck_evidence.score.planting.fault import Drawer, Wanted

FILES = ("mujoco", "pinocchio")
"""Engines whose file is edited."""


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """A kind of defect: its class in the table, what draws its one or two faults, how many, and the engines that can have it.

    `quantities` are those that such an engine answers; empty where they are drawn, too.
    """

    name: str
    label: str
    drawers: tuple[Drawer, ...]
    count: int
    bases: tuple[str, ...] = FILES
    wanted: Wanted = "wrong"
    quantities: tuple[str, ...] = ()
