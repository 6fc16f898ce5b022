"""An engine's answers, checked: whatever foreign code does instead of answering is an EngineError."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from leapcheck.engines.errors import EngineError
from leapcheck.engines.foreign import ForeignEngine
from leapcheck.engines.protocol import Answers, Engine
from leapcheck.quantities import QUANTITIES, answer_shape
from leapcheck.sampling import STATE_PARTS, States
from leapcheck.system.plugins import reason_of
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.coriolis import coriolis_normal_form

NOT_UNIQUE = "coriolis_matrix"
"""The quantity of which many answers are right: it is compared in a normal form."""

Shapes = Mapping[str, tuple[int, ...] | None]
"""Quantities that are asked for, each with the shape of its answer at one state; None where any will do."""


def shapes_of(spec: RobotSpec, quantities: Sequence[str]) -> dict[str, tuple[int, ...] | None]:
    """The shapes of some quantities; None for MuJoCo's own, whose shapes are those of its storage."""
    own = [name for name in quantities if QUANTITIES[name].in_mujoco_coordinates]
    return {name: None if name in own else answer_shape(name, spec) for name in quantities}


def answers_of(engine: Engine, states: States, shapes: Shapes) -> Answers:
    """Each quantity as an array (n, *shape) of float64.

    The engine gets states of its own, so that what it writes into them spoils no other engine's; EngineError where it does, where
    it raises (SystemExit counts), leaves a quantity out, or answers in another shape.
    """
    given = states if isinstance(engine, ForeignEngine) else own_copy(states)
    try:
        answers = dict(engine.evaluate(given, tuple(shapes)))
    except (EngineError, KeyboardInterrupt):
        raise
    except BaseException as error:  # the user's code may raise anything
        where = _where_it_fails(engine, states, shapes)
        raise EngineError(f"engine '{engine.name}' failed on {', '.join(shapes)}{where}: {reason_of(error)}") from error
    check_unwritten(engine.name, given, states)
    if missing := [name for name in shapes if name not in answers]:
        raise EngineError(f"engine '{engine.name}' gave no {missing[0]}: give it, or do not list it among `quantities`")
    checked = {name: _checked(engine.name, name, answers[name], len(states), shape) for name, shape in shapes.items()}
    if NOT_UNIQUE in checked:
        checked[NOT_UNIQUE] = coriolis_normal_form(checked[NOT_UNIQUE], states.v)
    return checked


def answers_apart(engine: Engine, states: States, shapes: Shapes) -> Answers:
    """The same, asked one by one where the engine fails on the quantities together; EngineError for the first that fails."""
    try:
        return answers_of(engine, states, shapes)
    except EngineError:
        if len(shapes) == 1:
            raise
    return {name: answers_of(engine, states, {name: shape})[name] for name, shape in shapes.items()}


def own_copy(states: States) -> States:
    """The same states in memory of their own."""
    return replace(states, **{part: getattr(states, part).copy() for part in STATE_PARTS})


def check_unwritten(engine: str, given: States, states: States) -> None:
    """EngineError where the states that an engine was given are no longer those that they were."""
    for part in STATE_PARTS:
        before, after = getattr(states, part), getattr(given, part)
        if not np.array_equal(before, after):
            row = int(np.argwhere(before != after)[0, 0])
            raise EngineError(
                f"engine '{engine}' writes into its inputs ({part} of state {states.index[row]}): let it work on a copy"
            )


def _where_it_fails(engine: Engine, states: States, shapes: Shapes) -> str:
    """The first state at which it raises when it is asked for one quantity there alone; "" for several quantities."""
    if len(shapes) > 1 or not len(states):
        return ""
    passing, failing = 0, len(states)
    while failing - passing > 1:  # bisection by the lengths of a block that it answers and of one on which it fails
        middle = (passing + failing) // 2
        passing, failing = (passing, middle) if _fails(engine, states[:middle], shapes) else (middle, failing)
    if _fails(engine, states[failing - 1 : failing], shapes):
        return f" at state {states.index[failing - 1]}"
    return f" at states {states.index[0]} to {states.index[-1]}"


def _fails(engine: Engine, states: States, shapes: Shapes) -> bool:
    try:
        engine.evaluate(own_copy(states), tuple(shapes))
    except KeyboardInterrupt:
        raise
    except BaseException:
        return True
    return False


def _checked(engine: str, name: str, answer: Any, n: int, shape: tuple[int, ...] | None) -> Floats:
    try:
        values = np.asarray(answer, dtype=float)
    except (TypeError, ValueError):
        values = np.asarray(np.nan)
    expected = values.shape if shape is None and values.shape[:1] == (n,) else (n, *(shape or ()))
    if values.shape != expected:
        raise EngineError(
            f"engine '{engine}': {name} has shape {values.shape}, the in-house answers {expected}: "
            "the models differ in size, or states were left out"
        )
    return np.ascontiguousarray(values)
