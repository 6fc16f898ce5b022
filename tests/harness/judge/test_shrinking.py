"""Faults planted on whole robots come down to few entries and few bodies, and stay the same fault."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from leapcheck.coordinates.conventions import rotation_matrices
from leapcheck.engines.protocol import Answers, Engine
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.judge.evidence import evidence, rows_of
from leapcheck.judge.layout import neutral
from leapcheck.judge.shrinking.entries import TURNS, entries, nonzero, quaternion_about, states_of
from leapcheck.judge.shrinking.mismatch import Budget, Mismatch
from leapcheck.judge.shrinking.models import part_of, states_for
from leapcheck.judge.shrinking.search import largest_mismatch
from leapcheck.judge.shrinking.shrink import SmallestCase, single_robot_maker, smallest_case
from leapcheck.quantities import QUANTITIES
from leapcheck.sampling import States, generated_states
from leapcheck_models.robots import load
from leapcheck_models.rotors import with_lumped_rotors
from leapcheck_models.spec import RobotSpec
from tests.harness.judge import planted_faults as p

CHEETAH = "mini_cheetah"
TWO_BASES = "random:27"
FEW = 3

Case = tuple[str, str, p.Fault, int, set[str]]

CASES: list[Case] = [
    # robot, quantity, fault, entries that are not zero at most, bodies that may be left
    (CHEETAH, "mass_matrix", p.with_inertia(lambda i: p.heavier(i, 1.000001), "FR_knee"), 0, {"FR_knee"}),
    (CHEETAH, "kinetic_energy", p.with_inertia(lambda i: p.heavier(i, 1.0 + 1e-11), "FR_knee"), 1, {"FR_hip", "FR_knee"}),
    (CHEETAH, "bias_force", p.with_inertia(p.turned(1e-6), "HL_hip"), 1, {"HL_abad", "HL_hip"}),
    (CHEETAH, "mass_matrix", p.with_armature(1.0, 0.0123, "FR_hip"), 0, {"FR_hip"}),
    (CHEETAH, "contact_jacobians", p.with_bodies(p.shifted, "FR_knee"), 0, {"FR_hip", "FR_knee"}),
    (CHEETAH, "kinetic_energy", p.with_inertia(p.turned(0.7), "FL_hip"), 1, {"FL_hip"}),
    (CHEETAH, "bias_force", p.answering(p.without_tdot), 2, {"trunk"}),
    (CHEETAH, "coriolis_force", p.reading_world_velocity, 3, {"trunk"}),
    (CHEETAH, "gravity_force", p.reading_quaternion(0, 1, 2, 3, sign=-1.0), 1, {"trunk"}),
    (TWO_BASES, "contact_bias_accelerations", p.answering(p.spatial_acceleration), 1, {"link_1"}),
]


@pytest.mark.parametrize(
    ("robot", "quantity", "fault", "at_most", "bodies"), CASES, ids=[f"{c[0]} {c[1]} {i}" for i, c in enumerate(CASES)]
)
def test_a_fault_is_shrunk(robot: str, quantity: str, fault: p.Fault, at_most: int, bodies: set[str]) -> None:
    spec = load(robot)
    found = smallest_case(spec, fault, quantity, generated_states(spec, 1, 3, 0))
    assert len(nonzero(found.spec, found.state)) <= at_most, nonzero(found.spec, found.state)
    assert len(found.spec.bodies) <= len(bodies)
    if robot == CHEETAH:
        assert {body.name for body in found.spec.bodies} <= bodies
    assert_is_wrong(found, fault, quantity)
    left = {part.name for body in found.spec.bodies for part in (body, body.rotor) if part}
    whole = {part.name for body in spec.bodies for part in (body, body.rotor) if part}
    assert set(found.removed) == whole - left


@pytest.mark.parametrize("quantity", ["bias_force", "contact_bias_accelerations"])
def test_a_state_is_shrunk_where_the_robot_cannot_be(quantity: str) -> None:
    spec = load(CHEETAH)

    make = single_robot_maker(spec, p.reading_world_velocity(spec))
    found = smallest_case(spec, make, quantity, generated_states(spec, 48, 3, 0))
    assert found.spec == spec
    assert 1 <= len(nonzero(found.spec, found.state)) <= FEW
    assert_is_wrong(found, make, quantity)


def test_parts_that_carry_the_fault_stay() -> None:
    """Rotors lumped into the links: one rotor, on a link that moves, and the link that it drives."""
    spec = load(CHEETAH)
    found = smallest_case(spec, lambda s: p.Planted(with_lumped_rotors(s)), "mass_matrix", generated_states(spec, 48, 3, 0))
    assert len(found.spec.bodies) == 2
    assert sum(body.rotor is not None for body in found.spec.bodies) == 1
    assert found.spec.contact_points == found.spec.poses == ()


class HoldsItsOwn:
    """A user's engine that takes its own robot whatever it is given."""

    name, version, route = "deaf", "0", "a robot of its own"
    quantities = frozenset({"mass_matrix"})

    def __init__(self, own: RobotSpec) -> None:
        self._engine = p.with_inertia(lambda i: p.heavier(i, 1.01), "FR_knee")(own)

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        return self._engine.evaluate(states, quantities)


