"""Faults in some states only: the condition is named with its coordinate and its threshold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import leapcheck_reference as reference
from leapcheck.comparison.plan import Plan
from leapcheck.engines.outside.load import load_engine
from leapcheck.judge.conditions.features import features
from leapcheck.judge.conditions.probe import Boundaries, ErrorProbe
from leapcheck.judge.conditions.regions import regions
from leapcheck.judge.diagnosis import diagnose
from leapcheck.judge.evidence import evidence, rows_of
from leapcheck.records import Diagnosis, Run
from leapcheck.robots.load import named_robot
from leapcheck.sampling import States, generated_states
from leapcheck.study import run_comparison
from leapcheck_models.arrays import Floats
from leapcheck_models.robots import load
from leapcheck_models.spec import RobotSpec
from tests.planted import state_dependent as p

CHAIN, FLOATING = "tree4_7", "random:30"
COUNT, ODD_COUNT = 48, 47
Plant = Callable[[RobotSpec], p.Branching]


def up(q: Floats) -> float:
    """The world's z component of the base's z axis."""
    _, x, y, _ = q[3:7]
    return float(1.0 - 2.0 * (x * x + y * y))


def speed(v: Floats) -> float:
    return float(np.linalg.norm(v))


def zero_below(limit: float) -> Callable[[Floats], Floats]:
    return lambda x: np.where(np.abs(x) < limit, 0.0, x)


def scaled_to(limit: float) -> Callable[[Floats], Floats]:
    return lambda v: v * min(1.0, limit / max(speed(v), limit))


LIMITS = np.array([[-2.5, -2.0, -2.2, -1.9], [2.4, 2.3, 2.6, 2.95]])

EXACTLY = "wrong exactly where "
CASES: dict[str, tuple[str, str, str, Plant]] = {
    # robot, condition, cause or "" where none is named, fault
    "clip": (
        CHAIN,
        "|joint_4| > 2.7 rad",
        "the angle is clipped",
        lambda s: p.Branching(s, p.on(3, lambda x: np.clip(x, -2.7, 2.7))),
    ),
    "clip in degrees": (
        CHAIN,
        "|joint_4| > 2.70526 rad (155 deg)",
        "the angle is clipped",
        lambda s: p.Branching(s, p.on(3, lambda x: np.clip(x, -np.radians(155), np.radians(155)))),
    ),
    "clip at any number": (
        CHAIN,
        "|joint_3| > 1.234568 rad",
        "the angle is clipped",
        lambda s: p.Branching(s, p.on(2, lambda x: np.clip(x, -1.23456789, 1.23456789))),
    ),
    "one-sided clip": (
        CHAIN,
        "joint_2 > 0.75 rad",
        "the angle is clipped",
        lambda s: p.Branching(s, p.on(1, lambda x: min(x, 0.75))),
    ),
    "clip to limits": (
        CHAIN,
        "joint_1 is outside [-2.5, 2.4] rad or joint_2 is outside [-2, 2.3] rad or "
        "joint_3 is outside [-2.2, 2.6] rad or joint_4 is outside [-1.9, 2.95] rad",
        "the angle is clipped",
        lambda s: p.Branching(s, lambda q: np.clip(q, *LIMITS)),
    ),
    "slide": (
        FLOATING,
        "|joint_2| > 0.4 m",
        "the position is clipped",
        lambda s: p.Branching(s, p.on(8, lambda x: np.clip(x, -0.4, 0.4))),
    ),
    "wrap": (
        CHAIN,
        "|joint_2| > 2.5 rad",
        "the angle is wrapped",
        lambda s: p.Branching(s, p.on(1, lambda x: (x + 2.5) % 5.0 - 2.5)),
    ),
    "sign lost": (CHAIN, "joint_2 < 0", "the angle is taken without its sign", lambda s: p.Branching(s, p.on(1, np.abs))),
    "no negative angle": (
        CHAIN,
        "the smallest joint angle < 0",
        "each angle is clipped",
        lambda s: p.Branching(s, lambda q: np.maximum(q, 0.0)),
    ),
    "velocity": (
        CHAIN,
        "|the velocity of joint_3| > 2 rad/s",
        "the velocity is clipped",
        lambda s: p.Branching(s, v=p.on(2, lambda x: np.clip(x, -2.0, 2.0))),
    ),
    "velocities": (
        CHAIN,
        "the largest |joint velocity| > 20 rad/s",
        "each velocity is clipped",
        lambda s: p.Branching(s, v=lambda v: np.clip(v, -20.0, 20.0)),
    ),
    "norm of v": (
        CHAIN,
        "the norm over every joint velocity > 10 rad/s",
        "the velocity as a whole is clipped",
        lambda s: p.Branching(s, v=scaled_to(10.0)),
    ),
    "dead band": (
        CHAIN,
        "the smallest |joint velocity| < 0.5 rad/s",
        "each velocity is taken as 0",
        lambda s: p.Branching(s, v=zero_below(0.5)),
    ),
    "small angle": (
        CHAIN,
        "|joint_2| < 1e-06 rad",
        "multiplied by 1.01",
        lambda s: p.spoilt(s, "gravity_force", lambda q, _v: abs(q[1]) < 1e-6),
    ),
    "sin q = q": (
        CHAIN,
        "|joint_2| < 0.01 rad",
        "",
        lambda s: p.Branching(s, p.on(1, lambda x: np.arcsin(x) if abs(x) < 0.01 else x)),
    ),
    "beyond half a turn": (
        CHAIN,
        "|joint_2| > pi rad",
        "multiplied by 1.01",
        lambda s: p.spoilt(s, "gravity_force", lambda q, _v: abs(q[1]) > np.pi),
    ),
    "folded": (
        CHAIN,
        "the distance of joint_3 from pi < 1e-05 rad",
        "",
        lambda s: p.spoilt(s, "gravity_force", lambda q, _v: abs(q[2] % (2 * np.pi) - np.pi) < 1e-5),
    ),
    "interval": (
        CHAIN,
        "0.5 < joint_3 < 1.5 rad",
        "multiplied by 1.01",
        lambda s: p.spoilt(s, "gravity_force", lambda q, _v: 0.5 < q[2] < 1.5),
    ),
    "at rest": (CHAIN, "v = 0", "multiplied by 1.01", lambda s: p.spoilt(s, "bias_force", lambda _q, v: not v.any())),
    "slow": (
        CHAIN,
        "the norm over every joint velocity < 3 rad/s",
        "",
        lambda s: p.spoilt(s, "bias_force", lambda _q, v: speed(v) < 3.0),
    ),
    "upside down": (
        FLOATING,
        "link_0 is upside down",
        "opposite sign",
        lambda s: p.spoilt(s, "gravity_force", lambda q, _v: up(q) < 0.0, np.negative),
    ),
    "tilt": (FLOATING, "the tilt of link_0 > pi/3 rad", "", lambda s: p.spoilt(s, "gravity_force", lambda q, _v: up(q) < 0.5)),
    "half-space": (
        FLOATING,
        "w of the quaternion of link_0 < 0",
        "",
        lambda s: p.spoilt(s, "gravity_force", lambda q, _v: q[3] < 0.0),
    ),
    "gimbal": (
        FLOATING,
        "|the pitch of link_0| > 1.4 rad",
        "",
        lambda s: p.spoilt(s, "gravity_force", lambda q, _v: abs(np.arcsin(2 * (q[3] * q[5] - q[6] * q[4]))) > 1.4),
    ),
    "far": (
        FLOATING,
        "the distance of link_0 from the origin > 50 m",
        "",
        lambda s: p.spoilt(s, "gravity_force", lambda q, _v: speed(q[:3]) > 50.0),
    ),
    "turning fast": (
        FLOATING,
        "the angular speed of link_0 > 5 rad/s",
        "opposite sign",
        lambda s: p.spoilt(s, "bias_force", lambda _q, v: speed(v[:3]) > 5.0, np.negative),
    ),
}


def diagnoses(robot: str, plant: Plant) -> tuple[Diagnosis, ...]:
    spec = load(robot)
    return diagnose(spec, plant(spec), generated_states(spec, COUNT, 0, 0), p.QUANTITIES)


@pytest.mark.parametrize("case", CASES)
def test_the_condition_is_named_with_its_threshold(case: str) -> None:
    robot, condition, cause, plant = CASES[case]
    (diagnosis,) = diagnoses(robot, plant)
    first, *rest = diagnosis.causes
    assert f"where {condition}, right elsewhere" in first.words, first.words
    told = [row.words for causes in (rest, *diagnosis.alternatives) for row in causes]
    assert any(cause in words for words in told) if cause else True, told
    assert (not rest) == any(part in first.words for part in ("match no known fault", "shortcut for small angles"))
    assert all(falls.after < min(1e-12, falls.before) for falls in diagnosis.falls)


def test_a_shortcut_for_small_angles_is_told_by_how_the_error_grows() -> None:
    (diagnosis,) = diagnoses(*CASES["sin q = q"][::3])
    assert "the cube of the angle: a shortcut for small angles, such as sin q = q" in diagnosis.causes[0].words


def smooth(_name: str, q: Floats, v: Floats, values: Floats) -> Floats:
    """An error of its own kind at every state; it vanishes at rest."""
    return values * (1.0 + 1e-3 * np.sin(q[1]) * float(v @ v))


def rough(_name: str, q: Floats, _v: Floats, values: Floats) -> Floats:
    """An error that no condition foretells."""
    return values * (1.0 + 1e-6 * (np.sin(1e5 * q.sum()) > 0.0))


def noisy(_name: str, q: Floats, v: Floats, values: Floats) -> Floats:
    """Few digits; the same at the same state."""
    rng = np.random.default_rng(abs(int(1e12 * np.sin(q.sum() + v.sum()))))
    return values * (1.0 + 1e-9 * rng.standard_normal(values.shape))


@pytest.mark.parametrize("spoil", [smooth, pytest.param(rough, marks=pytest.mark.slow), noisy])
def test_no_condition_is_named_where_there_is_none(spoil: Callable[..., Floats]) -> None:
    for diagnosis in diagnoses(CHAIN, lambda spec: p.Branching(spec, spoil=spoil)):
        assert not any(cause.name.startswith("condition/") for cause in diagnosis.causes)


def crossings(plant: Plant) -> int:
    """Lines, of one from the worst state to the best, on which errors set in."""
    spec = load(CHAIN)
    probe = ErrorProbe(evidence(spec, plant(spec), generated_states(spec, COUNT, 0, 0), p.QUANTITIES), "bias_force")
    wrong, right = (rows_of(probe.states, [int(row)]) for row in (probe.ratio.argmax(), probe.ratio.argmin()))
    return len(probe.boundaries(wrong, right))


def test_a_small_fault_that_rounding_hides_has_no_threshold() -> None:
    def faint(_name: str, q: Floats, v: Floats, values: Floats) -> Floats:
        return values * (1.0 + 3e-12 * np.sin(q[1]) * float(v[2]))

    assert crossings(lambda spec: p.Branching(spec, spoil=faint)) == 0
    assert crossings(CASES["clip"][3]) == 1


def test_a_threshold_within_the_uncertainty_of_zero_is_zero() -> None:
    spec = load(CHAIN)
    states = generated_states(spec, 3, 0, 0)
    q = {"start": -1.0, "wrong": -1e-9, "right": 3e-9}
    ends = [replace(states, q=np.full_like(states.q, value)) for value in q.values()]
    first = next(regions(features(spec, "gravity_force"), Boundaries(*ends)))
    assert first.words == "joint_1 < 0"


def test_two_quantities_may_have_a_condition_each() -> None:
    def spoil(name: str, q: Floats, v: Floats, values: Floats) -> Floats:
        is_wrong = q[1] > 1.25 if name == "gravity_force" else abs(v[2]) < 1.5
        return -values if is_wrong else values

    told = sorted(d.causes[0].words for d in diagnoses(CHAIN, lambda spec: p.Branching(spec, spoil=spoil)))
    assert [words.partition(",")[0] for words in told] == [
        f"{EXACTLY}joint_2 > 1.25 rad",
        f"{EXACTLY}|the velocity of joint_3| < 1.5 rad/s",
    ]


Right = Callable[[States], Floats]


def stale_part(part: str, lag: int = 1) -> Callable[[Right, States, int], Floats]:
    return lambda right, states, _calls: right(replace(states, **{part: p.before(getattr(states, part), lag)}))


def wrong_rows(is_wrong: Callable[[int, int, int], bool]) -> Callable[[Right, States, int], Floats]:
    """Rows are 1 % off by their position, the size of the block and the number of states asked before."""

    def answer(right: Right, states: States, calls: int) -> Floats:
        n = len(states)
        return right(states) * np.array([1.01 if is_wrong(k, n, calls) else 1.0 for k in range(n)])[:, None]

    return answer


def every_other(right: Right, states: States, calls: int) -> Floats:
    """q is read anew at every second state alone."""
    read = np.maximum(np.arange(len(states)) - (np.arange(len(states)) + calls) % 2, 0)
    return right(replace(states, q=states.q[read]))


CALLS: dict[str, tuple[str, Callable[[Right, States, int], Floats]]] = {
    "the answer before": ("the answer is that of the call before", lambda right, states, _: p.before(right(states))),
    "the answer two before": ("the answer is that of 2 calls before", lambda right, states, _: p.before(right(states), 2)),
    "q before": ("computed with the q of the call before", stale_part("q")),
    "v before": ("computed with the v of the call before", stale_part("v")),
    "every other": ("computed with the q of the call before", every_other),
    "first": ("the first state of each block is wrong", wrong_rows(lambda k, _n, _c: k == 0)),
    "last": ("the last state of each block is wrong", wrong_rows(lambda k, n, _c: k == n - 1)),
    "last, of the one before": (
        "the last state of each block of two or more is wrong",
        lambda right, states, _: right(replace(states, q=np.concatenate([states.q[:-1], states.q[-2:][:1]]))),
    ),
    "remainder": ("the last states of a block that fill no group of 4 are wrong", wrong_rows(lambda k, n, _c: k >= n - n % 4)),
    "later": ("wrong from position 32 of a block on", wrong_rows(lambda k, _n, _c: k >= 32)),
    "large blocks": ("wrong in blocks of 33 states or more", wrong_rows(lambda _k, n, _c: n > 32)),
    "one in 30": ("one call in 30 of bias force h is wrong", wrong_rows(lambda k, _n, c: (c + k) % 30 == 29)),
    "at random": ("not deterministic", wrong_rows(lambda k, _n, c: np.random.default_rng(c + k).random() < 0.05)),
}


@pytest.mark.parametrize("case", CALLS)
def test_dependence_on_the_calls_before_is_named(case: str) -> None:
    words, answer = CALLS[case]
    spec = load(CHAIN)
    (diagnosis,) = diagnose(spec, p.Remembering(spec, answer), generated_states(spec, ODD_COUNT, 0, 0), p.QUANTITIES)
    (cause,) = diagnosis.causes
    assert words in cause.words
    assert [falls.quantity for falls in diagnosis.falls] == ["bias_force"]
    assert all(falls.after < 1e-12 for falls in diagnosis.falls)


class KeptFactor:
    """Accelerations are solved with the mass matrix of the call before."""

    def __init__(self, spec: RobotSpec) -> None:
        self._tree = reference.build(spec)
        self._kept: Floats | None = None

    def mass_matrix(self, q: Floats) -> Floats:
        return reference.mass_matrix(self._tree, q)

    def forward_dynamics(self, q: Floats, v: Floats, tau: Floats) -> Floats:
        now = self.mass_matrix(q)
        M, self._kept = now if self._kept is None else self._kept, now
        return np.linalg.solve(M, tau - reference.bias_force(self._tree, q, v))


def test_a_factor_kept_from_the_call_before_is_named() -> None:
    spec = load(CHAIN)
    engine = load_engine(KeptFactor(spec), spec)
    (diagnosis,) = diagnose(spec, engine, generated_states(spec, ODD_COUNT, 0, 0), ("mass_matrix", "forward_dynamics"))
    (cause,) = diagnosis.causes
    assert "solved with the mass matrix M, or its factor, of the call before" in cause.words
    assert [falls.quantity for falls in diagnosis.falls] == ["forward_dynamics"]
    assert diagnosis.falls[0].after < 1e-9 < 1e-3 < diagnosis.falls[0].before


def test_noise_that_differs_from_call_to_call_is_told_as_such() -> None:
    def answer(right: Right, states: States, calls: int) -> Floats:
        values = right(states)
        return values * (1.0 + 1e-9 * np.random.default_rng(calls).standard_normal(values.shape))

    spec = load(CHAIN)
    (diagnosis,) = diagnose(spec, p.Remembering(spec, answer), generated_states(spec, COUNT, 0, 0), p.QUANTITIES)
    assert "its answers differ when it is asked twice" in diagnosis.causes[0].words


def compared(engine: object) -> Run:
    """A comparison of an engine in one quantity."""
    plan = Plan(named_robot(CHAIN), ("reference", load_engine(engine, load(CHAIN))), ("bias_force",), count=600)
    return run_comparison(plan)


def test_one_call_in_five_hundred_is_named_in_a_run() -> None:
    (discrepancy,) = compared(p.Remembering(load(CHAIN), wrong_rows(lambda k, _n, c: (c + k) % 500 == 499))).discrepancies
    assert discrepancy.cause == "One call in 500 of bias force h is wrong."


def test_a_wrong_first_call_is_named_in_a_run() -> None:
    def factory(spec: RobotSpec) -> p.Remembering:
        return p.Remembering(spec, wrong_rows(lambda k, _n, c: c + k == 0))

    (discrepancy,) = compared(factory).discrepancies
    assert "the first call of a new engine is wrong, the second is right" in discrepancy.cause


def test_a_condition_is_told_in_a_run() -> None:
    engine = p.spoilt(load(CHAIN), "bias_force", lambda q, _v: q[1] > 2.0, lambda x: x + np.tanh(x))
    (discrepancy,) = compared(engine).discrepancies
    assert discrepancy.cause.startswith("Wrong exactly where joint_2 > 2 rad, right elsewhere; the numbers there match no known")
    assert "elsewhere the scale-free error is at most" in discrepancy.evidence
