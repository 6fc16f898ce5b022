"""Why an engine is off, by what it answers when it is asked again at its worst states and some more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from leapcheck.comparison.plan import Plan
from leapcheck.engines.answers import shapes_of
from leapcheck.engines.protocol import Engine
from leapcheck.judge.evidence import rows_of
from leapcheck.judge.second_asking import answerable
from leapcheck.records import Diagnosis, Failure, WorstState
from leapcheck.sampling import States, generated_states, join_states
from leapcheck.system.plugins import reason_of
from leapcheck_models.spec import RobotSpec

ASKED_AGAIN = 48
"""Seeded states on which a cause is looked for, next to the worst ones."""

MOST_WORST = 8
"""Worst states, of one quantity each, that are looked at."""


def one_state(worst: WorstState) -> States:
    """A worst state as a block of one."""
    q, v, tau, vdot = (np.array([part]) for part in (worst.q, worst.v, worst.tau, worst.vdot or [0.0] * len(worst.v)))
    return States(q, v, tau, np.array([worst.index]), (worst.kind,), vdot, np.array([worst.contact_forces], dtype=float))


def worst_states(worst: Sequence[WorstState]) -> States:
    """The first worst states, each once."""
    return join_states([one_state(state) for state in {state.index: state for state in worst[:MOST_WORST]}.values()])


def given_states(states: States, worst: Sequence[WorstState]) -> States:
    """The first worst states out of those that were given, with the parts, too, on which the quantity there does not depend."""
    return rows_of(states, list(dict.fromkeys(state.index for state in worst[:MOST_WORST])))


def states_to_ask(spec: RobotSpec, seed: int, worst: Sequence[WorstState]) -> States:
    """The worst states and those of the seed."""
    return join_states([worst_states(worst), generated_states(spec, ASKED_AGAIN, seed, 0)])


ENGINE_FAILED = "the engine failed when it was asked again"
SEARCH_FAILED = "the search for a cause failed, which is a fault of leapcheck"


class Gap(NamedTuple):
    """Why a quantity could not be explained, in words, and what shows it."""

    words: str
    evidence: str


class EngineExplanation(NamedTuple):
    """Why an engine is off; for quantities that could not be explained the reason; failures at states of the run."""

    diagnoses: tuple[Diagnosis, ...]
    reasons: Mapping[str, Gap]
    failures: tuple[Failure, ...]


def explanation(plan: Plan, engine: Engine, worst: Sequence[WorstState]) -> EngineExplanation:
    """Why an engine is off at its worst states and some more; where it fails, by what it answers."""
    quantities = tuple(quantity for quantity in plan.quantities if quantity in engine.quantities)
    recorded: States | None = getattr(engine, "states", None)  # a recording has no answers elsewhere
    if recorded is None:
        states = states_to_ask(plan.spec, plan.seed, worst)
    else:
        states = join_states([given_states(plan.states or recorded, worst), recorded[:ASKED_AGAIN]])
    diagnoses, reason = _explanation(plan.spec, engine, states, quantities)
    if not reason:
        return EngineExplanation(diagnoses, {}, ())
    can, most = answerable(engine, states, shapes_of(plan.spec, quantities)), len(worst_states(worst))
    for rows in (can.rows, [row for row in can.rows if row < most]):
        if can.failures and rows and (not diagnoses or any(d.unexplained for d in diagnoses)):
            others, reason = _explanation(plan.spec, engine, rows_of(states, rows), can.quantities)
            if not diagnoses or (others and not any(d.unexplained for d in others)):
                diagnoses = others
    words = ENGINE_FAILED if can.failures else SEARCH_FAILED
    reasons = {name: Gap(words, reason) for name in quantities if reason} | {
        name: Gap(ENGINE_FAILED, failure.message) for name, failure in can.failures.items() if name not in can.quantities
    }
    own = most if plan.states is not None else len(states)  # beyond them are states that nobody gave
    failures = (Failure(engine.name, name, f.message) for name, f in can.failures.items() if min(f.rows, default=0) < own)
    return EngineExplanation(diagnoses, reasons, tuple(failures))


def _explanation(spec: RobotSpec, engine: Engine, states: States, quantities: Sequence[str]) -> tuple[tuple[Diagnosis, ...], str]:
    """The diagnoses of an engine at some states, or the reason why there are none."""
    from leapcheck.judge.declaration import declaration
    from leapcheck.judge.diagnosis import diagnose

    try:
        diagnoses = diagnose(spec, engine, states, quantities)
        own = declaration(spec, engine, states, quantities) if any(d.unexplained for d in diagnoses) else None
        return (own,) if own else diagnoses, ""
    except Exception as error:  # whatever is wrong with the answers must not cost the report
        return (), reason_of(error)
