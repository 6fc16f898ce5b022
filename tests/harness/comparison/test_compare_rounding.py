"""The unit of error: grows with conditioning, is the same for a state alone, and lies between noise and a wrong model."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from leapcheck.comparison.in_house import InHouse
from leapcheck.engines.protocol import Answers
from leapcheck.engines.reference import ReferenceEngine
from leapcheck.engines.registry import make_engine
from leapcheck.quantities import DEFAULT, QUANTITIES
from leapcheck.rounding import ALLOWED_UNITS, FLOOR, ULPS, perturbation, perturbed_spec, scale_free, scales
from leapcheck.sampling import UNIT, States, generated_states
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from leapcheck_models.spec import Inertia, JointType, RobotSpec
from tests.harness.comparison.parameters import Path, changed, name_of, parameters, with_noise

EVERYTHING = DEFAULT
FOUND_BY = ("mass_matrix", "bias_force")
SMALL = {"FR_abad.inertia.rotational.2", "FR_abad.inertia.rotational.4"}
ROTOR = {"FR_abad.rotor.inertia.rotational.3", "FR_abad.rotor.inertia.rotational.5", "FR_hip.inertia.rotational.4"}
WEAK = {"mini_cheetah": SMALL | ROTOR, "mini_cheetah_armature": SMALL}
"""0.45e-6 to 33e-6 kg m^2: 1e-9 of them is within the tolerance, 1e-7 of them is found."""
ULP = float(np.finfo(float).eps)
NOISE_UNITS = 8.0  # largest error in units that 2 ulp of noise in everything make: measured 3.6


def rounding(spec: RobotSpec, states: States, quantities: tuple[str, ...]) -> tuple[dict[str, Floats], Answers]:
    """The expected rounding and the in-house answers; quantities in MuJoCo's coordinates go apart from the others."""
    found: dict[str, Floats] = {}
    for ours in (False, True):
        part = tuple(name for name in quantities if QUANTITIES[name].in_mujoco_coordinates is ours)
        if part:
            found |= InHouse(spec, part, compile_code=False)(states).rounding
    return {name: found[name] for name in quantities}, ReferenceEngine(spec).evaluate(states, quantities)


def near(states: States) -> States:
    rows = [i for i, kind in enumerate(states.kind) if kind != "far"]
    return States(states.q[rows], states.v[rows], states.tau[rows], states.index[rows], tuple(states.kind[i] for i in rows))


@pytest.mark.parametrize("robot", ["two_link_arm", "tree4_1", "random:2", "random:29"])
def test_every_state_has_a_unit_no_smaller_than_storing_a_number(robot: str) -> None:
    spec = load(robot)
    states = generated_states(spec, 64, 0, 0)
    found, answers = rounding(spec, states, EVERYTHING)
    assert list(found) == list(answers)
    for name, units in found.items():
        assert units.shape == (64,), name
        assert np.isfinite(units).all(), name
        assert units.min() >= FLOOR, name


def test_a_state_has_the_same_unit_alone_and_in_any_block() -> None:
    spec = load("tree4_9")
    states = generated_states(spec, UNIT, 0, 0)
    whole, _ = rounding(spec, states, EVERYTHING)
    for rows in (slice(0, 40), slice(201, 202)):
        part, _ = rounding(spec, states[rows], EVERYTHING)
        for name in EVERYTHING:
            assert np.array_equal(part[name], whole[name][rows]), name


def test_both_storage_forms_of_m_have_the_same_unit() -> None:
    spec = load("tree4_1")
    states = generated_states(spec, 20, 0, 0)
    both, _ = rounding(spec, states, ("qM", "csr"))
    only, _ = rounding(spec, states, ("csr",))
    assert np.array_equal(both["qM"], both["csr"])
    assert np.array_equal(only["csr"], both["csr"])


