"""Reduction of errors: verdicts at their thresholds, peaks at their states, and blocks merged as if they had come at once."""

from __future__ import annotations

import dataclasses
import math
from itertools import pairwise

import numpy as np
import pytest

from leapcheck.comparison.tally import ALL_KINDS, SAMPLE, Tally, TallyRow, make_tally
from leapcheck.records import HISTOGRAM_DECADES, Verdict
from leapcheck.rounding import ALLOWED_UNITS, NEAR, REACH, base_distance
from leapcheck.sampling import States, generated_states
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec

pytestmark = pytest.mark.quick

EPS = 1e-15
ROWS = (TallyRow("mass_matrix", "a", "b"), TallyRow("bias_force", "a", "b"), TallyRow("bias_force", "a", "truth"))


@pytest.fixture
def spec() -> RobotSpec:
    return load("box")


@pytest.fixture
def states(spec: RobotSpec) -> States:
    return generated_states(spec, 32, 0, 0)


def one(spec: RobotSpec, states: States, error: Floats, unit: Floats | float = EPS) -> Tally:
    """The tally of a single row, its absolute errors twice the others."""
    error = np.asarray(error, dtype=float)[None]
    return make_tally(spec, states, [ROWS[0]], error, error + error.clip(max=1e280), np.broadcast_to(unit, error.shape))


def at(states: States, index: int, value: float, others: float = 0.0) -> Floats:
    """An error at one state, another at all others."""
    return np.where(states.index == index, value, others)


def same(a: Tally, b: Tally) -> bool:
    """Whether every field of two tallies is the same to the last bit."""

    def equal(x: object, y: object) -> bool:
        if dataclasses.is_dataclass(x) or isinstance(x, dict):
            (x, y) = (v if isinstance(v, dict) else {f.name: getattr(v, f.name) for f in dataclasses.fields(v)} for v in (x, y))
            return x.keys() == y.keys() and all(equal(x[key], y[key]) for key in x)
        return np.array_equal(x, y)

    return equal(a, b)


def test_equal_answers_agree_exactly(spec: RobotSpec, states: States) -> None:
    found = one(spec, states, np.zeros(32))
    assert (found.error[0], found.absolute.value[0], found.rounding.value[0], found.verdict(0)) == (0.0, 0.0, 0.0, Verdict.AGREE)
    assert found.states == 32
    assert found.histogram[0].tolist() == [32, *[0] * (np.diff(HISTOGRAM_DECADES)[0] - 1)]


def test_one_error_is_found_with_its_state_and_kind(spec: RobotSpec, states: States) -> None:
    found = one(spec, states, at(states, 21, 3e-7, 1e-16))
    assert (found.error[0], found.absolute.value[0], found.rounding.value[0]) == (3e-7, 6e-7, 3e-7 / EPS)
    assert found.tolerance[0] == ALLOWED_UNITS * EPS
    for peak in (found.rounding, found.absolute):
        assert (peak.index[0], peak.kind[0]) == (21, states.kind[21])
        assert np.array_equal(peak.states().q[0], states.q[21])
        assert np.array_equal(peak.states().v[0], states.v[21])
        assert np.array_equal(peak.states().tau[0], states.tau[21])
    assert [kind.kind for kind in found.kinds(0) if kind.verdict is Verdict.DISCREPANCY] == [states.kind[21]]
    assert sum(kind.states for kind in found.kinds(0)) == 32
    assert max(kind.error for kind in found.kinds(0)) == 3e-7


def test_the_worst_state_is_the_one_that_is_worst_in_its_own_unit(spec: RobotSpec, states: States) -> None:
    error = at(states, 3, 1e-9) + at(states, 7, 1e-11)
    unit = np.where(states.index == 3, 1e-10, 1e-15)
    found = one(spec, states, error, unit)
    assert (found.error[0], found.rounding.value[0], found.rounding.index[0]) == (1e-9, 1e-11 / 1e-15, 7)
    assert found.absolute.index[0] == 3
    assert found.tolerance[0] == ALLOWED_UNITS * 1e-15


def test_verdict_at_the_tolerance(spec: RobotSpec, states: States) -> None:
    for units, verdict in ((ALLOWED_UNITS, Verdict.AGREE), (ALLOWED_UNITS + 1, Verdict.DISCREPANCY)):
        found = one(spec, states, np.full(32, units), 1.0)
        assert found.rounding.value[0] == units
        assert found.verdict(0) is verdict