def test_an_engine_that_does_not_hear_is_no_new_fault() -> None:
    """Rotors cut from the question alone would make the error larger, by another fault."""
    spec = part_of(load(CHEETAH), ["trunk", "FR_abad", "FR_hip", "FR_knee"])
    found = smallest_case(spec, lambda _: HoldsItsOwn(spec), "mass_matrix", generated_states(spec, 48, 3, 0))
    assert all(body.rotor for body in found.spec.bodies if body.name != "trunk")
    assert nonzero(found.spec, found.state) == ()


class RaisesWhenTilted:
    """An engine that fails at every state whose base is turned about x."""

    name, version, route = "raises", "0", "the reference with a fault"
    quantities = frozenset({"bias_force"})

    def __init__(self, spec: RobotSpec) -> None:
        self._engine = p.with_gravity(0.0, 0.0, -9.8)(spec)

    def evaluate(self, states: States, quantities: Sequence[str]) -> Answers:
        if states.q.shape[1] > 4 and (states.q[:, 4] > 0.4).any():
            raise ZeroDivisionError("tilted")
        return self._engine.evaluate(states, quantities)


def test_an_engine_that_fails_at_some_states() -> None:
    spec = load(CHEETAH)
    states = generated_states(spec, 48, 3, 0)
    given = rows_of(states, np.flatnonzero(states.q[:, 4] <= 0.4)[:1].tolist())
    found = smallest_case(spec, RaisesWhenTilted, "bias_force", given)
    assert len(nonzero(found.spec, found.state)) <= 1
    assert_is_wrong(found, RaisesWhenTilted, "bias_force")


def test_a_right_engine_has_nothing_to_shrink() -> None:
    spec = load("two_link_arm")
    with pytest.raises(ValueError, match="nothing to shrink"):
        smallest_case(spec, ReferenceEngine, "mass_matrix", generated_states(spec, 16, 0, 0))
    with pytest.raises(ValueError, match="cannot be built"):
        smallest_case(spec, raising, "mass_matrix", generated_states(spec, 16, 0, 0))


def raising(_spec: RobotSpec) -> Engine:
    raise SystemExit(2)


def test_the_budget_is_kept() -> None:
    """Few evaluations: not the smallest case, but one that shows the fault."""
    spec = load(CHEETAH)
    fault = p.answering(p.without_tdot)
    found = smallest_case(spec, fault, "bias_force", generated_states(spec, 48, 3, 0), Budget(evaluations=120, models=5))
    assert found.evaluations <= 120 + 4 * 4
    assert_is_wrong(found, fault, "bias_force")


