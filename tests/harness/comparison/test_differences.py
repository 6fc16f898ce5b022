"""Heat maps: the largest error of each entry of M, near the origin and far from it."""

from __future__ import annotations

import numpy as np
import pytest

from leapcheck.comparison.engine_set import engine_set_of
from leapcheck.comparison.plan import Plan
from leapcheck.comparison.results import block_result
from leapcheck.comparison.tally import TallyRow
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.robots.load import NamedRobot
from leapcheck.rounding import NEAR, base_distance
from leapcheck.sampling import States
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from tests.harness.comparison.wrapped import Wrapped

pytestmark = pytest.mark.quick

ROBOT = "random:36"
STATES = 45
"""No multiple of any vector's width."""


def off_by_state(states: States) -> Floats:
    """A relative error of its own for each state."""
    return 1e-3 * (1.0 + states.index % 7)


def spoil(_quantity: str, values: Floats, states: States) -> Floats:
    return values * (1.0 + off_by_state(states))[:, None, None]


def test_each_entry_has_its_largest_error_over_the_states_near_and_far() -> None:
    spec = load(ROBOT)
    plan = Plan(NamedRobot(spec, ROBOT), ("reference", Wrapped(spec, spoil)), quantities=("mass_matrix",), count=STATES)
    states = plan.block(range(1))
    engine_set = engine_set_of(plan)
    (tally,) = block_result(engine_set, states).tallies.values()

    M = ReferenceEngine(spec).evaluate(states, ("mass_matrix",))["mass_matrix"]
    size = np.sqrt(np.diagonal(M, axis1=1, axis2=2))
    error = np.abs(M) * off_by_state(states)[:, None, None] / (size[:, :, None] * size[:, None, :])
    near = base_distance(spec, states) <= NEAR
    assert near.any()
    assert not near.all()
    largest = np.stack([error[near].max(axis=0), error[~near].max(axis=0)])
    entries = engine_set.portions[0].in_house.slot_map.of["mass_matrix"]  # equal entries have one slot, constant ones none
    expected = np.where(entries.place < 0, 0.0, largest.reshape(2, -1)[:, entries.first][:, entries.place])
    assert len(entries.first) > 2 * spec.nv
    assert tally.heat.keys() == {TallyRow("mass_matrix", "own", "reference")}
    np.testing.assert_allclose(tally.heat[TallyRow("mass_matrix", "own", "reference")], expected, rtol=1e-9)