def test_the_unit_grows_with_conditioning() -> None:
    spec = load("two_link_arm")
    first, last = spec.bodies
    points = (replace(first, inertia=Inertia(0.0)), replace(last, inertia=Inertia(1.0, last.inertia.com)))
    spec = replace(spec, bodies=points)  # det M = (l1 l2 sin q2)^2 m2^2: singular when stretched
    angles = 10.0 ** np.arange(-5.0, 0.0, 0.25)
    n = len(angles)
    q, v = np.column_stack([np.full(n, 0.3), angles]), np.zeros((n, 2))
    states = States(q, v, np.tile([1.0, 2.0], (n, 1)), np.arange(n), ("file",) * n)
    units, answers = rounding(spec, states, ("mass_matrix", "forward_dynamics"))
    ratio = (units["forward_dynamics"] / np.linalg.cond(answers["mass_matrix"])).reshape(5, 4).max(axis=1)
    assert ratio.max() < 5.0 * ratio.min()  # measured 2.8, over five decades of the angle, ten of the conditioning
    assert units["forward_dynamics"][0] > 1e-6
    assert units["mass_matrix"].max() < 2e-15  # M itself is no harder there


def test_the_unit_of_a_force_that_cancels_to_nothing_is_that_of_its_terms() -> None:
    spec = load("two_link_arm")
    angles = 10.0 ** np.arange(-12.0, 0.0)
    n = len(angles)
    q, v = np.column_stack([np.full(n, 0.3), angles]), np.tile([2.0, -3.0], (n, 1))
    units, _ = rounding(spec, States(q, v, 0.0 * v, np.arange(n), ("file",) * n), ("coriolis_force",))
    ratio = units["coriolis_force"] * angles
    assert ratio.max() < 10.0 * ratio.min()  # inversely as the angle that is left
    assert units["coriolis_force"][0] > 1e-5


def test_the_unit_of_a_force_that_is_nothing_but_rounding_is_that_of_the_energy() -> None:
    spec = load("tree4_1")  # four joints on the world: each turns about an axis that stands still, and nothing couples them
    states = generated_states(spec, UNIT, 0, 0)
    units, answers = rounding(spec, states, ("coriolis_force", "kinetic_energy"))
    noise = np.abs(answers["coriolis_force"]).max(axis=1)
    assert 0.0 < noise.max() < 1e-11
    absolute = units["coriolis_force"] * noise
    assert (absolute >= FLOOR * answers["kinetic_energy"])[noise > 0.0].all()


def in_units(name: str, values: Floats, right: Floats, units: Floats) -> Floats:
    """The error of each state in units of its expected rounding."""
    error = scale_free(values - right, scales(name, right))
    return error.reshape(len(error), -1).max(axis=1, initial=0.0) / units


def test_the_perturbation_is_of_two_ulp_and_robots_keep_what_is_zero() -> None:
    factors = perturbation(np.random.default_rng(5), (1000,))
    assert 1.9 * ULP < np.abs(factors - 1.0).max() <= ULPS * ULP
    spec = load("mini_cheetah")
    moved = perturbed_spec(spec, np.random.default_rng(0))
    before, after = (np.array([body.inertia.mass for body in robot.bodies]) for robot in (spec, moved))
    assert 0.0 < np.abs(after / before - 1.0).max() <= (ULPS + 1.0) * ULP
    assert [body.joint.axis.count(0.0) for body in moved.bodies[1:]] == [2] * 12  # parallel axes stay parallel


@cache
def bench_of(robot: str) -> tuple[RobotSpec, States, Answers, dict[str, Floats]]:
    spec = load(robot)
    states = near(generated_states(spec, 48, 0, 0))
    units, answers = rounding(spec, states, FOUND_BY)
    return spec, states, answers, units


def units_off(robot: str, path: Path, relative: float) -> float:
    """The largest error in M and h, in units, that a changed parameter makes."""
    spec, states, answers, units = bench_of(robot)
    found = ReferenceEngine(changed(spec, path, lambda value: value * (1.0 + relative))).evaluate(states, FOUND_BY)
    return max(float(in_units(name, found[name], answers[name], units[name]).max()) for name in FOUND_BY)


