"""States: the same whatever the block, the count and the process; each kind as it is described."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from leapcheck.sampling import (
    KINDS,
    PATTERN,
    STATE_PARTS,
    STREAMS,
    UNIT,
    States,
    generated_block,
    generated_states,
    join_states,
    unit_blocks,
    units,
)
from leapcheck_models.robots import load
from leapcheck_models.spec import CONFIGURATION_SIZE, VELOCITY_SIZE, JointType, RobotSpec

pytestmark = pytest.mark.quick

ROBOTS = ("mini_cheetah", "two_link_arm", "tree4_9", "random:4", "random:27", "box")  # 27: several free bases, balls
UNIT_NORM = 3e-16  # quaternions are normalised once: measured 2.3e-16
SECOND_SEED = 7
ULP = float(np.finfo(float).eps)


def places(spec: RobotSpec, *kinds: JointType) -> list[tuple[slice, slice]]:
    """Where the joints of these kinds stand in q and in v."""
    found, q, v = [], 0, 0
    for kind in (body.joint.type for body in spec.bodies):
        next_q, next_v = q + CONFIGURATION_SIZE[kind], v + VELOCITY_SIZE[kind]
        if kind in kinds:
            found.append((slice(q, next_q), slice(v, next_v)))
        q, v = next_q, next_v
    return found


def of_kind(states: States, kind: str) -> States:
    rows = np.flatnonzero(np.array(states.kind) == kind)
    return States(states.q[rows], states.v[rows], states.tau[rows], states.index[rows], (kind,) * len(rows))


def same(a: States, b: States) -> bool:
    parts = all(np.array_equal(getattr(a, part), getattr(b, part)) for part in (*STATE_PARTS, "index"))
    return parts and a.kind == b.kind


@pytest.fixture(params=ROBOTS)
def spec(request: pytest.FixtureRequest) -> RobotSpec:
    return load(request.param)


@pytest.fixture
def cheetah() -> RobotSpec:
    return load("mini_cheetah")


@pytest.mark.parametrize("shorter", [1, 17, 255, 256, 257, 600])
def test_a_shorter_run_is_the_beginning_of_a_longer_one(cheetah: RobotSpec, shorter: int) -> None:
    whole = join_states([generated_states(cheetah, 3 * UNIT, SECOND_SEED, unit) for unit in units(3 * UNIT)])
    part = join_states([generated_states(cheetah, shorter, SECOND_SEED, unit) for unit in units(shorter)])
    assert len(part) == shorter
    assert same(part, whole[:shorter])
    assert np.array_equal(whole.index, np.arange(3 * UNIT))


def test_a_unit_is_the_same_alone_and_in_another_process(cheetah: RobotSpec) -> None:
    code = (
        "from leapcheck.sampling import generated_states; from leapcheck_models.robots import load; "
        "s = generated_states(load('mini_cheetah'), 700, 3, 2); print(repr(s.q.tolist()), s.index[0], len(s))"
    )
    answer = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    states = generated_states(cheetah, 700, 3, 2)
    assert answer == f"{states.q.tolist()!r} 512 188\n"


def test_seeds_and_units_differ(cheetah: RobotSpec) -> None:
    first = generated_states(cheetah, 2 * UNIT, 0, 0)
    for other in (generated_states(cheetah, 2 * UNIT, 1, 0), generated_states(cheetah, 2 * UNIT, 0, 1)):
        assert not np.intersect1d(first.v[np.array(first.kind) != "rest"], other.v[np.array(other.kind) != "rest"]).size
        assert first.kind == other.kind


def test_sizes_and_quaternions(spec: RobotSpec) -> None:
    states = generated_states(spec, UNIT, 0, 0)
    assert states.q.shape == (UNIT, spec.nq)
    assert states.v.shape == states.tau.shape == (UNIT, spec.nv)
    assert np.isfinite(states.q).all()
    for q, _ in places(spec, JointType.FREE, JointType.BALL):
        norms = np.linalg.norm(states.q[:, q][:, -4:], axis=1)
        assert np.abs(norms - 1.0).max() <= UNIT_NORM


def test_every_kind_is_there_in_every_sixteen(spec: RobotSpec) -> None:
    states = generated_states(spec, UNIT, 0, 0)
    assert set(KINDS) == {"generic", "large", "singular", "rest", "far", "pose"}
    for start in range(0, UNIT, len(PATTERN)):
        assert states.kind[start : start + len(PATTERN)] == PATTERN


def test_generic_states_are_tilted_moving_and_bent(spec: RobotSpec) -> None:
    states = of_kind(generated_states(spec, UNIT, 0, 0), "generic")
    assert (np.abs(states.v).max(axis=1) > 0.1).all()
    assert np.abs(states.v).max() < 20.0
    for q, _ in places(spec, JointType.REVOLUTE):
        angles = states.q[:, q]
        assert np.abs(angles).max() <= np.pi
        assert angles.min() < -2.0
        assert angles.max() > 2.0
        assert np.unique(angles).size == len(states)
    for q, _ in places(spec, JointType.PRISMATIC):
        assert 0.3 < np.abs(states.q[:, q]).max() <= 0.5
    for q, _ in places(spec, JointType.FREE):
        assert 0.5 < np.abs(states.q[:, q][:, :3]).max() <= 1.0
        assert (np.abs(states.q[:, q][:, 3]) < 0.999).mean() > 0.9


def test_large_states(spec: RobotSpec) -> None:
    states = of_kind(generated_states(spec, UNIT, 0, 0), "large")
    assert 90.0 < np.abs(states.v).max() <= 100.0
    for q, _ in places(spec, JointType.REVOLUTE):
        assert 7.0 < np.abs(states.q[:, q]).max() <= 10.0


def test_singular_states_are_straight_or_folded(spec: RobotSpec) -> None:
    states = of_kind(generated_states(spec, UNIT, 0, 0), "singular")
    for q, _ in places(spec, JointType.REVOLUTE):
        angles = states.q[:, q].ravel()
        off = np.minimum(np.abs(angles), np.abs(angles - np.pi))
        assert off.max() <= 1.001e-3
        assert off.min() < 1e-9
        assert (np.abs(angles) < 1.0).any()
        assert (angles > 3.0).any()


def test_states_at_rest_have_no_velocity(spec: RobotSpec) -> None:
    states = generated_states(spec, UNIT, 0, 0)
    assert not of_kind(states, "rest").v.any()
    still = ~states.v.any(axis=1)
    assert still.sum() == states.kind.count("rest")


def test_far_states(spec: RobotSpec) -> None:
    states = generated_states(spec, UNIT, 0, 0)
    for q, _ in places(spec, JointType.FREE):
        distance = np.linalg.norm(of_kind(states, "far").q[:, q][:, :3], axis=1)
        assert distance.min() >= 100.0 * (1 - ULP)
        assert distance.max() <= 10_000.0 * (1 + ULP)
        assert distance.min() < 300.0
        assert distance.max() > 3000.0
        for kind in ("generic", "large", "singular", "rest"):
            assert np.abs(of_kind(states, kind).q[:, q][:, :3]).max() <= 1.0


def test_pose_states_go_through_the_named_poses(cheetah: RobotSpec) -> None:
    states = of_kind(generated_states(cheetah, UNIT, 0, 0), "pose")
    named = [pose.q for pose in cheetah.poses]
    assert [tuple(q) for q in states.q[: len(named)].tolist()] == named
    assert {tuple(q) for q in states.q.tolist()} == set(named)
    assert (np.abs(states.v).max(axis=1) > 0.1).all()


def test_several_roots_each_get_their_own_far_place() -> None:
    spec = load("random:27")
    roots = places(spec, JointType.FREE)
    assert len(roots) > 1
    far = of_kind(generated_states(spec, UNIT, 0, 0), "far")
    positions = [far.q[:, q][:, :3] for q, _ in roots]
    assert not np.intersect1d(positions[0], positions[1]).size


@pytest.mark.parametrize(("start", "end"), [(0, 3 * UNIT), (5, 2 * UNIT + 1), (UNIT, 2 * UNIT), (UNIT - 1, UNIT + 1), (37, 38)])
def test_a_block_falls_into_its_units(start: int, end: int) -> None:
    spec = load("two_link_arm")
    whole = join_states([generated_states(spec, 3 * UNIT, 0, unit) for unit in units(3 * UNIT)])
    parts = unit_blocks(whole[start:end])
    assert all(len(set(part.index // UNIT)) == 1 for part in parts)
    assert len(parts) == len(set(whole.index[start:end] // UNIT))
    assert same(join_states(parts), whole[start:end])


def test_accelerations_have_a_stream_of_their_own() -> None:
    """What else a seed gives does not depend on them, nor they on how many states are drawn."""
    spec = load("mini_cheetah")
    states, few = generated_states(spec, 512, 3, 1), generated_states(spec, 300, 3, 1)
    rng = np.random.default_rng(np.random.SeedSequence(3, spawn_key=(1, 1)))
    assert np.array_equal(states.vdot, 10.0 * rng.standard_normal((256, spec.nv)))
    assert np.array_equal(few.vdot, states.vdot[:44])
    assert not np.array_equal(states.vdot, generated_states(spec, 512, 4, 1).vdot)


def test_accelerations_that_are_left_out_are_zero() -> None:
    states = States(np.zeros((2, 3)), np.ones((2, 3)), np.ones((2, 3)), np.arange(2), ("file",) * 2)
    assert np.array_equal(states.vdot, np.zeros((2, 3)))
    assert np.array_equal(states[:1].vdot, np.zeros((1, 3)))


@pytest.mark.parametrize("left_out", [{"vdot"}, {"contact_forces"}, {"vdot", "contact_forces"}])
def test_what_is_left_out_changes_no_other_part(cheetah: RobotSpec, left_out: set[str]) -> None:
    whole = generated_block(cheetah, 2 * UNIT, SECOND_SEED, (0, 1))
    others = [part for part in STATE_PARTS if part not in left_out]
    without = generated_block(cheetah, 2 * UNIT, SECOND_SEED, (0, 1), others)
    assert all(np.array_equal(getattr(whole, part), getattr(without, part)) for part in others)
    assert not any(getattr(without, part).any() for part in left_out)
    assert without.vdot.shape == whole.vdot.shape
    assert without.contact_forces.shape == (2 * UNIT, 0 if "contact_forces" in left_out else whole.contact_forces.shape[1])


def test_contact_forces_are_drawn_apart_from_all_else(cheetah: RobotSpec) -> None:
    whole = generated_block(cheetah, UNIT, SECOND_SEED, (0,))
    forces = whole.contact_forces.reshape(UNIT, -1, 3)
    assert forces.shape[1] == len(cheetah.contact_points)
    # No component follows another, nor tau or vdot: of 256 draws correlations are below 0.3.
    drawn = np.column_stack([whole.contact_forces, whole.vdot, whole.tau])
    assert np.abs(np.corrcoef(drawn.T) - np.eye(drawn.shape[1]))[: forces[0].size].max() < 0.3
    _, size = STREAMS["contact_forces"]
    assert 0.9 * size < forces.std() < 1.1 * size
