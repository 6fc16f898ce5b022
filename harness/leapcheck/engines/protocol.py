"""The one question that leapcheck asks of an engine, and what an engine may have besides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from leapcheck.rounding import SINGLE_RATIO
from leapcheck.sampling import States
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

Answers = dict[str, Floats]
"""Each quantity as an array (n, *shape) of float64, for the n states of a block."""


class Engine(Protocol):
    """Evaluates quantities of one robot at blocks of states, in the canonical convention.

    An engine holds its own copy of the robot, and is asked only for what is among its `quantities`. Canonical is
    q = [p_WB, quaternion wxyz, joints] and v = [w_WB_B, v_WB_B, qd], joints in the order of `spec.bodies`, SI units;
    `leapcheck.engines.outside.user` says more. Plain attributes will do for the properties.

    Example: the energy of a pendulum of 1 kg and 1 m that hangs down at q = 0.

        class Pendulum:
            name = "pendulum"
            version = "1.0"
            route = "by hand"
            quantities = frozenset({"mass_matrix", "kinetic_energy"})

            def evaluate(self, states, quantities):
                n = len(states)
                answers = {"mass_matrix": np.ones((n, 1, 1)), "kinetic_energy": 0.5 * states.v[:, 0] ** 2}
                return {name: answers[name] for name in quantities}
    """

    @property
    def name(self) -> str:
        """Name in tables and on the command line, e.g. "mujoco-urdf"; no two engines of a comparison may share it."""

    @property
    def version(self) -> str:
        """Version of the foreign package, e.g. "4.0.0"; "-" where there is none."""

    @property
    def route(self) -> str:
        """How the robot came into the engine, in words: file format, treatment of joints and rotors, values written."""

    @property
    def quantities(self) -> frozenset[str]:
        """Names out of `leapcheck.quantities.QUANTITIES` that it can answer for this robot."""

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        """Each quantity as an array (n, *shape) of float64.

        Args:
            states: n states, `q` (n, nq), `v` (n, nv), `tau` (n, nv), canonical; n may be zero. Not to be written into.
            quantities: names among the engine's `quantities`. Shapes are those of `quantities.answer_shape`: M (n, nv, nv),
                forces and accelerations (n, nv), J (n, points, 3, nv), energies (n,).

        Raises:
            EngineError: in one line that names the engine, what failed and the remedy; the report then lists it.
        """


PRECISIONS = {"float64": "<f8", "float32": "<f4"}
"""Precisions that an engine may declare, as its attribute `precision`, and their types of numbers; float64 where it has none."""


def is_single_precision(engine: Engine) -> bool:
    """Whether an engine declares that its numbers are float32: what that rounds off is imprecise, not wrong."""
    return getattr(engine, "precision", "float64") == "float32"


FINITE_DIFFERENCES = "finite differences"
"""What an engine of ours has as its `precision` where its answers are differences of others."""

DECLARED = {
    "float32": "the single precision that is declared",
    FINITE_DIFFERENCES: "what finite differences leave of the digits",
}
"""Precisions below double, in words."""


def precision_ratio(engine: Engine) -> float:
    """By how much more rounding explains in the precision that an engine declares than in double precision.

    Finite differences at their best step leave half of the digits, about as many as single precision has (measured: 2^25 needed).
    """
    return SINGLE_RATIO if declared_precision(engine) else 1.0


def declared_precision(engine: Engine) -> str:
    """The precision below double that an engine declares, in words; empty for double precision."""
    return DECLARED.get(getattr(engine, "precision", "float64"), "")


@runtime_checkable
class Remarking(Protocol):
    """An engine that reports faults of its own besides its answers."""

    @property
    def name(self) -> str:
        """The engine's name in the report."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """One line each; failures of the report that cost no answer."""


@runtime_checkable
class Limited(Protocol):
    """An engine that has more than can be compared."""

    @property
    def not_compared(self) -> tuple[str, ...]:
        """One line each, listed by the report under what was not compared."""


@runtime_checkable
class Rebuildable(Protocol):
    """An engine that can be made anew for another robot; what `rebuild` raises means that it cannot."""

    def rebuild(self, spec: RobotSpec) -> Engine:
        """The same engine holding another robot."""


@runtime_checkable
class EngineRequest(Protocol):
    """An engine still to be made: what fails then is a failure of the report."""

    @property
    def name(self) -> str:
        """Name that the engine will have."""

    def build(self) -> Engine:
        """The engine; EngineError where it cannot be made, NotApplicable where it cannot hold the robot."""
