"""Engines made once more, for another robot: what a failing robot is made smaller with."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol, runtime_checkable

from leapcheck.engines.protocol import Engine
from leapcheck.engines.registry import FACTORIES, make_engine
from leapcheck_models.spec import RobotSpec

Maker = Callable[[RobotSpec], Engine]


@runtime_checkable
class Remakable(Protocol):
    """An engine that knows how to hold another robot; what it raises means that it cannot."""

    def remade(self, spec: RobotSpec) -> Engine:
        """The same engine holding another robot."""


def maker(engine: Engine) -> Maker | None:
    """What makes the engine of another robot; None for an engine that was handed over ready-made."""
    if isinstance(engine, Remakable):
        return engine.remade
    if engine.name in FACTORIES:
        return partial(make_engine, engine.name)
    return None
