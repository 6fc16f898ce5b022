"""Reduction of answers: worst state and entry, verdicts at their thresholds, and units merged as if they had come at once."""

from __future__ import annotations

import dataclasses
from itertools import pairwise

import numpy as np
import pytest

from leapcheck.compare.records import HISTOGRAM_DECADES, Verdict
from leapcheck.compare.tally import NEAR, REACH, TOLERANCE_UNITS, PairTally, comparison, pair_tally
from leapcheck.engines.reference_engine import ReferenceEngine
from leapcheck.quantities import QUANTITIES
from leapcheck.states import Floats, States, generated_states
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec

EPS = 1e-15


@pytest.fixture
def spec() -> RobotSpec:
    return load("box")


@pytest.fixture
def states(spec: RobotSpec) -> States:
    return generated_states(spec, 32, 0, 0)


def tally(spec: RobotSpec, quantity: str, states: States, values: Floats, right: Floats, unit: float = EPS) -> PairTally:
    return pair_tally(spec, quantity, states, values, right, right, np.full(len(states), unit))


def answers(spec: RobotSpec, states: States, quantity: str) -> Floats:
    return ReferenceEngine(spec).evaluate(states, (quantity,))[quantity]


def test_equal_answers_agree_exactly(spec: RobotSpec, states: States) -> None:
    M = answers(spec, states, "mass_matrix")
    row = comparison(spec, "mass_matrix", "a", "b", tally(spec, "mass_matrix", states, M, M))
    assert (row.error, row.absolute, row.rounding, row.margin, row.verdict) == (0.0, 0.0, 0.0, float("inf"), Verdict.AGREE)
    assert row.states == 32
    assert row.histogram == (32, *[0] * (np.diff(HISTOGRAM_DECADES)[0] - 1))


def test_one_wrong_entry_is_found_with_its_name_unit_and_size(spec: RobotSpec, states: States) -> None:
    M = answers(spec, states, "mass_matrix")
    wrong = M.copy()
    wrong[21, 4, 1] += 3e-7
    row = comparison(spec, "mass_matrix", "a", "b", tally(spec, "mass_matrix", states, wrong, M))
    scale = np.sqrt(M[21, 4, 4] * M[21, 1, 1])
    assert row.error == pytest.approx(3e-7 / scale, rel=1e-8)
    assert row.absolute == pytest.approx(3e-7, rel=1e-8)
    assert row.rounding == pytest.approx(row.error / EPS)
    assert row.tolerance == TOLERANCE_UNITS * EPS
    assert row.margin == pytest.approx(row.tolerance / row.error)
    assert row.unit == "kg m"
    assert row.verdict is Verdict.DISCREPANCY
    assert row.worst is not None
    assert (row.worst.index, row.worst.kind, row.worst.place) == (21, states.kind[21], (4, 1))
    assert row.worst.entry == "box v_y, box w_y"
    assert (row.worst.value, row.worst.against_value) == (wrong[21, 4, 1], M[21, 4, 1])
    assert row.worst.q == tuple(states.q[21])
    assert row.worst.v == tuple(states.v[21])
    assert [kind.kind for kind in row.kinds if kind.verdict is Verdict.DISCREPANCY] == [states.kind[21]]


def test_the_worst_state_is_the_one_that_is_worst_in_its_own_unit(spec: RobotSpec, states: States) -> None:
    M = answers(spec, states, "mass_matrix")
    wrong = M.copy()
    wrong[3, 0, 0] *= 1.0 + 1e-9
    wrong[7, 0, 0] *= 1.0 + 1e-11
    unit = np.where(np.arange(32) == 3, 1e-10, 1e-15)
    found = pair_tally(spec, "mass_matrix", states, wrong, M, M, unit)
    assert found.error == pytest.approx(1e-9, rel=1e-5)
    assert found.rounding == pytest.approx(1e4, rel=1e-3)
    assert found.worst is not None
    assert found.worst.index == 7
    assert comparison(spec, "mass_matrix", "a", "b", found).margin == pytest.approx(TOLERANCE_UNITS * 1e-15 / 1e-11, rel=1e-3)


def test_verdict_at_the_tolerance(spec: RobotSpec, states: States) -> None:
    for units, verdict in ((TOLERANCE_UNITS, Verdict.AGREE), (TOLERANCE_UNITS + 1, Verdict.DISCREPANCY)):
        right = np.zeros((32, 8, 3, 6))  # J's scale is 1: the error is exact
        row = comparison(spec, "contact_jacobians", "a", "b", tally(spec, "contact_jacobians", states, right + units, right, 1.0))
        assert row.rounding == units
        assert row.verdict is verdict


@pytest.mark.parametrize(("distance", "units", "verdict"), [
    (NEAR, TOLERANCE_UNITS + 1, Verdict.DISCREPANCY),
    (100.0, TOLERANCE_UNITS, Verdict.AGREE),
    (100.0, TOLERANCE_UNITS + 1, Verdict.IMPRECISE),
    (100.0, TOLERANCE_UNITS * (1 + 100.0 / REACH), Verdict.IMPRECISE),
    (100.0, TOLERANCE_UNITS * (2 + 100.0 / REACH), Verdict.DISCREPANCY),
    (1e4, TOLERANCE_UNITS * 9e5, Verdict.IMPRECISE),
    (1e4, TOLERANCE_UNITS * 1.1e6, Verdict.DISCREPANCY),
])  # fmt: skip
def test_far_from_the_origin_an_engine_may_be_imprecise(
    spec: RobotSpec, states: States, distance: float, units: float, verdict: Verdict
) -> None:
    q = states.q.copy()
    q[:, :3] = 0.0
    q[5, 1] = -distance
    values = np.zeros((32, 6))
    values[5] = units
    found = tally(
        spec, "contact_jacobians", dataclasses.replace(states, q=q), values[:, None, None], np.zeros((32, 1, 1, 6)), 1.0
    )
    assert comparison(spec, "contact_jacobians", "a", "b", found).verdict is verdict


