"""Whether a defect can be shown at a state with three non-zero entries at most: by trying some."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from leapcheck.engines.protocol import Engine
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.sampling import States
from leapcheck_evidence.score.planting.effect import differences
from leapcheck_models.spec import CONFIGURATION_SIZE, JointType, RobotSpec

FEW, TRIED = 3, 64

LEAST_ERROR = 1e-10
"""Scale-free error above which a defect shows: far above any rounding."""

VALUES = (0.5, 1.0, -1.0, np.pi / 2)


def allows_few(spec: RobotSpec, engine: Engine, quantities: Sequence[str]) -> bool:
    """Whether one of some states with at most three entries, all else zero, shows the defect in one of the quantities."""
    states = _states(spec)
    right = ReferenceEngine(spec).evaluate(states, quantities)
    answers = engine.evaluate(states, quantities)
    with np.errstate(all="ignore"):
        return any((differences(name, answers[name], right[name]) > LEAST_ERROR).any() for name in quantities if right[name].size)


def _states(spec: RobotSpec) -> States:
    """The neutral state, and states with up to three random entries; a quaternion turned about one axis is one entry."""
    rng = np.random.default_rng(spec.nv)
    starts = np.cumsum([0, *(CONFIGURATION_SIZE[body.joint.type] for body in spec.bodies)])
    turns = [
        int(end) - 4
        for end, body in zip(starts[1:], spec.bodies, strict=True)
        if body.joint.type in (JointType.FREE, JointType.BALL)
    ]
    q, v, tau = np.zeros((TRIED, spec.nq)), np.zeros((TRIED, spec.nv)), np.zeros((TRIED, spec.nv))
    q[:, turns] = 1.0
    inside = {turn + k for turn in turns for k in range(4)}
    places = [(q, i) for i in range(spec.nq) if i not in inside] + [(block, i) for block in (v, tau) for i in range(spec.nv)]
    for row in range(1, TRIED):
        for _ in range(int(rng.integers(1, FEW + 1))):
            if turns and rng.random() < 0.4:
                turn = int(rng.choice(turns))
                q[row, turn : turn + 4] = 0.0
                q[row, [turn, turn + 1 + int(rng.integers(3))]] = np.sqrt(0.5)
            else:
                block, i = places[int(rng.integers(len(places)))]
                block[row, i] = rng.choice(VALUES)
    return States(q, v, tau, np.arange(TRIED), ("few",) * TRIED)
