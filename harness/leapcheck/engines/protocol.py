"""The one question that the harness asks of an engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from leapcheck.states import States

Answers = dict[str, NDArray[np.float64]]


class Engine(Protocol):
    """Evaluates quantities of one robot at a block of states, in the canonical convention.

    An engine holds its own copy of the robot. It answers only what is among its `quantities`.
    """

    @property
    def name(self) -> str:
        """Name in tables and on the command line, e.g. "mujoco-urdf"."""

    @property
    def version(self) -> str:
        """Version of the foreign package, e.g. "4.0.0"."""

    @property
    def route(self) -> str:
        """How the robot came into the engine, in words: file format, joint or rotor treatment, values written."""

    @property
    def quantities(self) -> frozenset[str]:
        """Names out of `leapcheck.quantities.QUANTITIES` that it can answer for this robot."""

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """Each quantity as an array (n, *shape) of float64, for the n states of the block."""


@runtime_checkable
class Remarking(Protocol):
    """An engine that tells what is wrong with it besides its answers."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """One line each; failures of the report that cost no answer."""


@runtime_checkable
class EngineRequest(Protocol):
    """An engine still to be made: what fails then is a failure of the report."""

    @property
    def name(self) -> str:
        """Name that the engine will have."""

    def made(self) -> Engine:
        """The engine; EngineError where it cannot be made, NotApplicable where it cannot hold the robot."""