def test_a_slow_engine_ends_the_search() -> None:
    """Seconds used up from the start: the case is the robot as it is, and says that it may be smaller."""
    spec, fault = load(CHEETAH), p.answering(p.without_tdot)
    found = smallest_case(spec, fault, "bias_force", generated_states(spec, 4, 3, 0), Budget(seconds=1e-6))
    assert found.is_cut_short
    assert not smallest_case(spec, fault, "bias_force", generated_states(spec, 4, 3, 0), Budget(seconds=1e3)).is_cut_short


def test_equal_questions_have_equal_answers() -> None:
    spec = load(CHEETAH)
    fault = p.with_inertia(p.turned(1e-6), "HL_hip")
    first, second = (smallest_case(spec, fault, "bias_force", generated_states(spec, 48, 3, 0)) for _ in range(2))
    assert first.spec == second.spec
    assert np.array_equal(first.state.q, second.state.q)
    assert np.array_equal(first.state.v, second.state.v)
    assert (first.error, first.evaluations) == (second.error, second.evaluations)


@pytest.mark.parametrize("quantity", ["mass_matrix", "contact_inertia"])
def test_a_part_with_the_fault_saves_work(quantity: str) -> None:
    spec = load(CHEETAH)
    fault = p.with_inertia(lambda i: p.heavier(i, 1.01), "FR_knee")
    states = generated_states(spec, 1, 0, 0)
    without = smallest_case(spec, fault, quantity, states)
    part = smallest_case(spec, fault, "kinetic_energy", states).spec
    other = part_of(spec, ["trunk"])
    found = smallest_case(spec, fault, quantity, states, hints=(other, part))
    assert found.evaluations < without.evaluations
    assert len(found.spec.bodies) == len(without.spec.bodies) == 1
    assert_is_wrong(found, fault, quantity)


def test_names_of_entries() -> None:
    spec = load(CHEETAH)
    q, v, tau = neutral(spec), np.zeros(spec.nv), np.zeros(spec.nv)
    assert nonzero(spec, one(q, v, tau)) == ()
    q[3:7], q[8], v[0], v[8], tau[4] = quaternion_about(math.pi / 2, 2), 0.5, 3.0, 1.0, -2.0
    assert nonzero(spec, one(q, v, tau)) == (
        ("trunk turned about z", pytest.approx(math.pi / 2, rel=1e-15)),
        ("FR_hip_joint", 0.5),
        ("v trunk w_x", 3.0),
        ("v FR_knee_joint", 1.0),
        ("tau trunk v_y", -2.0),
    )
    q[3:7] = -np.array([0.5, 0.5, 0.5, 0.5])
    turns = [value for name, value in nonzero(spec, one(q, v, tau)) if "turned" in name]
    assert turns == pytest.approx([2 * math.pi / 3 / math.sqrt(3.0)] * 3)


@pytest.mark.parametrize("angle", TURNS)
@pytest.mark.parametrize("axis", range(3))
def test_turns(angle: float, axis: int) -> None:
    """The quaternion is that of the turn, and a quarter turn has two equal numbers exactly."""
    found = quaternion_about(angle, axis)
    expected = Rotation.from_rotvec(angle * np.eye(3)[axis]).as_matrix()
    np.testing.assert_allclose(rotation_matrices(np.array(found)), expected, rtol=0, atol=1e-15)
    if abs(angle) == math.pi / 2:
        assert abs(found[0]) == abs(found[1 + axis])


def test_which_errors_show_the_fault() -> None:
    """Beyond rounding, and either a good share of what was found or far beyond rounding."""
    spec = load("two_link_arm")
    mismatch = Mismatch(spec, p.with_gravity(0.0, 0.0, -9.8), "gravity_force", Budget())
    mismatch.original = 1e-10
    cases = [(1e-10, 1e-13, True), (2e-12, 1e-13, True), (1e-13, 1e-16, True), (2e-13, 1e-13, False), (1e-10, 1e-9, False)]
    error, allowed, shown = (np.array(column) for column in zip(*cases, strict=True))
    assert np.array_equal(mismatch.shows(error, allowed), shown)
    assert mismatch.engine(spec) is not None