@pytest.mark.parametrize(("distance", "units", "verdict"), [
    (NEAR, ALLOWED_UNITS + 1, Verdict.DISCREPANCY),
    (100.0, ALLOWED_UNITS, Verdict.AGREE),
    (100.0, ALLOWED_UNITS + 1, Verdict.IMPRECISE),
    (100.0, ALLOWED_UNITS * (1 + 100.0 / REACH), Verdict.IMPRECISE),
    (100.0, ALLOWED_UNITS * (2 + 100.0 / REACH), Verdict.DISCREPANCY),
    (1e4, ALLOWED_UNITS * 9e5, Verdict.IMPRECISE),
    (1e4, ALLOWED_UNITS * 1.1e6, Verdict.DISCREPANCY),
])  # fmt: skip
def test_far_from_the_origin_an_engine_may_be_imprecise(
    spec: RobotSpec, states: States, distance: float, units: float, verdict: Verdict
) -> None:
    q = states.q.copy()
    q[:, :3] = 0.0
    q[5, 1] = -distance
    found = one(spec, dataclasses.replace(states, q=q), at(states, 5, units), 1.0)
    assert found.verdict(0) is verdict
    told = verdict is Verdict.DISCREPANCY or distance <= NEAR
    assert found.error[0] == (units if told else 0.0)  # what is imprecise far out stands with its kind and in the histogram alone
    assert max(kind.error for kind in found.kinds(0)) == units
    assert found.histogram[0].sum() == 32
    assert found.histogram[0, 0] == 31


def test_a_fixed_base_is_never_far() -> None:
    spec = load("two_link_arm")
    states = generated_states(spec, 16, 0, 0)
    states = dataclasses.replace(states, q=np.full_like(states.q, 1e4))
    assert not base_distance(spec, states).any()
    assert one(spec, states, np.full(16, 1e-12)).verdict(0) is Verdict.DISCREPANCY


def test_the_farthest_base_counts() -> None:
    spec = load("random:27")  # several free bases
    states = generated_states(spec, 64, 0, 0)
    far = np.array(states.kind) == "far"
    distance = base_distance(spec, states)
    assert (distance[far] >= 100.0 * (1.0 - 1e-12)).all()
    assert (distance[~far] <= np.sqrt(3.0)).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_no_number_is_a_discrepancy(spec: RobotSpec, states: States, bad: float) -> None:
    found = one(spec, states, at(states, 9, bad))
    assert found.verdict(0) is Verdict.DISCREPANCY
    assert (found.error[0], found.absolute.value[0], found.rounding.value[0]) == (np.inf, np.inf, np.inf)
    assert found.rounding.index[0] == found.absolute.index[0] == 9
    assert (found.histogram[0, -1], found.histogram[0].sum()) == (1, 32)


def decade(error: float) -> int:
    """The bin of an error, found with exact powers of ten."""
    first, last = HISTOGRAM_DECADES
    return max([0, *(k - first for k in range(first, last) if error >= float(f"1e{k}"))])


def test_histogram_bins_begin_at_the_powers_of_ten(spec: RobotSpec) -> None:
    powers = np.array([float(f"1e{k}") for k in range(-30, 12)])
    tiny = np.array([0.0, 5e-324, 1e-310, np.finfo(float).tiny, 1e-100])
    large = np.array([1e100, np.finfo(float).max, np.inf])
    errors = np.concatenate([tiny, powers, np.nextafter(powers, 0.0), np.nextafter(powers, np.inf), 3.0 * powers, large])
    states = generated_states(spec, len(errors), 0, 0)
    bins = [one(spec, states[i : i + 1], errors[i : i + 1]).histogram[0].argmax() for i in range(len(errors))]
    assert bins == [decade(error) for error in errors]


def test_histogram_is_that_of_the_logarithm(spec: RobotSpec) -> None:
    rng = np.random.default_rng(0)
    errors = 10.0 ** rng.uniform(-25.0, 8.0, 256)
    first, last = HISTOGRAM_DECADES
    bins = np.clip(np.floor(np.log10(errors)), first, last - 1).astype(int) - first
    found = one(spec, generated_states(spec, 256, 0, 0), errors)
    assert found.histogram[0].tolist() == np.bincount(bins, minlength=last - first).tolist()


