"""The engine asked again, at states of the judge's own making."""

from __future__ import annotations

from collections.abc import Sequence

import leapcheck_reference as reference
from leapcheck.engines.protocol import Answers
from leapcheck.judge.evidence import Evidence, value
from leapcheck.quantities import QUANTITIES
from leapcheck.states import Floats, States


def answers_at(evidence: Evidence, states: States, quantities: Sequence[str]) -> Answers | None:
    """The engine's answers at other states; None where it cannot be asked.

    That is so for recorded answers, whose engine raises, and for MuJoCo's own quantities, whose states are not the engine's.
    """
    if not quantities or QUANTITIES[quantities[0]].in_mujoco_coordinates:
        return None
    try:
        return evidence.engine.evaluate(states, quantities)
    except Exception:  # whatever a user's engine raises at states that it does not have
        return None


def differences_at(evidence: Evidence, states: States, quantities: Sequence[str]) -> dict[str, Floats]:
    """Engine less in-house answers (n, ...) at other states, by quantity; empty where the engine cannot be asked."""
    answers = answers_at(evidence, states, quantities)
    tree = reference.build(evidence.spec)
    return {name: found - value(name, tree, states) for name, found in answers.items()} if answers else {}