@pytest.mark.parametrize("robot", ["mini_cheetah", "mini_cheetah_armature"])
def test_a_billionth_of_any_parameter_is_found(robot: str) -> None:
    spec = load(robot)
    first_leg = [path for path in parameters(spec) if path[0] == "gravity" or (path[0] == "bodies" and int(path[1]) < 4)]
    assert len(first_leg) == {"mini_cheetah": 49, "mini_cheetah_armature": 34}[robot]
    missed = {name_of(spec, path) for path in first_leg if units_off(robot, path, 1e-9) <= ALLOWED_UNITS}
    assert missed == WEAK[robot]
    weak = [path for path in first_leg if name_of(spec, path) in WEAK[robot]]
    assert all(units_off(robot, path, 1e-7) > ALLOWED_UNITS for path in weak)


NOISY = ["tree4_9", "random:2", "random:29", pytest.param("mini_cheetah", marks=pytest.mark.slow)]


@pytest.mark.parametrize("robot", NOISY)
def test_noise_of_two_ulp_is_not(robot: str) -> None:
    spec = load(robot)
    states = near(generated_states(spec, 64, 0, 0))
    quantities = tuple(name for name in DEFAULT if name != "csr")  # noise undoes simple bodies: another layout
    units, answers = rounding(spec, states, quantities)
    noisy = ReferenceEngine(with_noise(spec, 2.0, seed=11)).evaluate(states, quantities)
    for name in quantities:
        assert in_units(name, noisy[name], answers[name], units[name]).max() < NOISE_UNITS < ALLOWED_UNITS, name


def test_a_body_that_flies_fast_and_hardly_turns_has_the_unit_of_what_cancels() -> None:
    """v x m v is zero in exact numbers; MuJoCo's is as far off as m v^2 is large: 571 units of what moved inputs change."""
    spec = load("box")
    q = np.array([[0.1, 0.2, 0.3, 1.0, 0.0, 0.0, 0.0]])
    v = np.array([[7.0, -5.5, 4.0, -54.43694795325433, 86.69398723477477, 96.28724372306812]])
    states = States(q, v, np.zeros((1, 6)), np.arange(1), ("file",))
    found, answers = rounding(spec, states, ("forward_dynamics",))
    m, I = spec.bodies[0].inertia.mass, min(spec.bodies[0].inertia.rotational[i] for i in (0, 3, 5))
    least = ULP * m * float(v[0, 3:] @ v[0, 3:]) / I / np.abs(answers["forward_dynamics"]).max()
    assert found["forward_dynamics"][0] >= least
    for name in ("mujoco", "pinocchio"):
        engine = make_engine(name, spec).evaluate(states, ("forward_dynamics",))["forward_dynamics"]
        error = np.abs(engine - answers["forward_dynamics"]).max() / np.abs(answers["forward_dynamics"]).max()
        assert error <= 4.0 * found["forward_dynamics"][0]  # measured over a million states: 0.7


def test_a_slow_circle_that_a_fast_slide_carries_has_the_unit_of_what_cancels() -> None:
    """w x v of link and slide cancels to w^2 r; what is left of it is 1e5 units of what moved inputs change."""
    arm = load("two_link_arm")
    slide, link = arm.bodies
    slide = replace(slide, joint=replace(slide.joint, type=JointType.PRISMATIC, axis=(1.0, 0.0, 0.0)))
    spec = replace(arm, bodies=(slide, link))
    q, v = np.array([[0.3, 0.7]]), np.array([[100.0, 1e-3]])
    states = States(q, v, np.zeros((1, 2)), np.arange(1), ("file",))
    names = ("contact_bias_accelerations", "frame_bias_accelerations", "com_bias_acceleration")
    units, answers = rounding(spec, states, names)
    for name in names:
        largest = np.abs(answers[name][..., 3:] if name.startswith("frame") else answers[name]).max()
        assert 0.0 < largest < 1e-5, name
        assert units[name][0] * largest >= ULP * 100.0 * 1e-3, name
