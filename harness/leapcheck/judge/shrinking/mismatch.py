"""How wrong an engine is at candidate states, and whether it is still the same fault."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic, process_time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from leapcheck.engines.answers import answers_of, shapes_of
from leapcheck.engines.outside.patience import Patience
from leapcheck.engines.protocol import Engine, precision_ratio
from leapcheck.judge.draws import draws_of
from leapcheck.judge.evidence import in_rotor_coordinates, rows_of, worst_errors
from leapcheck.judge.matrices import FORMS, unpack
from leapcheck.judge.shrinking.parts import RobotInWhole, robot_in_whole
from leapcheck.quantities import QUANTITIES
from leapcheck.rounding import ALLOWED_UNITS, FLOOR
from leapcheck.sampling import STATE_PARTS, States
from leapcheck_models.arrays import Floats
from leapcheck_models.rotors import with_rotor_bodies
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.tree import build

Make = Callable[[RobotSpec], Engine]
"""Makes the engine of a robot; may raise anything on a robot that the engine refuses."""

SHARE = 0.01
"""A smaller case must show at least this share of the original error, ..."""

CLEAR = 1e3
"""... or one so many times above what rounding allows."""

SLIGHT = 4.0
"""Where no case of few entries shows that much: an error at least so many times above what rounding allows."""

MODELS_SHARE = 0.5
"""Share of the time in which smaller robots are tried."""

WAITING = 4.0
"""How many times longer a shrinking may take by the clock, without waiting for a core, than it may compute."""

LEAST = ALLOWED_UNITS * FLOOR
"""Rounding explains an error up to this at any state."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What shrinking may cost: `evaluations` of one state, `models` built, and `seconds` of CPU.

    An engine in a process of its own may take four times as long, less what it waits for a core. The first two alone decide
    unless an engine is slow: then the result is larger.
    """

    evaluations: int = 5000
    models: int = 150
    seconds: float = 9.0


class AnswerErrors(NamedTuple):
    """At n states: the engine's answers (n, ...), the in-house ones, the largest `error` (n,), what rounding allows."""

    answers: Floats
    expected: Floats
    error: Floats
    allowed: Floats

    @property
    def ratio(self) -> Floats:
        """The error in units of what is allowed (n,)."""
        return self.error / self.allowed


class BlockErrors(NamedTuple):
    """At n states: the largest scale-free `error` (n,), what rounding allows, and the `size` (n,) of the right answer."""

    error: Floats
    allowed: Floats
    size: Floats

    def put(self, rows: slice, errors: BlockErrors) -> None:
        """Writes the errors of some of the states."""
        for whole, part in zip(self, errors, strict=True):
            whole[rows] = part