def test_a_fixed_base_is_never_far() -> None:
    spec = load("two_link_arm")
    states = generated_states(spec, 16, 0, 0)
    q = np.full_like(states.q, 1e4)
    found = tally(spec, "bias_force", dataclasses.replace(states, q=q), np.full((16, 2), 1.0 + 1e-12), np.ones((16, 2)))
    assert comparison(spec, "bias_force", "a", "b", found).verdict is Verdict.DISCREPANCY


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_is_a_discrepancy(spec: RobotSpec, states: States, bad: float) -> None:
    h = answers(spec, states, "bias_force")
    wrong = h.copy()
    wrong[9, 2] = bad
    row = comparison(spec, "bias_force", "a", "b", tally(spec, "bias_force", states, wrong, h))
    assert (row.verdict, row.error, row.absolute, row.rounding, row.margin) == (Verdict.DISCREPANCY, *[np.inf] * 3, 0.0)
    assert row.worst is not None
    assert (row.worst.index, row.worst.place) == (9, (2,))
    assert row.histogram[-1] == 1
    assert sum(row.histogram) == 32


def test_both_infinite_is_no_agreement(spec: RobotSpec, states: States) -> None:
    h = answers(spec, states, "bias_force")
    wrong = np.where(np.arange(6) == 2, np.inf, h)
    row = comparison(spec, "bias_force", "a", "b", pair_tally(spec, "bias_force", states, wrong, wrong, h, np.full(32, 1e-15)))
    assert row.verdict is Verdict.DISCREPANCY


def test_histogram_counts_states_by_the_decade_of_their_error(spec: RobotSpec) -> None:
    states = generated_states(spec, 6, 0, 0)
    right = np.zeros((6, 8, 3, 6))
    off = right + np.array([0.0, 2e-16, 5e-13, 5e-13, 0.5, 1e9])[:, None, None, None]
    row = comparison(spec, "contact_jacobians", "a", "b", tally(spec, "contact_jacobians", states, off, right))
    first, last = HISTOGRAM_DECADES
    counts = dict(zip(range(first, last), row.histogram, strict=True))
    assert {decade: count for decade, count in counts.items() if count} == {first: 1, -16: 1, -13: 2, -1: 1, last - 1: 1}


CUTS = [(0, 40, 41, 96), (0, 13, 15, 96), (13, 15, 29, 31, 96), (13, 14, 15)]  # 13, 14, 29 and 30 are far: units of these alone


@pytest.mark.parametrize("cuts", CUTS)
@pytest.mark.parametrize("quantity", ["mass_matrix", "bias_force", "contact_jacobians", "kinetic_energy", "cdof"])
def test_merged_units_are_the_whole(quantity: str, cuts: tuple[int, ...]) -> None:
    spec = load("box")
    states = generated_states(spec, 96, 0, 0)
    right = answers(spec, states, quantity)
    rng = np.random.default_rng(1)
    values = right + 1e-13 * rng.normal(size=right.shape)
    unit = 10.0 ** rng.uniform(-15, -13, 96)

    def part(start: int, end: int) -> PairTally:
        rows = slice(start, end)
        return pair_tally(spec, quantity, states[rows], values[rows], right[rows], right[rows], unit[rows])

    merged, *others = (part(start, end) for start, end in pairwise(cuts))
    for other in others:
        merged.merge(other)
    whole = part(cuts[0], cuts[-1])
    assert comparison(spec, quantity, "a", "b", merged) == comparison(spec, quantity, "a", "b", whole)
    assert (merged.heat is None) == (quantity != "mass_matrix")
    assert np.array_equal(merged.heat, whole.heat) if merged.heat is not None else whole.heat is None


def test_on_a_tie_the_earlier_unit_keeps_the_worst_state(spec: RobotSpec, states: States) -> None:
    h = np.ones((32, 6))
    wrong = h.copy()
    wrong[[3, 20]] += 0.5
    merged = tally(spec, "bias_force", states[:16], wrong[:16], h[:16])
    merged.merge(tally(spec, "bias_force", states[16:], wrong[16:], h[16:]))
    assert merged.worst is not None
    assert merged.worst.index == 3


def test_the_heat_map_holds_the_largest_error_of_each_entry(spec: RobotSpec, states: States) -> None:
    M = answers(spec, states, "mass_matrix")
    wrong = M.copy()
    wrong[2, 1, 1] *= 1.5
    wrong[30, 1, 1] *= 1.25
    wrong[31, 0, 5] = np.nan
    heat = tally(spec, "mass_matrix", states, wrong, M).heat
    assert heat is not None
    expected = np.zeros((6, 6))
    expected[1, 1], expected[0, 5] = 0.5, np.inf
    assert heat == pytest.approx(expected)


def test_every_quantity_can_be_tallied() -> None:
    spec = load("mini_cheetah")
    states = generated_states(spec, 3, 0, 0)
    values = ReferenceEngine(spec).evaluate(states, tuple(QUANTITIES))
    for name, right in values.items():
        row = comparison(spec, name, "a", "b", tally(spec, name, states, right * 1.01, right))
        assert row.verdict is Verdict.DISCREPANCY
        assert row.worst is not None
        assert row.worst.entry