def test_rows_are_reduced_side_by_side(spec: RobotSpec, states: States) -> None:
    rng = np.random.default_rng(2)
    errors, units = 10.0 ** rng.uniform(-17, -9, (3, 32)), 10.0 ** rng.uniform(-16, -14, (3, 32))
    found = make_tally(spec, states, ROWS, errors, 3.0 * errors, units)
    for i in range(3):
        alone = make_tally(spec, states, ROWS[i : i + 1], errors[i : i + 1], 3.0 * errors[i : i + 1], units[i : i + 1])
        assert same(found.alone(i), alone)
        assert found.verdict(i) is alone.verdict(0)
        assert found.kinds(i) == alone.kinds(0)


def noisy(spec: RobotSpec, count: int) -> tuple[States, Floats, Floats]:
    rng = np.random.default_rng(1)
    return (
        generated_states(spec, count, 0, 0),
        10.0 ** rng.uniform(-17, -9, (3, count)),
        10.0 ** rng.uniform(-16, -14, (3, count)),
    )


def part(spec: RobotSpec, states: States, errors: Floats, units: Floats, start: int, end: int) -> Tally:
    cut = slice(start, end)
    return make_tally(spec, states[cut], ROWS, errors[:, cut], 3.0 * errors[:, cut], units[:, cut])


CUTS = [(0, 40, 41, 96), (0, 13, 15, 96), (13, 15, 29, 31, 96), (13, 14, 15)]  # 13, 14, 29 and 30 are far: blocks of these alone


@pytest.mark.parametrize("cuts", CUTS)
def test_merged_blocks_are_the_whole(spec: RobotSpec, cuts: tuple[int, ...]) -> None:
    given = noisy(spec, 96)
    merged, *others = (part(spec, *given, start, end) for start, end in pairwise(cuts))
    for other in others:
        merged.merge(other)
    assert same(merged, part(spec, *given, cuts[0], cuts[-1]))


def test_merging_in_another_order_changes_nothing_but_the_order_of_the_sample(spec: RobotSpec) -> None:
    given = noisy(spec, 96)
    given[1][:, [5, 50]] = 1e-3  # a tie
    given[2][:, [5, 50]] = 1e-15
    first, later = part(spec, *given, 0, 40), part(spec, *given, 40, 96)
    later.merge(first)
    later.sample = part(spec, *given, 0, 96).sample
    assert later.rounding.index.tolist() == [5, 5, 5]
    assert same(later, part(spec, *given, 0, 96))


def test_on_a_tie_the_earlier_block_keeps_the_worst_state(spec: RobotSpec, states: States) -> None:
    error = at(states, 3, 0.5) + at(states, 20, 0.5)
    merged = one(spec, states[:16], error[:16])
    merged.merge(one(spec, states[16:], error[16:]))
    assert merged.rounding.index[0] == merged.absolute.index[0] == 3


def test_the_sample_holds_the_first_states_near_the_origin(spec: RobotSpec) -> None:
    states = generated_states(spec, 64, 0, 0)
    shifted = dataclasses.replace(states, index=states.index + SAMPLE - 40)
    error = np.arange(64.0)
    near = np.array([kind != "far" for kind in states.kind])
    found = one(spec, shifted, error)
    assert found.sample[0].tolist() == error[near & (np.arange(64) < 40)].tolist()


def test_every_kind_is_known() -> None:
    states = generated_states(load("mini_cheetah"), 256, 0, 0)
    assert set(states.kind) | {"file"} == set(ALL_KINDS)
    own = dataclasses.replace(states, kind=("file",) * 256)
    found = one(load("mini_cheetah"), own, np.full(256, 1e-14))
    assert [(kind.kind, kind.states) for kind in found.kinds(0)] == [("file", 256)]


def test_heat_maps_are_merged_entry_by_entry(spec: RobotSpec, states: States) -> None:
    first, later = one(spec, states[:16], np.zeros(16)), one(spec, states[16:], np.zeros(16))
    first.heat, later.heat = {ROWS[0]: np.array([[1.0, 2.0], [-1.0, -1.0]])}, {ROWS[0]: np.array([[3.0, 0.5], [-1.0, 4.0]])}
    first.merge(later)
    assert first.heat[ROWS[0]].tolist() == [[3.0, 2.0], [-1.0, 4.0]]
    assert math.isclose(first.alone(0).heat[ROWS[0]][1, 1], 4.0)
