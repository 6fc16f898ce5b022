"""The in-house twin of MuJoCo's contact against MuJoCo: whole jumps and crashes, each loop closed in its own engine."""

import dataclasses
from functools import cache

import numpy as np
import pytest

from leapcheck.simulators.log import JumpLog
from leapcheck_evidence.studies import twin
from leapcheck_evidence.studies.twin import Difference, Scenario, TwinCase, difference, mujoco_log, twin_log
from leapcheck_reference.simulate.soft import SoftContact

Q, V = 1e-12, 1e-10  # whole runs to rounding; largest seen 7e-14 and 6e-12 (crashes)
DEFAULT_Q = 2e-7  # planned jump, MuJoCo's default tolerance; largest seen 2.5e-9

ELLIPTIC = SoftContact(friction=0.3, solref=(0.01, 1.0), impratio=10.0)
PYRAMIDAL = dataclasses.replace(ELLIPTIC, cone="pyramidal", impratio=1.0)
SLIPPERY = SoftContact(friction=0.05, solref=(-2e4, -250.0), impratio=100.0)
STIFF = SoftContact(friction=0.8, solref=(0.004, 1.0), solreflimit=(0.01, 1.0))

FAST = {
    "planned Euler elliptic": (TwinCase(ELLIPTIC, "Euler"), twin.jump),
    "skewed Euler slippery": (TwinCase(SLIPPERY, "Euler"), twin.skewed_jump),
    "skewed implicitfast pyramidal": (TwinCase(PYRAMIDAL, "implicitfast"), twin.skewed_jump),
    "skewed RK4 stiff": (TwinCase(STIFF, "RK4"), twin.skewed_jump),
    "crash Euler passive": (TwinCase(STIFF, "Euler", passive=True), twin.crash),
    "crash RK4 pyramidal armature": (TwinCase(PYRAMIDAL, "RK4", "mini_cheetah_armature", passive=True), twin.crash),
}


@cache
def logs(name: str) -> tuple[JumpLog, JumpLog]:
    case, scenario = FAST[name]
    return twin_log(case, scenario), mujoco_log(case, scenario)


def assert_close(found: Difference) -> None:
    assert not found.stopped
    assert found.dq <= Q
    assert found.dv <= V


DEALT = "skewed RK4 stiff"
"""Its integrator, its contact and its motion are each in another of them."""


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow if name == DEALT else []) for name in FAST])
def test_both_go_the_same_way(name: str) -> None:
    assert_close(difference(*logs(name)))


def test_the_runs_are_jumps_and_crashes() -> None:
    """They leave the ground, slide, land again, and fall on trunk and knees, with stops hit: else they would show little."""
    jump, skewed, crash = (logs(name)[0] for name in ("planned Euler elliptic", "skewed Euler slippery", "crash Euler passive"))
    for log in (jump, skewed):
        airborne = ~log.forces.any(axis=(1, 2))
        assert airborne.sum() > 200
        assert log.forces[-1].any()
    feet = [i for i, point in enumerate(skewed.points) if point.endswith("foot")]
    tangential, normal = np.hypot(*skewed.forces[:, feet, :2].T), skewed.forces[:, feet, 2].T
    assert ((normal > 1.0) & (tangential > 0.99 * 0.05 * normal)).sum() > 100
    hit = {point for point, forces in zip(crash.points, crash.forces.transpose(1, 0, 2), strict=True) if forces.any()}
    assert any(point.startswith("trunk") for point in hit)
    assert any(point.endswith("knee_point") for point in hit)
    assert np.abs(crash.limit_torques).max() > 5.0


def test_forces_and_stops_are_the_same_too() -> None:
    """N of up to 3.4 kN and N m of up to 20; largest seen 6e-10 and 6e-11."""
    own, engine = logs("crash Euler passive")
    np.testing.assert_allclose(own.forces, engine.forces, rtol=0.0, atol=1e-8)
    np.testing.assert_allclose(own.limit_torques, engine.limit_torques, rtol=0.0, atol=1e-9)


def test_mujoco_s_default_tolerance_moves_the_jump_little() -> None:
    case, scenario = FAST["planned Euler elliptic"]
    assert difference(logs("planned Euler elliptic")[0], mujoco_log(case, scenario, 1e-8)).dq <= DEFAULT_Q


@pytest.mark.parametrize("name", ["skewed Euler slippery", "skewed implicitfast pyramidal"])
def test_more_iterations_change_nothing_but_rounding(name: str) -> None:
    """Where MuJoCo's solver ends by default: with tolerance 0 it goes on to its last iteration."""
    case, scenario = FAST[name]
    assert_close(difference(logs(name)[1], mujoco_log(case, scenario, 0.0)))


def test_a_contact_that_is_slightly_other_is_seen() -> None:
    """The comparison can fail: one part in a million of friction shows on a robot that slides."""
    case, scenario = FAST["skewed Euler slippery"]
    other = dataclasses.replace(case, contact=dataclasses.replace(case.contact, friction=0.05 * (1 + 1e-6)))
    assert difference(twin_log(other, scenario), logs("skewed Euler slippery")[1]).dq > 1e3 * Q


def test_a_run_that_stopped_is_no_agreement() -> None:
    own, engine = logs("crash Euler passive")
    stopped = dataclasses.replace(own, stopped="it fell apart")
    assert difference(stopped, engine) == Difference(np.inf, np.inf, np.inf, "it fell apart")


def test_the_worst_of_many_hides_nothing() -> None:
    many = [
        Difference(1.0, 5.0, 0.0),
        Difference(np.nan, 2.0, 3.0),
        Difference(0.5, 1.0, 1.0, "b"),
        Difference(0.0, 0.0, 0.0, "a"),
    ]
    found = twin.worst([*many, many[2]])
    assert np.isnan(found.dq)
    assert (found.dv, found.df, found.stopped) == (5.0, 3.0, "b; a")


SLOW = [(case, twin.jump) for case in twin.jump_cases()]
SLOW += [(case, twin.skewed_jump) for case in twin.jump_cases()[::3]]
SLOW += [(case, twin.crash) for case in twin.crash_cases()]


@pytest.mark.slow
@pytest.mark.parametrize(("case", "scenario"), SLOW, ids=lambda value: getattr(value, "__name__", None))
def test_the_whole_grid(case: TwinCase, scenario: Scenario) -> None:
    assert_close(difference(twin_log(case, scenario), mujoco_log(case, scenario)))
