"""The states at which an engine is asked again: those where it was worst, and some of the seed's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from leapcheck.compare.records import WorstState
from leapcheck.states import States, generated_states, joined
from leapcheck_models.spec import RobotSpec

ASKED_AGAIN = 48
"""Seeded states on which a cause is looked for, next to the worst ones."""

MOST_WORST = 8
"""Worst states, of one quantity each, that are looked at."""


def one_state(worst: WorstState) -> States:
    """A worst state as a block of one."""
    q, v, tau = (np.array([part]) for part in (worst.q, worst.v, worst.tau))
    return States(q, v, tau, np.array([worst.index]), (worst.kind,))


def worst_states(worst: Sequence[WorstState]) -> States:
    """The first worst states, each once."""
    return joined([one_state(state) for state in {state.index: state for state in worst[:MOST_WORST]}.values()])


def states_to_ask(spec: RobotSpec, seed: int, worst: Sequence[WorstState]) -> States:
    """The worst states and those of the seed."""
    return joined([worst_states(worst), generated_states(spec, ASKED_AGAIN, seed, 0)])
