"""One disagreement made ready for the fingerprints: the answers under suspicion beside the in-house model of the robot."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

import leapcheck_reference as reference
from leapcheck.compare.errors import scale_free, scales
from leapcheck.compare.in_house import InHouse
from leapcheck.engines.protocol import Engine
from leapcheck.engines.reference_engine import ReferenceEngine
from leapcheck.judge.storage import FORMS, unpacked
from leapcheck.quantities import QUANTITIES
from leapcheck.states import Floats, States
from leapcheck_models.rotors import with_rotor_bodies, with_rotor_coordinates
from leapcheck_models.spec import RobotSpec
from leapcheck_reference.batch import evaluated

SHRINKS = 1e4
"""Factor by which a hypothesis must shrink the error to be believed."""

NEAR_ROUNDING = 1e-8
"""Largest scale-free error that may then remain: rounding in singular states and of huge wrong values."""


@dataclass(frozen=True, slots=True)
class Cause:
    """Why two engines disagree: class, cause and evidence in words; which side is `wrong`, where known.

    `cause_class` is one of "convention", "model", "engine", "round-off", "unexplained"; `wrong` one of "engine",
    "against", "both", "".
    """

    cause_class: str
    cause: str
    evidence: str
    wrong: str = ""


class Hypothesis(NamedTuple):
    """What the answers (n, ...) would be if the cause were this one."""

    cause_class: str
    cause: str
    value: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """Answers `found` of a `suspect` that deviate from the in-house ones, `expected`; both (n, ...), canonical.

    For a quantity in MuJoCo's coordinates `spec` and `states` are those with the rotors as bodies, and M out of MuJoCo's
    storage is dense; `answer` keeps the numbers as they came. `rounding` (n,) is the expected scale-free rounding, `error`
    the largest scale-free error.
    """

    spec: RobotSpec
    quantity: str
    states: States
    found: Floats
    expected: Floats
    rounding: Floats
    error: float
    suspect: Engine
    answer: Floats


def case(spec: RobotSpec, quantity: str, suspect: Engine, answer: Floats, states: States) -> Case:
    """The case of one engine's answer (n, ...) to one quantity of a robot at a block of states."""
    in_house = ReferenceEngine(spec).evaluate(states, (quantity,))
    rounding = InHouse(spec, (quantity,) if quantity != "csr" else ("csr", "qM"), compile_code=False)(states).rounding[quantity]
    found, expected = answer, in_house[quantity]
    if QUANTITIES[quantity].in_mujoco_coordinates:
        q, spec = with_rotor_coordinates(spec, states.q), with_rotor_bodies(spec).spec
        states = replace(states, q=q, v=np.zeros((len(q), spec.nv)), tau=np.zeros((len(q), spec.nv)))
    if quantity in FORMS:
        found, expected = (unpacked(spec, packed, quantity) for packed in (found, expected))
    error = float(scale_free(found - expected, scales(quantity, expected)).max(initial=0.0))
    return Case(spec, quantity, states, found, expected, rounding, error, suspect, answer)


def in_house_function(quantity: str) -> Callable[..., Any]:
    """The function of `leapcheck_reference` behind a quantity of a case: dense M for both storage forms."""
    function: Callable[..., Any] = getattr(reference, "mujoco_mass_matrix" if quantity in FORMS else quantity)
    return function


def values(quantity: str, spec: RobotSpec, states: States) -> Floats:
    """In-house values (n, ...) of a quantity of a robot, or of a robot as it might be held; wild inputs give NaN."""
    arguments = (getattr(states, part) for part in QUANTITIES[quantity].arguments)
    with np.errstate(all="ignore"):
        return evaluated(in_house_function(quantity), reference.build(spec), *arguments)


def remaining_error(at: Case, value: Floats) -> float:
    """Largest scale-free error of the found answers against a hypothesis' ones, in the larger of the two scales."""
    with np.errstate(all="ignore"):
        scale = np.maximum(scales(at.quantity, at.expected), scales(at.quantity, np.abs(value)))
        return float(scale_free(at.found - value, scale).max(initial=0.0))


def is_explained(before: float, after: float) -> bool:
    """Whether an error has vanished but for rounding."""
    return after <= NEAR_ROUNDING and after * SHRINKS <= before


def first_explanation(at: Case, hypotheses: Iterable[Hypothesis]) -> Cause | None:
    """The cause of the first hypothesis under which the error vanishes; None if it does under none."""
    for hypothesis in hypotheses:
        after = remaining_error(at, hypothesis.value)
        if is_explained(at.error, after):
            return Cause(hypothesis.cause_class, hypothesis.cause, vanishing(at.error, after, len(at.states)))
    return None


def vanishing(before: float, after: float, states: int) -> str:
    """Evidence in words: how the error falls."""
    return f"taken so, the scale-free error falls from {before:.2g} to {after:.2g} over {states} states"


def listed(names: Iterable[str], most: int = 4) -> str:
    """Names in a row, cut after `most`."""
    names = list(names)
    tail = [f"{len(names) - most} more"] if len(names) > most else []
    return ", ".join([*names[:most], *tail])
