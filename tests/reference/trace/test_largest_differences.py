"""Largest differences over slots: the compiled pass and NumPy's give what a plain loop gives, bit by bit."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from leapcheck_models.arrays import Floats
from leapcheck_reference.trace import native
from leapcheck_reference.trace.largest_differences import MOST, EntryRange, Pair, largest_differences, weighted_differences
from leapcheck_reference.trace.native import aligned_array

BLOCKS, SLOTS = 3, 11
RANGES = [EntryRange(slice(0, 4)), EntryRange(slice(4, 4)), EntryRange(slice(4, 11))]
LANES = native.vector_width()


@pytest.fixture(params=["compiled", "numpy", "another width"])
def lanes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Lanes of the blocks; compiled code works on those of the CPU's vector alone."""
    if request.param == "numpy":
        monkeypatch.setattr(native, "vector_width", lambda: 0)
    return LANES if request.param != "another width" else LANES + 3


def blocks(count: int, lanes: int, seed: int = 0, slots: int = SLOTS) -> list[Floats]:
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(BLOCKS, slots, lanes)) * 10.0 ** rng.integers(-12, 3, (BLOCKS, slots, 1)) for _ in range(count)]


def looped(participants: list[Floats], ranges: list[EntryRange], pairs: list[Pair], weights: Floats | None = None) -> Floats:
    blocks, _, lanes = participants[0].shape
    found = np.zeros((len(ranges), len(pairs), blocks * lanes))
    for r, (at, remainder) in enumerate(ranges):
        for p, (i, j) in enumerate(pairs):
            for state in range(blocks * lanes):
                block, lane = divmod(state, lanes)
                for slot in range(at.start, at.stop):
                    a, b = participants[i][block, slot, lane], participants[j][block, slot, lane] if j >= 0 else 0.0
                    off = abs(a - b) * (1.0 if weights is None else weights[block, slot - at.start, lane])
                    found[r, p, state] = max(found[r, p, state], off)
                if remainder is not None:
                    rest = [abs(participants[k][block, remainder, lane]) for k in (i, j) if k >= 0]
                    found[r, p, state] = max(found[r, p, state], *rest)
    return found


@pytest.mark.parametrize("count", [2, 5, 8])
def test_each_range_pair_and_state_has_its_largest_difference(count: int, lanes: int) -> None:
    participants = blocks(count, lanes)
    pairs = [*combinations(range(count), 2), (1, -1)]
    assert (len(pairs) > MOST) == (count == 8)  # more than one compiled pass
    assert np.array_equal(largest_differences(participants, RANGES, pairs), looped(participants, RANGES, pairs))


def test_what_entries_without_a_slot_deviate_by_is_a_difference_too(lanes: int) -> None:
    participants = blocks(3, lanes)
    ranges = [EntryRange(slice(0, 3), 9), EntryRange(slice(3, 3), 10), EntryRange(slice(3, 9), 10)]
    pairs = [(0, 1), (2, 0), (1, -1)]
    found = largest_differences(participants, ranges, pairs)
    assert np.array_equal(found, looped(participants, ranges, pairs))
    assert not np.array_equal(found, largest_differences(participants, [EntryRange(slots) for slots, _ in ranges], pairs))


@pytest.mark.parametrize("count", [3, 5])
@pytest.mark.parametrize("remainder", [None, 2])
def test_weights_stand_beside_the_slots_of_one_range(lanes: int, count: int, remainder: int | None) -> None:
    participants, (weights,) = blocks(count, lanes), blocks(1, lanes, seed=1, slots=7)
    weights = np.abs(weights)
    entries, pairs = EntryRange(slice(4, 11), remainder), [*combinations(range(count), 2), (0, -1)]
    assert (len(pairs) > MOST // 2) == (count == 5)  # more than one compiled pass
    plain, weighted = weighted_differences(participants, entries, pairs, weights)
    assert np.array_equal(plain, looped(participants, [EntryRange(entries.slots)], pairs)[0])
    assert np.array_equal(weighted, looped(participants, [entries], pairs, weights)[0])


def test_weights_may_be_a_part_of_longer_blocks(lanes: int) -> None:
    participants, (numbers,) = blocks(2, lanes), blocks(1, lanes, seed=1, slots=20)
    part = np.abs(numbers)[:, 9:16]
    _, weighted = weighted_differences(participants, RANGES[2], [(0, 1)], part)
    assert np.array_equal(weighted, looped(participants, [RANGES[2]], [(0, 1)], part.copy())[0])


@pytest.mark.parametrize("value", [np.nan, -np.nan, np.inf])
def test_a_remainder_that_is_no_number_stays_at_its_state(value: float, lanes: int) -> None:
    participants = blocks(2, lanes)
    participants[0][1, 10, 2] = value
    found = largest_differences(participants, [EntryRange(slice(0, 4), 10)], [(0, 1), (1, -1)])
    assert np.array_equal(found[0, 0, lanes + 2], abs(value), equal_nan=True)
    found[0, 0, lanes + 2] = 0.0
    assert np.isfinite(found).all()


@pytest.mark.parametrize(("value", "other", "expected"), [
    (np.nan, 1.0, np.nan), (1.0, np.nan, np.nan), (-np.nan, 1.0, np.nan),
    (np.inf, 1.0, np.inf), (1.0, -np.inf, np.inf), (np.inf, np.inf, np.nan),
])  # fmt: skip
def test_what_is_no_number_stays_at_its_state(value: float, other: float, expected: float, lanes: int) -> None:
    participants = blocks(2, lanes)
    right = largest_differences(participants, RANGES, [(0, 1)])
    participants[0][1, 6, 2], participants[1][1, 6, 2] = value, other
    found = largest_differences(participants, RANGES, [(0, 1)])
    right[2, 0, lanes + 2] = expected
    assert np.array_equal(found, right, equal_nan=True)


def test_of_nothing_there_is_nothing(lanes: int) -> None:
    participants = blocks(2, lanes)
    assert not largest_differences(participants, [EntryRange(slice(3, 3))], [(0, 1), (0, -1)]).any()
    assert largest_differences(participants, RANGES, []).shape == (3, 0, BLOCKS * lanes)
    assert largest_differences([array[:0] for array in participants], RANGES, [(0, 1)]).shape == (3, 1, 0)


def test_memory_need_not_begin_at_a_cache_line() -> None:
    """NumPy's answers do not, and eight states of them look like one block of a vector of eight."""
    size = BLOCKS * SLOTS * LANES
    participants = []
    for array in blocks(2, LANES):
        shifted = aligned_array((size + 8,))[1 : size + 1].reshape(array.shape)
        shifted[:] = array
        participants.append(shifted)
    weights = np.abs(participants[0])
    pairs = [(0, 1), (1, 0), (0, -1)]
    assert np.array_equal(largest_differences(participants, RANGES, pairs), looped(participants, RANGES, pairs))
    whole = EntryRange(slice(0, SLOTS))
    _, weighted = weighted_differences(participants, whole, pairs, weights)
    assert np.array_equal(weighted, looped(participants, [whole], pairs, weights)[0])
