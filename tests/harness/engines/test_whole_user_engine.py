"""The example of a user's engine that answers everything, by Pinocchio in its own conventions: it agrees, Jdot and all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from leapcheck.engines.outside.load import load_engine
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.quantities import CANONICAL, QUANTITIES, QuantityGroup
from leapcheck.rounding import scale_free, scales
from leapcheck_models.robots import load
from tests.harness.engines.engine_cases import near_states

EXAMPLES = Path(__file__).parents[2] / "examples" / "engines"
ROUNDING = 5e-12  # of the largest entry; measured worst 1.8e-13


def test_the_example_answers_and_agrees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES)
    spec = load("mini_cheetah_armature")
    names = tuple(name for name in CANONICAL if QUANTITIES[name].group is not QuantityGroup.CONSTRAINTS)
    states = near_states(spec, 6)
    engine = load_engine("whole_robot:WholeRobot", spec)
    assert engine.quantities == set(names)
    expected, found = ReferenceEngine(spec).evaluate(states, names), engine.evaluate(states, names)
    off = {
        name: float(scale_free(found[name] - expected[name], scales(name, expected[name])).max())
        for name in names
        if np.abs(expected[name]).max() > 0.0
    }
    assert max(off.values()) <= ROUNDING, off
