"""What the laws ask of engines: their answers at any states, and what errors of these are multiplied by."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from leapcheck.engines.answers import Shapes, answers_of
from leapcheck.engines.errors import EngineError
from leapcheck.engines.protocol import Engine
from leapcheck.judge.layout import places
from leapcheck.records import Failure, Identity
from leapcheck.rounding import scales
from leapcheck.sampling import States
from leapcheck_models.arrays import Floats
from leapcheck_models.spec import RobotSpec

STEP = 0.02
"""Largest move (rad, m) of a joint, rotor or base along a derivative's curve: truncation and rounding are about equal."""


class CheckedLaws(NamedTuple):
    """How far laws are missed, and what engines failed on when they were asked for them."""

    identities: tuple[Identity, ...]
    failures: tuple[Failure, ...]


def gears(spec: RobotSpec) -> Floats:
    """How fast (nv,) the fastest part turns that a unit velocity of each dof drives: its rotor."""
    gears = np.ones(spec.nv)
    for body, _, _, in_v in places(spec):
        rotor = spec.bodies[body].rotor
        gears[in_v] = max(1.0, abs(rotor.gear_ratio)) if rotor else 1.0
    return gears


def answer_scale(quantity: str, values: Floats, expected: Floats) -> Floats:
    """Largest value (n,) that an error in units of rounding is multiplied by; 1 for M, whose errors are scale-free."""
    if quantity == "mass_matrix":
        return np.ones(len(values))
    both = [scales(quantity, block).reshape(len(values)) for block in (values, expected)]
    largest: Floats = np.nanmax(both, axis=0)
    return largest


def ask(engine: Engine, states: States, shapes: Shapes) -> tuple[dict[str, Floats], dict[str, str]]:
    """The engine's answers to what it can answer, together or one by one where that fails; and the messages of its failures.

    A recording has no answers at other states: that is no failure.
    """
    answers: dict[str, Floats] = {}
    failures: dict[str, str] = {}
    try:
        return answers_of(engine, states, shapes) if shapes else {}, failures
    except EngineError:
        for name, shape in shapes.items():
            try:
                answers |= answers_of(engine, states, {name: shape})
            except EngineError as error:
                failures[name] = f"{error} (asked again for the laws)"
    return answers, {} if getattr(engine, "states", None) is not None else failures
