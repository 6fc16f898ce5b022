"""Errors of a run that are not there when the engine is asked for the same state again: what made the difference."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from leapcheck.comparison.plan import Plan
from leapcheck.engines.protocol import Engine
from leapcheck.judge.conditions.calls import repeated_calls
from leapcheck.judge.evidence import Evidence, evidence
from leapcheck.quantities import QUANTITIES
from leapcheck.records import CauseClass, CauseRow, Diagnosis, Falls
from leapcheck.sampling import UNIT, States, unit_blocks
from leapcheck_models.spec import RobotSpec

UNINITIALISED = "the first call of a new engine is wrong, the second is right: it reads what nobody has written yet"
IN_ORDER = "right when it is asked for the state alone, wrong again after the states that the run asked for before it"


def unseen_errors(
    plan: Plan, engine: Engine, make: Callable[[RobotSpec], Engine] | None, worst: Mapping[str, tuple[States, float]]
) -> tuple[Diagnosis, ...]:
    """A diagnosis for each quantity that was wrong at a state, with an error, and is right there now; none where nothing tells.

    `make` makes the engine anew, where that can be done.
    """
    diagnoses = []
    for name, (state, error) in worst.items():
        try:
            diagnosis = _unseen_error(plan, engine, make, name, state)
        except Exception:  # foreign code, asked once more: its failures are reported elsewhere
            continue
        if diagnosis is not None:
            falls = tuple(Falls(name, error, row.after) for row in diagnosis.falls)
            diagnoses.append(replace(diagnosis, falls=falls))
    return tuple(diagnoses)


def _unseen_error(
    plan: Plan, engine: Engine, make: Callable[[RobotSpec], Engine] | None, name: str, state: States
) -> Diagnosis | None:
    """What the error of one quantity at a block of one state depends on."""
    now = evidence(plan.spec, engine, state, (name,))
    if make is not None and (new := make(plan.spec)) is not engine:
        first, second = (evidence(plan.spec, new, state, (name,)) for _ in range(2))
        if first.deviating and not second.deviating:
            return _diagnosis(now, "first", UNINITIALISED)
    if (repeated := repeated_calls(now, name, 0)) is not None:
        return repeated
    unit = int(state.index[0]) // UNIT
    begin = unit - unit % plan.block_units
    own = next((block for block in unit_blocks(plan.block(range(begin, unit + 1))) if state.index[0] in block.index), None)
    if own is None or plan.only is not None:
        return None
    row = int(np.flatnonzero(own.index == state.index[0])[0])
    again = evidence(plan.spec, engine, own[: row + 1], (name,)).at_states([row])
    return _diagnosis(now, "order", IN_ORDER) if again.deviating else None


def _diagnosis(now: Evidence, cause: str, words: str) -> Diagnosis:
    (name,) = now.quantities
    row = CauseRow(f"calls/{cause}", CauseClass.ENGINE, f"{QUANTITIES[name].label}: {words}", "")
    return Diagnosis(now.engine.name, (row,), (), (Falls(name, 0.0, now.worst_error(name)),), (), "")