@pytest.mark.parametrize("robot", [CHEETAH, TWO_BASES, "random:20"])
def test_entries_make_up_the_state(robot: str) -> None:
    spec = load(robot)
    states = generated_states(spec, 16, 5, 0)
    for i in range(16):
        state = states[i : i + 1]
        again = states_of(spec, [entries(spec, state, ("q", "v", "tau"))])
        assert all(np.array_equal(getattr(again, part), getattr(state, part)) for part in ("q", "v", "tau"))


def test_a_cut_robot_moves_as_it_did() -> None:
    """The joints of a leg that hangs on the world have the Jacobian that they have on a trunk at rest in the origin."""
    spec = load(CHEETAH)
    leg = part_of(spec, ["FR_abad", "FR_hip", "FR_knee"])
    states = generated_states(spec, 8, 0, 0)
    rest = replace(states, q=np.concatenate([np.tile(neutral(spec)[:7], (8, 1)), states.q[:, 7:]], axis=1))
    small = states_for(spec, leg, rest)
    assert leg.contact_points
    number = {point.name: i for i, point in enumerate(point for point in spec.contact_points if point.computed)}
    places = [number[point.name] for point in leg.contact_points if point.computed]
    whole = p.right(spec, "contact_jacobians", rest)[:, places][..., 6:9]
    np.testing.assert_allclose(p.right(leg, "contact_jacobians", small), whole, rtol=0, atol=1e-15)


def test_the_largest_mismatch() -> None:
    spec = load(CHEETAH)
    fault = p.with_inertia(p.turned(0.7), "FR_hip")
    found = largest_mismatch(spec, fault, "kinetic_energy", 4, Budget(1500))
    assert found.error > 3.0 * found.random_error > 0.0
    again = largest_mismatch(spec, fault, "kinetic_energy", 4, Budget(1500))
    assert np.array_equal(found.state.q, again.state.q)
    assert np.linalg.norm(found.state.q[0, 3:7]) == pytest.approx(1.0, rel=1e-15)
    assert np.abs(found.state.v).max() <= 10.0
    seen = evidence(spec, fault(spec), found.state, ("kinetic_energy",))
    assert seen.worst_error("kinetic_energy") == found.error


def test_the_largest_mismatch_is_not_where_the_quantity_vanishes() -> None:
    """An error of the same size everywhere: states with hardly any force would seem to be the worst."""
    spec = load("two_link_arm")

    def offset(_spec: RobotSpec, _name: str, values: p.Array, _states: States) -> p.Array:
        return values + 1e-3

    found = largest_mismatch(spec, p.answering(offset), "gravity_force", seed=0)
    random = np.abs(p.right(spec, "gravity_force", generated_states(spec, 256, 0, 0))).max(axis=1)
    assert np.abs(p.right(spec, "gravity_force", found.state)).max() >= 0.09 * np.median(random)


def assert_is_wrong(found: SmallestCase, make: p.Fault, quantity: str) -> None:
    """The engine made anew is off by what is said, beyond what rounding explains."""
    seen = evidence(found.spec, make(found.spec), found.state, (quantity,))
    assert seen.worst_error(quantity) == found.error
    assert float(seen.allowed[quantity][0]) == found.allowed < found.error
    unused = {"v", "tau"} - set(QUANTITIES[quantity].arguments)
    assert not any(getattr(found.state, part).any() for part in unused)


def one(q: p.Array, v: p.Array, tau: p.Array) -> States:
    return States(q[None].copy(), v[None].copy(), tau[None].copy(), np.zeros(1, dtype=np.int64), ("",))
