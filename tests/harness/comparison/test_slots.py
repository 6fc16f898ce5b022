"""Slots: distinct entries stand for all, and an entry that breaks the structure is found by its own name."""

from __future__ import annotations

import numpy as np
import pytest

from leapcheck.comparison.in_house import InHouse
from leapcheck.comparison.plan import Plan
from leapcheck.comparison.slots import SlotMap
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.quantities import DEFAULT, QUANTITIES
from leapcheck.records import Comparison, Verdict
from leapcheck.robots.load import NamedRobot
from leapcheck.sampling import generated_states
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from tests.harness.comparison.run_cases import figures_of
from tests.harness.comparison.wrapped import Wrapped, with_entry

CANONICAL = tuple(name for name in DEFAULT if not QUANTITIES[name].in_mujoco_coordinates)
STORAGE = tuple(name for name, quantity in QUANTITIES.items() if quantity.in_mujoco_coordinates)
OFF = 1e-9
STATE = 37


def rows_of_slots(slots: Floats, n: int) -> Floats:
    """Blocks (blocks, slots, lanes) as (n, slots)."""
    return slots.swapaxes(1, 2).reshape(-1, slots.shape[1])[:n]


@pytest.mark.parametrize("compile_code", [False, True])
@pytest.mark.parametrize(("robot", "quantities"), [("tree4_9", CANONICAL), ("random:2", STORAGE), ("box", ("mass_matrix",))])
def test_every_entry_is_its_slot_its_sign_or_its_constant(robot: str, quantities: tuple[str, ...], compile_code: bool) -> None:
    spec = load(robot)
    in_house = InHouse(spec, quantities, compile_code)
    states = generated_states(spec, 21, 0, 0)
    rows = rows_of_slots(in_house(states).slots, len(states))
    answers = ReferenceEngine(spec).evaluate(states, quantities)
    for name, at in in_house.slot_map.of.items():
        mine = np.where(at.place < 0, at.factor, rows[:, at.range.start + at.place] * at.factor)
        # The readable code on NumPy's sines and cosines: they round otherwise. Measured 2.5e-14 of the largest.
        assert np.abs(mine - answers[name]).max(initial=0.0) <= 1e-13 * max(1.0, np.abs(answers[name]).max(initial=0.0)), name


def test_slots_are_far_fewer_than_entries() -> None:
    spec = load("mini_cheetah_armature")
    at = InHouse(spec, ("mass_matrix", "contact_jacobians"), compile_code=False).slot_map
    M, J = at.of["mass_matrix"], at.of["contact_jacobians"]
    assert len(M.first) <= 18 * 19 / 2 - 3 * 9 * 2  # symmetric, and no leg couples with another
    assert np.array_equal(M.place, M.place.T)
    leg, other = slice(6, 9), slice(9, 12)
    assert (M.place[leg, other] == -1).all()
    assert not M.factor[leg, other].any()
    assert 4 * len(J.first) < J.place.size
    assert (at.of["contact_jacobians"].range.start, at.count) == (len(M.first), len(M.first) + len(J.first))


@pytest.mark.parametrize("robot", ["tree4_9", "box"])
def test_the_entry_that_stands_for_a_slot(robot: str) -> None:
    at = InHouse(load(robot), ("mass_matrix", "kinetic_energy"), compile_code=False).slot_map
    for slots in at.of.values():
        assert [slots.place[slots.entry(k)] for k in range(len(slots.first))] == list(range(len(slots.first)))


def spoilt(robot: str, quantity: str, place: tuple[int, ...], size: float) -> Comparison:
    """The comparison of a robot's engine with the reference, one entry of one quantity off by `size` at one state."""
    spec = load(robot)
    engine = Wrapped(spec, with_entry(quantity, place, lambda x: x + size, STATE), [quantity])
    (row,) = figures_of(Plan(NamedRobot(spec, robot), ("reference", engine), (quantity,), 48)).comparisons
    return row


ENTRIES = [
    ("pupper_leg", "mass_matrix", (2, 1)),  # below the diagonal: the slot is the entry above
    ("pupper_leg", "mass_matrix", (1, 2)),
    ("pupper_leg", "mass_matrix", (2, 2)),  # the same at every state
    ("mini_cheetah", "mass_matrix", (7, 13)),  # two legs: always zero
    ("box", "mass_matrix", (0, 1)),  # M has no slot at all
    ("box", "contact_jacobians", (5, 2, 5)),  # repeats another point's entry
    ("box", "contact_jacobians", (3, 1, 1)),
    ("mini_cheetah", "contact_jacobians", (0, 0, 17)),  # another leg's joint
    ("mini_cheetah", "contact_jacobians", (3, 2, 5)),
    ("pupper_leg", "contact_inertia", (2, 0)),
    ("tree4_9", "qM", (1,)),
    ("tree4_9", "cdof", (0, 4)),
    ("tree4_9", "cinert", (1, 9)),  # a mass
]


@pytest.mark.parametrize(("robot", "quantity", "place"), ENTRIES)
def test_an_entry_that_is_off_at_one_state_is_found_by_name(robot: str, quantity: str, place: tuple[int, ...]) -> None:
    row = spoilt(robot, quantity, place, OFF)
    assert row.verdict is Verdict.DISCREPANCY
    assert row.worst is not None
    assert (row.worst.index, row.worst.place) == (STATE, place)
    assert row.worst.value - row.worst.against_value == pytest.approx(OFF, rel=1e-3)
    assert row.absolute == pytest.approx(OFF, rel=1e-3)
    assert row.error >= OFF / 3.0 or quantity not in ("contact_jacobians", "mass_matrix")


@pytest.mark.parametrize(("robot", "quantity", "place"), ENTRIES)
def test_an_entry_that_is_no_number_is_found_by_name(robot: str, quantity: str, place: tuple[int, ...]) -> None:
    row = spoilt(robot, quantity, place, float("nan"))
    assert (row.verdict, row.error, row.absolute, row.margin) == (Verdict.DISCREPANCY, np.inf, np.inf, 0.0)
    assert row.worst is not None
    assert (row.worst.index, row.worst.place) == (STATE, place)
    assert row.histogram[-1] == 1


def test_the_heat_map_shows_entries_that_should_repeat_or_not_move() -> None:
    spec = load("mini_cheetah")
    for place in ((7, 13), (8, 6)):
        engine = Wrapped(spec, with_entry("mass_matrix", place, lambda x: x + OFF), ["mass_matrix"])
        (heat,) = figures_of(Plan(NamedRobot(spec), ("reference", engine), ("mass_matrix",), 48)).heat_maps
        values = np.array(heat.values)
        assert np.unravel_index(values.argmax(), values.shape) == place
        values[place] = 0.0
        assert values.max() < 1e-12


def test_a_map_comes_back_from_its_bytes() -> None:
    at = InHouse(load("two_link_arm"), CANONICAL, compile_code=False).slot_map
    copy = SlotMap.from_bytes(at.as_bytes())
    assert list(copy.of) == list(at.of)
    for name, slots in at.of.items():
        other = copy.of[name]
        assert (other.quantity, other.start, other.first) == (slots.quantity, slots.start, slots.first)
        for mine, theirs in ((slots.place, other.place), (slots.factor, other.factor)):
            assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape)
            assert np.array_equal(mine, theirs)