class Mismatch:
    """Errors of one engine in one quantity, for various robots, within a budget."""

    def __init__(self, spec: RobotSpec, make: Make, quantity: str, budget: Budget) -> None:
        """Takes the whole robot, and starts the clock."""
        self.quantity = quantity
        self._in_mujoco_coordinates = QUANTITIES[quantity].in_mujoco_coordinates
        self._whole = spec
        self._last: tuple[RobotSpec, RobotInWhole] | None = None
        self._make = make
        self._budget = budget
        self._start = process_time(), monotonic()
        self._patience = Patience(os.getpid())
        self._patience.idle()  # what others wait from now on counts for nothing
        self.original = 0.0
        self.evaluations = self.models = 0

    @property
    def remaining(self) -> int:
        """States that may still be evaluated; 0 when the time is up, but for the first asking, which shows the fault."""
        is_open = self.evaluations == 0 or self._time_share < 1.0
        return max(0, self._budget.evaluations - self.evaluations) if is_open else 0

    @property
    def _time_share(self) -> float:
        """Share of the time that is used."""
        computed, by_the_clock = process_time() - self._start[0], (monotonic() - self._start[1]) / WAITING
        if by_the_clock > computed and by_the_clock >= MODELS_SHARE * self._budget.seconds:  # only now is the other clock read
            computed = max(computed, self._patience.total() / WAITING)
        return computed / self._budget.seconds

    @property
    def is_out_of_time(self) -> bool:
        """Whether the seconds ended the search for a smaller robot, or for a smaller state."""
        return self._time_share > MODELS_SHARE

    def engine(self, spec: RobotSpec) -> Engine | None:
        """The engine of a robot; None where it cannot be built, does not answer the quantity, or the budget is used."""
        if self.models and (self.models >= self._budget.models or not self.remaining or self.is_out_of_time):
            return None
        self.models += 1
        try:
            engine = self._make(spec)
            return engine if self.quantity in engine.quantities else None
        except (Exception, SystemExit):  # foreign code: a robot that it refuses does not show the fault
            return None

    def errors_at(self, spec: RobotSpec, engine: Engine, states: States) -> AnswerErrors | None:
        """How wrong the engine is at each state; None where it fails or answers in another shape."""
        self.evaluations += len(states)
        try:
            with np.errstate(all="ignore"):
                answers = answers_of(engine, states, shapes_of(spec, (self.quantity,)))[self.quantity]
                return self._compare(spec, states, answers, precision_ratio(engine))
        except Exception:  # the engine's failure, or numbers that cannot be compared
            return None

    def _compare(self, spec: RobotSpec, states: States, answers: Floats, ratio: float) -> AnswerErrors | None:
        """Compares; what is allowed is computed only where the error exceeds the least allowance."""
        robot = self._robot_in_whole(spec)
        own = in_rotor_coordinates(spec, states) if self._in_mujoco_coordinates else states
        expected = robot.rows([own]).pair(self.quantity)[0]
        answers = unpack(robot.spec, answers, self.quantity) if self.quantity in FORMS else answers
        if answers.shape != expected.shape:
            return None
        error, allowed = worst_errors(self.quantity, answers, expected), np.full(len(states), ratio * LEAST)
        rows = [int(i) for i in np.flatnonzero(~(error <= ratio * LEAST))]
        if rows:
            allowed[rows] = ratio * robot.draws(rows_of(own, rows)).allowed_error(self.quantity)
        return AnswerErrors(answers, expected, error, allowed)

    def error_alone(self, spec: RobotSpec, engine: Engine, states: States, answers: Floats) -> tuple[float, float]:
        """Largest error of known answers, and what rounding allows there, by programs of the robot's own: the last word."""
        own = in_rotor_coordinates(spec, states) if self._in_mujoco_coordinates else states
        spec = with_rotor_bodies(spec).spec if self._in_mujoco_coordinates else spec
        draws = draws_of(spec, build(spec), own)
        error = worst_errors(self.quantity, answers, draws.value(self.quantity))
        return float(error.max()), precision_ratio(engine) * float(draws.allowed_error(self.quantity).max())

    def _robot_in_whole(self, spec: RobotSpec) -> RobotInWhole:
        """A robot as a part of the whole one; the last one is kept."""
        if self._last is None or self._last[0] is not spec:
            self._last = spec, robot_in_whole(self._whole, spec, self.quantity)
        return self._last[1]

    def errors(self, spec: RobotSpec, engine: Engine, states: States) -> BlockErrors:
        """How wrong the engine is at each state; no error where it fails or the budget is used."""
        n = len(states)
        asked = min(n, self.remaining)
        errors = BlockErrors(np.zeros(n), np.ones(n), np.zeros(n))
        judged = self.errors_at(spec, engine, states[:asked]) if asked else None
        if judged is not None:
            errors.put(slice(0, asked), BlockErrors(judged.error, judged.allowed, largest(judged.expected)))
        elif asked > 1:  # one state may spoil the block: halves
            for part in (slice(0, asked // 2), slice(asked // 2, asked)):
                errors.put(part, self.errors(spec, engine, states[part]))
        return errors

    def worst(self, spec: RobotSpec, engine: Engine, states: States, most: int) -> States:
        """The states where the engine is wrong, the worst first; smaller cases are to show that error."""
        errors = self.errors(spec, engine, states)
        wrong = [row for row in _worst_first(errors.error / errors.allowed) if errors.error[row] > errors.allowed[row]]
        self.original = float(errors.error[wrong[0]]) if wrong else 0.0
        return rows_of(states, wrong[:most])

    def worst_first(self, states: States, judged: AnswerErrors) -> States:
        """The states, the worst first."""
        return rows_of(states, _worst_first(judged.ratio))

    def shows(self, error: Floats, allowed: Floats) -> NDArray[np.bool_]:
        """Whether each of some errors is clearly the original one."""
        return (error > allowed) & ((error >= SHARE * self.original) | (error >= CLEAR * allowed))


def at_rest(states: States, arguments: tuple[str, ...]) -> States:
    """The states with those of v and tau set to zero that are no arguments of the quantity."""
    idle = {part: np.zeros_like(getattr(states, part)) for part in STATE_PARTS[1:] if part not in arguments}
    return replace(states, **idle)


def largest(values: Floats) -> Floats:
    """Largest absolute entry (n,) of each of n answers (n, ...)."""
    sizes: Floats = np.abs(values).reshape(len(values), -1).max(axis=1, initial=0.0)
    return sizes


def _worst_first(ratio: Floats) -> list[int]:
    return [int(i) for i in np.argsort(-ratio, kind="stable")]
