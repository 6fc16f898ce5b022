"""The smallest case of a discrepancy: the smallest robot, and on it the smallest state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leapcheck.engines.protocol import Engine
from leapcheck.judge.shrinking.mismatch import Budget, Make, Mismatch, at_rest
from leapcheck.judge.shrinking.models import Failing, ModelSearch
from leapcheck.judge.shrinking.states import StateSearch
from leapcheck.quantities import QUANTITIES
from leapcheck.sampling import States, generated_states, join_states
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

STATES = 4
"""Worst states at which a smaller robot is checked for the fault."""

MORE_STATES = 16
"""Random states, besides those given, from which these are chosen."""


@dataclass(frozen=True, slots=True, eq=False)
class SmallestCase:
    """The smallest case: robot, a block of one `state`, the scale-free `error` there and what rounding allows.

    `evaluations` says how many states the engine was asked for, `removed` names the bodies and rotors that were cut, `engine`
    is that of the robot, `answer` what it answers there. `is_cut_short`: a slow engine used up the time, there may be a
    smaller one.
    """

    spec: RobotSpec
    state: States
    error: float
    allowed: float
    evaluations: int
    removed: tuple[str, ...] = ()
    engine: Engine | None = None
    answer: Floats | None = None
    is_cut_short: bool = False


def smallest_case(
    spec: RobotSpec,
    make: Make,
    quantity: str,
    states: States,
    budget: Budget = Budget(),
    hints: Sequence[RobotSpec] = (),
) -> SmallestCase:
    """The smallest robot and state found on which the engine that `make` makes shows the fault that it shows at `states`.

    `hints` are parts of the robot that are tried first, such as those found for other quantities of the engine: that saves
    work where they have the same fault. An engine that cannot be made of another robot raises in `make`: then the robot
    stays as it is. ValueError where the engine is right to rounding at all the states, fails at all of them, or cannot be made.
    """
    mismatch = Mismatch(spec, make, quantity, budget)
    engine = mismatch.engine(spec)
    if engine is None:
        raise ValueError(f"the engine cannot be built for robot '{spec.name}' again, or does not answer {quantity}")
    asked = at_rest(join_states([states, generated_states(spec, MORE_STATES, 0, 0)]), QUANTITIES[quantity].arguments)
    worst = mismatch.worst(spec, engine, asked, STATES)
    judged = mismatch.errors_at(spec, engine, worst) if len(worst) else None
    if judged is None:
        raise ValueError(f"{quantity} of engine '{engine.name}' shows no error when asked again: there is nothing to shrink")
    search = ModelSearch(mismatch, Failing(spec, engine, worst, judged))
    search.begin_with(hints)
    search.shrink()
    failing = _with_smallest_state(mismatch, search.failing)
    search = ModelSearch(mismatch, failing)
    search.shrink()
    if search.failing.spec != failing.spec:  # a smaller robot may have a smaller state again
        failing = _with_smallest_state(mismatch, search.failing)
    error, allowed = mismatch.error_alone(failing.spec, failing.engine, failing.states[:1], failing.errors.answers[:1])
    removed = tuple(name for name in _parts(spec) if name not in _parts(failing.spec))
    answer, state = failing.errors.answers[0], failing.states[:1]
    return SmallestCase(
        failing.spec, state, error, allowed, mismatch.evaluations, removed, failing.engine, answer, mismatch.is_out_of_time
    )


def single_robot_maker(spec: RobotSpec, engine: Engine) -> Make:
    """The maker of an engine that cannot be built again: for its own robot alone, so that only the state is shrunk."""

    def make(given: RobotSpec) -> Engine:
        if given != spec:
            raise NotImplementedError(f"engine '{engine.name}' was given as an object and cannot be built for another robot")
        return engine

    return make


def _with_smallest_state(mismatch: Mismatch, failing: Failing) -> Failing:
    """The same robot at the smallest state found; at its worst one where none is found."""
    worst = mismatch.worst_first(failing.states, failing.errors)
    smallest = StateSearch(mismatch, failing.spec, failing.engine).smallest(worst)
    for states in (smallest, worst[:1]):
        judged = None if states is None else mismatch.errors_at(failing.spec, failing.engine, states)
        if states is not None and judged is not None and (judged.error > judged.allowed).all():
            return Failing(failing.spec, failing.engine, states, judged)
    return failing


def _parts(spec: RobotSpec) -> list[str]:
    """Names of all bodies and rotors."""
    return [part.name for body in spec.bodies for part in (body, body.rotor) if part is not None]
